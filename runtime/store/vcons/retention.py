"""Retention: delete vCons past their retention period, with all derived data, unless on legal hold."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from vcontract.runtime.store.postgres.database import DEPLOYMENT, Database
from vcontract.runtime.store.queries import named_query
from vcontract.runtime.store.transcripts.rows import discard
from vcontract.runtime.store.vcons import audit
from vcontract.runtime.store.vcons.deletion import delete_vcon
from vcontract.runtime.store.vcons.holds import UnderLegalHold
from vcontract.runtime.store.vcons.store import VconStore

BATCH_SIZE: Final = 200
"""Maximum number of vCons deleted for one tenant before the next tenant."""
ACTION: Final = "retention"


@dataclass(frozen=True, slots=True)
class RetentionCounts:
    """Numbers of a tenant's vCons older than a moment: deletable, and on hold."""

    due: int
    held: int


async def count_expired(database: Database, tenant: str, before: datetime) -> RetentionCounts:
    """Count a tenant's vCons created before a moment: those that can be deleted, and those on hold."""
    async with database.reading(tenant) as connection:
        row = await connection.fetchrow(
            *named_query(
                "select count(*) filter (where h.vcon is null) as due, count(h.vcon) as held"
                " from vcontract.vcon v"
                " left join vcontract.hold h on h.tenant = :tenant and h.vcon = v.uuid"
                " where v.tenant = :tenant and v.created_at < :before",
                tenant=tenant,
                before=before,
            )
        )
    assert row is not None  # an aggregate always returns a row
    return RetentionCounts(**row)


async def tenants_with_expired(database: Database, before: datetime) -> list[str]:
    """Names of tenants with deletable vCons."""
    async with database.reading(DEPLOYMENT) as connection:
        rows = await connection.fetch(
            *named_query("select name from vcontract.tenants_with_old(:before) name", before=before)
        )
    return [row["name"] for row in rows]


async def delete_expired(database: Database, tenant: str, before: datetime, caller: str) -> int:
    """Delete up to `BATCH_SIZE` vCons created before a moment, oldest first, one transaction each.

    Return the number deleted. Several processes can run this concurrently. Skip vCons that another process
    has deleted.
    """
    async with database.reading(tenant) as connection:
        rows = await connection.fetch(
            *named_query(
                "select v.uuid from vcontract.vcon v where v.tenant = :tenant and v.created_at < :before"
                " and not exists (select from vcontract.hold h where h.tenant = :tenant and h.vcon = v.uuid)"
                " order by v.created_at, v.uuid limit :most",
                tenant=tenant,
                before=before,
                most=BATCH_SIZE,
            )
        )
    vcons, deleted = VconStore(database), 0
    for row in rows:
        with suppress(UnderLegalHold):  # put on hold since the query
            deleted += await _delete(database, vcons, tenant, row["uuid"], before, caller)
    return deleted


async def _delete(
    database: Database, vcons: VconStore, tenant: str, uuid: UUID, before: datetime, caller: str
) -> bool:
    """Delete a vCon. Return False if it is gone or no longer old enough.

    Raises: UnderLegalHold.
    """
    async with database.writing(tenant) as connection:
        stored = await vcons.lock(connection, tenant, uuid, ())
        if stored is None or stored.created_at >= before:
            return False
        archived = await delete_vcon(connection, tenant, uuid)
        await audit.record(connection, tenant, caller=caller, action=ACTION, now=datetime.now(UTC), vcon=uuid)
    discard(archived)
    return True
