"""Records of lived experience, and how they are read and written, one statement each."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, ClassVar, Final, TypeAlias

import asyncpg

from vcontract.runtime.documents.json import parse_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.postgres.ids import RecordType, type_of, uid_of
from vcontract.runtime.store.queries import query

TABLES: Final[Mapping[RecordType, str]] = {
    "source": "bridge_source",
    "moment": "bridge_moment",
    "scene": "bridge_scene",
}


@dataclass(frozen=True, slots=True)
class EventTime:
    """When something happened: as it was written, and what that was resolved to, if it could be."""

    text: str
    start: datetime | None = None
    end: datetime | None = None
    zone: str | None = None
    precision: str | None = None


@dataclass(frozen=True, slots=True)
class Quality:
    type: str
    manifestation: str


@dataclass(frozen=True, slots=True)
class Framed:
    """A source as a moment frames it: whole, or an excerpt between two code points.

    A stale excerpt has lost its place.
    """

    source_id: str
    start: int | None = None
    end: int | None = None
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Where in its source a moment's member stands; None when it is no longer there."""

    moment_id: str
    position: int
    start: int | None
    end: int | None


@dataclass(frozen=True, slots=True)
class Source:
    """Raw text that somebody captured."""

    type: ClassVar[RecordType] = "source"
    id: str
    content: str
    content_type: str
    experiencer: str
    perspective: str
    processing: str
    created: datetime
    file: str | None = None
    when: EventTime | None = None
    reflects_on: tuple[str, ...] = ()
    modified: datetime | None = None


@dataclass(frozen=True, slots=True)
class Composed:
    """What moments and scenes have in common."""

    id: str
    emoji: str
    summary: str
    narrative: str | None
    shot: str
    experiencer: str
    reviewed: bool
    auto_generated: bool
    created: datetime
    when: EventTime | None = None
    when_own: bool = False
    reframed_by: str | None = None
    modified: datetime | None = None


@dataclass(frozen=True, slots=True)
class Moment(Composed):
    """What one or more sources were like."""

    type: ClassVar[RecordType] = "moment"
    qualities: tuple[Quality, ...] = ()
    sources: tuple[Framed, ...] = ()

    @property
    def members(self) -> frozenset[str]:
        return frozenset(framed.source_id for framed in self.sources)


@dataclass(frozen=True, slots=True)
class Scene(Composed):
    """Moments, or other scenes, as a story."""

    type: ClassVar[RecordType] = "scene"
    member_ids: tuple[str, ...] = field(default=())
    """Of moments and scenes, in order."""

    @property
    def members(self) -> frozenset[str]:
        return frozenset(self.member_ids)

    @property
    def moment_ids(self) -> tuple[str, ...]:
        return tuple(id_ for id_ in self.member_ids if type_of(id_) == "moment")

    @property
    def scene_ids(self) -> tuple[str, ...]:
        return tuple(id_ for id_ in self.member_ids if type_of(id_) == "scene")


Record: TypeAlias = Source | Moment | Scene


def by_type(ids: Iterable[str]) -> dict[RecordType, list[str]]:
    """Ids by the kind of record they are of; text that is no id of ours is left out."""
    grouped: dict[RecordType, list[str]] = {"source": [], "moment": [], "scene": []}
    for id_ in ids:
        if (type_ := type_of(id_)) is not None:
            grouped[type_].append(id_)
    return grouped


async def load(connection: Connection, tenant: str, ids: Collection[str]) -> dict[str, Record]:
    """The records of these ids that are there, by id, in the order of the ids."""
    grouped = by_type(ids)
    found: dict[str, Record] = {}
    for type_, of_type in grouped.items():
        if of_type:
            rows = await connection.fetch(*query(f"load_{TABLES[type_]}", tenant=tenant, ids=of_type))
            found |= {row["id"]: _READERS[type_](row) for row in rows}
    return {id_: found[id_] for id_ in ids if id_ in found}


async def insert(connection: Connection, tenant: str, record: Record) -> None:
    """Store a new record with what belongs to it."""
    columns = {**_columns(record), "id": record.id, "uid": uid_of(record.id), "created": record.created}
    names = ", ".join(columns)
    places = ", ".join(f"${number}" for number in range(2, len(columns) + 2))
    await connection.execute(
        f"insert into vcontract.{TABLES[record.type]} (tenant, {names}) values ($1, {places})",  # noqa: S608
        tenant,
        *columns.values(),
    )
    await _insert_parts(connection, tenant, record)


async def update(connection: Connection, tenant: str, record: Record) -> None:
    """Give a stored record the members of `record`, all but its members of lower level."""
    columns = _columns(record)
    changes = ", ".join(f"{name} = ${number}" for number, name in enumerate(columns, start=3))
    await connection.execute(
        f"update vcontract.{TABLES[record.type]} set {changes} where tenant = $1 and id = $2",  # noqa: S608
        tenant,
        record.id,
        *columns.values(),
    )
    if isinstance(record, Source):
        await connection.execute(
            "delete from vcontract.bridge_reflection where tenant = $1 and source_id = $2", tenant, record.id
        )
        await _insert_reflections(connection, tenant, record)
    elif isinstance(record, Moment):
        await connection.execute(
            "delete from vcontract.bridge_quality where tenant = $1 and moment_id = $2", tenant, record.id
        )
        await _insert_qualities(connection, tenant, record)


