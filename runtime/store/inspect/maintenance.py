"""Periodic maintenance of the store: fold counts, index words again, delete expired rows."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from vcontract.runtime.frame.logs import Log
from vcontract.runtime.store.postgres.consent import without_consent_filter
from vcontract.runtime.store.postgres.database import DEPLOYMENT, Database
from vcontract.runtime.store.vcons.counts import fold_all

_LOG = Log("maintenance")
_PAUSE: Final = 30.0


@dataclass(slots=True)
class _Chore:
    """One task for all tenants. Repeated failures are logged once."""

    do: Callable[[Database], Awaitable[None]]
    undone: str
    is_failing: bool = False


class Maintenance:
    """Folds counts and deletes expired rows. Any number of processes may run it."""

    def __init__(self, database: Database, *, retention_days: int | None = None) -> None:
        self._database = database
        self._chores = (
            _Chore(fold_all, "counts are not folded for now"),
            _Chore(_index_again, "stored words are not indexed again for now"),
            _Chore(_remove_expired, "what has expired is not removed for now"),
            *(
                []
                if retention_days is None
                else [_Chore(partial(_delete_old, retention_days), "old vCons are not deleted for now")]
            ),
        )
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Run in the background until `stop`."""
        if self._running is None:
            self._running = asyncio.create_task(self._work(), name="maintenance")

    async def stop(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            await asyncio.wait([running])

    async def _work(self) -> None:
        with without_consent_filter():
            while True:
                # not at once, so that short-lived servers start faster
                await asyncio.sleep(_PAUSE)
                for chore in self._chores:
                    await self._do(chore)

    async def _do(self, chore: _Chore) -> None:
        try:
            await chore.do(self._database)
        except Exception as error:  # only `stop` ends the loop
            if not chore.is_failing:
                _LOG.error(chore.undone, error)
            chore.is_failing = True
        else:
            chore.is_failing = False


async def _index_again(database: Database) -> None:
    """Index stored passages again if the forms of words have changed."""
    async with database.reading(DEPLOYMENT) as connection:
        if not await connection.fetch("select * from vcontract.word_tasks(1)"):
            return
    # imported here, because it is needed once after an upgrade
    from vcontract.runtime.store.vcons.word_forms import index_again

    await index_again(database)


async def _remove_expired(database: Database) -> None:
    """Delete expired cached results, and processing errors older than 90 days."""
    async with database.writing(DEPLOYMENT) as connection:
        await connection.execute("select vcontract.remove_expired()")


async def _delete_old(days: int, database: Database) -> None:
    """Delete some vCons of every tenant older than this many days; the next run continues."""
    # imported here, because few servers delete, and it loads everything that reads vCons
    from vcontract.runtime.store.vcons.retention import delete_expired, tenants_with_expired

    before = datetime.now(UTC) - timedelta(days=days)
    for each in await tenants_with_expired(database, before):
        await delete_expired(database, each, before, "server")
