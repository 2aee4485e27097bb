"""Commit status: find out whether a transaction committed if the connection was lost meanwhile."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, cast

import asyncpg

from vcontract.runtime.store.postgres.errors import OutcomeUnknown, StoreUnavailable
from vcontract.runtime.store.postgres.server import CONNECTION_ERRORS

Connection: TypeAlias = (
    "asyncpg.Connection[asyncpg.Record] | asyncpg.pool.PoolConnectionProxy[asyncpg.Record]"
)
CommitStatus = Literal["committed", "aborted", "in progress", "unknown"]
_SETTLING_SECONDS = 5.0
_SETTLING_PAUSE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class WriteToken:
    """A transaction that has written something."""

    transaction: str
    run: datetime | None
    """When the server last lost its statistics. A later value means that it has crashed since."""
    over_quota: str | None = None
    """Exceeded quota of its tenant as JSON; None if it is within its quota."""


async def write_token(connection: Connection) -> WriteToken | None:
    """Return a token for checking the commit status later; None if nothing was written."""
    row = await connection.fetchrow(
        "select pg_current_xact_id_if_assigned()::text as transaction,"
        " case when pg_current_xact_id_if_assigned() is not null then vcontract.over_quota() end"
        " as over_quota,"
        " pg_stat_get_bgwriter_stat_reset_time() as run"
    )
    if row is None or row["transaction"] is None:
        return None
    return WriteToken(row["transaction"], row["run"], row["over_quota"])


async def commit_status(connection: Connection, written: WriteToken) -> CommitStatus:
    """Return the status of a transaction of an earlier connection.

    A server that crashed may assign the numbers of lost transactions again. After a crash only "aborted" is
    therefore certain.
    """
    try:
        row = await connection.fetchrow(
            "select pg_xact_status($1::text::xid8) as status, pg_stat_get_bgwriter_stat_reset_time() as run",
            written.transaction,
        )
    except asyncpg.InvalidParameterValueError:
        return "aborted"  # no transaction has had this number: it was lost
    status = None if row is None else row["status"]
    if status is None or (status != "aborted" and row is not None and row["run"] != written.run):
        return "unknown"
    return cast("CommitStatus", status)


async def has_committed(
    written: WriteToken, reading: Callable[[], AbstractAsyncContextManager[Connection]]
) -> bool:
    """Whether a transaction committed although its connection was lost; `reading` opens another.

    Raises: OutcomeUnknown if the server does not reply within some seconds.
    """
    with suppress(TimeoutError, StoreUnavailable):
        async with asyncio.timeout(_SETTLING_SECONDS):
            while True:
                fate: CommitStatus = "in progress"
                with suppress(*CONNECTION_ERRORS):
                    async with reading() as connection:
                        fate = await commit_status(connection, written)
                if fate in ("committed", "aborted"):
                    return fate == "committed"
                if fate == "unknown":
                    break
                await asyncio.sleep(_SETTLING_PAUSE_SECONDS)
    raise OutcomeUnknown("the server was lost while it committed")
