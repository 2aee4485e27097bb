"""Servers of one store: the model is in one process beside them, and in none of them."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from tests.conftest import PATIENCE
from tests.e2e.conftest import Serving, Wire
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.embedding.recipe import Recipe
from vcontract.runtime.embedding.shared.connection import SharedProcess
from vcontract.runtime.embedding.shared.place import Place
from vcontract.runtime.settings import Settings

CONVERSATION: JsonObject = {
    "parties": [{"name": "Ada"}],
    "dialog": [
        {
            "type": "text",
            "start": "2025-10-14T10:30:00Z",
            "parties": 0,
            "mediatype": "text/plain",
            "encoding": "none",
            "body": "The heating loses pressure every night.",
        }
    ],
}


async def is_found_by_meaning(wire: Wire) -> None:
    """Wait until a paraphrase finds the conversation."""
    async with asyncio.timeout(PATIENCE):
        while True:
            answer = await wire.call("vcon_search", mode="semantic", query="heating system has no pressure")
            if answer.get("items"):
                return
            await asyncio.sleep(0.1)


def shared_process(data_dir: Path) -> SharedProcess:
    settings = Settings(data_dir=data_dir)
    return SharedProcess(settings, Recipe.of_settings(settings))


def has_weights(wire: Wire) -> bool:
    return "onnxruntime" in Path(f"/proc/{wire.process.pid}/maps").read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="reads what processes have loaded from /proc")
async def test_two_servers_find_by_meaning_through_one_process_and_after_it_was_killed(
    serving: Serving, data_dir: Path
) -> None:
    process = shared_process(data_dir)
    place = Place.of(process.settings, process.recipe)
    async with serving(rate_limiting="false") as one, serving(rate_limiting="false") as two:
        created = await one.call("create_vcon", vcon_data=CONVERSATION)
        assert created["success"], created
        await is_found_by_meaning(one)
        await is_found_by_meaning(two)
        assert not has_weights(one)
        assert not has_weights(two)
        began = place.log.read_text(encoding="utf-8").count("begins")

        connection = await asyncio.to_thread(process.connect)
        pid = connection.ask({"do": "describe"}, PATIENCE)[0]["pid"]
        connection.close()
        os.kill(pid, signal.SIGKILL)

        await is_found_by_meaning(one)
        await is_found_by_meaning(two)
        assert place.log.read_text(encoding="utf-8").count("begins") == began + 1
