"""What several stores cost: one PostgreSQL beside three on the same cores, with as many tenants.

    python -m bench.stores

Stores conversations of 12 tenants, fetches and searches them, 8 calls at a time, in one store and in three by
turns; imports for three tenants at once, and moves a tenant. On one machine three cannot be faster: the ratio
is the cost.
"""

import argparse
import asyncio
import contextlib
import os
import statistics
import sys
import tempfile
import time
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from bench.corpus import Corpus
from bench.importing import write_corpus
from tests.crashes.stores import STORES, Deployment
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import HOME_STORE, Settings

CLIENTS: Final = 8
TENANTS: Final = 12
QUERIES: Final = 240
TIMES: Final = 3
IMPORTED: Final = 300
"""Conversations of each of three files."""
COMMAND: Final = (sys.executable, "-c", "from vcontract.runtime.cli.main import main; main()")

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


async def imported(settings: Settings, tenants: Sequence[str], files: Sequence[Path]) -> float:
    """Conversations a second of as many imports at once as there are tenants. Raises: RuntimeError."""
    assert settings.database_url is not None
    env = {
        **os.environ,
        "VCONTRACT_DATABASE_URL": settings.database_url.get_secret_value(),
        "VCONTRACT_DATABASE_URLS": ""
        if settings.database_urls is None
        else settings.database_urls.get_secret_value(),
        "VCONTRACT_DATA_DIR": str(settings.data_dir),
        "VCONTRACT_EMBEDDING_PROVIDER": "none",
    }

    async def one(tenant: str, file: Path) -> None:
        command = (*COMMAND, "import", str(file), "--tenant", tenant)
        process = await asyncio.create_subprocess_exec(*command, env=env, stdout=PIPE, stderr=STDOUT)
        output, _ = await process.communicate()
        if process.returncode:
            raise RuntimeError(output.decode())

    began = time.perf_counter()
    await asyncio.gather(*map(one, tenants, files))
    return len(tenants) * IMPORTED / (time.perf_counter() - began)


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
            spread = deployment.settings.model_copy(update={"embedding_provider": "minilm"})
            alone = spread.model_copy(update={"database_urls": None})
            async with contextlib.AsyncExitStack() as stack:
                apps: list[App] = []
                for settings in (alone, spread):
                    apps.append(await build(settings))
                    stack.push_async_callback(apps[-1].close)
                one = [f"one{number}" for number in range(TENANTS)]
                await _compare(apps[0], apps[1], one, three, vcons, corpus)
            await _compare_imports(deployment, alone, spread, corpus, Path(folder))
            began = time.perf_counter()
            await deployment.move(three[0], "east")
            print(f"a tenant of {each} conversations moved in {time.perf_counter() - began:.1f} s")
        finally:
            await asyncio.to_thread(deployment.stop)


async def _compare(
    alone: App,
    spread: App,
    one: Sequence[str],
    three: Sequence[str],
    vcons: Sequence[JsonObject],
    corpus: Corpus,
) -> None:
    async def show(what: str, calls: Callable[[Sequence[str]], list[Call]], *, times: int = TIMES) -> None:
        found: list[tuple[float, float]] = []
        for _ in range(times):
            found.append((await rate(alone, calls(one)), await rate(spread, calls(three))))
        _print_rate(what, found)

    def stored(tenants: Sequence[str]) -> list[Call]:
        return [(tenant, "create_vcon", {"vcon_data": vcon}) for vcon in vcons for tenant in tenants]

    def fetched(tenants: Sequence[str]) -> list[Call]:
        uuids = [{"uuid": vcons[number % len(vcons)]["uuid"]} for number in range(QUERIES)]
        return [(tenants[n % TENANTS], "vcon_fetch", asked) for n, asked in enumerate(uuids)]

    def searched(mode: str) -> Callable[[Sequence[str]], list[Call]]:
        asked = [{"mode": mode, "query": corpus.word(400 + number)} for number in range(QUERIES)]
        return lambda tenants: [(tenants[n % TENANTS], "vcon_search", each) for n, each in enumerate(asked)]

    await show("store", stored, times=1)
    for tenant in one:
        await alone.worker.drain(tenant)
    for number, tenant in enumerate(three):
        name = STORES[number % len(STORES)]
        await (spread if name == HOME_STORE else spread.others[name]).worker.drain(tenant)
    await show("fetch", fetched)
    for mode in ("keyword", "semantic", "hybrid"):
        await show(mode, searched(mode))


async def _compare_imports(
    deployment: Deployment, alone: Settings, spread: Settings, corpus: Corpus, folder: Path
) -> None:
    files = [folder / f"{name}.jsonl" for name in STORES]
    for number, file in enumerate(files):
        first = 10_000 + number * IMPORTED
        write_corpus(corpus.vcons(first, first + IMPORTED), file)
    found: list[tuple[float, float]] = []
    for turn in range(TIMES):
        tenants = {name: f"import{turn}.{name}" for name in STORES}
        for name, tenant in tenants.items():
            if name != HOME_STORE:
                await deployment.move(tenant, name)
        together = [f"together{turn}.{name}" for name in STORES]
        here = await imported(alone, together, files)
        found.append((here, await imported(spread, [*tenants.values()], files)))
    _print_rate("import", found)


def _print_rate(what: str, found: Sequence[tuple[float, float]]) -> None:
    here, there = (statistics.median(rates) for rates in zip(*found, strict=True))
    print(f"{what:8} one store {here:7.1f}/s, three {there:7.1f}/s, ratio {there / here:.2f}", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
