"""Turns of a conversation: speaker and words."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object, members

_WORDS = ("message", "text", "content", "transcript", "body", "utterance", "words", "sentence")
_SPEAKERS = (
    "speaker",
    "name",
    "speaker_name",
    "speakerName",
    "participant",
    "from",
    "author",
    "user",
    "role",
)
_PARTIES = ("party", "parties")
_STARTS = ("start", "start_time", "startTime", "timestamp", "time", "offset")
_ENDS = ("end", "end_time", "endTime")
_TIMES = ("start", "end", "timestamp", "time", "start_time", "startTime", "duration", "offset")


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker said. The speaker may be unknown (None)."""

    speaker: str | None
    words: str
    start: JsonValue = None
    """Start as given: a time, or seconds."""
    end: JsonValue = None
    """End as given."""


def lines_of(turns: Iterable[Turn]) -> list[str]:
    """Format as `Speaker: words`, one line per turn; consecutive turns of a speaker are joined."""
    said = [(turn.speaker, words) for turn in turns if (words := turn.words.strip())]
    lines: list[str] = []
    for speaker, own in groupby(said, key=itemgetter(0)):
        words = " ".join(words for _, words in own)
        lines.append(f"{speaker}: {words}" if speaker else words)
    return lines


def list_of_turns(values: list[JsonValue], parties: Sequence[JsonValue]) -> list[Turn] | None:
    """Read a list of turns; None unless all elements have words and some have a speaker or time."""
    elements = [value for value in values if is_object(value)]
    if not elements or len(elements) < len(values):
        return None
    if not any(name in element for element in elements for name in (*_SPEAKERS, *_PARTIES, *_TIMES)):
        return None
    turns: list[Turn] = []
    for element in elements:
        words = next((element[name] for name in _WORDS if isinstance(element.get(name), str | list)), None)
        if words is None:
            return None
        start = next((element[name] for name in _STARTS if name in element), None)
        end = next((element[name] for name in _ENDS if name in element), None)
        turns.append(Turn(speaker_of(element, parties), spoken(words), start, end))
    return turns


def speaker_of(element: JsonObject, parties: Sequence[JsonValue]) -> str | None:
    """Name of the speaker, from the element or its party; None if unknown."""
    for name in _SPEAKERS:
        label = speaker_label(element.get(name))
        if label:
            return label
    for name in _PARTIES:
        value: JsonValue = element.get(name)
        if is_array(value) and value:
            value = value[0]
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool):
            return party_name(value, parties) or f"Party {value}"
    return None


def speaker_label(value: JsonValue) -> str | None:
    """Format a speaker's name; a bare number becomes `Speaker 0`."""
    if is_object(value):
        labels = (speaker_label(value.get(name)) for name in ("name", "label", "id"))
        return next((label for label in labels if label), None)
    if isinstance(value, int) and not isinstance(value, bool):
        return f"Speaker {value}"
    if isinstance(value, str) and value.strip():
        return f"Speaker {value.strip()}" if value.strip().isdecimal() else value.strip()
    return None


def party_name(index: int, parties: Sequence[JsonValue]) -> str | None:
    """Name of a party by index, if it has one."""
    party = parties[index] if 0 <= index < len(parties) else None
    name = members(party).get("name")
    return name.strip() if isinstance(name, str) and name.strip() else None


def spoken(value: JsonValue) -> str:
    """Words of a turn: a string, or the text of content blocks."""
    if isinstance(value, str):
        return value
    if is_object(value):
        return "\n".join(_block(value))
    if is_array(value):
        pieces = (spoken(block) for block in value)
        return "\n".join(piece for piece in pieces if piece.strip())
    return ""


def _block(block: JsonObject) -> Iterator[str]:
    """Text of one content block; unknown kinds have none."""
    kind = block.get("type")
    if isinstance(block.get("text"), str):
        yield block["text"]
    if kind in ("tool_use", "tool_call", "tool-call"):
        if isinstance(block.get("name"), str):
            yield block["name"]
        yield from strings(
            next((block[name] for name in ("input", "arguments", "args") if name in block), None)
        )
    elif isinstance(kind, str) and kind.endswith(("_result", "-result", "_request", "_response", "resource")):
        for name in ("content", "output", "result", "messages", "resource", "prompt"):
            yield spoken(block.get(name))
    elif kind == "file" and isinstance(block.get("name"), str):
        yield block["name"]


def strings(value: JsonValue) -> Iterator[str]:
    """Every string inside a value, without member names and numbers."""
    if isinstance(value, str):
        yield value
    elif is_object(value):
        for inner in value.values():
            yield from strings(inner)
    elif is_array(value):
        for inner in value:
            yield from strings(inner)
