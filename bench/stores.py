"""What several stores cost: one PostgreSQL beside three on the same cores, with as many tenants.

    python -m bench.stores

Stores conversations of 12 tenants, fetches and searches them, 8 calls at a time, in one store and in three by
turns, and moves a tenant. On one machine three cannot be faster: the ratio is the cost.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.corpus import Corpus
from tests.crashes.stores import STORES, Deployment
from vcontract.runtime.app import App, build
from vcontract.runtime.context import Caller
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.settings import HOME

CLIENTS: Final = 8
TENANTS: Final = 12
QUERIES: Final = 240
TIMES: Final = 3

Call = tuple[str, str, JsonObject]
"""Tenant, tool and arguments."""


async def rate(app: App, calls: Sequence[Call]) -> float:
    """Calls a second. Raises: RuntimeError for one that fails."""
    waiting = iter(calls)

    async def client() -> None:
        for tenant, tool, arguments in waiting:
            caller = Caller(tenant, frozenset({"read", "write"}))
            outcome = await app.dispatcher.call(tool, arguments, caller)
            if outcome.is_error:
                raise RuntimeError(outcome.text)

    began = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return len(calls) / (time.perf_counter() - began)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vcons", type=int, default=50, help="of each tenant")
    each: int = parser.parse_args().vcons
    corpus = Corpus()
    vcons = list(corpus.vcons(0, each))
    with tempfile.TemporaryDirectory(prefix="vcontract-bench-") as folder:
        deployment = Deployment(Path(folder))
        await deployment.start()
        try:
            three = [f"three{number}" for number in range(TENANTS)]
            for number, tenant in enumerate(three):
                if number % len(STORES):
                    await deployment.move(tenant, STORES[number % len(STORES)])
            alone = await build(deployment.settings.model_copy(update={"database_urls": None}))
            spread = await build(deployment.settings)
            try:
                await _compare(
                    alone, [f"one{number}" for number in range(TENANTS)], spread, three, vcons, corpus
                )
            finally:
                await spread.close()
                await alone.close()
            began = time.perf_counter()
            await deployment.move(three[0], "east")
            print(f"a tenant of {each} conversations moved in {time.perf_counter() - began:.1f} s")
            await deployment.move(three[0], HOME)
        finally:
            await asyncio.to_thread(deployment.stop)


async def _compare(
    alone: App,
    one: Sequence[str],
    spread: App,
    three: Sequence[str],
    vcons: Sequence[JsonObject],
    corpus: Corpus,
) -> None:
    async def show(what: str, calls: dict[str, list[Call]], *, times: int = TIMES) -> None:
        found: dict[str, list[float]] = {"one": [], "three": []}
        for _ in range(times):
            found["one"].append(await rate(alone, calls["one"]))
            found["three"].append(await rate(spread, calls["three"]))
        here, there = (statistics.median(rates) for rates in found.values())
        print(f"{what:8} one store {here:7.1f}/s, three {there:7.1f}/s, ratio {there / here:.2f}", flush=True)

    tenants = {"one": one, "three": three}
    await show(
        "store",
        {
            name: [(tenant, "create_vcon", {"vcon_data": vcon}) for vcon in vcons for tenant in those]
            for name, those in tenants.items()
        },
        times=1,
    )
    numbers = range(QUERIES)
    await show(
        "fetch",
        {
            name: [
                (those[number % TENANTS], "vcon_fetch", {"uuid": vcons[number % len(vcons)]["uuid"]})
                for number in numbers
            ]
            for name, those in tenants.items()
        },
    )
    await show(
        "search",
        {
            name: [
                (those[n % TENANTS], "vcon_search", {"mode": "keyword", "query": corpus.word(400 + n)})
                for n in numbers
            ]
            for name, those in tenants.items()
        },
    )


if __name__ == "__main__":
    asyncio.run(main())
