"""Retention: vCons older than they are to be kept go, with all derived from them, unless they are held."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from vcontract.runtime.store.postgres.database import DEPLOYMENT, Database
from vcontract.runtime.store.queries import named
from vcontract.runtime.store.transcripts.rows import discard
from vcontract.runtime.store.vcons import audit
from vcontract.runtime.store.vcons.holds import Held
from vcontract.runtime.store.vcons.store import VconStore

AT_ONCE: Final = 200
"""vCons of a tenant that are deleted before others get their turn."""
ACTION: Final = "retention"


@dataclass(frozen=True, slots=True)
class Old:
    """How many vCons of a tenant are older than a moment: those that may go, and those that are held."""

    due: int
    held: int


async def count_old(database: Database, tenant: str, before: datetime) -> Old:
    """How many vCons were made before a moment, by their `created_at`."""
    async with database.reading(tenant) as connection:
        row = await connection.fetchrow(
            *named(
                "select count(*) filter (where h.vcon is null) as due, count(h.vcon) as held"
                " from vcontract.vcon v"
                " left join vcontract.hold h on h.tenant = :tenant and h.vcon = v.uuid"
                " where v.tenant = :tenant and v.created_at < :before",
                tenant=tenant,
                before=before,
            )
        )
    assert row is not None  # an aggregate
    return Old(**row)


async def tenants_with_old(database: Database, before: datetime) -> list[str]:
    """Those who have vCons that may go."""
    async with database.reading(DEPLOYMENT) as connection:
        rows = await connection.fetch(
            *named("select name from vcontract.tenants_with_old(:before) name", before=before)
        )
    return [row["name"] for row in rows]


async def delete_old(database: Database, tenant: str, before: datetime, caller: str) -> int:
    """Delete at most `AT_ONCE` vCons made before a moment, the oldest first, each by itself; how many went.

    Any number of processes may do so at once: what another one deleted meanwhile is passed over.
    """
    async with database.reading(tenant) as connection:
        rows = await connection.fetch(
            *named(
                "select v.uuid from vcontract.vcon v where v.tenant = :tenant and v.created_at < :before"
                " and not exists (select from vcontract.hold h where h.tenant = :tenant and h.vcon = v.uuid)"
                " order by v.created_at, v.uuid limit :most",
                tenant=tenant,
                before=before,
                most=AT_ONCE,
            )
        )
    vcons, deleted = VconStore(database), 0
    for row in rows:
        with suppress(Held):  # since it was looked for
            deleted += await _delete(database, vcons, tenant, row["uuid"], before, caller)
    return deleted


async def _delete(
    database: Database, vcons: VconStore, tenant: str, uuid: UUID, before: datetime, caller: str
) -> bool:
    """Whether it was there and still as old. Raises: Held."""
    async with database.writing(tenant) as connection:
        stored = await vcons.lock(connection, tenant, uuid, ())
        if stored is None or stored.created_at >= before:
            return False
        archived = await vcons.delete(connection, tenant, uuid)
        await audit.record(connection, tenant, caller=caller, action=ACTION, now=datetime.now(UTC), vcon=uuid)
    discard(archived)
    return True
