"""Crashes: what was acknowledged is there afterwards, nothing is there by half, and the next start works."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.crashes.deaths import DEATHS, postmaster, stop_database
from tests.crashes.rounds import play
from tests.e2e.conftest import Serving


@pytest.fixture
async def folder(own_data_dir: Path) -> AsyncIterator[Path]:
    """A data directory of this test alone; its database is stopped in the end."""
    yield own_data_dir
    await asyncio.to_thread(stop_database, own_data_dir)


@pytest.mark.parametrize("death", DEATHS)
async def test_what_was_acknowledged_outlives(
    death: str, serving: Serving, folder: Path, tmp_path: Path
) -> None:
    outcome = await play(serving, folder, tmp_path / "scratch", death, writes=10)

    assert outcome.wrong == ()
    assert outcome.acknowledged >= 10
    if death in ("server", "everything"):
        assert outcome.unanswered


async def test_a_killed_database_is_replaced_under_a_server_that_lives_on(
    serving: Serving, folder: Path
) -> None:
    async with serving(folder=folder) as wire:
        before = postmaster(folder)
        DEATHS["postmaster"](wire.process.pid, folder)

        answer = await wire.call("create_vcon", vcon_data={"parties": [{"name": "Ann"}]})
        while not answer["success"]:
            # a backend outlives its postmaster for a moment, and takes a call with it
            assert answer["details"]["reason"] in ("unavailable", "outcome_unknown")
            answer = await wire.call("create_vcon", vcon_data={"parties": [{"name": "Ann"}]})

        assert postmaster(folder) != before
