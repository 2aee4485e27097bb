"""Waiting until the database shows that something has begun."""

import asyncio

from tests.conftest import PATIENCE
from vcontract.runtime.store.postgres.schema_status import OwnerConnection


async def until_one_waits(owner: OwnerConnection) -> None:
    """Ask the database until a connection waits for what another one has locked."""
    waiting = (
        "select count(*) from pg_stat_activity where datname = current_database()"
        " and backend_type = 'client backend' and wait_event_type = 'Lock'"
    )
    async with asyncio.timeout(PATIENCE):
        while not await owner.fetchval(waiting):
            pass
