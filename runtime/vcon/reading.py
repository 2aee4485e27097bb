"""A conversation for human readers: participants, turns, analyses and attachments."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, members, objects
from vcontract.runtime.vcon.call_events import call_events
from vcontract.runtime.vcon.tags import TagValue, effective_purpose, is_tags_carrier, read_tags
from vcontract.runtime.vcon.times import earliest_start, format_time
from vcontract.runtime.vcon.traces import traced_exchanges
from vcontract.runtime.vcon.transcript import (
    TranscriptTurn,
    analyses_of,
    element_turns,
    read_transcript,
    speaker_label_of,
)

PartName = Literal["dialog", "analysis", "attachments"]


Happening: TypeAlias = tuple[datetime | None, str]
"""When something happened beside the words, such as a hold, and what, as a sentence."""
Between: TypeAlias = Mapping[int, Sequence[Happening]]
"""What happened before each turn, by its place; after the last one at the number of turns."""


@dataclass(frozen=True, slots=True)
class Part:
    """The transcript, one analysis or one attachment."""

    name: PartName
    title: str
    said: tuple[TranscriptTurn, ...]
    index: int | None = None
    """Index among the analyses or attachments."""
    is_in_dialog: bool = False
    """Whether its turns are already in the dialog."""
    between: Between = field(default_factory=dict[int, Sequence[Happening]])

    @property
    def kind(self) -> str:
        """Display name of the part's kind."""
        return "attachment" if self.name == "attachments" else self.name


@dataclass(frozen=True, slots=True)
class Conversation:
    """A vCon for human readers."""

    uuid: str
    subject: str
    created_at: str
    began_at: str
    """When it began: its earliest dialog, else created_at."""
    parties: tuple[str, ...]
    tags: Mapping[str, TagValue]
    parts: tuple[Part, ...]
    """Each part once; a transcript whose turns are in the dialog is not repeated."""
    transcripts: tuple[Part, ...] = ()
    """Analyses whose turns are in the dialog."""
    turns: tuple[TranscriptTurn, ...] = ()
    """The transcript."""


def read_conversation(
    vcon: JsonObject,
    tags: Mapping[str, TagValue] | None = None,
    began_at: str | None = None,
    happened: Sequence[Happening] | None = None,
) -> Conversation:
    """Read a whole or partly fetched vCon. The other arguments are given if it was fetched in part.

    Attachments that only hold tags are left out. So are agent traces: their calls are shown at the turns.
    """
    turns = read_transcript(vcon, with_tools=True)
    if happened is None:
        happened = [(event.at, event.sentence(vcon)) for event in call_events(vcon)]
    parts = tuple(_parts(vcon, turns, _placed(turns, happened)))
    return Conversation(
        _text(vcon.get("uuid")),
        _text(vcon.get("subject")),
        _text(vcon.get("created_at")),
        _began(vcon) if began_at is None else began_at,
        party_labels(vcon),
        read_tags(vcon)[0] if tags is None else tags,
        tuple(part for part in parts if not part.is_in_dialog),
        tuple(part for part in parts if part.is_in_dialog),
        turns,
    )


def began_at(item: JsonObject) -> str:
    """When a fetched or found conversation began."""
    text: str = item.get("began_at") or item["created_at"]
    return text


def _began(vcon: JsonObject) -> str:
    start = earliest_start(vcon)
    return _text(vcon.get("created_at")) if start is None else format_time(start)


def party_labels(vcon: JsonObject) -> tuple[str, ...]:
    """Name of each party, else an address or its number, with its role."""
    parties = array(vcon.get("parties"))
    return tuple(_with_role(speaker_label_of(parties, index), party) for index, party in enumerate(parties))


def _placed(turns: Sequence[TranscriptTurn], happened: Sequence[Happening]) -> Between:
    """Each event before the first turn that began with it or later."""
    between: dict[int, list[Happening]] = {}
    place = 0
    for at, text in happened:
        if at is None:
            place = len(turns)
        while place < len(turns) and ((said := turns[place].at) is None or (at is not None and said < at)):
            place += 1
        between.setdefault(place, []).append((at, text))
    return between


def _parts(vcon: JsonObject, turns: Sequence[TranscriptTurn], between: Between) -> Iterator[Part]:
    parties = array(vcon.get("parties"))
    has_dialogs = bool(objects(vcon.get("dialog")))
    if has_dialogs or between:
        yield Part("dialog", "Dialog", tuple(turns), between=between)
    read = analyses_of(turns) if has_dialogs else set[int]()
    for index, analysis in objects(vcon.get("analysis")):
        if traced_exchanges(analysis) is None:
            said = element_turns(analysis, parties)
            yield Part("analysis", _title_of_analysis(analysis), said, index, index in read)
    for index, attachment in objects(vcon.get("attachments")):
        if not is_tags_carrier(attachment):
            title = effective_purpose(attachment) or "attachment"
            yield Part("attachments", title, element_turns(attachment, parties), index)


def _with_role(label: str, party: JsonValue) -> str:
    role = members(party).get("role") or members(members(party).get("meta")).get("role")
    if not isinstance(role, str) or not role.strip():
        return label
    is_label = role == label and "name" not in members(party)
    return label if is_label else f"{label} ({role})"


def _title_of_analysis(analysis: JsonObject) -> str:
    kind = _text(analysis.get("type")) or "analysis"
    maker = " ".join(_text(analysis.get(name)) for name in ("vendor", "product")).strip()
    return f"{kind} by {maker}" if maker else kind


def _text(value: JsonValue) -> str:
    return value.strip() if isinstance(value, str) else ""
