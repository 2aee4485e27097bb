"""Transcript tables: source files, their exchanges, and tombstones of deleted ones."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Final
from uuid import UUID

import asyncpg

from vcontract.runtime.frame.documents.json import JsonObject, dump_json, parse_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import Statement, load, named_query
from vcontract.runtime.store.queries.tables import Column, Table


@dataclass(frozen=True, slots=True)
class TranscriptRow:
    """One imported session file."""

    vcon: UUID
    harness: str
    session: str
    agent: str | None
    sidechain: bool
    project: str
    cwd: str | None
    git_branch: str | None
    title: str | None
    summary: str
    source_path: str
    source_size: int
    source_mtime_ns: int
    imported_bytes: int
    imported_hash: bytes
    archive_path: str
    archive_size: int
    archive_hash: bytes
    lines: int
    exchanges: int
    malformed: int
    redactions: int
    started_at: datetime
    ended_at: datetime
    imported_at: datetime
    given: JsonObject
    """Subject and tags set by the import."""


@dataclass(frozen=True, slots=True)
class ExchangeRow:
    """Location of an exchange in its file and vCon, and its searchable text."""

    id: UUID
    number: int
    line_start: int
    line_end: int
    dialog_from: int
    dialog_to: int
    started_at: datetime
    ended_at: datetime
    sidechain: bool
    digest: bytes | None = None
    """Digest of its text; None if it has none."""
    words: bytes = b""


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file changed in an exchange."""

    exchange: int
    path: str
    relative_path: str | None
    operation: str
    edits: int


_COLUMNS = tuple(TranscriptRow.__dataclass_fields__)
_EXCHANGE: Final = Table[ExchangeRow](
    "transcript_exchange",
    owner="vcon",
    key=("number",),
    columns=(
        Column("number", "integer", attrgetter("number")),
        # derived from vCon and number, so it never changes
        Column("id", "uuid", attrgetter("id")),
        Column("line_start", "integer", attrgetter("line_start")),
        Column("line_end", "integer", attrgetter("line_end")),
        Column("dialog_from", "integer", attrgetter("dialog_from")),
        Column("dialog_to", "integer", attrgetter("dialog_to")),
        Column("started_at", "timestamptz", attrgetter("started_at")),
        Column("ended_at", "timestamptz", attrgetter("ended_at")),
        Column("sidechain", "boolean", attrgetter("sidechain")),
        Column("digest", "bytea", attrgetter("digest")),
    ),
)
_DOCUMENT: Final = Table[ExchangeRow](
    "search_document",
    owner="id",
    kind="exchange",
    columns=(
        Column("occurred_at", "timestamptz", attrgetter("started_at")),
        Column("words", "tsvector", attrgetter("words")),
    ),
)
_FILE: Final = Table[FileRow](
    "transcript_file",
    owner="vcon",
    columns=(
        Column("exchange", "integer", attrgetter("exchange")),
        Column("path", "text", attrgetter("path")),
        Column("relative_path", "text", attrgetter("relative_path")),
        Column("operation", "text", attrgetter("operation")),
        Column("edits", "integer", attrgetter("edits")),
    ),
)


async def lock(connection: Connection, tenant: str, vcon: UUID) -> None:
    """Lock a transcript until the transaction ends."""
    await connection.execute(
        *named_query(
            "select pg_advisory_xact_lock(hashtextextended(:lock, 7))",
            lock=f"transcript {tenant} {vcon}",
        )
    )


async def all_of(connection: Connection, tenant: str) -> list[TranscriptRow]:
    """Return every transcript of the tenant, in import order."""
    rows = await connection.fetch(
        *named_query(
            "select * from vcontract.transcript where tenant = :tenant order by imported_at, vcon",
            tenant=tenant,
        )
    )
    return [_row(row) for row in rows]


async def get(connection: Connection, tenant: str, vcon: UUID) -> TranscriptRow | None:
    """Return the transcript of a vCon, or None."""
    row = await connection.fetchrow(
        *named_query(
            "select * from vcontract.transcript where tenant = :tenant and vcon = :vcon",
            tenant=tenant,
            vcon=vcon,
        )
    )
    return None if row is None else _row(row)


async def at_path(connection: Connection, tenant: str, path: str) -> list[TranscriptRow]:
    """Return the transcripts with exactly this archive or source path."""
    rows = await connection.fetch(
        *named_query(
            "select * from vcontract.transcript where tenant = :tenant"
            " and (archive_path = :path or source_path = :path)",
            tenant=tenant,
            path=path,
        ),
    )
    return [_row(row) for row in rows]


async def holds_archive(connection: Connection, tenant: str, path: str, vcon: UUID) -> bool:
    """Whether the archive path belongs to another vCon's transcript."""
    taken: bool = await connection.fetchval(
        *named_query(
            "select exists (select from vcontract.transcript"
            " where tenant = :tenant and archive_path = :path and vcon <> :vcon)",
            tenant=tenant,
            path=path,
            vcon=vcon,
        ),
    )
    return taken


