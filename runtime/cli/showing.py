"""`vcontract show`: print a conversation for reading."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from vcontract.runtime.cli.console import counted, is_read_by_a_person, page, print_json
from vcontract.runtime.cli.failures import CommandFailed
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant
from vcontract.runtime.cli.searching import VconId
from vcontract.runtime.cli.tool_client import call_tools
from vcontract.runtime.frame.documents.plain_text import one_line, plain

if TYPE_CHECKING:
    from datetime import datetime

    from rich.text import Text

    from vcontract.runtime.frame.documents.json import JsonObject
    from vcontract.runtime.vcon.reading import Conversation, Part
    from vcontract.runtime.vcon.traces import ToolUse
    from vcontract.runtime.vcon.transcript import TranscriptTurn

_MAX_RESPONSE_BYTES = 10_000_000
_MAX_ATTACHMENT_LENGTH = 400
_AROUND = 2
"""Turns to show before and after a single one."""


class ShownPart(StrEnum):
    """A requested part of a conversation."""

    DIALOG = "dialog"
    ANALYSIS = "analysis"
    ATTACHMENTS = "attachments"


def show(
    context: typer.Context,
    id_: VconId,
    part: Annotated[
        list[ShownPart] | None,
        typer.Option(
            metavar="PART",
            help="Only this part: dialog, analysis or attachments. Repeatable.",
            show_default=False,
        ),
    ] = None,
    tools: Annotated[
        bool, typer.Option("--tools", help="Show the input and output of each tool call of an agent.")
    ] = False,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Show a conversation: speakers, times and turns.

    Opens a pager on a terminal, and cuts long attachments. ID#TURN shows one turn of the transcript with the
    two before and after it. Exits with 1 if the conversation is not found.
    """
    id_, turn = _turn_of(id_)
    if turn is not None and as_json:
        print_json(_turns_around(context, tenant, id_, turn))
        return
    parts = ["dialog"] if turn is not None else [each.value for each in part or ShownPart]
    # an agent's trace, with its tool calls, is an analysis
    include = ["core", "parties", "tags", *dict.fromkeys((*parts, "analysis"))]
    answer = call_tools(
        context,
        tenant,
        lambda served: served.ask(
            "vcon_fetch", id=id_, include=include, max_response_bytes=_MAX_RESPONSE_BYTES
        ),
    )
    if as_json:
        print_json(answer)
        return
    from vcontract.runtime.vcon.reading import began_at, read_conversation

    item: JsonObject = answer["item"]
    conversation = read_conversation(item, item["tags"], began_at(item))
    if turn is not None:
        conversation = _around(conversation, turn)
    lines = list(_lines(conversation, parts, with_tools=tools))
    page(_printed(lines))


def _turn_of(given: str) -> tuple[str, int | None]:
    """Split an ID and the turn number after `#`."""
    id_, mark, turn = given.partition("#")
    if not mark:
        return id_, None
    if not (turn.isascii() and turn.isdecimal()):
        raise CommandFailed(f"{given!r} is not ID#TURN", cure=f"write the number of a turn, as in {id_}#12")
    return id_, int(turn)


def _turns_around(context: typer.Context, tenant: str, id_: str, turn: int) -> "JsonObject":
    """Fetch a turn and those around it with vcon_fetch. Raises: CommandFailed."""
    turns = f"{max(turn - _AROUND, 0)}-{turn + _AROUND}"
    answer = call_tools(
        context, tenant, lambda served: served.ask("vcon_fetch", id=id_, include=["core"], turns=turns)
    )
    item: JsonObject = answer["item"]
    if not any(each["turn"] == turn for each in item["turns"]):
        raise _no_turn(turn, answer["meta"]["total_turns"])
    return answer


def _no_turn(turn: int, count: int) -> CommandFailed:
    return CommandFailed(
        f"turn {turn} not found: the conversation has {counted(count, 'turn')}, counted from 0"
    )


