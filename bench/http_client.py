"""Servers that a benchmark starts over HTTP, and the client that calls them."""

import asyncio
import contextlib
import socket
import sys
from collections.abc import AsyncGenerator, Callable, Sequence

from bench.subject import COMMAND, CallFailed, Subject
from vcontract.runtime.frame.documents.json import JsonObject, dump_json

PING: JsonObject = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


class Web:
    """One connection to a server, as plain as can be: the client is not what is measured."""

    def __init__(self, port: int, token: str | None = None) -> None:
        self._port = port
        self._token = f"authorization: Bearer {token}\r\n" if token else ""
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: JsonObject) -> bytes:
        """The body of the answer. Raises: CallFailed."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        sent = dump_json(body)
        head = (
            f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{self._token}content-type: application/json\r\n"
            f"accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\n"
            f"content-length: {len(sent)}\r\n\r\n"
        )
        writer.write(head.encode() + sent)
        headers = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = next(
            int(line[len("content-length:") :])
            for line in headers.splitlines()
            if line.startswith("content-length:")
        )
        answer = await reader.readexactly(length)
        if " 200 " not in headers[:15]:
            raise CallFailed(f"{path}: {headers[:30]} {answer[:500]!r}")
        return answer

    async def call(self, tool: str, arguments: JsonObject) -> bytes:
        """A call over MCP. Raises: CallFailed."""
        params: JsonObject = {"name": tool, "arguments": arguments}
        answer = await self.post(
            "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        )
        if b'"isError":true' in answer or b'"error":{' in answer[:60]:
            raise CallFailed(f"{tool} {arguments}: {answer[:1000]!r}")
        return answer

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()


@contextlib.asynccontextmanager
async def served(
    command: Callable[[int], Sequence[str]], subject: Subject
) -> AsyncGenerator[tuple[int, int]]:
    """The port and the process of a server that answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(*command(port), env=subject.environment())
    try:
        while True:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                with contextlib.suppress(CallFailed):  # it answers, if only that it wants a token
                    await Web(port).post("/mcp", PING)
                break
            await asyncio.sleep(0.1)
        yield port, process.pid
    finally:
        process.terminate()
        await process.wait()


def ours(*options: str) -> Callable[[int], Sequence[str]]:
    return lambda port: (str(COMMAND), "serve", "--http", f"127.0.0.1:{port}", *options)


def bare(port: int) -> Sequence[str]:
    return (sys.executable, "-m", "bench.bare_http_server", str(port))
