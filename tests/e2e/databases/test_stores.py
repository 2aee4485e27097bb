"""Several stores under writers: one is killed, the home store is, and tenants move; nothing is lost."""

import asyncio
from pathlib import Path

import pytest

from tests.crashes.stores import HAPPENINGS, Deployment, play


@pytest.mark.failing_handlers
async def test_whatever_was_acknowledged_is_in_the_one_store_of_its_tenant(tmp_path: Path) -> None:
    deployment = Deployment(tmp_path)
    await deployment.start()
    try:
        assert await play(deployment, [*HAPPENINGS], writers=3, seconds=0.2) == []
    finally:
        await asyncio.to_thread(deployment.stop)
