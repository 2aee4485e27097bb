"""Fixtures of the end-to-end tests: servers in processes of their own, on an embedded database."""

import asyncio
import contextlib
import json
import os
import socket
import sysconfig
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.stdio import StdioServerParameters

from tests.conftest import PATIENCE
from tests.published import broken_promises
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster

COMMAND = os.environ.get("VCONTRACT_TEST_COMMAND") or str(Path(sysconfig.get_path("scripts"), "vcontract"))
"""That of the sources, or one that was installed elsewhere."""

Environment = dict[str, str]


@pytest.fixture
def own_store(own_data_dir: Path) -> Environment:
    """What a command needs for a store of its own, without what would embed texts."""
    return environment(own_data_dir, {"embedding_provider": "none"})


@pytest.fixture
def no_store(tmp_path: Path) -> Environment:
    """The same, of a store that was not made yet."""
    return environment(tmp_path / "data", {"embedding_provider": "none"})


async def command(environment: Environment, *arguments: str) -> tuple[int | None, str, str]:
    """What the command ended with, wrote, and said."""
    process = await asyncio.create_subprocess_exec(
        COMMAND, *arguments, stdin=asyncio.subprocess.DEVNULL, stdout=PIPE, stderr=PIPE, env=environment
    )
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


def started_by(pid: int, function: str) -> set[int]:
    """The processes that a process has started to run this function."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {
        int(child) for child in children if function in Path(f"/proc/{child}/cmdline").read_bytes().decode()
    }


class Wire:
    """A server process, spoken to line by line."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.lines: list[bytes] = []
        """Every line that came on stdout."""
        self._number = 0
        self._waiting: dict[int | None, asyncio.Future[Any]] = {}
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            self.lines.append(line)
            message = json.loads(line)
            future = self._waiting.get(message.get("id"))
            if future is not None and not future.done():
                future.set_result(message)
        for future in self._waiting.values():
            if not future.done():
                future.cancel()

    def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")

    def reserve(self) -> int:
        """The id of a request that the caller writes."""
        self._number += 1
        self._waiting[self._number] = asyncio.get_running_loop().create_future()
        return self._number

    def send(self, method: str, params: JsonObject | None = None) -> int:
        """Send a request and give its id."""
        self.reserve()
        self.write(
            json.dumps(
                {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params or {}}
            ).encode()
        )
        return self._number

    def notify(self, method: str, params: JsonObject | None = None) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}}).encode())

    async def answer(self, number: int) -> JsonObject:
        message: JsonObject = await asyncio.wait_for(self._waiting[number], PATIENCE)
        return message

    async def request(self, method: str, params: JsonObject | None = None) -> JsonObject:
        future = self._waiting[(number := self.send(method, params))]
        message: JsonObject = await asyncio.wait_for(future, PATIENCE)
        assert message["id"] == number
        return message

    async def initialize(self) -> JsonObject:
        client = {"name": "test", "version": "1"}
        params: JsonObject = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        answer = await self.request("initialize", params)
        self.notify("notifications/initialized")
        return answer

    async def call(self, name: str, /, **arguments: object) -> JsonObject:
        """The structured content of a call, which fits what is published of the tool."""
        answer = await self.request("tools/call", {"name": name, "arguments": arguments})
        content: JsonObject = answer["result"]["structuredContent"]
        assert broken_promises(name, content) == []
        return content

    async def leave(self) -> bytes:
        """Close stdin, wait for the end of the process, and give what it wrote to stderr."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        errors = await asyncio.wait_for(self.process.stderr.read(), PATIENCE)
        await asyncio.wait_for(self.process.wait(), PATIENCE)
        await self._reader
        return errors

    async def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        await self._reader


Serving = Callable[..., AbstractAsyncContextManager[Wire]]


def environment(data_dir: Path, given: dict[str, str]) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("VCONTRACT_")}
    settings = {f"VCONTRACT_{name.upper()}": value for name, value in given.items()}
    return {**inherited, "VCONTRACT_DATA_DIR": str(data_dir), **settings}


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data directory whose embedded database runs as long as the tests; servers share it."""
    folder = tmp_path_factory.mktemp("e2e")
    cluster = EmbeddedCluster(folder, linger=0)
    cluster.start()
    try:
        yield folder
    finally:
        cluster.release()


@asynccontextmanager
async def serve(
    *options: str, folder: Path, start: Path | None = None, handshake: bool = True, **settings: str
) -> AsyncGenerator[Wire]:
    """`vcontract serve` on a data directory, spoken to past the handshake.

    It is started in `start`, or else beside the data directory. Settings are keyword arguments.
    """
    process = await asyncio.create_subprocess_exec(
        *(COMMAND, "serve", *options),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env=environment(folder, settings),
        cwd=start or folder.parent,
        limit=1 << 25,
    )
    wire = Wire(process)
    try:
        if handshake:
            await wire.initialize()
        yield wire
    finally:
        await wire.kill()


@asynccontextmanager
async def serve_http(
    environment: Environment, *arguments: str
) -> AsyncGenerator[tuple[Process, httpx2.AsyncClient, int]]:
    """`vcontract serve --http` once it is ready, beside its data directory: process, client and port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        *(COMMAND, "serve", "--http", f"127.0.0.1:{port}", *arguments),
        stderr=PIPE,
        env=environment,
        cwd=Path(environment["VCONTRACT_DATA_DIR"]).parent,
    )
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:

        async def becomes_ready() -> None:
            while process.returncode is None:
                with contextlib.suppress(httpx2.TransportError):
                    if (await client.get("/readyz")).status_code == 200:
                        return
                await asyncio.sleep(0.05)

        try:
            await asyncio.wait_for(becomes_ready(), PATIENCE)
            yield process, client, port
        finally:
            if process.returncode is None:
                process.terminate()
            await process.communicate()


@pytest.fixture(scope="session")
def serving(data_dir: Path) -> Serving:
    """As `serve`, on the data directory that these tests share unless another is given."""

    def serving(*options: str, folder: Path = data_dir, **given: Any) -> AbstractAsyncContextManager[Wire]:
        return serve(*options, folder=folder, **given)

    return serving


@pytest.fixture(scope="session")
def parameters(data_dir: Path) -> Callable[..., StdioServerParameters]:
    """What the official client starts `vcontract serve` with; settings are keyword arguments."""

    def parameters(*options: str, **settings: str) -> StdioServerParameters:
        env = environment(data_dir, settings)
        return StdioServerParameters(command=COMMAND, args=["serve", *options], env=env)

    return parameters


@pytest.fixture(scope="module")
async def wire(serving: Serving) -> AsyncIterator[Wire]:
    """One server for a module's tests that leave it as it was."""
    async with serving(rate_limits="off") as opened:
        yield opened
