"""Servers of one store: the memory of each, and calls while one of them embeds and while none does."""

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from pathlib import Path

from mcp.client import Client

from bench.measure import Timing
from bench.report import Memory, Ratio
from bench.subject import CallFailed, Subject
from vcontract.runtime.frame.documents.json import JsonObject

WINDOW_SECONDS = 0.8
SECONDS_TO_FIRST_VECTORS = 120.0


class NothingToEmbed(Exception):
    """The worker was done before the last window; the store is too small for so many."""


async def measure_beside(
    subject: Subject, uuid: str, windows: int, servers: int
) -> tuple[list[Memory], list[Ratio]]:
    """Memory of each server after a search by meaning, and calls while one embeds and while none does.

    Raises: NothingToEmbed, CallFailed.
    """
    taken: dict[str, dict[str, list[float]]] = {}
    async with _serving(subject, servers) as (clients, pids):
        for client in clients:
            await _search_by_meaning(client)
        memory = [memory_of(f"server {number}", pid) for number, pid in enumerate(pids, 1)]
        for number, client in enumerate(clients, 1):
            calls = _calls(client, uuid)
            times: dict[str, list[float]] = {what: [] for what in calls}
            taken[f"by server {number} while text is embedded"] = times
            await _call_all(calls, times, windows * WINDOW_SECONDS)
        if await _left_to_embed(subject) == 0:
            raise NothingToEmbed(
                f"all text was embedded within {windows} windows: store more, or ask for fewer"
            )
    async with subject.embedding_held(), _serving(subject, 1) as ((client,), _):
        calls = _calls(client, uuid)
        alone: dict[str, list[float]] = {what: [] for what in calls}
        await _call_all(calls, alone, windows * WINDOW_SECONDS)
    ratios = [
        Ratio(f"{what} {when}", Timing.of(times), "none is", Timing.of(alone[what]))
        for when, of_each in taken.items()
        for what, times in of_each.items()
    ]
    return memory, ratios


def memory_of(what: str, pid: int) -> Memory:
    """Return the memory of a process, as Linux reports it."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    sizes = dict(line.split(":") for line in rollup.splitlines()[1:])
    resident, divided = (int(sizes[name].split()[0]) * 1024 / 1e6 for name in ("Rss", "Pss"))
    return Memory(what, resident, divided)


async def _call_all(
    calls: Mapping[str, Callable[[], Awaitable[None]]], taken: dict[str, list[float]], seconds: float
) -> None:
    """The calls one after another, again and again for a window, and once at least."""
    over = time.monotonic() + seconds
    while True:
        for what, call in calls.items():
            started = time.perf_counter()
            await call()
            taken[what].append(time.perf_counter() - started)
        if time.monotonic() > over:
            return


def _calls(client: Client, uuid: str) -> dict[str, Callable[[], Awaitable[None]]]:
    def call(tool: str, arguments: JsonObject) -> Callable[[], Awaitable[None]]:
        async def run() -> None:
            result = await client.call_tool(tool, arguments)
            if result.is_error:
                raise CallFailed(f"{tool} {arguments}: {result.structured_content}")

        return run

    return {
        "vcon_fetch": call("vcon_fetch", {"uuid": uuid}),
        "get_vcon": call("get_vcon", {"uuid": uuid}),
        "vcon_search metadata": call("vcon_search", {"mode": "metadata"}),
    }


@contextlib.asynccontextmanager
async def _serving(subject: Subject, servers: int) -> AsyncGenerator[tuple[list[Client], list[int]]]:
    """So many servers: clients of them, and their processes."""
    before = set(_children(os.getpid()))
    server = subject.server()
    async with contextlib.AsyncExitStack() as closing:
        clients = [await closing.enter_async_context(Client(server)) for _ in range(servers)]
        yield clients, sorted(set(_children(os.getpid())) - before)


async def _search_by_meaning(client: Client) -> None:
    """Search until that is answered: the models are loaded then, and text is being embedded."""
    deadline = time.monotonic() + SECONDS_TO_FIRST_VECTORS
    while True:
        found = await client.call_tool("vcon_search", {"mode": "semantic", "query": "damaged on delivery"})
        if not found.is_error:
            return
        if time.monotonic() > deadline:
            raise CallFailed(f"vcon_search: {found.structured_content}")
        await asyncio.sleep(0.2)


async def _left_to_embed(subject: Subject) -> int:
    database, tenant = subject.application.database, subject.application.caller.tenant
    async with database.reading(tenant) as connection:
        return int(await connection.fetchval("select count(*) from vcontract.embedding_task"))


def _children(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        yield from map(int, (task / "children").read_text(encoding="ascii").split())
