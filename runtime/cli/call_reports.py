"""`vcontract report`: write what happened in the calls of some days, as a page and as tables."""

import csv
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vcontract.runtime.cli.console import counted, note, say
from vcontract.runtime.cli.failures import CommandFailed, reporting
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, Tenant
from vcontract.runtime.cli.tool_client import ToolFailed, call_tools

if TYPE_CHECKING:
    from vcontract.runtime.cli.tool_client import Tools
    from vcontract.runtime.pages.calls import CallReport, Days

_TOOLSETS: Final = ("contract", "vcon", "vcon_more")
_LINKS: Final = "http://127.0.0.1:8000/browse"
_STYLES: Final = ("base.css", "page.css", "frame.css")

report = typer.Typer(name="report", help="Write reports.", no_args_is_help=True)


@report.callback()
def _of() -> None:
    """Write reports."""


@report.command(
    epilog='Example: vcontract report calls --week 2025-W42 --said cancel --disclosure "call is recorded" '
    "--score tag:csat --out report"
)
@reporting
def calls(
    context: typer.Context,
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Folder for calls.html and the CSV files.")
    ],
    week: Annotated[
        str | None,
        typer.Option(metavar="WEEK", help="ISO week, such as 2025-W42. Default: the last full week."),
    ] = None,
    since: Annotated[str | None, typer.Option(metavar="DATE", help="First day, instead of a week.")] = None,
    until: Annotated[str | None, typer.Option(metavar="DATE", help="Last day. Default: today.")] = None,
    said: Annotated[
        list[str],
        typer.Option(
            metavar="PHRASE", help="Count conversations in which this was said, and by whom. Repeatable."
        ),
    ] = [],  # noqa: B006  (typer wants a list)
    disclosure: Annotated[
        str, typer.Option(metavar="PHRASE", help="Count conversations in which no agent said this early.")
    ] = "",
    first: Annotated[
        int, typer.Option(metavar="SECONDS", min=1, help="How early the disclosure has to be said.")
    ] = 60,
    score: Annotated[
        list[str],
        typer.Option(metavar="NAME", help="Number of a tag, as in tag:csat, by agent and week. Repeatable."),
    ] = [],  # noqa: B006  (typer wants a list)
    links: Annotated[
        str, typer.Option(metavar="URL", help="Address of the web UI that links lead to.")
    ] = _LINKS,
    tenant: Tenant = DEFAULT_TENANT,
) -> None:
    """Report calls: phrases, agents, scores, topics, and who called again."""
    from vcontract.runtime.pages.calls import MAX_PHRASES, MAX_SCORES, Wanted, call_report

    days = _days(week, since, until)
    for option, given, most in (("--said", said, MAX_PHRASES), ("--score", score, MAX_SCORES)):
        if len(given) > most:
            raise typer.BadParameter(f"{option} is given {len(given)} times; at most {most} are counted.")
    wanted = Wanted(said, disclosure, first, score)

    async def made(tools: "Tools") -> "CallReport":
        return await call_report(tools.ask, ToolFailed, days, wanted, links.rstrip("/"))

    found = call_tools(context, tenant, made, *_TOOLSETS)
    try:
        written = _write(found, out, links)
    except OSError as error:
        raise CommandFailed(f"Cannot write to {out}: {error.strerror}.") from error
    calls = counted(found.calls, "conversation")
    say(f"{calls} from {days.since} to {days.until}, {found.calls_before:,} before.")
    for problem in found.problems:
        note(problem)
    say("Wrote " + ", ".join(written) + f" to {out}.")


def _days(week: str | None, since: str | None, until: str | None) -> "Days":
    """The days of the options. Raises: BadParameter."""
    from vcontract.runtime.pages.calls import Days

    today = datetime.now(UTC).date()
    if week is not None and (since is not None or until is not None):
        raise typer.BadParameter("Give --week, or --since and --until.")
    try:
        if week is not None:
            return Days.week_of(datetime.strptime(f"{week}-1", "%G-W%V-%u").replace(tzinfo=UTC).date())
        if since is None and until is None:
            return Days.week_of(today - timedelta(days=7))
        last = today if until is None else date.fromisoformat(until)
        days = Days(last if since is None else date.fromisoformat(since), last)
    except ValueError:
        raise typer.BadParameter(
            f"{week or since or until} is not a week such as 2025-W42 or a date such as 2025-10-14."
        ) from None
    if days.since > days.until:
        raise typer.BadParameter(f"--since {days.since} is after --until {days.until}.")
    return days


def _write(found: "CallReport", out: Path, links: str) -> list[str]:
    """Write the page and the tables. Returns the names of the files. Raises: OSError."""
    from markupsafe import Markup

    from vcontract.runtime.pages.rendering import Pages

    pages = Pages()
    style = "\n".join(map(pages.text, _STYLES))
    out.mkdir(parents=True, exist_ok=True)
    html = pages.document(
        "calls_report.html.jinja",
        report=found,
        links=links,
        style=Markup(style),  # noqa: S704  (our own files)
    )
    (out / "calls.html").write_text(html, encoding="utf-8")
    names = ["calls.html"]
    for name, rows in found.tables().items():
        with (out / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([_cell(value) for value in row] for row in rows)
        names.append(f"{name}.csv")
    return names


def _cell(value: object) -> object:
    """A value for a table: text that no spreadsheet reads as a formula, and nothing for None."""
    from vcontract.runtime.frame.documents.plain_text import one_line

    if not isinstance(value, str):
        return "" if value is None else value
    text = one_line(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
