"""Export of vCons, and of all data of a tenant."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Final, TypeAlias
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection, Database
from vcontract.runtime.store.postgres.tenants import archive_paths, tenant_tables
from vcontract.runtime.store.queries import named_query
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.vcon.formats import JSON_LINES, Format


class NoSuchVcon(LookupError):
    """A requested vCon is not in the store."""


Shape: TypeAlias = Callable[[StoredVcon], Awaitable[JsonObject]]
"""Converts a stored vCon to the exported document."""


async def plain_document(stored: StoredVcon) -> JsonObject:
    """The vCon's current document."""
    return stored.document()


async def export_all(
    store: VconStore,
    tenant: str,
    form: Format = JSON_LINES,
    within: "Connection | None" = None,
    *,
    shape: Shape = plain_document,
    matching: JsonObject | None = None,
) -> AsyncGenerator[bytes]:
    """Every vCon of a tenant from one snapshot, in `form`, ordered by `created_at` and uuid.

    `matching` limits them to search conditions.
    """
    # close explicitly, so that a reader that stops early does not leave the transaction open
    vcons = store.iterate(tenant, within, matching)
    async with aclosing(vcons):
        async for stored in vcons:
            yield form.write(await shape(stored))


async def export_some(
    store: VconStore,
    tenant: str,
    uuids: Sequence[UUID],
    form: Format = JSON_LINES,
    shape: Shape = plain_document,
) -> AsyncGenerator[bytes]:
    """The vCons with these uuids, in this order, in `form`.

    Raises: NoSuchVcon.
    """
    for uuid in uuids:
        stored = await store.get(tenant, uuid)
        if stored is None:
            raise NoSuchVcon(str(uuid))
        yield form.write(await shape(stored))


TABLES_NOT_EXPORTED: Final = frozenset(
    {
        *("party", "dialog", "analysis", "attachment"),  # included in vcons.jsonl
        # derived from stored data
        *("search_document", "passage", "turn", "spelling", "embedding", "embedding_task", "word_task"),
        *("vocabulary", "vocabulary_change"),
        *("result_cache", "request"),  # expires after some hours
        *("token", "webhook", "webhook_delivery"),
    }
)
"""Tenant tables that are not exported: contained in vcons.jsonl, derived, temporary or confidential."""
_ROWS_AT_ONCE: Final = 500


async def export_tenant(database: Database, store: VconStore, tenant: str, folder: Path) -> dict[str, int]:
    """Export all data of a tenant from one snapshot as JSON lines into an empty folder.

    Return the number of lines by file and the number of archived transcripts.
    """
    counts: dict[str, int] = {}
    (folder / "tables").mkdir()
    async with database.reading(tenant) as connection:
        vcons = export_all(store, tenant, within=connection)
        counts["vcons.jsonl"] = await _write_lines(folder / "vcons.jsonl", vcons)
        for table in sorted({*await tenant_tables(connection)} - TABLES_NOT_EXPORTED):
            name = f"tables/{table}.jsonl"
            counts[name] = await _write_lines(folder / name, _rows(connection, table, tenant))
        copies = await archive_paths(connection, tenant)
    return {**counts, "archive": await asyncio.to_thread(_copy, copies, folder / "archive")}


async def _rows(connection: Connection, table: str, tenant: str) -> AsyncGenerator[bytes]:
    """Yield the rows of a tenant as JSON objects."""
    sql = f"select to_jsonb(t)::text from vcontract.{table} t where t.tenant = :tenant"  # noqa: S608  (a table's name)
    cursor = await connection.cursor(*named_query(sql, tenant=tenant))
    while rows := await cursor.fetch(_ROWS_AT_ONCE):
        for row in rows:
            yield row[0].encode() + b"\n"


def _copy(copies: Mapping[UUID, str], folder: Path) -> int:
    """Copy existing archive files, named by vCon UUID. Return their number."""
    folder.mkdir()
    there = {vcon: Path(path) for vcon, path in copies.items() if Path(path).is_file()}
    for vcon, path in there.items():
        shutil.copy2(path, folder / f"{vcon}.jsonl")
    return len(there)


async def _write_lines(path: Path, lines: AsyncGenerator[bytes]) -> int:
    count = 0
    with path.open("wb") as file:
        async with aclosing(lines):
            async for line in lines:
                file.write(line)
                count += 1
    return count
