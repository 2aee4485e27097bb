"""Records of lived experience: sources, moments and scenes, and the links between them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from vcontract.runtime.store.bridge.ids import RecordType, known_type, type_of
from vcontract.runtime.text.iso_dates import Precision

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
"""Kind in the index of each record type."""


@dataclass(frozen=True, slots=True)
class EventTime:
    """When something happened: as written, and as resolved if possible."""

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
    """A link to a record: the whole, or for a source an excerpt between two code points.

    A stale excerpt no longer occurs in its source.
    """

    member: str
    start: int | None = None
    end: int | None = None
    stale: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Common members of all records. Links name what the record reflects on, frames or weaves, in order."""

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
    """Raw text captured by somebody; it may reflect on other sources."""

    content: str
    content_type: str
    perspective: Perspective
    processing: Stage
    file: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed(Record):
    """A moment, which describes the experience in sources, or a scene, a story of moments or scenes."""

    emoji: str
    summary: str
    narrative: str | None
    shot: Shot
    reviewed: bool
    auto_generated: bool
    when_own: bool = False
    """Whether its event time was set explicitly; otherwise it is derived from its sources."""
    reframed_by: str | None = None
    """The record that supersedes it."""
    qualities: tuple[Quality, ...] = ()
    """Only for moments."""

    @property
    def members(self) -> frozenset[str]:
        return frozenset(self.member_ids)

    def members_of(self, type_: RecordType) -> tuple[str, ...]:
        """Return its members of one type, in order."""
        return tuple(id_ for id_ in self.member_ids if type_of(id_) == type_)
