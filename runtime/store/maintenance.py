"""Maintenance: what a server does now and then so that reading stays cheap; nothing depends on it."""

import asyncio
from typing import Final

from vcontract.runtime.logs import Log
from vcontract.runtime.store.counts import fold_all
from vcontract.runtime.store.database import Database

_LOG = Log("maintenance")
_PAUSE: Final = 30.0


class Maintenance:
    """Folds the counts of all tenants; any number of processes may have one."""

    def __init__(self, database: Database, tenant: str) -> None:
        self._database = database
        self._tenant = tenant
        """Opens the transactions, which belong to no tenant."""
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Work in the background until `stop`."""
        if self._running is None:
            self._running = asyncio.create_task(self._work(), name="maintenance")

    async def stop(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            await asyncio.wait([running])

    async def _work(self) -> None:
        failing = False
        while True:
            # not at once: a server that is asked one thing and left starts faster
            await asyncio.sleep(_PAUSE)
            try:
                await fold_all(self._database, self._tenant)
            except Exception as error:  # nothing but `stop` ends it
                if not failing:
                    _LOG.error("counts are not folded for now", error)
                failing = True
            else:
                failing = False
