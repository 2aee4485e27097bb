"""Turns of a vCon as they are counted: words, speaker, role, and seconds from its start."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, as_index, is_array, members, objects
from vcontract.runtime.vcon.conformance import unsupported_critical
from vcontract.runtime.vcon.text import Bodies
from vcontract.runtime.vcon.times import earliest_start, read_time
from vcontract.runtime.vcon.transcript import (
    TRANSCRIPT_TYPES,
    TranscriptTurn,
    dialogs_of,
    read_transcript,
    speaker_label_of,
)

ROLES: Final = frozenset(
    {"agent", "customer", "caller", "client", "contact", "representative", "supervisor", "advisor", "user"}
)
"""Labels of speakers that are roles even if no party has them."""
_MAX_LABEL_LENGTH: Final = 256
_MAX_SECONDS: Final = 1e9


class SpokenTurn(NamedTuple):
    """One turn, or with `words` None a recording: how long it is, and whether its words are missing."""

    dialog: int
    """Index of its dialog; -1 for turns of a transcript without one."""
    number: int
    """Index in its dialog, from 0; -1 for the recording itself."""
    speaker: str | None
    """Label in lower case."""
    role: str | None
    """Role of the party in lower case, or a label such as Agent."""
    starts: float | None
    """Seconds from the start of the conversation."""
    ends: float | None
    words: str | None
    is_missing: bool = False
    length: float | None = None
    """Its seconds; None if unknown."""


def spoken_turns(vcon: JsonObject, *, first: int = 0, bodies: Bodies | None = None) -> list[SpokenTurn]:
    """Turns with words from the dialog `first` on, and every recording whose length or words matter.

    Empty for a vCon whose text is not or cannot be read.
    """
    try:
        return [] if unsupported_critical(vcon) else _read(vcon, first, bodies)
    except Exception:  # as for its passages: what a document of any shape raises
        return []


def _read(vcon: JsonObject, first: int, bodies: Bodies | None) -> list[SpokenTurn]:
    dialogs = array(vcon.get("dialog"))
    if first:
        vcon = {**vcon, "dialog": [*[None] * first, *dialogs[first:]]}
    turns = [turn for turn in read_transcript(vcon, bodies=bodies) if turn.words]
    began = earliest_start({"dialog": dialogs})
    offsets_are_alone = len({turn.dialog for turn in turns}) == 1
    parties = _Parties(array(vcon.get("parties")))
    numbers: dict[int, int] = {}
    found: list[SpokenTurn] = []
    for turn in turns:
        at = -1 if turn.dialog is None else turn.dialog
        numbers[at] = number = numbers.get(at, -1) + 1
        speaker, role = parties.speaker_of(turn, dialogs)
        starts = seconds_from(turn.at, began) if turn.is_timed else None
        if starts is None and offsets_are_alone:
            starts = turn.seconds
        length = length_of(turn.length)
        ends = None if starts is None else starts + (length or 0.0)
        found.append(SpokenTurn(at, number, speaker, role, starts, ends, turn.words, length=length))
    found += _recordings(vcon, found, began)
    return found


def has_transcripts(vcon: JsonObject) -> bool:
    """Whether turns may come from analyses."""
    return any(analysis.get("type") in TRANSCRIPT_TYPES for _, analysis in objects(vcon.get("analysis")))


def _recordings(
    vcon: JsonObject, turns: Sequence[SpokenTurn], began: datetime | None
) -> Iterator[SpokenTurn]:
    """Recordings, with their end. Words are missing if no transcript names it and no turn begins in it."""
    spoken = {turn.dialog for turn in turns}
    for _, analysis in objects(vcon.get("analysis")):
        named = dialogs_of(analysis)
        if analysis.get("type") in TRANSCRIPT_TYPES and not spoken.isdisjoint(named):
            spoken |= {*named}
    for index, dialog in objects(vcon.get("dialog")):
        if dialog.get("type") != "recording":
            continue
        start, duration = dialog.get("start"), dialog.get("duration")
        starts = seconds_from(read_time(start) if isinstance(start, str) else None, began)
        seconds = length_of(duration) or 0.0
        ends = None if starts is None else starts + seconds
        is_missing = index not in spoken and not _covered(turns, starts, ends)
        if is_missing or seconds:
            yield SpokenTurn(index, -1, None, None, starts, ends, None, is_missing)


def _covered(turns: Sequence[SpokenTurn], starts: float | None, ends: float | None) -> bool:
    """Whether turns elsewhere are its words: of a transcript without a dialog, or within its time."""
    if any(turn.dialog == -1 for turn in turns):
        return True
    if starts is None or ends is None:
        return bool(turns)
    return any(turn.starts is not None and starts <= turn.starts <= ends for turn in turns)


class _Parties:
    """Speakers of turns and their roles."""

    def __init__(self, parties: Sequence[JsonValue]) -> None:
        self._roles = [label_of(members(party).get("role")) for party in parties]
        self._labels = [label_of(speaker_label_of(parties, index)) for index in range(len(parties))]

    def speaker_of(self, turn: TranscriptTurn, dialogs: Sequence[JsonValue]) -> tuple[str | None, str | None]:
        """Label and role, in lower case; None if unknown."""
        label = label_of(turn.speaker)
        index = None if turn.analysis is not None else _originator(turn, dialogs)
        if index is not None and index < len(self._roles):
            return label or self._labels[index], self._roles[index] or _role(label, self._roles)
        if label is None:
            return None, None
        roles = {role for own, role in zip(self._labels, self._roles, strict=True) if own == label and role}
        # several people of one name may have several roles
        return label, roles.pop() if len(roles) == 1 else _role(label, self._roles)


def _role(label: str | None, roles: Collection[str | None]) -> str | None:
    return label if label is not None and (label in roles or label in ROLES) else None


def _originator(turn: TranscriptTurn, dialogs: Sequence[JsonValue]) -> int | None:
    dialog = {} if turn.dialog is None or turn.dialog >= len(dialogs) else members(dialogs[turn.dialog])
    if dialog.get("type") != "text":
        return None
    parties: JsonValue = dialog.get("parties")
    first = parties[0] if is_array(parties) and parties else parties
    originator: JsonValue = dialog.get("originator")
    return as_index(first if originator is None else originator)


def label_of(value: JsonValue) -> str | None:
    """A name or role as turns have it, in lower case; None if it is empty or no text."""
    if not isinstance(value, str):
        return None
    storable = value.replace("\0", "").encode("utf-8", "ignore").decode()
    return storable.casefold().strip()[:_MAX_LABEL_LENGTH] or None


def length_of(value: JsonValue) -> float | None:
    """A duration in seconds; None if it is not a number above zero, or beyond any call."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 < value < _MAX_SECONDS else None


def seconds_from(at: datetime | None, began: datetime | None) -> float | None:
    """Seconds of a time from the start of the conversation; None if one of them is unknown."""
    return None if at is None or began is None else (at - began).total_seconds()
