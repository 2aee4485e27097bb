"""Move a tenant between stores. It is read-only meanwhile, and always complete in one of them.

Each store lists the tenants it does not serve in `vcontract.elsewhere`. A move marks the tenant as
unavailable in the target and as read-only in the source. It copies all rows in one transaction, closes the
source, and opens the target. Another run completes an interrupted move.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Final

from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.postgres.tenants import remove_tenant, rows_of, tenant_tables

OF_HOME: Final = frozenset({"token"})
"""Tables with a tenant's rows that stay in the home store."""

_AUDIT: Final = frozenset({"audit"})
"""Tables that the home store still writes for tenants in other stores, about their tokens."""
_CHUNKS: Final = 16
"""Chunks of rows to read ahead."""
_WAIT_FOR_WRITERS: Final = "select pg_advisory_xact_lock(hashtext('vcontract.tenant'), hashtext($1))"
_MARK: Final = """
insert into vcontract.elsewhere (name, store, is_readable) values ($1, $2, $3)
on conflict (name) do update set store = excluded.store, is_readable = excluded.is_readable
"""
_COLUMNS: Final = """
select array_agg(a.attname::text order by a.attnum) from pg_attribute a
where a.attrelid = ('vcontract.' || $1::text)::regclass and a.attnum > 0
    and not a.attisdropped and a.attgenerated = ''
"""
_SPACES: Final = """
select s.id, s.model from vcontract.embedding_space s where exists (
    select from vcontract.embedding e where e.space = s.id and e.tenant = $1
    union all
    select from vcontract.embedding_task t where t.space = s.id and t.tenant = $1
)
"""


class Immovable(Exception):
    """The tenant cannot be moved, and nothing was changed; the message says why."""


@dataclass(frozen=True, slots=True)
class Store:
    """A store's name, and a connection as its owner."""

    name: str
    connection: OwnerConnection


async def place_of(home: OwnerConnection, tenant: str) -> str | None:
    """Return the name of a tenant's store in the home store's directory; None for the home store itself."""
    place: str | None = await home.fetchval("select vcontract.store_of($1)", tenant)
    return place


async def places(home: OwnerConnection) -> dict[str, str]:
    """Return the store names of all tenants that are not in the home store."""
    rows = await home.fetch("select name, store from vcontract.elsewhere where not is_readable")
    return {row["name"]: row["store"] for row in rows}


async def is_moving(store: OwnerConnection, tenant: str) -> bool:
    """Whether the tenant is being moved from or to a store."""
    moving: bool = await store.fetchval(
        "select exists (select from vcontract.elsewhere where name = $1)", tenant
    )
    return moving


async def move_tenant(tenant: str, home: Store, source: Store, target: Store) -> dict[str, int]:
    """Move a tenant. Returns the copied rows by table; empty if only the last steps were left.

    Raises: Immovable.
    """
    copied: dict[str, int] = {}
    if await place_of(source.connection, tenant) != target.name:
        spaces = await _spaces(tenant, source, target)
        await _close_target(tenant, source, target)
        async with source.connection.transaction():
            await source.connection.execute(_WAIT_FOR_WRITERS, tenant)
            await source.connection.execute(_MARK, tenant, target.name, True)
        copied = await _copy(tenant, source.connection, target.connection, spaces)
        await source.connection.execute(_MARK, tenant, target.name, False)
    await target.connection.execute("delete from vcontract.elsewhere where name = $1", tenant)
    for store in {source.name: source, home.name: home}.values():
        if store.name != target.name:
            keeps = OF_HOME if store.name == source.name else OF_HOME | _AUDIT
            async with store.connection.transaction():
                await store.connection.execute(_MARK, tenant, target.name, False)
                await remove_tenant(store.connection, tenant, keeps=keeps)
    return copied


async def _close_target(tenant: str, source: Store, target: Store) -> None:
    """Make the tenant unavailable in the target, which may only contain rows of an interrupted move."""
    connection = target.connection
    async with connection.transaction():
        await connection.execute(_WAIT_FOR_WRITERS, tenant)
        rows = {
            table: count
            for table, count in (await rows_of(connection, tenant)).items()
            if table not in OF_HOME
        }
        if rows and await place_of(connection, tenant) is None:
            raise Immovable(
                f"the store {target.name} has rows of the tenant {tenant} already, in {', '.join(rows)}"
            )
        await connection.execute(_MARK, tenant, source.name, False)


async def _spaces(tenant: str, source: Store, target: Store) -> dict[int, int]:
    """Map the tenant's vector spaces to their IDs in the target. Raises: Immovable."""
    found: dict[int, int] = {}
    for space in await source.connection.fetch(_SPACES, tenant):
        there = await target.connection.fetchval(
            "select id from vcontract.embedding_space where model = $1 and state <> 'retired'", space["model"]
        )
        if there is None:
            raise Immovable(
                f"the tenant {tenant} has vectors of {space['model']}, of which the store {target.name} has "
                "none; run `vcontract embed` on that store with the same VCONTRACT_EMBEDDING_ settings first"
            )
        found[space["id"]] = there
    return found


async def _copy(
    tenant: str, source: OwnerConnection, target: OwnerConnection, spaces: dict[int, int]
) -> dict[str, int]:
    """Copy every row of the tenant, from one snapshot of the source, in one transaction of the target."""
    async with source.transaction(isolation="repeatable_read", readonly=True), target.transaction():
        await remove_tenant(target, tenant, keeps=OF_HOME | _AUDIT)
        ids = await source.fetchval("select array_agg(id) from vcontract.audit where tenant = $1", tenant)
        await target.execute("delete from vcontract.audit where tenant = $1 and id = any($2)", tenant, ids)
        before = await rows_of(target, tenant)
        tables = [table for table in reversed(await tenant_tables(source)) if table not in OF_HOME]
        for table in tables:
            await _copy_table(tenant, table, source, target, spaces)
        # counters of new rows for quotas refer to transactions of the old server
        await target.execute(
            "update vcontract.vocabulary_change set transaction = pg_current_xact_id() where tenant = $1",
            tenant,
        )
        here, there = await rows_of(source, tenant), await rows_of(target, tenant)
        came = {table: there.get(table, 0) - before.get(table, 0) for table in tables}
        copied = {table: count for table, count in came.items() if count}
        if copied != {table: count for table, count in here.items() if table not in OF_HOME}:
            raise RuntimeError(f"{here} rows were read, and {there} came")
        return copied


async def _copy_table(
    tenant: str, table: str, source: OwnerConnection, target: OwnerConnection, spaces: dict[int, int]
) -> None:
    columns: Sequence[str] = await source.fetchval(_COLUMNS, table)
    cases = " ".join(f"when {former} then {present}" for former, present in spaces.items())
    as_there = f"(case space {cases} end)::integer" if cases else "space"
    wanted = ", ".join(as_there if column == "space" else f'"{column}"' for column in columns)
    chunks: asyncio.Queue[bytes | None] = asyncio.Queue(_CHUNKS)

    async def read() -> None:
        await source.copy_from_query(
            f"select {wanted} from vcontract.{table} where tenant = $1",  # noqa: S608  (names of tables and columns)
            tenant,
            output=chunks.put,
            format="binary",
        )
        await chunks.put(None)

    async def came() -> AsyncGenerator[bytes]:
        while (chunk := await chunks.get()) is not None:
            yield chunk

    async with asyncio.TaskGroup() as both:
        both.create_task(read())
        both.create_task(
            target.copy_to_table(
                table, source=came(), columns=columns, schema_name="vcontract", format="binary"
            )
        )