def _around(conversation: "Conversation", turn: int) -> "Conversation":
    """Reduce the conversation to a turn and those around it."""
    from vcontract.runtime.vcon.reading import Part

    if not any(said.number == turn for said in conversation.turns):
        raise _no_turn(turn, len(conversation.turns))
    near = tuple(said for said in conversation.turns if abs(said.number - turn) <= _AROUND)
    title = f"Turns {near[0].number} to {near[-1].number}"
    return replace(conversation, parts=(Part("dialog", title, near),))


def _printed(lines: "Sequence[Text]") -> str:
    """Render lines for the terminal; without styles elsewhere."""
    if not is_read_by_a_person():
        return "\n".join(text.plain.rstrip() for text in lines)
    from rich.console import Console

    console = Console(highlight=False)
    with console.capture() as captured:
        for text in lines:
            console.print(text)
    return captured.get()


def _lines(conversation: "Conversation", parts: Sequence[str], *, with_tools: bool) -> "Iterator[Text]":
    from rich.text import Text

    from vcontract.runtime.vcon.tags import tag_text

    yield Text(one_line(conversation.subject) or "(no subject)", "bold")
    yield Text.assemble(
        (f"{conversation.began_at[:16].replace('T', ' ')}  ", "cyan"), (conversation.uuid, "green")
    )
    if conversation.parties:
        yield Text(f"with {', '.join(map(one_line, conversation.parties))}")
    if conversation.tags:
        yield Text(f"tags {', '.join(one_line(tag_text(*tag)) for tag in conversation.tags.items())}")
    for part in conversation.parts:
        if part.name in parts:
            yield Text("")
            yield from _part(part, with_tools=with_tools)


def _part(part: "Part", *, with_tools: bool) -> "Iterator[Text]":
    from rich.text import Text

    name = part.kind if part.index is None else f"{part.kind} {part.index}: {one_line(part.title)}"
    yield Text(f"── {name} ──", "bold")
    before: TranscriptTurn | None = None
    for said in part.said:
        yield from _turn(said, before, cut=part.name == "attachments", with_tools=with_tools)
        before = said


def _turn(
    said: "TranscriptTurn", before: "TranscriptTurn | None", *, cut: bool, with_tools: bool
) -> "Iterator[Text]":
    from rich.text import Text

    words = plain(said.words)
    if cut and len(words) > _MAX_ATTACHMENT_LENGTH:
        words = f"{words[:_MAX_ATTACHMENT_LENGTH]}… ({len(words):,} characters)"
    line = Text()
    if when := _when(said, None if before is None else before.at):
        line.append(f"{when}  ", "cyan")
    if said.speaker:
        line.append(f"{one_line(said.speaker)}: ", "bold")
    line.append(words)
    if said.aside:
        line.append(f"{' ' if words else ''}[{one_line(said.aside)}]", "dim")
    yield line
    if said.tools:
        yield from _calls(said.tools, with_tools=with_tools)


def _calls(uses: "Sequence[ToolUse]", *, with_tools: bool) -> "Iterator[Text]":
    """Format tool calls in one line, or each with input and output."""
    from rich.text import Text

    from vcontract.runtime.vcon.traces import tool_subject

    heads = [one_line(f"{use.name} {tool_subject(use.name, use.input)}") for use in uses]
    if not with_tools:
        yield Text(f"    {counted(len(uses), 'tool call')}: {'; '.join(heads)}", "dim")
        return
    from vcontract.runtime.frame.documents.json import dump_json

    for use, head in zip(uses, heads, strict=True):
        yield Text(f"    {head}", "dim")
        for given in (use.input, use.output):
            text = given if isinstance(given, str) else "" if given is None else dump_json(given).decode()
            yield Text("\n".join(f"      {each}" for each in plain(text).splitlines()), "dim")


def _when(said: "TranscriptTurn", before: "datetime | None") -> str:
    """Time of a turn, with its date if that changes; else seconds since the start."""
    if said.at is not None:
        is_same_day = before is not None and before.date() == said.at.date()
        return f"{said.at:%H:%M:%S}" if is_same_day else f"{said.at:%Y-%m-%d %H:%M:%S}"
    if said.seconds is not None:
        minutes, seconds = divmod(int(said.seconds), 60)
        return f"{minutes:02}:{seconds:02}"
    return ""
