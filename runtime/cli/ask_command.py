"""`vcontract ask`: the turns that answer a question, each with the ID and number that open it."""

from typing import TYPE_CHECKING, Annotated

import typer

from vcontract.runtime.cli.console import print_json, say
from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.cli.filter_options import Tags, check_dates, filters_of
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant, settings_of
from vcontract.runtime.cli.open_store import run
from vcontract.runtime.cli.tool_client import ToolFailed, Tools, call_tools

if TYPE_CHECKING:
    from vcontract.runtime.frame.calls.dispatch import CallOutcome
    from vcontract.runtime.settings import Settings


def ask(
    context: typer.Context,
    words: Annotated[list[str], typer.Argument(metavar="QUESTION", help="The question.", show_default=False)],
    person: Annotated[
        list[str],
        typer.Option(
            "--person",
            metavar="NAME",
            help="Only conversations with this person. Repeatable; all must take part.",
            show_default=False,
        ),
    ] = [],  # noqa: B006  (typer wants a list)
    speaker: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only what this person says.", show_default=False)
    ] = None,
    tag: Tags = [],  # noqa: B006
    since: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="Only what was said on or after this date.", show_default=False),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="Only what was said on or before this date.", show_default=False),
    ] = None,
    survey: Annotated[
        bool, typer.Option("--survey", help="One line per conversation, to list or count.")
    ] = False,
    tokens: Annotated[
        int, typer.Option(metavar="N", min=100, max=20_000, help="Largest answer, in tokens of 4 bytes.")
    ] = 1_000,
    page: Annotated[int, typer.Option(metavar="N", min=1, max=99, help="Page to print.")] = 1,
    answer: Annotated[
        bool,
        typer.Option("--answer", help="Let the model of VCONTRACT_LLM_* write the answer, with its sources."),
    ] = False,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Print the turns that answer a question.

    Each conversation begins with its ID, each turn with its number: `vcontract show ID#TURN` opens it.
    Exits with 1 if nothing is found, or with --answer if the turns do not answer the question.
    """
    settings = _with_a_model(settings_of(context)) if answer else None
    check_dates(since, until)
    arguments: dict[str, object] = {
        "query": " ".join(words),
        "view": "survey" if survey else "excerpts",
        "max_tokens": tokens,
        "people": person,
        "cursor": str(page),
        "speaker": speaker,
        "since": since,
        "until": until,
        "filters": filters_of(tag, None, None, None),
    }
    given = {name: value for name, value in arguments.items() if value not in (None, [], {})}

    async def recall(tools: Tools) -> "CallOutcome":
        outcome = await tools.call("vcon_recall", given)
        if outcome.is_error:
            raise ToolFailed(outcome.structured)
        return outcome

    outcome = call_tools(context, tenant, recall, "all")
    if settings is not None:
        _answer(settings, " ".join(words), outcome, as_json=as_json)
    elif as_json:
        print_json(outcome.structured)
    else:
        say(answer_text(outcome))
    if outcome.structured["meta"]["answerable"] == "nothing_found" or not outcome.structured["items"]:
        raise typer.Exit(ExitCode.FAILED)


def answer_text(outcome: "CallOutcome") -> str:
    """The text of a result for a person: without turns that do not answer, and with our option for more."""
    turns, _, ending = outcome.text.rpartition("\n\n")
    is_found = outcome.structured["meta"]["answerable"] != "nothing_found"
    if following := outcome.structured["page"]["next_cursor"]:
        ending = ending.replace(f"(cursor {following})", f"(--page {following})")
        ending = ending if is_found else ending.partition(" More: ")[0]
    return "\n\n".join(filter(None, (turns if is_found else "", ending)))


def _with_a_model(settings: "Settings") -> "Settings":
    """Return the settings if they name a language model. Raises: CommandFailed."""
    from vcontract.runtime.llm.settings import LlmSettings

    if missing := LlmSettings.of(settings).missing:
        raise CommandFailed(
            "No language model is configured, and --answer needs one",
            cure=f"set {' and '.join(missing)}, or leave out --answer to read the turns",
            code=ExitCode.USAGE,
        )
    return settings


def _answer(settings: "Settings", question: str, outcome: "CallOutcome", *, as_json: bool) -> None:
    """Print the model's answer from the results; without results, the model is not called."""
    from vcontract.runtime.app.answering import DECLINED, NotAnswered, write_answer
    from vcontract.runtime.llm.settings import LlmSettings

    found = outcome.structured
    sentences = []
    if found["meta"]["answerable"] != "nothing_found":
        try:
            sentences = run(write_answer(LlmSettings.of(settings), question, outcome.text, found))
        except NotAnswered as error:
            raise CommandFailed(str(error), cure=error.cure) from None
    if as_json:
        print_json({"answer": [one.document() for one in sentences], "found": found})
    elif sentences:
        for one in sentences:
            say(f"{one.text} [{', '.join(one.sources)}]")
    else:
        say(DECLINED)
    if not sentences:
        raise typer.Exit(ExitCode.FAILED)
