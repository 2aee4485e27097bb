"""Messages of an import about the vCons that it read."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import typer

from vcontract.runtime.cli.console import counted, print_table

if TYPE_CHECKING:
    from vcontract.runtime.imports.sources import Sources
    from vcontract.runtime.imports.summary import Summary


def print_summary(summary: "Summary", sources: "Sources", seconds: float, *, dry_run: bool) -> None:
    if not summary.files:
        typer.echo("No file was read.")
        _print_ignored(sources)
        return
    usable = summary.read - summary.refused
    rate = f", {usable / seconds:,.0f} a second" if usable > seconds > 1 else ""
    doing = "Checked" if dry_run else "Read"
    what = f"{counted(usable, 'vCon')} from {counted(summary.files, 'file')}"
    typer.echo(f"{doing} {what} in {seconds:.1f} s{rate}")
    fates = [
        ("usable" if dry_run else "created", f"{summary.created:,}", ""),
        ("replaced", f"{summary.replaced:,}", ""),
        ("skipped", f"{summary.skipped:,}", _skipped_because(summary)),
        ("identical", f"{summary.identical:,}", ""),
        ("deleted", f"{summary.deleted:,}", _DELETED),
        ("refused", f"{summary.refused:,}", ""),
        ("no turns", f"{summary.silent:,}", ""),
    ]
    print_table([fate for fate in fates if fate[1] != "0"])
    _print_messages(summary)
    _print_ignored(sources)
    report = summary.as_json()
    _print_counts("Refused because of", [(row["rule"], row["count"]) for row in report["refusals"]])
    _print_counts(
        "Names translated (places)",
        [(f"{row['from']} -> {row['to']}", row["count"]) for row in report["translated"]],
    )
    if usable:
        typer.echo(f"{summary.conforming:,} of {usable:,} conform to the schema of their version")
    _print_counts(
        "Most frequent findings (vCons)",
        [(f"{row['rule']} at {row['path']}", row["vcons"]) for row in report["conformance"]["findings"]],
    )
    _print_counts(
        "Notices (vCons)",
        [(_notice(row["code"], row.get("path")), row["vcons"]) for row in report["notices"]],
    )


def _print_messages(summary: "Summary") -> None:
    """Print what became of the messages of exports."""
    messages = summary.messages
    if not messages.total():
        return
    parts = [f"{counted(messages['turns'], 'turn')}"]
    parts += [f"{messages[name]:,} {said}" for name, said in _MESSAGES.items() if messages[name]]
    typer.echo(f"{counted(messages.total(), 'message')}: {', '.join(parts)}")
    _print_counts("Left out (messages)", [(why, count) for why, count in summary.left_out.most_common()])


_MESSAGES: Final = {"kept": "kept beside them", "joined": "joined to another", "left_out": "left out"}


def _print_ignored(sources: "Sources") -> None:
    if sources.ignored:
        typer.echo(f"Not read: {counted(len(sources.ignored), 'file')}. Name one to try it.")
        print_table([(file.name,) for file in sources.ignored[:_NAMED]])
        if len(sources.ignored) > _NAMED:
            typer.echo(f"  and {len(sources.ignored) - _NAMED:,} more, which --report lists")


_NAMED: Final = 5
_DELETED: Final = "deleted or redacted here; --force restores them"


def _skipped_because(summary: "Summary") -> str:
    if not summary.skipped:
        return ""
    lost = f"{summary.lost:,} of them with text that is not stored" if summary.lost else "without other text"
    return f"already stored with other content, {lost}; --on-conflict keep-both stores both"


_NOTICES: Final = {
    "date_guessed": "date_guessed: no date in the file or in its name, so the file's own time was used"
}


def _notice(code: str, path: str | None) -> str:
    return f"{code} at {path}" if path else _NOTICES.get(code, code)


def _print_counts(title: str, counts: Sequence[tuple[str, int]]) -> None:
    if counts:
        typer.echo(title)
        width = max(len(f"{count:,}") for _, count in counts)
        print_table([(f"{count:>{width},}", name) for name, count in counts])
