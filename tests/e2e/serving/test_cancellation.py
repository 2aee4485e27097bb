"""A call that nobody waits for any more: its query ends, nothing of it stays, and the server goes on."""

import uuid
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from tests.waiting import until_told
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster

Connection = Any
Serving = Callable[..., Any]

WAITING = """
    select count(*) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and wait_event_type = 'Lock'
"""
IN_TRANSACTION = """
    select count(*) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name = 'vcontract'
    and state <> 'idle'
"""


@pytest.fixture
async def owner(data_dir: Path) -> AsyncIterator[Connection]:
    """The owner of the servers' database."""
    connection = await asyncpg.connect(EmbeddedCluster(data_dir).url())
    yield connection
    await connection.close()


@pytest.fixture
async def blocked(data_dir: Path) -> AsyncIterator[Connection]:
    """Holds a lock that every search and every write has to wait for, until it is rolled back."""
    connection = await asyncpg.connect(EmbeddedCluster(data_dir).url())
    await connection.execute("begin; lock table vcontract.search_document in access exclusive mode")
    yield connection
    await connection.close()


async def until(owner: Connection, query: str, number: int) -> None:
    """Ask the database until it counts `number`."""

    async def counts() -> bool:
        return bool(await owner.fetchval(query) == number)

    await until_told(counts)


async def start_call(wire: Any, name: str, arguments: JsonObject) -> int:
    number: int = wire.send("tools/call", {"name": name, "arguments": arguments})
    return number


async def test_a_cancelled_search_ends_in_the_database(
    wire: Any, owner: Connection, blocked: Connection
) -> None:
    number = await start_call(wire, "vcon_search", {"mode": "keyword", "query": "refund"})
    await until(owner, WAITING, 1)

    wire.notify("notifications/cancelled", {"requestId": number, "reason": "no longer needed"})
    # the lock is still held: only the cancellation can end the waiting
    await until(owner, WAITING, 0)
    await until(owner, IN_TRANSACTION, 0)

    assert (await wire.call("vcon_capabilities"))["ok"]
    await blocked.execute("rollback")
    assert (await wire.call("vcon_search", mode="metadata", limit=1))["ok"]


async def test_a_cancelled_write_leaves_nothing_behind(
    wire: Any, owner: Connection, blocked: Connection
) -> None:
    id_ = str(uuid.uuid4())
    vcon = {"uuid": id_, "subject": "x", "parties": [{"name": "A"}]}
    number = await start_call(wire, "create_vcon", {"vcon_data": vcon})
    await until(owner, WAITING, 1)

    wire.notify("notifications/cancelled", {"requestId": number})
    await until(owner, WAITING, 0)
    await blocked.execute("rollback")
    fetched = await wire.call("vcon_fetch", id=id_)
    created = await wire.call("create_vcon", vcon_data=vcon)

    assert fetched["error"]["code"] == "NOT_FOUND"
    assert created["success"]


async def test_other_calls_are_answered_while_some_wait(
    wire: Any, owner: Connection, blocked: Connection
) -> None:
    waiting = [await start_call(wire, "vcon_search", {"mode": "metadata", "limit": 1}) for _ in range(5)]
    await until(owner, WAITING, 5)

    assert (await wire.call("describe_response_shape"))["ok"]
    assert not (await wire.call("get_vcon", uuid=str(uuid.uuid4())))["success"]
    await blocked.execute("rollback")
    answers = [await wire.answer(number) for number in waiting]

    assert all(answer["result"]["structuredContent"]["ok"] for answer in answers)


async def test_a_client_that_leaves_takes_its_queries_with_it(
    serving: Serving, owner: Connection, blocked: Connection
) -> None:
    async with serving() as wire:
        await start_call(wire, "vcon_search", {"mode": "metadata"})
        await until(owner, WAITING, 1)

        await wire.leave()

    assert wire.process.returncode == 0
    await until(owner, WAITING, 0)
