"""Talk time: turns, words and seconds of each speaker in matching vCons."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from vcontract.generated.errors import ValidationError
from vcontract.handlers.contract.talk import speakers_of
from vcontract.handlers.vcon_more.measures import OF_TURNS, TALK_SHARE, TIMES_SAID, measured_of
from vcontract.runtime.frame.documents.json import JsonValue
from vcontract.runtime.frame.documents.json_values import array, objects
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.aggregates import Group, Measured, measure_values, times_said_by
from vcontract.runtime.store.search.filter_conditions import Filters
from vcontract.runtime.store.search.search import newest_ids
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.store.vocabulary.people import People
from vcontract.runtime.text.words import fold
from vcontract.runtime.vcon.spoken_turns import label_of, length_of
from vcontract.runtime.vcon.transcript import TranscriptTurn, read_transcript, speaker_label_of

SPEAKER: Final = "speaker"
_MAX_READ_VCONS: Final = 5_000
"""Maximum vCons read for one result, which takes some seconds."""
_AT_ONCE: Final = 250
_PARTS: Final = ("parties", "dialog", "analysis")


@dataclass(slots=True)
class Speaker:
    """A speaker, whatever the case of the name."""

    label: str
    key: str
    vcons: int = 0
    turns: int = 0
    words: int = 0
    timed: int = 0
    seconds: float | None = None
    first: datetime | None = None
    last: datetime | None = None
    parties: set[str] = field(default_factory=set[str])
    talk: dict[UUID, float] = field(default_factory=dict[UUID, float])
    """Seconds of its turns in each vCon; too few if lengths are missing."""
    longest: dict[UUID, float] = field(default_factory=dict[UUID, float])

    def add(self, uuid: UUID, turn: TranscriptTurn) -> None:
        """Add the length of a turn."""
        length = length_of(turn.length) or 0.0
        self.talk[uuid] = self.talk.get(uuid, 0.0) + length
        self.longest[uuid] = max(self.longest.get(uuid, 0.0), length)

    def measured(self, values: "Values") -> tuple[Measured, ...]:
        """Sum up measures of the vCons in which it speaks, those of turns for its own."""
        own = {"talk_seconds": self.talk, "longest_turn_seconds": self.longest}
        found: list[Measured] = []
        for name, of_vcons in zip(values.names, values.values, strict=True):
            if name not in OF_TURNS:
                found.append(measured_of({uuid: of_vcons[uuid] for uuid in self.talk if uuid in of_vcons}))
                continue
            if name == TIMES_SAID:
                times = values.times.get(self.key, {})
                found.append(measured_of({v: times.get(v, 0) for v in self.talk if v not in values.unnamed}))
                continue
            known = {uuid: values.talk[uuid] for uuid in self.talk if uuid in values.talk}
            if name == TALK_SHARE:
                found.append(measured_of({uuid: self.talk[uuid] / known[uuid] for uuid in known}, known))
            else:
                found.append(measured_of({uuid: own[name][uuid] for uuid in known}))
        return tuple(found)

    def group(self, key: str, values: "Values") -> Group:
        return Group(
            (key,),
            (self.label,),
            self.vcons,
            len(self.parties),
            self.timed,
            self.seconds,
            self.first,
            self.last,
            self.turns,
            self.words,
            self.measured(values),
        )


@dataclass(frozen=True, slots=True)
class Values:
    """Known values of measures by vCon."""

    names: Sequence[str] = ()
    values: Sequence[Mapping[UUID, float]] = ()
    talk: Mapping[UUID, float] = field(default_factory=dict[UUID, float])
    """All talk of the vCons in which every turn has a speaker and a length."""
    times: Mapping[str, Mapping[UUID, int]] = field(default_factory=dict[str, Mapping[UUID, int]])
    """How often a speaker says what is asked."""
    unnamed: Collection[UUID] = ()
    """vCons in which somebody unknown says it."""


@dataclass(slots=True)
class Speaking:
    """All speakers, and the number of vCons with any."""

    speakers: dict[str, Speaker] = field(default_factory=dict[str, Speaker])
    vcons: int = 0
    people: People = field(default_factory=lambda: People({}))
    unnamed: set[UUID] = field(default_factory=set[UUID])
    """vCons with a turn without a speaker."""
    keys: dict[tuple[UUID, str], str] = field(default_factory=dict[tuple[UUID, str], str])
    """Key of a speaker of a vCon, by the label of its turns."""

    def add(self, stored: Sequence[StoredVcon]) -> None:
        """Add these vCons."""
        for vcon in stored:
            people = self._people(array(vcon.arrays.get("parties")))
            parties = {fold(who) for who in people.values() if who}
            turns = [turn for turn in read_transcript({**vcon.arrays}) if turn.words]
            entries = speakers_of(turns)
            of_vcon: set[str] = set()
            for entry in entries:
                label = people.get(entry["speaker"]) or entry["speaker"]
                key = fold(label)
                speaker = self.speakers.setdefault(key, Speaker(label, key))
                speaker.turns += entry["turns"]
                speaker.words += entry["words"]
                if "seconds" in entry:
                    speaker.seconds = (speaker.seconds or 0.0) + entry["seconds"]
                    speaker.timed += key not in of_vcon
                if key not in of_vcon:
                    speaker.vcons += 1
                    speaker.parties |= parties
                    speaker.first = min(filter(None, (speaker.first, vcon.began_at)))
                    speaker.last = max(filter(None, (speaker.last, vcon.began_at)))
                of_vcon.add(key)
            self.vcons += bool(of_vcon)
            for turn in turns:
                if turn.speaker is None:
                    self.unnamed.add(vcon.uuid)
                else:
                    key = fold(people.get(turn.speaker) or turn.speaker)
                    self.keys[vcon.uuid, fold(label_of(turn.speaker) or "")] = key
                    self.speakers[key].add(vcon.uuid, turn)

    def _people(self, parties: Sequence[JsonValue]) -> dict[str, str]:
        """Person of each party: a known person, else name, address or number."""
        found: dict[str, str] = {}
        for index, party in objects(parties):
            labels = (party.get(name) for name in ("name", "mailto", "tel"))
            own = next((one for one in labels if isinstance(one, str) and one.strip()), "")
            found[speaker_label_of(parties, index)] = self.people.person_of(party) or own
        return found

    def groups(self, order: str, values: Values) -> list[Group]:
        """Speakers in the given order: count, key, duration or words."""
        groups = [speaker.group(key[:256], values) for key, speaker in self.speakers.items()]
        groups.sort(key=lambda group: group.keys)
        if order != "key":
            groups.sort(key=lambda group: -_measure(group, order))
        return groups


async def speaking(connection: Connection, tenant: str, vcons: VconStore, filters: Filters) -> Speaking:
    """Count talk time in the vCons that match the filters; recordings by their transcripts.

    Raises: ValidationError if too many match.
    """
    ids = await newest_ids(connection, filters, _MAX_READ_VCONS + 1)
    if len(ids) > _MAX_READ_VCONS:
        raise ValidationError(
            f"More than {_MAX_READ_VCONS:,} vCons match, and to group by speaker their turns are read. "
            "Narrow filters, for example by start_date and end_date.",
            details={"parameter": "filters", "reason": "too_many_vcons", "max": _MAX_READ_VCONS},
        )
    found = Speaking(people=await People.of(connection, tenant))
    for start in range(0, len(ids), _AT_ONCE):
        stored = await vcons.load(connection, tenant, ids[start : start + _AT_ONCE], _PARTS)
        await asyncio.to_thread(found.add, stored)
    return found


async def values_of_measures(
    connection: Connection, filters: Filters, names: Sequence[str], spoken: Speaking
) -> Values:
    """Return the known values of measures for speakers."""
    if not names:
        return Values()
    *values, talk = await measure_values(connection, filters, [*names, "talk_seconds"])
    talk = {uuid: seconds for uuid, seconds in talk.items() if uuid not in spoken.unnamed}
    times: dict[str, dict[UUID, int]] = {}
    unnamed: set[UUID] = set()
    if TIMES_SAID in names:
        for uuid, label, number in await times_said_by(connection, filters):
            key = spoken.keys.get((uuid, label or ""))
            if key is None:
                unnamed.add(uuid)
            else:
                of_speaker = times.setdefault(key, {})
                of_speaker[uuid] = of_speaker.get(uuid, 0) + number
    return Values(names, values, talk, times, unnamed)


def _measure(group: Group, order: str) -> float:
    match order:
        case "duration":
            return -1.0 if group.seconds is None else group.seconds
        case "words":
            return group.words or 0
        case _:
            return group.vcons