async def put(
    connection: Connection,
    tenant: str,
    row: TranscriptRow,
    exchanges: Sequence[ExchangeRow],
    files: Sequence[FileRow],
    records: Collection[str],
) -> None:
    """Store a transcript of a stored vCon. Unchanged exchanges keep their rows."""
    await put_row(connection, tenant, row)
    given = {
        **_EXCHANGE.parameters([(row.vcon, exchanges)]),
        **_DOCUMENT.parameters([(exchange.id, [exchange]) for exchange in exchanges]),
    }
    await connection.execute(*_put_exchanges().given({"tenant": tenant, "vcon": row.vcon, **given}))
    await connection.execute(
        *named_query(
            "delete from vcontract.transcript_file where tenant = :tenant and vcon = :vcon",
            tenant=tenant,
            vcon=row.vcon,
        )
    )
    await connection.execute(
        *named_query(_FILE.insert, tenant=tenant, **_FILE.parameters([(row.vcon, files)]))
    )
    await connection.execute(
        *named_query(
            "insert into vcontract.transcript_record (tenant, vcon, id) "
            " select :tenant, :vcon, unnest(:records::text[])"
            " on conflict do nothing",
            tenant=tenant,
            vcon=row.vcon,
            records=sorted(records),
        ),
    )
    await connection.execute(
        *named_query(
            "delete from vcontract.transcript_tombstone where tenant = :tenant and vcon = :vcon",
            tenant=tenant,
            vcon=row.vcon,
        )
    )


async def put_row(connection: Connection, tenant: str, row: TranscriptRow) -> None:
    """Store only the row of the file."""
    names = ", ".join(_COLUMNS)
    places = ", ".join(f":{name}" for name in _COLUMNS)
    values = {name: getattr(row, name) for name in _COLUMNS} | {"given": dump_json(row.given).decode()}
    changes = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS if name != "vcon")
    await connection.execute(
        *named_query(
            "with former as (select archive_size from vcontract.transcript"  # noqa: S608  (names of columns)
            "  where tenant = :tenant and vcon = :vcon), put as ("
            f" insert into vcontract.transcript (tenant, {names}) values (:tenant, {places})"
            f" on conflict (tenant, vcon) do update set {changes} returning archive_size),"
            " grown as (select put.archive_size - coalesce((select archive_size from former), 0) as bytes"
            "  from put)"
            " insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)"
            " select :tenant, 'bytes', '', '', bytes from grown where bytes <> 0",
            tenant=tenant,
            **values,
        )
    )


async def forget(connection: Connection, tenant: str, vcon: UUID, *, leave_tombstone: bool) -> Path | None:
    """Delete the transcript data of a vCon. Returns the archived file if nothing refers to it any more."""
    found = await get(connection, tenant, vcon)
    if found is None:
        return None
    await connection.execute(
        *named_query(
            "delete from vcontract.search_document where tenant = :tenant and kind = 'exchange' and id in"
            " (select id from vcontract.transcript_exchange where tenant = :tenant and vcon = :vcon)",
            tenant=tenant,
            vcon=vcon,
        ),
    )
    await connection.execute(
        *named_query(
            "with gone as (delete from vcontract.transcript where tenant = :tenant and vcon = :vcon"
            "  returning archive_size)"
            " insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)"
            " select :tenant, 'bytes', '', '', -archive_size from gone",
            tenant=tenant,
            vcon=vcon,
        )
    )
    if leave_tombstone:
        await connection.execute(
            *named_query(
                "insert into vcontract.transcript_tombstone"
                " (tenant, vcon, harness, session, agent, source_path, archive_path, deleted_at)"
                " values (:tenant, :vcon, :harness, :session, :agent, :source_path, :archive_path, now())"
                " on conflict (tenant, vcon) do update set deleted_at = now()",
                tenant=tenant,
                vcon=vcon,
                harness=found.harness,
                session=found.session,
                agent=found.agent,
                source_path=found.source_path,
                archive_path=found.archive_path,
            ),
        )
    return Path(found.archive_path)


async def is_forgotten(connection: Connection, tenant: str, vcon: UUID) -> bool:
    """Whether the transcript was deleted and must not be imported again."""
    found: bool = await connection.fetchval(
        *named_query(
            "select exists (select from vcontract.transcript_tombstone where tenant = :tenant"
            " and vcon = :vcon)",
            tenant=tenant,
            vcon=vcon,
        ),
    )
    return found


async def note_summaries(
    connection: Connection, tenant: str, summaries: Sequence[tuple[str, str]], now: datetime
) -> set[UUID]:
    """Store summaries by the record they refer to. Returns the transcripts with these records."""
    given = sorted(dict(summaries).items())
    await connection.execute(
        *named_query(
            "insert into vcontract.transcript_summary as s (tenant, record, summary, noted_at)"
            " select :tenant, *, :now from unnest(:records::text[], :summaries::text[])"
            " on conflict (tenant, record) do update"
            " set summary = excluded.summary, noted_at = excluded.noted_at"
            " where s.summary <> excluded.summary",
            tenant=tenant,
            now=now,
            records=[record for record, _ in given],
            summaries=[summary for _, summary in given],
        )
    )
    rows = await connection.fetch(
        *named_query(
            "select distinct vcon from vcontract.transcript_record where tenant = :tenant"
            " and id = any(:records)",
            tenant=tenant,
            records=[record for record, _ in summaries],
        ),
    )
    return {row["vcon"] for row in rows}


async def summary_of(connection: Connection, tenant: str, records: Collection[str]) -> str | None:
    """Return the newest summary of one of these records from another file."""
    found: str | None = await connection.fetchval(
        *named_query(
            "select summary from vcontract.transcript_summary where tenant = :tenant"
            " and record = any(:records)"
            " order by noted_at desc, record limit 1",
            tenant=tenant,
            records=list(records),
        ),
    )
    return found


def discard(archived: Path | None) -> None:
    """Delete an archived file that no transcript refers to."""
    if archived is not None:
        archived.unlink(missing_ok=True)


@cache
def _put_exchanges() -> Statement:
    return load("put_exchanges", {table.name: table for table in (_EXCHANGE, _DOCUMENT)})


def _row(record: asyncpg.Record) -> TranscriptRow:
    values = {name: record[name] for name in _COLUMNS}
    return TranscriptRow(**{**values, "given": parse_json(record["given"])})
