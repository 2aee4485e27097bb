"""Tables of bridge records: columns, and how records are written and read."""

from collections.abc import Collection
from dataclasses import fields
from functools import cache
from typing import Any, Final, NamedTuple

import asyncpg

from vcontract.runtime.frame.documents.json import JsonValue, parse_json
from vcontract.runtime.frame.documents.unicode_cleanup import fold_name
from vcontract.runtime.store.bridge.ids import type_of, uid_of
from vcontract.runtime.store.bridge.records import Composed, EventTime, Link, Quality, Record, Source
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import Statement, load
from vcontract.runtime.store.queries.tables import Column, Table

_KIND_OF_LINK: Final = {"source": "reflects on", "moment": "frames", "scene": "weaves"}


class _Held(NamedTuple):
    """A link and its position."""

    holder: Record
    position: int
    link: Link


class _Shown(NamedTuple):
    """A quality and its position."""

    position: int
    quality: Quality


def _plain(name: str, type_: str = "text", absent: object = None) -> Column[Record]:
    """Define a column of the same name as a member, for the records that have it."""
    return Column(name, type_, lambda record: getattr(record, name, absent), read=_as_it_is)


def _of_when(member: str, type_: str) -> Column[Record]:
    """Define a column for a part of the event time."""

    def part(record: Record) -> object:
        return None if record.when is None else getattr(record.when, member)

    return Column(f"when_{member}", type_, part, read=_as_it_is)


def _as_it_is(value: JsonValue) -> JsonValue:
    """Return a stored value as the driver returns it."""
    return value


_RECORD: Final[Table[Record]] = Table(
    "bridge_record",
    "id",
    (
        Column("uid", "uuid", lambda record: uid_of(record.id)),
        Column("type", "text", lambda record: record.type),
        _plain("experiencer"),
        Column("experiencer_folded", "text", lambda record: fold_name(record.experiencer)),
        _of_when("text", "text"),
        _of_when("start", "timestamptz"),
        _of_when("end", "timestamptz"),
        _of_when("zone", "text"),
        _of_when("precision", "text"),
        _plain("created", "timestamptz"),
        _plain("modified", "timestamptz"),
        *map(_plain, ("content", "content_type", "perspective", "processing", "file")),
        *map(_plain, ("emoji", "summary", "narrative", "shot")),
        _plain("reviewed", "boolean"),
        _plain("auto_generated", "boolean"),
        _plain("when_own", "boolean", absent=False),
        _plain("reframed_by"),
    ),
    owner_type="text",
)
_LINK: Final[Table[_Held]] = Table(
    "bridge_link",
    "holder",
    (
        Column("position", "integer", lambda held: held.position),
        Column("kind", "text", lambda held: _KIND_OF_LINK[held.holder.type]),
        Column("member", "text", lambda held: held.link.member),
        Column("start_char", "integer", lambda held: held.link.start),
        Column("end_char", "integer", lambda held: held.link.end),
        Column("stale", "boolean", lambda held: held.link.stale),
    ),
    owner_type="text",
)
_QUALITY: Final[Table[_Shown]] = Table(
    "bridge_quality",
    "moment_id",
    (
        Column("position", "integer", lambda shown: shown.position),
        Column("type", "text", lambda shown: shown.quality.type),
        Column("manifestation", "text", lambda shown: shown.quality.manifestation),
    ),
    owner_type="text",
)


async def load_records(connection: Connection, tenant: str, ids: Collection[str]) -> dict[str, Record]:
    """Load the existing records with these IDs, in the order of the IDs."""
    rows = await connection.fetch(
        *_statement("load_bridge_records").given({"tenant": tenant, "ids": list(ids)})
    )
    found = {row["id"]: _record(row) for row in rows}
    return {id_: found[id_] for id_ in ids if id_ in found}


async def put_record(connection: Connection, tenant: str, record: Record) -> None:
    """Insert or replace a record and its links."""
    held = [_Held(record, position, link) for position, link in enumerate(record.links)]
    qualities = record.qualities if isinstance(record, Composed) else ()
    shown = [_Shown(position, quality) for position, quality in enumerate(qualities)]
    parts = _LINK.parameters([(record.id, held)]) | _QUALITY.parameters([(record.id, shown)])
    rows = _RECORD.parameters([(record.id, [record])])
    await connection.execute(*_statement("put_bridge_record").given({"tenant": tenant, **rows}))
    await connection.execute(*_statement("put_bridge_parts").given({"tenant": tenant, **parts}))


@cache
def _statement(name: str) -> Statement:
    return load(name, {table.name: table for table in (_RECORD, _LINK, _QUALITY)})


def _record(row: asyncpg.Record) -> Record:
    members: dict[str, Any] = _RECORD.loaded(row)
    members["when"] = None if row["when_text"] is None else _event_time(row)
    members["links"] = tuple(Link(*link) for link in _array(row["links"]))
    members["qualities"] = tuple(Quality(*quality) for quality in _array(row["qualities"]))
    made = Source if type_of(row["id"]) == "source" else Composed
    return made(**{entry.name: members[entry.name] for entry in fields(made)})


def _event_time(row: asyncpg.Record) -> EventTime:
    return EventTime(*(row[f"when_{entry.name}"] for entry in fields(EventTime)))


def _array(text: str | None) -> list[Any]:
    return [] if text is None else parse_json(text)
