"""A conversation as one reads it: who took part, and who said what when, part by part."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal

from vcontract.runtime.documents.json import JsonObject, JsonValue
from vcontract.runtime.documents.values import array, as_index, is_array, members, objects
from vcontract.runtime.vcon.bodies import json_of_body
from vcontract.runtime.vcon.tags import TagValue, effective_purpose, is_tags_carrier, read_tags
from vcontract.runtime.vcon.text import body_text
from vcontract.runtime.vcon.times import read_time
from vcontract.runtime.vcon.traces import ToolUse, traced_exchanges
from vcontract.runtime.vcon.turns import Turn, list_of_turns, party_name

PartName = Literal["dialog", "analysis", "attachments"]

_ADDRESSES: Final = ("name", "tel", "mailto", "email", "sip", "uuid", "id")
_CARRYING: Final = ("text", "recording")
"""The types of dialogs that have content; nothing is missing where another has none."""
_TURNS: Final = ("segments", "utterances", "messages")


@dataclass(frozen=True, slots=True)
class Said:
    """One turn."""

    speaker: str | None
    words: str
    at: datetime | None = None
    seconds: float | None = None
    """When it begins, counted from the beginning of the recording, where no clock is told."""
    length: float | None = None
    """How many seconds it takes."""
    aside: str = ""
    """What stands there in place of words: a recording, a file, somewhere else."""
    tools: tuple[ToolUse, ...] = ()
    """What an agent's tools did because of it."""
    dialog: int | None = None
    """The dialog that it is."""


@dataclass(frozen=True, slots=True)
class Part:
    """All dialogs, one analysis or one attachment."""

    name: PartName
    title: str
    said: tuple[Said, ...]
    index: int | None = None
    """Its place among the analyses or attachments."""

    @property
    def kind(self) -> str:
        """What one of these is called."""
        return "attachment" if self.name == "attachments" else self.name


@dataclass(frozen=True, slots=True)
class Conversation:
    """A vCon to be read by a person."""

    uuid: str
    subject: str
    created_at: str
    parties: tuple[str, ...]
    tags: Mapping[str, TagValue]
    parts: tuple[Part, ...]


def read_conversation(vcon: JsonObject, tags: Mapping[str, TagValue] | None = None) -> Conversation:
    """The conversation that a vCon holds, or what of one was fetched; `tags` where they are told beside it.

    Attachments that only hold tags are left out, and so are traces of agents: their calls stand at the turns.
    """
    return Conversation(
        _text(vcon.get("uuid")),
        _text(vcon.get("subject")),
        _text(vcon.get("created_at")),
        party_labels(vcon),
        read_tags(vcon)[0] if tags is None else tags,
        tuple(_parts(vcon)),
    )


def party_labels(vcon: JsonObject) -> tuple[str, ...]:
    """What each party is called: its name, else an address, else its number; with its role."""
    parties = array(vcon.get("parties"))
    return tuple(_with_role(_label(parties, index), party) for index, party in enumerate(parties))


def _parts(vcon: JsonObject) -> Iterator[Part]:
    parties = array(vcon.get("parties"))
    dialogs = objects(vcon.get("dialog"))
    traced = _tools_by_exchange(vcon)
    if dialogs:
        yield Part("dialog", "Dialog", tuple(_dialogs(dialogs, parties, traced)))
    for index, analysis in objects(vcon.get("analysis")):
        if traced_exchanges(analysis) is None:
            yield Part("analysis", _title_of_analysis(analysis), _turns(analysis, parties), index)
    for index, attachment in objects(vcon.get("attachments")):
        if not is_tags_carrier(attachment):
            title = effective_purpose(attachment) or "attachment"
            yield Part("attachments", title, _turns(attachment, parties), index)


def _dialogs(
    dialogs: Sequence[tuple[int, JsonObject]],
    parties: Sequence[JsonValue],
    traced: dict[int, tuple[ToolUse, ...]],
) -> Iterator[Said]:
    for index, dialog in dialogs:
        words = body_text(dialog, parties).strip()
        start = dialog.get("start")
        exchange = as_index(members(members(dialog.get("meta")).get("transcript")).get("exchange"))
        yield Said(
            _speaker(dialog, parties),
            words,
            at=read_time(start) if isinstance(start, str) else None,
            length=_number(dialog.get("duration")),
            aside="" if words else _aside(dialog),
            # an exchange is told by its first turn, which is what the tools were called for
            tools=traced.pop(exchange, ()) if exchange is not None else (),
            dialog=index,
        )


