"""Calls over stdio and starts of the server, against a bare server on the same SDK."""

import resource
import sys
import time
from typing import NamedTuple

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from bench.measure import Timing, measure_in_turn
from bench.report import Ratio
from bench.subject import CallFailed, Subject
from vcontract.runtime.frame.documents.json import JsonObject, dump_json


def bare_server() -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=["-m", "bench.bare_server"])


async def measure_transport(subject: Subject, uuid: str, word: str, runs: int) -> list[Ratio]:
    """The ratios of calls over stdio: to an empty tool, and to one that sends as many bytes."""
    calls: list[tuple[str, JsonObject]] = [
        ("vcon_fetch", {"uuid": uuid}),
        ("vcon_search", {"mode": "keyword", "query": word, "limit": 10}),
    ]
    ratios: list[Ratio] = []
    async with Client(subject.server()) as ours, Client(bare_server()) as bare:
        for tool, arguments in calls:
            result = await ours.call_tool(tool, arguments)
            if result.is_error:
                raise CallFailed(f"{tool} {arguments}: {result.structured_content}")
            size = len(dump_json(result.structured_content))
            for floor_is, floor_size in (("an empty tool", 0), (f"an empty tool of {size:,} bytes", size)):

                async def call(_: int, tool: str = tool, arguments: JsonObject = arguments) -> None:
                    await ours.call_tool(tool, arguments)

                async def floor(_: int, size: int = floor_size) -> None:
                    await bare.call_tool("empty", {"size": size})

                timing, least = await measure_in_turn(call, floor, runs)
                ratios.append(Ratio(f"{tool} over stdio", timing, floor_is, least))
    return ratios


async def measure_starts(subject: Subject, runs: int) -> list[Ratio]:
    """The ratios of starts, from nothing to a list of tools, by the clock and in processor time to the end.

    The database runs already.
    """
    ours: list[_Start] = []
    bare: list[_Start] = []
    for _ in range(runs):
        ours.append(await _start(subject.server()))
        bare.append(await _start(bare_server()))
    floor = "a server with one tool"
    seconds = Timing.of([start.seconds for start in ours]), Timing.of([start.seconds for start in bare])
    processor = Timing.of([start.processor for start in ours]), Timing.of([start.processor for start in bare])
    return [
        Ratio("start to tools/list", seconds[0], floor, seconds[1]),
        Ratio("the same, processor time to its end", processor[0], floor, processor[1]),
    ]


class _Start(NamedTuple):
    """One start of a server, in seconds."""

    seconds: float
    processor: float
    """Until the server's end, of all its threads."""


async def _start(server: StdioServerParameters) -> _Start:
    before, started = _processor_time_of_ended(), time.perf_counter()
    async with Client(server) as client:
        await client.list_tools()
        seconds = time.perf_counter() - started
    return _Start(seconds, _processor_time_of_ended() - before)


def _processor_time_of_ended() -> float:
    """What the processes took that this one has started and seen end."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