async def excerpts(connection: Connection, tenant: str, source_id: str) -> list[Excerpt]:
    """The excerpts of a source that moments frame, but for those that have lost their place."""
    rows = await connection.fetch(
        "select moment_id, position, start_char, end_char from vcontract.bridge_moment_source"
        " where tenant = $1 and source_id = $2 and start_char is not null order by moment_id, position",
        tenant,
        source_id,
    )
    return [Excerpt(*row) for row in rows]


async def place_excerpts(connection: Connection, tenant: str, moved: Iterable[Excerpt]) -> None:
    """Give excerpts the places that they have now; one without is stale."""
    await connection.executemany(
        "update vcontract.bridge_moment_source"
        " set start_char = $4, end_char = $5, stale = $4::integer is null"
        " where tenant = $1 and moment_id = $2 and position = $3",
        [(tenant, each.moment_id, each.position, each.start, each.end) for each in moved],
    )


def _columns(record: Record) -> dict[str, object]:
    """The columns that enrich may change, or that a new record has beside its id."""
    when = record.when
    columns: dict[str, object] = {
        "experiencer": record.experiencer,
        "experiencer_folded": record.experiencer.casefold(),
        "when_text": None if when is None else when.text,
        "when_start": None if when is None else when.start,
        "when_end": None if when is None else when.end,
        "when_zone": None if when is None else when.zone,
        "when_precision": None if when is None else when.precision,
        "modified": record.modified,
    }
    plain: tuple[str, ...] = ("content", "content_type", "perspective", "processing", "file")
    if not isinstance(record, Source):
        plain = (
            "emoji",
            "summary",
            "narrative",
            "shot",
            "when_own",
            "reviewed",
            "auto_generated",
            "reframed_by",
        )
    return columns | {name: getattr(record, name) for name in plain}


async def _insert_parts(connection: Connection, tenant: str, record: Record) -> None:
    if isinstance(record, Source):
        await _insert_reflections(connection, tenant, record)
    elif isinstance(record, Moment):
        await _insert_qualities(connection, tenant, record)
        await connection.executemany(
            "insert into vcontract.bridge_moment_source"
            " (tenant, moment_id, position, source_id, start_char, end_char, stale)"
            " values ($1, $2, $3, $4, $5, $6, $7)",
            [
                (tenant, record.id, position, framed.source_id, framed.start, framed.end, framed.stale)
                for position, framed in enumerate(record.sources)
            ],
        )
    else:
        await connection.executemany(
            "insert into vcontract.bridge_scene_member"
            " (tenant, scene_id, position, moment_id, child_scene_id) values ($1, $2, $3, $4, $5)",
            [
                (tenant, record.id, position, *((id_, None) if type_of(id_) == "moment" else (None, id_)))
                for position, id_ in enumerate(record.member_ids)
            ],
        )


async def _insert_reflections(connection: Connection, tenant: str, source: Source) -> None:
    await connection.executemany(
        "insert into vcontract.bridge_reflection (tenant, source_id, reflects_on, position)"
        " values ($1, $2, $3, $4)",
        [(tenant, source.id, other, position) for position, other in enumerate(source.reflects_on)],
    )


async def _insert_qualities(connection: Connection, tenant: str, moment: Moment) -> None:
    await connection.executemany(
        "insert into vcontract.bridge_quality (tenant, moment_id, position, type, manifestation)"
        " values ($1, $2, $3, $4, $5)",
        [
            (tenant, moment.id, position, quality.type, quality.manifestation)
            for position, quality in enumerate(moment.qualities)
        ],
    )


def _event_time(row: asyncpg.Record) -> EventTime | None:
    if row["when_text"] is None:
        return None
    return EventTime(
        row["when_text"], row["when_start"], row["when_end"], row["when_zone"], row["when_precision"]
    )


def _plain(row: asyncpg.Record, record: type[Source] | type[Composed]) -> dict[str, Any]:
    """The members of a record that are columns of the same name."""
    present = set(row.keys()) - {"reflects_on"}
    members = {entry.name: row[entry.name] for entry in fields(record) if entry.name in present}
    return {**members, "when": _event_time(row)}


def _source(row: asyncpg.Record) -> Source:
    return Source(**_plain(row, Source), reflects_on=tuple(row["reflects_on"] or ()))


def _moment(row: asyncpg.Record) -> Moment:
    qualities: list[tuple[str, str]] = _array(row["qualities"])
    sources: list[tuple[str, int | None, int | None, bool]] = _array(row["sources"])
    return Moment(
        **_plain(row, Composed),
        qualities=tuple(Quality(*quality) for quality in qualities),
        sources=tuple(Framed(*framed) for framed in sources),
    )


def _array(text: str | None) -> list[Any]:
    return [] if text is None else parse_json(text)


def _scene(row: asyncpg.Record) -> Scene:
    return Scene(**_plain(row, Composed), member_ids=tuple(row["members"] or ()))


_READERS: Final = {"source": _source, "moment": _moment, "scene": _scene}
