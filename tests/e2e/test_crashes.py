"""Crashes: what was acknowledged is there afterwards, nothing is there by half, and the next start works."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.crashes.deaths import DEATHS, postmaster, stop_database
from tests.crashes.rounds import play
from tests.e2e.conftest import Serving


@pytest.fixture(scope="module")
async def made(tmp_path_factory: pytest.TempPathFactory, serving: Serving) -> Path:
    """A data directory with a migrated database in it that nobody uses."""
    folder = tmp_path_factory.mktemp("made")
    # without a worker no process for embeddings leaves its socket there
    async with serving(folder=folder, embedding_worker="false") as wire:
        await wire.leave()
    await asyncio.to_thread(stop_database, folder)
    return folder


@pytest.fixture
async def folder(made: Path, tmp_path: Path) -> AsyncIterator[Path]:
    """A data directory of this test alone; its database is stopped in the end."""
    copy = tmp_path / "data"
    await asyncio.to_thread(shutil.copytree, made, copy)
    yield copy
    await asyncio.to_thread(stop_database, copy)


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
