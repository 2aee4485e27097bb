"""`vcontract ask`: the turns that answer a question, each with the ID and number that open it."""

from typing import TYPE_CHECKING, Annotated

import typer

from vcontract.runtime.cli.asking import Refused, Tools, asked
from vcontract.runtime.cli.console import print_json, say
from vcontract.runtime.cli.failures import ExitCode
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant, settings_of
from vcontract.runtime.cli.searching import Since, Tags, Until, filters_of
from vcontract.runtime.cli.stores import run

if TYPE_CHECKING:
    from vcontract.runtime.calls.dispatch import CallOutcome
    from vcontract.runtime.llm.settings import LlmSettings


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
    since: Since = None,
    until: Until = None,
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
    llm = _model_settings(context) if answer else None
    arguments: dict[str, object] = {
        "query": " ".join(words),
        "view": "survey" if survey else "excerpts",
        "max_tokens": tokens,
        "people": person,
        "cursor": str(page),
        "filters": filters_of(tag, None, since, until),
    }
    if speaker is not None:
        arguments["speaker"] = speaker
    given = {name: value for name, value in arguments.items() if value not in (None, [], {})}

    async def recall(tools: Tools) -> "CallOutcome":
        outcome = await tools.call("vcon_recall", given)
        if outcome.is_error:
            raise Refused(outcome.structured)
        return outcome

    outcome = asked(context, tenant, recall, "all")
    if llm is not None:
        _answer(llm, " ".join(words), outcome, as_json=as_json)
    elif as_json:
        print_json(outcome.structured)
    else:
        say(outcome.text)
    if outcome.structured["meta"]["answerable"] == "nothing_found":
        raise typer.Exit(ExitCode.FAILED)


def _model_settings(context: typer.Context) -> "LlmSettings":
    """The model that writes answers. Raises: CommandFailed, when none is configured."""
    from vcontract.runtime.cli.answering import configured
    from vcontract.runtime.llm.settings import LlmSettings

    return configured(LlmSettings.of(settings_of(context)))


def _answer(llm: "LlmSettings", question: str, outcome: "CallOutcome", *, as_json: bool) -> None:
    """Print the answer that a model writes from what was found; the model is not asked when nothing was."""
    from vcontract.runtime.cli.answering import DECLINED, written
    from vcontract.runtime.llm.endpoint import Endpoint

    found = outcome.structured
    sentences = (
        run(written(Endpoint(llm), question, outcome.text, found))
        if found["meta"]["answerable"] != "nothing_found"
        else []
    )
    if as_json:
        print_json({"answer": [one.document() for one in sentences], "found": found})
    elif sentences:
        for one in sentences:
            say(f"{one.text} [{', '.join(one.sources)}]")
    else:
        say(DECLINED)
    if not sentences:
        raise typer.Exit(ExitCode.FAILED)