def _turns(element: JsonObject, parties: Sequence[JsonValue]) -> tuple[Said, ...]:
    """The turns of a transcript, else all words as one."""
    for turns in _lists_of_turns(_json(element), parties):
        return tuple(_said(turn) for turn in turns if turn.words.strip())
    words = body_text(element, parties).strip()
    said = Said(None, words, aside="" if words else _aside(element))
    return (said,) if said.words or said.aside else ()


def _json(element: JsonObject) -> JsonValue:
    """The body where it is JSON by its form or by what is said of it."""
    body: JsonValue = element.get("body")
    if isinstance(body, str) and element.get("encoding") != "json" and body.lstrip()[:1] not in ("[", "{"):
        return None
    return json_of_body(element)


def _lists_of_turns(value: JsonValue, parties: Sequence[JsonValue]) -> Iterator[list[Turn]]:
    holders = (
        members(value),
        members(members(value).get("results")),
        members(members(value).get("transcript")),
    )
    speakers = members(members(value).get("speakers"))
    for candidate in (value, *(holder.get(name) for holder in holders for name in _TURNS)):
        if is_array(candidate) and (turns := list_of_turns(candidate, parties)):
            yield [_named(turn, speakers) for turn in turns]


def _named(turn: Turn, speakers: JsonObject) -> Turn:
    """By the label that a transcript gives a speaker's number beside its segments."""
    number = (turn.speaker or "").removeprefix("Speaker ")
    label = members(speakers.get(number)).get("label")
    return replace(turn, speaker=label) if isinstance(label, str) and label.strip() else turn


def _said(turn: Turn) -> Said:
    start, end = (read_time(each) if isinstance(each, str) else None for each in (turn.start, turn.end))
    seconds, last = _number(turn.start), _number(turn.end)
    length = None
    if start is not None and end is not None:
        length = (end - start).total_seconds()
    elif seconds is not None and last is not None:
        length = last - seconds
    return Said(turn.speaker, turn.words.strip(), start, seconds, length)


def _tools_by_exchange(vcon: JsonObject) -> dict[int, tuple[ToolUse, ...]]:
    return {
        exchange.number: tuple(exchange.uses)
        for _, analysis in objects(vcon.get("analysis"))
        for exchange in traced_exchanges(analysis) or ()
    }


def _speaker(dialog: JsonObject, parties: Sequence[JsonValue]) -> str | None:
    """Who speaks in a dialog; of a recording of several all of them."""
    if (originator := as_index(dialog.get("originator"))) is not None:
        return _label(parties, originator)
    given: JsonValue = dialog.get("parties")
    indices = [
        index for one in (given if is_array(given) else [given]) if (index := as_index(one)) is not None
    ]
    if dialog.get("type") == "text":
        indices = indices[:1]
    return ", ".join(_label(parties, index) for index in indices) or None


def _label(parties: Sequence[JsonValue], index: int) -> str:
    if (name := party_name(index, parties)) is not None:
        return name
    party = members(parties[index]) if index < len(parties) else {}
    addresses = (party.get(name) for name in _ADDRESSES)
    return next((one for one in addresses if isinstance(one, str) and one.strip()), f"Party {index}")


def _with_role(label: str, party: JsonValue) -> str:
    told = members(party).get("role") or members(members(party).get("meta")).get("role")
    return f"{label} ({told})" if isinstance(told, str) and told.strip() else label


def _title_of_analysis(analysis: JsonObject) -> str:
    kind = _text(analysis.get("type")) or "analysis"
    maker = " ".join(_text(analysis.get(name)) for name in ("vendor", "product")).strip()
    return f"{kind} by {maker}" if maker else kind


def _aside(element: JsonObject) -> str:
    """What an element without words is, and where."""
    duration = _number(element.get("duration"))
    told = [_text(element.get(name)) for name in ("type", "mediatype", "filename", "disposition")]
    told.append("" if duration is None else f"{duration:,.0f} s")
    told.append(_text(element.get("url")) or ("inline" if element.get("body") else ""))
    if told[0] in _CARRYING and not told[-1]:
        told.append("without content")
    return ", ".join(filter(None, told))


def _number(value: JsonValue) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _text(value: JsonValue) -> str:
    return value.strip() if isinstance(value, str) else ""
