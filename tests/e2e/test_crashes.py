"""Crashes: what was acknowledged is there afterwards, nothing is there by half, and the next start works."""

import asyncio
import os
import shutil
import signal
import subprocess
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from tests.conftest import PATIENCE
from vcontract.runtime.documents import JsonObject
from vcontract.runtime.store.embedded import EmbeddedCluster
from vcontract.runtime.store.preparation import Knowledge, prepare

Serving = Callable[..., Any]

GONE: JsonObject = {}
"""In place of a vCon: it is not there."""

ROWS = """
    select v.uuid::text as uuid,
        (select count(*) from vcontract.party p where p.vcon = v.uuid) as party,
        (select count(*) from vcontract.dialog d where d.vcon = v.uuid) as dialog,
        (select count(*) from vcontract.analysis a where a.vcon = v.uuid) as analysis,
        (select count(*) from vcontract.attachment a where a.vcon = v.uuid) as attachment,
        (select count(*) from vcontract.tag t where t.vcon = v.uuid) as tag,
        (select count(*) from vcontract.dealer d where d.vcon = v.uuid) as dealer,
        (select count(*) from vcontract.search_document s where s.id = v.uuid) as search_document,
        (select count(*) from vcontract.passage p where p.id = v.uuid) as passage
    from vcontract.vcon v
"""
ORPHANS = """
    select count(*) from (
        select id from vcontract.search_document union all select id from vcontract.passage
        union all select vcon from vcontract.party union all select vcon from vcontract.dialog
        union all select vcon from vcontract.analysis union all select vcon from vcontract.attachment
        union all select vcon from vcontract.tag union all select vcon from vcontract.dealer
    ) derived (id) where id not in (select uuid from vcontract.vcon)
"""


def conversation(id_: str) -> JsonObject:
    """One with rows of every kind."""
    return {
        "uuid": id_,
        "created_at": "2025-10-14T10:30:00Z",
        "subject": f"Refund {id_}",
        "parties": [{"name": "Ann"}, {"name": "Bob", "tel": "+1-555-123-4567"}],
        "dialog": [
            {"type": "text", "parties": n % 2, "encoding": "none", "body": f"Turn {n} of {id_}. " * 40}
            for n in range(5)
        ],
        "analysis": [{"type": "summary", "vendor": "v", "encoding": "none", "body": "They talk."}],
        "attachments": [
            {"purpose": "strolid_dealer", "body": {"id": 815, "name": "Iron Horse"}},
            {"purpose": "tags", "encoding": "json", "body": ["department:sales", "level:2"]},
        ],
    }


def changed(vcon: JsonObject) -> JsonObject:
    turn: JsonObject = {"type": "text", "parties": 0, "encoding": "none", "body": "One more. " * 200}
    return {**vcon, "dialog": [*vcon["dialog"], turn]}


class Writers:
    """Clients that write without pause; they know what was acknowledged and what may have happened."""

    def __init__(self, wire: Any) -> None:
        self._wire = wire
        self.acknowledged: dict[str, JsonObject] = {}
        self.pending: dict[str, JsonObject] = {}
        """By vCon, what a write makes of it that was never answered."""
        self.writes = 0
        self.failures: list[JsonObject] = []
        self._progress = asyncio.Event()

    async def until(self, writes: int) -> None:
        """Wait until so many writes were acknowledged."""
        async with asyncio.timeout(PATIENCE):
            while self.writes < writes:
                self._progress.clear()
                await self._progress.wait()

    async def run(self, most: int) -> None:
        """Create, change and delete vCons until the server is gone or `most` were made."""
        with suppress(asyncio.CancelledError, ConnectionError):
            for number in range(most):
                vcon = conversation(str(uuid.uuid4()))
                id_: str = vcon["uuid"]
                create = {"vcon_data": vcon, "validate_before_insert": False}
                if not await self._write("create_vcon", id_, create, vcon):
                    continue
                update: JsonObject = {"uuid": id_, "updates": {"dialog": changed(vcon)["dialog"]}}
                update |= {"merge_strategy": "replace", "validate_after_update": False}
                await self._write("update_vcon", id_, update, changed(vcon))
                if number % 3 == 0:
                    await self._write("delete_vcon", id_, {"uuid": id_, "confirm": True}, GONE)

    async def _write(self, tool: str, id_: str, arguments: JsonObject, result: JsonObject) -> bool:
        self.pending[id_] = result
        answer: JsonObject = await self._wire.call(tool, **arguments)
        if not answer["success"]:
            self.failures.append(answer)
            return False
        del self.pending[id_]
        self.acknowledged[id_] = result
        self.writes += 1
        self._progress.set()
        return True


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return Knowledge.load()


@pytest.fixture(scope="module")
async def made(tmp_path_factory: pytest.TempPathFactory, serving: Serving) -> Path:
    """A data directory with a migrated database in it that nobody uses."""
    folder = tmp_path_factory.mktemp("made")
    async with serving(folder=folder) as wire:
        await wire.leave()
    await stop_database(folder)
    return folder


@pytest.fixture
async def folder(made: Path, tmp_path: Path) -> AsyncIterator[Path]:
    """A data directory of this test alone; its database is stopped in the end."""
    copy = tmp_path / "data"
    await asyncio.to_thread(shutil.copytree, made, copy)
    yield copy
    await stop_database(copy)


