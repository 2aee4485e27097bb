"""An external server that was unreachable when its database was opened; the first use checks it again."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

from vcontract.runtime.frame.logs import Log
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.errors import StoreUnavailable
from vcontract.runtime.store.postgres.server import check_database

_LOG = Log("database")
_RETRY_SECONDS: Final = 1.0


class AwaitedServer:
    """Checks the server at most once a second until it can be used."""

    def __init__(self, settings: Settings, url: str, why: StoreUnavailable) -> None:
        self.is_reached = False
        self.first: Callable[[], Awaitable[None]] | None = None
        """Called once the server is reached, before anything else."""
        self._settings = settings
        self._url = url
        self._why = why
        self._tried_at = 0.0
        self._trying = asyncio.Lock()
        self._tried_by: asyncio.Task[object] | None = None

    async def reach(self) -> None:
        """Check the server, or repeat the check if it was unreachable.

        Raises: StoreUnavailable.
        """
        if self.is_reached or asyncio.current_task() is self._tried_by:
            return
        async with self._trying:
            if self.is_reached:
                return
            if time.monotonic() - self._tried_at < _RETRY_SECONDS:
                raise self._why  # one call checks several times, and may have waited long for this error
            try:
                await check_database(self._settings, self._url)
            except StoreUnavailable as error:
                self._why, self._tried_at = error, time.monotonic()
                raise
            self._tried_by = asyncio.current_task()
            try:
                if self.first is not None:
                    await self.first()
            finally:
                self._tried_by = None
            self.is_reached = True
            _LOG.info("the database is reached")
