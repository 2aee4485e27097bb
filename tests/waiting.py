"""Waiting until the database, or another process, shows that something has begun."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from tests.conftest import PATIENCE
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

PAUSE = 0.005
"""Seconds between two looks, for a look takes the processor from what is waited for."""


async def until_one_waits(owner: OwnerConnection) -> None:
    """Ask the database until a connection waits for what another one has locked."""
    waiting = (
        "select count(*) from pg_stat_activity where datname = current_database()"
        " and backend_type = 'client backend' and wait_event_type = 'Lock'"
    )
    await until_told(lambda: owner.fetchval(waiting))


def wait_until(claim: Callable[[], bool]) -> None:
    """Look again and again until the claim holds."""
    deadline = time.monotonic() + PATIENCE
    while not claim():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(PAUSE)


async def until(claim: Callable[[], bool]) -> None:
    """As `wait_until`, for a claim about what this process itself receives meanwhile."""
    async with asyncio.timeout(PATIENCE):
        while not claim():  # noqa: ASYNC110  (there is nobody to set an event)
            await asyncio.sleep(PAUSE)


async def until_told(claim: Callable[[], Awaitable[object]]) -> None:
    """As `until`, for a claim that is asked of another process."""
    async with asyncio.timeout(PATIENCE):
        while not await claim():  # noqa: ASYNC110  (it has no event to set)
            await asyncio.sleep(PAUSE)
