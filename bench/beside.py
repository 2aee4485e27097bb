"""Servers beside the process that embeds: the memory of each, and calls while it works or stands."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mcp.client import Client

from bench.measure import Timing
from bench.report import Memory, Ratio
from bench.subject import CallFailed, Subject
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.embedding.recipe import Recipe
from vcontract.runtime.embedding.shared.connection import SharedProcess
from vcontract.runtime.settings import Settings

WINDOW_SECONDS = 0.8
SETTLE_SECONDS = 0.05
"""What the database was told before the worker was stopped is over by then."""
SECONDS_TO_FIRST_VECTORS = 120.0
EVERYWHERE = "is embedded"
ONE_CORE = "is embedded on one core"
NOTHING = "none is"


class NothingToEmbed(Exception):
    """The worker was done before the last window; the store is too small for so many."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A client of one of several servers, and the processes that are measured."""

    client: Client
    servers: tuple[int, ...]
    shared: int
    working: int


async def measure_beside(
    subject: Subject, uuid: str, windows: int, servers: int
) -> tuple[list[Memory], list[Ratio]]:
    """Memory of each process after a search by meaning, and calls while text is embedded and while none is.

    Raises: NothingToEmbed, CallFailed.
    """
    async with _beside(subject, servers) as found:
        memory = [
            *(memory_of(f"server {number}", pid) for number, pid in enumerate(found.servers, 1)),
            memory_of("shared process", found.shared),
            memory_of("working process", found.working),
        ]
        taken = await in_windows(found.working, _calls(found.client, uuid), windows)
        left = await _left_to_embed(subject)
    if left == 0:
        raise NothingToEmbed(f"all text was embedded within {windows} windows: store more, or ask for fewer")
    ratios = [
        Ratio(f"{what} while text {state}", Timing.of(times), NOTHING, Timing.of(taken[NOTHING][what]))
        for state in (EVERYWHERE, ONE_CORE)
        for what, times in taken[state].items()
    ]
    return memory, ratios


def memory_of(what: str, pid: int) -> Memory:
    """What a process holds, as Linux tells it."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    sizes = dict(line.split(":") for line in rollup.splitlines()[1:])
    resident, divided = (int(sizes[name].split()[0]) * 1024 / 1e6 for name in ("Rss", "Pss"))
    return Memory(what, resident, divided)


async def in_windows(
    pid: int,
    calls: Mapping[str, Callable[[], Awaitable[None]]],
    windows: int,
    seconds: float = WINDOW_SECONDS,
) -> dict[str, dict[str, list[float]]]:
    """Seconds of each call by what a process does in the meantime, in windows in turn."""
    everywhere = os.sched_getaffinity(pid)
    states: dict[str, tuple[signal.Signals, set[int]]] = {
        EVERYWHERE: (signal.SIGCONT, everywhere),
        ONE_CORE: (signal.SIGCONT, {max(everywhere)}),
        NOTHING: (signal.SIGSTOP, everywhere),
    }
    taken: dict[str, dict[str, list[float]]] = {state: {what: [] for what in calls} for state in states}
    try:
        for _ in range(windows):
            for state, (order, cores) in states.items():
                _confine(pid, cores)
                os.kill(pid, order)
                await asyncio.sleep(SETTLE_SECONDS)
                await _call_all(calls, taken[state], seconds)
    finally:
        _confine(pid, everywhere)
        os.kill(pid, signal.SIGCONT)
    return taken


def _confine(pid: int, cores: set[int]) -> None:
    """Let all threads of a process run on these cores only."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(int(thread.name), cores)


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
async def _beside(subject: Subject, servers: int) -> AsyncGenerator[Beside]:
    """So many servers, each of which has searched by meaning."""
    before = set(_children(os.getpid()))
    async with contextlib.AsyncExitStack() as closing:
        clients = [await closing.enter_async_context(Client(subject.server())) for _ in range(servers)]
        for client in clients:
            await _search_by_meaning(client)
        started = tuple(sorted(set(_children(os.getpid())) - before))
        shared = await asyncio.to_thread(_shared, subject)
        (working,) = _children(shared)
        yield Beside(clients[0], started, shared, working)


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


def _shared(subject: Subject) -> int:
    settings = Settings(data_dir=subject.data_dir, database_url=None)
    connection = SharedProcess(settings, Recipe.of_settings(settings)).connect()
    with contextlib.closing(connection):
        return int(connection.ask({"do": "describe"}, SECONDS_TO_FIRST_VECTORS)[0]["pid"])


async def _left_to_embed(subject: Subject) -> int:
    database, tenant = subject.application.database, subject.application.caller.tenant
    async with database.reading(tenant) as connection:
        return int(await connection.fetchval("select count(*) from vcontract.embedding_task"))


def _children(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        yield from map(int, (task / "children").read_text(encoding="ascii").split())
