"""What is stored written out: one vCon, some, all of a tenant, or everything that it has."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Final, Protocol, TypeAlias
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection, Database
from vcontract.runtime.store.postgres.tenants import copies_of, tables_of_tenants
from vcontract.runtime.store.queries import named
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.vcon.formats import JSON_LINES, Format


class NoSuchVcon(LookupError):
    """A vCon asked for is not in the store."""


class Source(Protocol):
    """What an export needs of the store."""

    async def get(self, tenant: str, uuid: UUID, /) -> StoredVcon | None: ...

    def iterate(
        self, tenant: str, within: "Connection | None" = None, matching: JsonObject | None = None, /
    ) -> AsyncGenerator[StoredVcon]: ...


Shape: TypeAlias = Callable[[StoredVcon], Awaitable[JsonObject]]
"""What is written in the place of a stored vCon."""


async def plain_document(stored: StoredVcon) -> JsonObject:
    """The vCon as it is now."""
    return stored.document()


async def export_all(
    store: Source,
    tenant: str,
    form: Format = JSON_LINES,
    within: "Connection | None" = None,
    *,
    shape: Shape = plain_document,
    matching: JsonObject | None = None,
) -> AsyncGenerator[bytes]:
    """Every vCon of the tenant as of one moment, each as `form` writes it, by `created_at` and uuid.

    With `matching`, conditions of a search, only those that meet them.
    """
    # closed here and now when the reader stops early: its transaction must not wait for a garbage collector
    vcons = store.iterate(tenant, within, matching)
    async with aclosing(vcons):
        async for stored in vcons:
            yield form.write(await shape(stored))


async def export_some(
    store: Source,
    tenant: str,
    uuids: Sequence[UUID],
    form: Format = JSON_LINES,
    shape: Shape = plain_document,
) -> AsyncGenerator[bytes]:
    """The vCons of these uuids in this order, each as `form` writes it.

    Raises: NoSuchVcon.
    """
    for uuid in uuids:
        stored = await store.get(tenant, uuid)
        if stored is None:
            raise NoSuchVcon(str(uuid))
        yield form.write(await shape(stored))


LEFT_OUT: Final = frozenset(
    {
        *("party", "dialog", "analysis", "attachment"),  # stand in vcons.jsonl
        *("search_document", "passage", "spelling", "embedding", "embedding_task"),  # made of what is stored
        *("vocabulary", "vocabulary_change"),
        *("result_cache", "request"),  # kept for some hours
        *("token", "webhook", "webhook_delivery"),
    }
)
"""Tables with rows of tenants that say nothing more of them, or nothing that is to leave the store."""
_ROWS_AT_ONCE: Final = 500


async def export_tenant(database: Database, store: Source, tenant: str, folder: Path) -> dict[str, int]:
    """Everything that a tenant has, as of one moment, as files of JSON lines in an empty folder.

    How many lines each file has, and how many copies of transcripts there are.
    """
    counts: dict[str, int] = {}
    (folder / "tables").mkdir()
    async with database.reading(tenant) as connection:
        vcons = export_all(store, tenant, within=connection)
        counts["vcons.jsonl"] = await _write_lines(folder / "vcons.jsonl", vcons)
        for table in sorted({*await tables_of_tenants(connection)} - LEFT_OUT):
            name = f"tables/{table}.jsonl"
            counts[name] = await _write_lines(folder / name, _rows(connection, table, tenant))
        copies = await copies_of(connection, tenant)
    return {**counts, "archive": await asyncio.to_thread(_copy, copies, folder / "archive")}


async def _rows(connection: Connection, table: str, tenant: str) -> AsyncGenerator[bytes]:
    """The rows of a tenant, each as a JSON object of its columns."""
    sql = f"select to_jsonb(t)::text from vcontract.{table} t where t.tenant = :tenant"  # noqa: S608  (a table's name)
    cursor = await connection.cursor(*named(sql, tenant=tenant))
    while rows := await cursor.fetch(_ROWS_AT_ONCE):
        for row in rows:
            yield row[0].encode() + b"\n"


def _copy(copies: Mapping[UUID, str], folder: Path) -> int:
    """Copy those that are there, each under the UUID of its vCon; how many."""
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
