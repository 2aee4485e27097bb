"""Records of lived experience: sources, moments and scenes, and the links between them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from vcontract.runtime.store.bridge.ids import RecordType, known_type, type_of
from vcontract.runtime.text.dates import Precision

Perspective: TypeAlias = Literal["I", "we", "you", "they"]
Stage: TypeAlias = Literal["during", "right-after", "long-after", "crafted"]
"""When a text was captured, relative to the experience."""
Shot: TypeAlias = Literal[
    "moment-of-recognition",
    "sustained-attention",
    "crossing-threshold",
    "peripheral-awareness",
    "directed-momentum",
    "holding-opposites",
]
QualityType: TypeAlias = Literal[
    "embodied", "attentional", "emotional", "purposive", "spatial", "temporal", "relational"
]

KINDS: Final[Mapping[RecordType, str]] = {
    "source": "bridge_source",
    "moment": "bridge_moment",
    "scene": "bridge_scene",
}
"""What the index calls each type of record."""


@dataclass(frozen=True, slots=True)
class EventTime:
    """When something happened: as it was written, and what that was resolved to, if it could be."""

    text: str
    start: datetime | None = None
    end: datetime | None = None
    zone: str | None = None
    precision: Precision | None = None


@dataclass(frozen=True, slots=True)
class Quality:
    type: QualityType
    manifestation: str


@dataclass(frozen=True, slots=True)
class Link:
    """A record as another one holds it: whole, or, of a source, an excerpt between two code points.

    A stale excerpt has lost its place.
    """

    member: str
    start: int | None = None
    end: int | None = None
    stale: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What every record has. Its links are what it reflects on, frames or weaves, in order."""

    id: str
    experiencer: str
    created: datetime
    when: EventTime | None = None
    modified: datetime | None = None
    links: tuple[Link, ...] = ()

    @property
    def type(self) -> RecordType:
        return known_type(self.id)

    @property
    def member_ids(self) -> tuple[str, ...]:
        return tuple(link.member for link in self.links)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(Record):
    """Raw text that somebody captured; it may reflect on others."""

    content: str
    content_type: str
    perspective: Perspective
    processing: Stage
    file: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed(Record):
    """A moment, which says what sources were like, or a scene: moments, or other scenes, as a story."""

    emoji: str
    summary: str
    narrative: str | None
    shot: Shot
    reviewed: bool
    auto_generated: bool
    when_own: bool = False
    """Whether its event time was given to it; else it follows from its sources."""
    reframed_by: str | None = None
    """The record that stands in its place."""
    qualities: tuple[Quality, ...] = ()
    """Of a moment."""

    @property
    def members(self) -> frozenset[str]:
        return frozenset(self.member_ids)

    def members_of(self, type_: RecordType) -> tuple[str, ...]:
        """Its members of one type, in order."""
        return tuple(id_ for id_ in self.member_ids if type_of(id_) == type_)
