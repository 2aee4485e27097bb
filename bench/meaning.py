"""How soon after a write its text is found by meaning, where the worker has nothing else to do."""

import time

from mcp.client import Client

from bench.corpus import Corpus
from bench.measure import Timing
from bench.report import Ratio
from bench.subject import CallFailed, Subject
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import error_of, members

MAX_SECONDS = 120.0


class NotFound(Exception):
    """What was written is not found by meaning."""


async def measure_finding(subject: Subject, corpus: Corpus, runs: int) -> Ratio:
    """The seconds from a write to the first search by meaning that finds it, against that search alone.

    The first vCon loads the model, and does not count.
    Raises: CallFailed, NotFound.
    """
    waits: list[float] = []
    searches: list[float] = []
    async with Client(subject.server()) as client:
        for vcon in corpus.vcons(0, runs + 1):
            wait, search = await _find(client, vcon)
            waits.append(wait)
            searches.append(search)
    found = Timing.of(waits[1:])
    return Ratio(
        "found by meaning after create_vcon", found, "the search that finds it", Timing.of(searches[1:])
    )


async def _find(client: Client, vcon: JsonObject) -> tuple[float, float]:
    """Seconds from the acknowledged write until a search has found it, and of that search."""
    await _call(client, "create_vcon", {"vcon_data": vcon})
    written = time.perf_counter()
    search: JsonObject = {"mode": "semantic", "query": vcon["dialog"][0]["body"]}
    while True:
        started = time.perf_counter()
        answer = await _call(client, "vcon_search", search, unless="SEMANTIC_UNAVAILABLE")
        now = time.perf_counter()
        if any(item["uuid"] == vcon["uuid"] for item in answer.get("items", ())):
            return now - written, now - started
        if now - written > MAX_SECONDS:
            raise NotFound(f"{vcon['uuid']} is not found by meaning after {MAX_SECONDS:.0f} s")


async def _call(client: Client, tool: str, arguments: JsonObject, unless: str = "") -> JsonObject:
    """The answer, or the error when it has the code `unless`. Raises: CallFailed."""
    result = await client.call_tool(tool, arguments)
    answer = members(result.structured_content)
    if result.is_error and error_of(answer).get("code") != unless:
        raise CallFailed(f"{tool}: {answer}")
    return answer
