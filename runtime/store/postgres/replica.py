"""A streaming replica: reads that may come from it, once it has what their tenant wrote here."""

import asyncio
import contextlib
import time
from collections.abc import Generator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, TypeAlias

import asyncpg

from vcontract.runtime.logs import Log
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.errors import ServerUnsuitable
from vcontract.runtime.store.postgres.positions import UNKNOWN, Positions
from vcontract.runtime.store.postgres.server import CONNECTION_ERRORS, connect

if TYPE_CHECKING:
    Connection: TypeAlias = "asyncpg.pool.PoolConnectionProxy[asyncpg.Record]"
    Pool: TypeAlias = "asyncpg.Pool[asyncpg.Record]"

_LOG = Log("replica")
_RESTING_SECONDS: Final = 5.0
"""How long a replica that failed is left alone."""
_ANSWER_SECONDS: Final = 2.0
_MAY_LAG: ContextVar[bool] = ContextVar("may_lag", default=False)
"""Whether what runs is the call of a tool that only reads."""
_REPLAYED: Final = """
select case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0')::bigint else -1 end
"""

_BEHIND: Final = """
select case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
    else extract(epoch from now() - pg_last_xact_replay_timestamp()) end::float8
"""


@contextlib.contextmanager
def reads_may_lag(allowed: bool = True) -> Generator[None]:
    """What is read inside may come from a replica that others' writes have not reached yet."""
    token = _MAY_LAG.set(allowed)
    try:
        yield
    finally:
        _MAY_LAG.reset(token)


class Replica:
    """Connections to a standby, and what it has to have before a tenant reads there.

    Whatever fails here is no failure of a call: the primary is read instead.
    """

    def __init__(self, pool: "Pool", positions: Positions) -> None:
        """`positions` are those of all processes on this machine that write for the same tenants."""
        self.pool = pool
        self._positions = positions
        self._replayed = 0
        """Up to where the log was seen to be replayed."""
        self._rests_until = 0.0

    def wrote(self, tenant: str, position: int | None) -> None:
        """Let the tenant read here again when the log was replayed up to the position; None is not known."""
        self._positions.wrote(tenant, UNKNOWN if position is None else position)

    async def begin(self, statement: str, tenant: str) -> "Connection | None":
        """A connection on which the transaction was begun; None when the primary has to be read."""
        if not _MAY_LAG.get() or time.monotonic() < self._rests_until:
            return None
        if self._positions.of(tenant) == UNKNOWN:
            return None
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                return await self._try_begin(statement, tenant)
        except (*CONNECTION_ERRORS, TimeoutError, ServerUnsuitable) as error:
            _LOG.error("the replica cannot be read; the primary is", error)
            self._replayed = 0  # another may come in its place
            self._rests_until = time.monotonic() + _RESTING_SECONDS
            await self.pool.expire_connections()
            return None

    async def _try_begin(self, statement: str, tenant: str) -> "Connection | None":
        connection = await self.pool.acquire()
        try:
            if await self._has_writes_of(tenant, connection):
                await connection.execute(statement)
                return connection
        except BaseException:
            connection.terminate()
            await asyncio.shield(self.pool.release(connection))
            raise
        await self.pool.release(connection)
        return None

    async def _has_writes_of(self, tenant: str, connection: "Connection") -> bool:
        position = self._positions.of(tenant)
        if position > self._replayed:
            # before the transaction: its snapshot must not be older than the answer
            async with connection.transaction(readonly=True):
                self._replayed = await connection.fetchval(_REPLAYED)
        return position <= self._replayed


async def position_of(connection: "Connection") -> int | None:
    """Up to where the primary's log holds what was committed on the connection; None when it is lost."""
    try:
        async with connection.transaction():
            position: int = await connection.fetchval("select (pg_current_wal_insert_lsn() - '0/0')::bigint")
    except CONNECTION_ERRORS:
        return None
    return position


async def check_standby(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Pass when the server is a standby. Raises: ServerUnsuitable."""
    async with connection.transaction():
        if not await connection.fetchval("select pg_is_in_recovery()"):
            raise ServerUnsuitable("the server of VCONTRACT_REPLICA_URL is no standby; name one, or unset it")


async def examine(settings: Settings, url: str) -> str:
    """What is to be said of the replica at the address. Raises: StoreUnavailable."""
    connection = await connect(settings, url)
    try:
        await check_standby(connection)
        behind = await connection.fetchval(_BEHIND)
    finally:
        await connection.close()
    return "has all that its primary sent" if not behind else f"is {behind:.1f} s behind its primary"
