"""Counts of calls that all processes of a store share, a row for each part of a window of time."""

import hashlib
from typing import Final

import asyncpg

from vcontract.runtime.logs import Log
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.error_mapping import StoreDown, reaching_store

_LOG = Log("rates")
_SLOTS: Final = 12
"""Parts of a window: a call is counted until the whole part in which it was made has passed."""
# One statement, whose second half sees the rows as they were before the first.
_TELL: Final = """
with slot as (
    select floor(extract(epoch from now()) / $5::float8)::bigint as number
), told as (
    insert into vcontract.rate_use as u (tenant, caller, class, slot, calls, expires_at)
    select $1, $2, $3, number, $4, now() + 2 * $6 * make_interval(secs => $5) from slot where $4 > 0
    on conflict (tenant, caller, class, slot) do update set calls = u.calls + excluded.calls
)
select coalesce(sum(u.calls), 0)::bigint as calls,
    ((coalesce(min(u.slot), (select number from slot)) + $6 + 1) * $5::float8
        - extract(epoch from now()))::float8 as seconds
from vcontract.rate_use u
where u.tenant = $1 and u.caller = $2 and u.class = $3 and u.slot >= (select number from slot) - $6
"""


class RateUses:
    """The calls that processes told each other of."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def tell(
        self, tenant: str, caller: str, name: str, window: int, calls: int
    ) -> tuple[int, float] | None:
        """Add `calls` to the count of a class and a window in seconds.

        Returns the count within the window before, and the seconds until its first call leaves the window.
        None if nothing can be counted now: the store is away, or takes no writes.
        """
        digest = hashlib.sha256(caller.encode()).digest()[:16]
        try:
            with reaching_store():
                async with self._database.writing(tenant) as connection:
                    row = await connection.fetchrow(
                        _TELL, tenant, digest, name, calls, window / _SLOTS, _SLOTS
                    )
        except (StoreDown, asyncpg.ReadOnlySQLTransactionError) as error:
            _LOG.warning("calls are counted by this process alone", cause=type(error).__name__)
            return None
        assert row is not None
        return row["calls"], row["seconds"]
