"""Tenants: list them, measure their storage, set quotas, revoke access and remove their data."""

from collections.abc import Collection
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Final
from uuid import UUID

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

_MAX_PASSES: Final = 3
_TABLES: Final = """
    select c.relname as name, array_agg(r.relname::text) filter (where r.oid <> c.oid) as refers_to
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant' and not a.attisdropped
    left join pg_constraint f on f.conrelid = c.oid and f.contype = 'f'
    left join pg_class r on r.oid = f.confrelid
    where c.relnamespace = 'vcontract'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    group by c.relname
    order by c.relname
"""
# Loose index scan: one index lookup per tenant instead of reading every row.
_NAMES: Final = """
    with recursive names as (
        (select tenant from vcontract.{table} order by tenant limit 1)
        union all
        select (select t.tenant from vcontract.{table} t where t.tenant > n.tenant order by t.tenant limit 1)
        from names n where n.tenant is not null
    )
    select tenant from names where tenant is not null
"""
_NOT_CONTENT: Final = ("audit",)
"""Tables that do not count as content. The audit log also names removed tenants."""


@dataclass(frozen=True, slots=True)
class Usage:
    """A tenant's usage and quota. None means unlimited."""

    tenant: str
    vcons: int
    bytes: int
    most_vcons: int | None
    most_bytes: int | None


class TenantStillWriting(Exception):
    """Data keeps arriving for a tenant that is being removed."""


async def tenant_tables(connection: "Connection | OwnerConnection") -> list[str]:
    """Tables with a tenant column. A referencing table precedes the table it references."""
    rows = await connection.fetch(_TABLES)
    order = TopologicalSorter({row["name"]: row["refers_to"] or () for row in rows})
    return [*order.static_order()][::-1]


async def all_tenants(connection: OwnerConnection) -> list[Usage]:
    """Usage of every tenant with stored data, sorted by name."""
    return [await usage_of(connection, tenant) for tenant in sorted(await names_of_tenants(connection))]


async def names_of_tenants(connection: OwnerConnection) -> set[str]:
    """Names of tenants with stored data."""
    found: set[str] = set()
    for table in await tenant_tables(connection):
        if table in _NOT_CONTENT:
            continue
        found.update(row["tenant"] for row in await connection.fetch(_NAMES.format(table=table)))
    return found


async def usage_of(connection: OwnerConnection, tenant: str) -> Usage:
    """Usage of a tenant. Zero if it has no data."""
    row = await connection.fetchrow(
        "select u.vcons, u.bytes, q.vcons as most_vcons, q.bytes as most_bytes"
        " from vcontract.usage($1) u left join vcontract.quota q on q.tenant = $1",
        tenant,
    )
    assert row is not None  # an aggregate always returns a row
    return Usage(tenant, **row)


async def rows_of(connection: OwnerConnection, tenant: str) -> dict[str, int]:
    """Count a tenant's rows in each table that has some."""
    counts: dict[str, int] = {}
    for table in sorted(await tenant_tables(connection)):
        counting = f"select count(*) from vcontract.{table} where tenant = $1"  # noqa: S608  (a table's name)
        counts[table] = await connection.fetchval(counting, tenant)
    return {table: count for table, count in counts.items() if count}


async def set_quota(
    connection: OwnerConnection, tenant: str, most_vcons: int | None, most_bytes: int | None
) -> None:
    """Set a tenant's quota. Two None values remove it."""
    await connection.execute("select vcontract.set_quota($1, $2, $3)", tenant, most_vcons, most_bytes)


async def archive_paths(connection: "Connection | OwnerConnection", tenant: str) -> dict[UUID, str]:
    """Archive paths of a tenant's transcripts, by vCon UUID."""
    rows = await connection.fetch(
        "select vcon, archive_path from vcontract.transcript where tenant = $1", tenant
    )
    return {row["vcon"]: row["archive_path"] for row in rows}


async def revoke_tenant_access(connection: OwnerConnection, tenant: str) -> bool:
    """Invalidate all tokens issued for a tenant so far. Return whether stored tokens were revoked."""
    await connection.execute(
        "insert into vcontract.removed_tenant values ($1, now())"
        " on conflict (name) do update set removed_at = excluded.removed_at",
        tenant,
    )
    revoked = await connection.fetch(
        "update vcontract.token set revoked_at = now() where tenant = $1 and revoked_at is null returning id",
        tenant,
    )
    return bool(revoked)


async def remove_tenant(
    connection: OwnerConnection, tenant: str, keeps: Collection[str] = ()
) -> dict[str, int]:
    """Delete every row of a tenant. Return the number by table. Call inside a transaction.

    `keeps` are tables that stay as they are.

    Raises: TenantStillWriting, when rows remain after three passes.
    """
    removed: dict[str, int] = {}
    tables = [table for table in await tenant_tables(connection) if table not in keeps]
    for _ in range(_MAX_PASSES):
        gone = 0
        for table in tables:
            status = await connection.execute(f"delete from vcontract.{table} where tenant = $1", tenant)  # noqa: S608  (a table's name)
            count = int(status.split()[-1])
            removed[table] = removed.get(table, 0) + count
            gone += count
        if not gone:
            return {table: count for table, count in sorted(removed.items()) if count}
    raise TenantStillWriting(tenant)