async def stop_database(folder: Path) -> None:
    """Stop the database of a folder that nobody uses any more, without waiting for others to come."""
    os.kill(parents()[postmaster(folder)], signal.SIGTERM)
    await asyncio.to_thread(EmbeddedCluster(folder).stop)


def expected_rows(vcon: JsonObject, knowledge: Knowledge) -> dict[str, int]:
    prepared = prepare(vcon, knowledge, now=datetime.now(UTC))
    return {
        "party": len(vcon["parties"]),
        "dialog": len(vcon["dialog"]),
        "analysis": 1,
        "attachment": 2,
        "tag": 2,
        "dealer": 1,
        "search_document": 1,
        "passage": len(prepared.passages),
    }


async def check(wire: Any, folder: Path, writers: Writers, knowledge: Knowledge) -> None:
    """Every acknowledged vCon is there as it was acknowledged or as a later write may have left it, whole."""
    connection = await asyncpg.connect(EmbeddedCluster(folder).url())
    try:
        rows: dict[str, dict[str, int]] = {row["uuid"]: dict(row) for row in await connection.fetch(ROWS)}
        orphans = await connection.fetchval(ORPHANS)
    finally:
        await connection.close()
    assert orphans == 0
    assert rows.keys() <= writers.acknowledged.keys() | writers.pending.keys()
    for id_ in writers.acknowledged.keys() | writers.pending.keys():
        possible = [writers.acknowledged.get(id_, GONE)]
        possible += [writers.pending[id_]] if id_ in writers.pending else []
        answer = await wire.call("get_vcon", uuid=id_)
        there = answer["vcon"] if answer["success"] else GONE
        there.pop("updated_at", None)
        assert there in possible
        assert (id_ in rows) is (there != GONE)
        if there:
            assert {"uuid": id_, **expected_rows(there, knowledge)} == rows[id_]
    found = await wire.call("vcon_search", mode="metadata", limit=1)
    assert found["page"]["total"] == len(rows)
    created = await wire.call("create_vcon", vcon_data={"parties": [{"name": "After"}]})
    assert created["success"]


def postmaster(folder: Path) -> int:
    return int((EmbeddedCluster(folder).data / "postmaster.pid").read_text().splitlines()[0])


def parents() -> dict[int, int]:
    """Every process and its parent."""
    listing = subprocess.run(  # noqa: S603 - nothing of it comes from outside
        [shutil.which("ps") or "ps", "-e", "-o", "pid=,ppid="],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return {int(pid): int(parent) for pid, parent in (line.split() for line in listing.splitlines())}


def family(root: int) -> list[int]:
    """A process of ours and everything below it."""
    found, by_pid = [root], parents()
    for pid in found:
        found += [child for child, parent in by_pid.items() if parent == pid]
    return found


async def test_a_server_killed_in_the_midst_of_writes_loses_nothing_that_it_acknowledged(
    serving: Serving, folder: Path, knowledge: Knowledge
) -> None:
    async with serving(folder=folder, rate_limiting="false") as wire:
        writers = Writers(wire)
        running = [asyncio.create_task(writers.run(1000)) for _ in range(6)]
        await writers.until(20)
        wire.process.kill()
        await asyncio.gather(*running)

    async with serving(folder=folder) as wire:
        await check(wire, folder, writers, knowledge)
    assert writers.pending
    assert writers.failures == []


async def test_a_killed_database_is_mended_and_loses_nothing_that_was_acknowledged(
    serving: Serving, folder: Path, knowledge: Knowledge
) -> None:
    async with serving(folder=folder, rate_limiting="false") as wire:
        writers = Writers(wire)
        running = [asyncio.create_task(writers.run(8)) for _ in range(4)]
        await writers.until(12)
        first = postmaster(folder)
        os.kill(first, signal.SIGKILL)
        # the same server goes on, and its clients with it
        await asyncio.gather(*running)
        await writers.until(13)

        await check(wire, folder, writers, knowledge)
        assert postmaster(folder) != first
    for failure in writers.failures:
        assert failure["error_code"] == "DATABASE_ERROR"
        assert failure["details"]["reason"] == "unavailable"
        assert failure["details"]["retryable"] is True


async def test_when_everything_is_killed_the_next_start_works_without_help(
    serving: Serving, folder: Path, knowledge: Knowledge
) -> None:
    async with serving(folder=folder, rate_limiting="false") as wire:
        writers = Writers(wire)
        running = [asyncio.create_task(writers.run(1000)) for _ in range(4)]
        await writers.until(20)
        keeper = parents()[postmaster(folder)]
        for pid in (wire.process.pid, *family(keeper)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        await asyncio.gather(*running)

    async with serving(folder=folder) as wire:
        await check(wire, folder, writers, knowledge)
    assert writers.pending


async def test_a_server_killed_between_writes_leaves_everything(
    serving: Serving, folder: Path, knowledge: Knowledge
) -> None:
    async with serving(folder=folder, rate_limiting="false") as wire:
        writers = Writers(wire)
        await writers.run(6)
        wire.process.kill()

    async with serving(folder=folder) as wire:
        await check(wire, folder, writers, knowledge)
    assert writers.pending == {}
    assert len(writers.acknowledged) == 6
