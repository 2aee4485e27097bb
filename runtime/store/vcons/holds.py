"""Legal holds: a vCon with one cannot be changed or deleted, except for its tags."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query


@dataclass(frozen=True, slots=True)
class Hold:
    """Reason of a hold, who placed it, and when."""

    vcon: UUID
    reason: str
    held_by: str
    held_at: datetime


class UnderLegalHold(Exception):
    """A vCon is under legal hold and cannot be changed."""

    def __init__(self, hold: Hold) -> None:
        self.hold = hold
        super().__init__(f"the vCon {hold.vcon} is under legal hold and stays as it is")


async def held_among(connection: Connection, tenant: str, vcons: Collection[UUID]) -> dict[UUID, Hold]:
    """Return the holds of these vCons. If the vCons are locked, none changes until the transaction ends."""
    rows = await connection.fetch(
        *named_query(
            "select vcon, reason, held_by, held_at from vcontract.hold"
            " where tenant = :tenant and vcon = any(:vcons)",
            tenant=tenant,
            vcons=list(vcons),
        )
    )
    return {row["vcon"]: Hold(**row) for row in rows}


async def holds_of(
    connection: Connection, tenant: str, most: int, passed_over: int
) -> tuple[int, list[Hold]]:
    """Return the number of holds and one page of them, newest first."""
    total = await connection.fetchval(
        *named_query("select count(*) from vcontract.hold where tenant = :tenant", tenant=tenant)
    )
    rows = await connection.fetch(
        *named_query(
            "select vcon, reason, held_by, held_at from vcontract.hold where tenant = :tenant"
            " order by held_at desc, vcon limit :most offset :passed_over",
            tenant=tenant,
            most=most,
            passed_over=passed_over,
        )
    )
    return int(total), [Hold(**row) for row in rows]


async def refuse_held(connection: Connection, tenant: str, vcon: UUID) -> None:
    """Check that a locked vCon has no hold. Raises: UnderLegalHold."""
    for hold in (await held_among(connection, tenant, [vcon])).values():
        raise UnderLegalHold(hold)


async def put_hold(connection: Connection, tenant: str, hold: Hold) -> None:
    """Place a hold on a locked vCon, or replace its reason."""
    await connection.execute(
        *named_query(
            "insert into vcontract.hold (tenant, vcon, reason, held_by, held_at)"
            " values (:tenant, :vcon, :reason, :held_by, :held_at)"
            " on conflict (tenant, vcon) do update set reason = excluded.reason,"
            " held_by = excluded.held_by, held_at = excluded.held_at",
            tenant=tenant,
            vcon=hold.vcon,
            reason=hold.reason,
            held_by=hold.held_by,
            held_at=hold.held_at,
        )
    )


async def release(connection: Connection, tenant: str, vcon: UUID) -> bool:
    """Release the hold of a locked vCon. Returns whether there was one."""
    status: str = await connection.execute(
        *named_query(
            "delete from vcontract.hold where tenant = :tenant and vcon = :vcon", tenant=tenant, vcon=vcon
        )
    )
    return status != "DELETE 0"
