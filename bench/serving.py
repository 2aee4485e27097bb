"""Serving over HTTP: beside an empty tool, under load, by connections and tenants, and beside bad clients."""

import argparse
import asyncio
import contextlib
import itertools
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.corpus import Corpus
from bench.http_client import PING, Web, bare, ours, served
from bench.importing import import_file, write_corpus
from bench.measure import measure_in_turn
from bench.searching import MIDDLE_WORD
from bench.subject import CallFailed, Subject, open_subject
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.owner import owner_connection
from vcontract.runtime.store.postgres.tokens import make_token

SIZE = 1_000
CLIENTS = 64
CONNECTIONS = 10_000
AT_ONCE = 200
TENANTS = 1_000
DRIPPING = 500
FLOODING = 16
MIX: tuple[tuple[str, JsonObject], ...] = (
    ("vcon_search", {"mode": "keyword", "query": MIDDLE_WORD, "limit": 10}),
    ("vcon_search", {"mode": "metadata", "limit": 10}),
)
"""Beside these, as many fetches of single vCons."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One figure, with what it is to be."""

    what: str
    value: float
    aim: str
    how: str


async def measure_call(subject: Subject, uuids: Sequence[str], runs: int) -> list[Measurement]:
    """One call after another, over one connection, against an empty tool."""
    found: list[Measurement] = []
    async with served(ours(), subject) as (port, _), served(bare, subject) as (bare_port, _):
        web, floor = Web(port), Web(bare_port)
        for tool, arguments in (("vcon_fetch", {"id": uuids[0]}), MIX[0]):
            size = len(await web.call(tool, arguments))

            async def call(_: int, tool: str = tool, arguments: JsonObject = arguments) -> None:
                await web.call(tool, arguments)

            for floor_size in (0, size // 2):

                async def empty(_: int, floor_size: int = floor_size) -> None:
                    await floor.call("empty", {"size": floor_size})

                timing, least = await measure_in_turn(call, empty, runs)
                found.append(
                    Measurement(
                        f"{tool}, against an empty tool{' of as many bytes' if floor_size else ''}",
                        timing.p50 / least.p50,
                        "1.5 or less",
                        f"{timing.p50:.2f} ms / {least.p50:.2f} ms",
                    )
                )
        web.close()
        floor.close()
    return found


async def measure_load(subject: Subject, uuids: Sequence[str], seconds: float) -> list[Measurement]:
    """Many clients at once on two workers, against as many callers in two processes without a transport."""
    per_process = await asyncio.gather(*(_in_process(subject, seconds) for _ in range(2)))
    async with served(ours("--workers", "2"), subject) as (port, _):
        await asyncio.sleep(1)
        taken: list[float] = []
        until = time.perf_counter() + seconds

        async def client(number: int) -> None:
            web, calls = Web(port), mixed(uuids, number)
            while (started := time.perf_counter()) < until:
                await web.call(*next(calls))
                taken.append(time.perf_counter() - started)
            web.close()

        await asyncio.gather(*(client(number) for number in range(CLIENTS)))
    rate, in_process = len(taken) / seconds, sum(per_process)
    ordered = sorted(taken)
    p50, p99 = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    return [
        Measurement(
            f"{CLIENTS} clients, mixed reads: share of the calls a second in process",
            rate / in_process,
            "0.8 or more",
            f"{rate:.0f}/s / {in_process:.0f}/s",
        ),
        Measurement(
            f"{CLIENTS} clients, mixed reads: p99 against p50",
            p99 / p50,
            "less than 10",
            f"{p99 * 1000:.0f} ms / {p50 * 1000:.0f} ms",
        ),
    ]


def mixed(uuids: Sequence[str], seed: int) -> Iterator[tuple[str, JsonObject]]:
    """Endless reads: of four, two are fetches."""
    chosen = random.Random(seed)  # noqa: S311
    while True:
        yield from MIX
        for _ in MIX:
            yield "vcon_fetch", {"id": chosen.choice(uuids)}


async def _in_process(subject: Subject, seconds: float) -> float:
    """Calls a second of one process that nobody has to reach."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.serving", "--in-process", str(seconds)),
        env=subject.environment(),
        stdout=subprocess.PIPE,
    )
    out, _ = await process.communicate()
    return float(out)


async def call_in_process(seconds: float) -> None:
    """What `_in_process` starts: half of the callers, in this process."""
    from vcontract.runtime.app import build

    app = await build(Settings(rate_limits=None))
    listed = await app.dispatcher.call("vcon_search", {"mode": "metadata", "limit": 50}, app.caller)
    uuids = [item["id"] for item in listed.structured["items"]]
    done, until = 0, time.perf_counter() + seconds

    async def caller(number: int) -> None:
        nonlocal done
        calls = mixed(uuids, number)
        while time.perf_counter() < until:
            await app.dispatcher.call(*next(calls), app.caller)
            done += 1

    await asyncio.gather(*(caller(number) for number in range(CLIENTS // 2)))
    print(done / seconds)
    await app.close()


async def measure_connections(subject: Subject, connections: int) -> list[Measurement]:
    """The memory of connections that asked once and stay, while another client is answered."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    async with served(ours(), subject) as (port, pid):
        web = Web(port)
        for _ in range(50):
            await web.call(*MIX[1])
        before = _resident(pid)
        waiting: list[Web] = []
        started = time.perf_counter()
        for _ in range(0, connections, AT_ONCE):
            more = [Web(port) for _ in range(AT_ONCE)]
            await asyncio.gather(*(each.post("/mcp", PING) for each in more))
            waiting += more
        seconds = time.perf_counter() - started
        after = _resident(pid)
        answered = time.perf_counter()
        await Web(port).call(*MIX[1])
        answered = time.perf_counter() - answered
        for each in waiting:
            each.close()
    kilobytes = (after - before) / len(waiting)
    return [
        Measurement(
            f"kB of memory a session, of {connections:,}",
            kilobytes,
            "less than 50",
            f"opened in {seconds:.1f} s; another client's call meanwhile: {answered * 1000:.0f} ms",
        )
    ]


def _resident(pid: int) -> int:
    """Kilobytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


async def measure_tenants(
    subject: Subject, uuids: Sequence[str], tenants: int, runs: int
) -> list[Measurement]:
    """Calls of many tenants in turn against calls of one; and handles of others against handles of nobody."""
    settings = Settings(data_dir=subject.data_dir)
    async with owner_connection(settings) as owner:
        own = await make_token(owner, "bench own", "default", ["read"], None)
        tokens = [
            await make_token(owner, f"bench {number}", f"bench{number}", ["read"], None)
            for number in range(tenants)
        ]
    async with served(ours(), subject) as (port, _):
        one, nobody = Web(port, own), "01939c3a-6f00-8abc-9def-000000000000"
        webs = itertools.cycle([Web(port, token) for token in tokens])

        async def of_one(_: int) -> None:
            await one.post("/v1/tools/vcon_fetch", {"id": nobody})

        async def of_many(_: int) -> None:
            await next(webs).post("/v1/tools/vcon_fetch", {"id": nobody})

        for _ in tokens:  # every connection open, every token known
            await of_many(0)
        many, alone = await measure_in_turn(of_many, of_one, runs)
        other = Web(port, tokens[0])

        async def of_another(number: int) -> None:
            await other.post("/v1/tools/vcon_fetch", {"id": uuids[number % len(uuids)]})

        async def of_nobody(_: int) -> None:
            await other.post("/v1/tools/vcon_fetch", {"id": nobody})

        theirs, none = await measure_in_turn(of_another, of_nobody, runs)
    return [
        Measurement(
            f"a call of {tenants:,} tenants in turn, against one of one tenant",
            many.p50 / alone.p50,
            "about 1",
            f"{many.p50:.2f} ms / {alone.p50:.2f} ms",
        ),
        Measurement(
            "asking for another tenant's vCon, against one that never was",
            theirs.p50 / none.p50,
            "about 1",
            f"{theirs.p50:.2f} ms / {none.p50:.2f} ms",
        ),
    ]


async def measure_faults(subject: Subject, uuids: Sequence[str], runs: int) -> list[Measurement]:
    """Calls of one client alone, and beside others that drip, leave halves and flood with made up tokens."""
    async with owner_connection(Settings(data_dir=subject.data_dir)) as owner:
        token = await make_token(owner, "bench faults", "default", ["read"], None)
    fetch = "/v1/tools/vcon_fetch"
    async with served(ours(), subject) as (port, pid):
        web = Web(port, token)

        async def timed() -> list[float]:
            taken: list[float] = []
            for number in range(runs):
                started = time.perf_counter()
                await web.post(fetch, {"id": uuids[number % len(uuids)]})
                taken.append(time.perf_counter() - started)
            return sorted(taken)

        await timed()
        alone, before = await timed(), _resident(pid)
        async with asyncio.TaskGroup() as group:
            bad = [group.create_task(_drip(port)) for _ in range(DRIPPING)]
            bad += [group.create_task(_leave_half(port, token)) for _ in range(DRIPPING)]
            bad += [group.create_task(_flood(port, number)) for number in range(FLOODING)]
            await asyncio.sleep(2)
            beside, after = await timed(), _resident(pid)
            for task in bad:
                task.cancel()
    half, last = runs // 2, int(runs * 0.99)
    return [
        Measurement(
            f"a call beside {DRIPPING} clients that drip, {DRIPPING} with half a body, {FLOODING} that flood",
            beside[half] / alone[half],
            "answered",
            f"{beside[half] * 1000:.1f} ms / {alone[half] * 1000:.1f} ms; p99 {beside[last] * 1000:.0f} ms",
        ),
        Measurement("MB of memory that these took", (after - before) / 1024, "less than 50", ""),
    ]


async def _drip(port: int) -> None:
    """The head of a request, a byte at a time; begun anew when the server has enough of it."""
    while True:
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            for byte in itertools.cycle(b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n"):
                writer.write(bytes((byte,)))
                await writer.drain()
                await asyncio.sleep(1)


async def _leave_half(port: int, token: str) -> None:
    """A request with half of its body, whose other half does not come."""
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            head = (
                f"POST /v1/tools/vcon_search HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\n"
            )
            writer.write(f'{head}content-length: 1000\r\n\r\n{{"mode": '.encode())
            await reader.read()


async def _flood(port: int, number: int) -> None:
    """Requests with a new made up token each, one after another."""
    for token in itertools.count():
        web = Web(port, f"vct_{number}_{token}")
        with contextlib.suppress(CallFailed, OSError, asyncio.IncompleteReadError):
            await web.post("/v1/tools/vcon_search", {"mode": "metadata"})
        web.close()


async def measure_all(console: Console, folder: Path, options: argparse.Namespace) -> list[Measurement]:
    corpus = Corpus(1)
    found: list[Measurement] = []
    async with open_subject(folder / "data") as subject:
        console.print(f"importing {SIZE:,} vCons …")
        import_file(
            subject, folder / "corpus.jsonl", write_corpus(corpus.vcons(0, SIZE), folder / "corpus.jsonl")
        )
        uuids = [corpus.vcon(number)["uuid"] for number in range(0, SIZE, 7)]
        parts: dict[str, Callable[[], Awaitable[list[Measurement]]]] = {
            "call": lambda: measure_call(subject, uuids, options.runs),
            "load": lambda: measure_load(subject, uuids, options.seconds),
            "connections": lambda: measure_connections(subject, options.connections),
            "tenants": lambda: measure_tenants(subject, uuids, options.tenants, options.runs),
            "faults": lambda: measure_faults(subject, uuids, options.runs),
        }
        for name, measure in parts.items():
            if options.only in (None, name):
                console.print(f"{name} …")
                found += await measure()
                console.print(show(found))
    return found


def show(found: Sequence[Measurement]) -> Table:
    table = Table("", "found", "aim", "of", title="Serving over HTTP", title_justify="left")
    for one in found:
        table.add_row(one.what, f"{one.value:.2f}", one.aim, one.how)
    return table


def main() -> None:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m bench.serving", description=__doc__)
    parser.add_argument("--runs", type=int, default=300, help="calls of each measurement (300)")
    parser.add_argument("--seconds", type=float, default=10.0, help="of load (10)")
    parser.add_argument("--connections", type=int, default=CONNECTIONS, help="that stay open (10000)")
    parser.add_argument("--tenants", type=int, default=TENANTS, help="whose calls are compared (1000)")
    parser.add_argument(
        "--only", choices=("call", "load", "connections", "tenants", "faults"), help="one measurement alone"
    )
    parser.add_argument("--in-process", type=float, metavar="SECONDS", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.in_process is not None:
        asyncio.run(call_in_process(options.in_process))
        return
    console = Console(stderr=True)
    with tempfile.TemporaryDirectory(prefix="vcontract-bench-", ignore_cleanup_errors=True) as name:
        found = asyncio.run(measure_all(console, Path(name), options))
    (Console() if sys.stdout.isatty() else Console(width=130)).print(show(found))


if __name__ == "__main__":
    main()
