"""The stdio transport in a process of its own: what reaches the client, and how the process ends."""

import asyncio
import json
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from tests.conftest import PATIENCE
from vcontract.runtime.frame.documents.json import JsonObject

SERVER = """
import asyncio, importlib.util, os, subprocess, sys

spec = importlib.util.spec_from_file_location("fakes", sys.argv[1])
fakes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fakes)

from vcontract.runtime.frame import logs
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.contract.catalogue import Catalogue, Selection
from vcontract.runtime.frame.calls.call import RequestScope
from vcontract.runtime.frame.calls.dispatch import Dispatcher
from vcontract.runtime.frame.mcp.server import build_server
from vcontract.runtime.frame.mcp.stdio import serve_stdio

async def put(params, ctx):
    print("stray print", flush=True)
    os.write(1, b"stray write\\n")
    subprocess.run(["echo", "stray child"], check=True)
    taken = subprocess.run(["cat"], check=True, capture_output=True, timeout=5).stdout
    print("a child read", taken, file=sys.stderr, flush=True)
    return {"success": True, "id": "1"}

async def wait(params, ctx):
    print("waiting", file=sys.stderr, flush=True)
    await asyncio.Event().wait()

async def close():
    print("closed", file=sys.stderr, flush=True)

async def main():
    logs.configure("info")
    catalogue = Catalogue(fakes.FakeContract().package(), Selection())
    handlers = fakes.FakeHandlers({"put_note": put, "note_fetch": wait})
    dispatcher = Dispatcher(RequestScope(catalogue, lambda error: None), handlers)
    caller = Caller("default", frozenset({"read", "write", "admin"}))
    await serve_stdio(build_server(catalogue, dispatcher, caller), close)

asyncio.run(main())
"""
ARGUMENTS = ["-c", SERVER, str(Path(__file__).parents[1] / "small_contract.py")]
INITIALIZE: JsonObject = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@asynccontextmanager
async def serving() -> AsyncGenerator[Process]:
    """A server process past the handshake."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *ARGUMENTS, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )
    try:
        send(process, INITIALIZE)
        await answer(process)
        send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[Process]:
    """One server for the tests that leave it as it was; it outlives whatever they send."""
    async with serving() as process:
        yield process


def send(process: Process, message: JsonObject | str) -> None:
    assert process.stdin is not None
    line = message if isinstance(message, str) else json.dumps(message)
    # half a pair from a byte that is no UTF-8, as os.fsdecode writes it, goes out as that byte
    process.stdin.write(line.encode(errors="surrogateescape") + b"\n")


def call(name: str, arguments: JsonObject) -> JsonObject:
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }


async def answer(process: Process) -> Any:
    assert process.stdout is not None
    return json.loads(await asyncio.wait_for(process.stdout.readline(), PATIENCE))


async def test_stdout_carries_protocol_only_and_the_process_closes_when_its_client_leaves() -> None:
    async with serving() as process:
        send(process, call("put_note", {"note": {}}))
        send(process, {"jsonrpc": "2.0", "id": 2, "method": "ping"})
        answered, pinged = sorted([await answer(process), await answer(process)], key=lambda each: each["id"])
        rest, errors = await process.communicate(b"")

    assert answered["result"]["structuredContent"] == {"success": True, "id": "1"}
    assert pinged["result"] == {}
    assert b"a child read b''" in errors
    assert rest == b""
    for stray in (b"stray print", b"stray write", b"stray child"):
        assert stray in errors
    assert errors.endswith(b"closed\n")
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("no json", -32700),
        ("[1, 2", -32700),
        ('{"a":' * 400 + "1" + "}" * 400, -32700),
        ('{"jsonrpc": "1.0"}', -32600),
        ('[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600),
        ("{}", -32600),
        ("7", -32600),
        ("", -32700),
        ('{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', -32700),
        ('{"jsonrpc": "2.0", "id": true, "method": "x", "params": "x"}', -32600),
        ('{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": NaN, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": 1e400, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": [], "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": "\udcff", "method": "ping"}', -32700),
    ],
)
async def test_a_line_that_is_no_message_is_answered_and_the_next_one_is_served(
    line: str, code: int, server: Process
) -> None:
    send(server, line)
    refused = await answer(server)
    send(server, call("put_note", {"note": {}}))
    served = await answer(server)

    assert (refused["id"], refused["error"]["code"]) == (None, code)
    assert served["result"]["isError"] is False


async def test_a_line_that_is_nested_without_end_is_refused_under_no_id(server: Process) -> None:
    line = json.dumps(call("put_note", {"note": "VALUE"}))
    send(server, line.replace('"VALUE"', "[" * 100_000 + "]" * 100_000))

    refused = await answer(server)

    assert (refused["id"], refused["error"]["code"]) == (None, -32700)
    assert "send one JSON object a line" in refused["error"]["message"]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ('"cut \\ud83d"', "half of a surrogate pair"),
        ("[" * 300 + "]" * 300, "recursion limit"),
        ("9" * 5000, "number out of range"),
        ('"caf\udce9"', "is not UTF-8"),
        ("[1e-09, Infinity]", "write numbers as JSON has them"),
        ("[1e-09, NaN]", "write numbers as JSON has them"),
    ],
)
async def test_a_request_that_cannot_be_read_is_answered_under_its_id_so_that_nobody_waits_for_it(
    value: str, reason: str, server: Process
) -> None:
    line = json.dumps(call("put_note", {"note": "VALUE"})).replace('"VALUE"', value)
    send(server, line)
    refused = await answer(server)

    assert (refused["id"], refused["error"]["code"]) == (1, -32700)
    assert reason in refused["error"]["message"]


@pytest.mark.parametrize(
    ("request_line", "member"),
    [
        ('{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": []}', "params"),
        ('{"jsonrpc": "2.0", "id": 7, "method": 5}', "method"),
        ('{"jsonrpc": "2.0", "id": 7}', "method"),
        ('{"jsonrpc": "1.0", "id": 7, "method": "ping"}', "jsonrpc"),
        ('{"id": 7, "method": "ping"}', "jsonrpc"),
    ],
)
async def test_a_request_of_a_wrong_form_is_answered_under_its_id_and_names_what_is_wrong(
    request_line: str, member: str, server: Process
) -> None:
    send(server, request_line)
    refused = await answer(server)

    assert (refused["id"], refused["error"]["code"]) == (7, -32600)
    assert f'"{member}"' in refused["error"]["message"]


@pytest.mark.parametrize("request_id", ["[]", "{}", "null", "1.5", "true"])
async def test_a_cancellation_of_nothing_is_passed_over(request_id: str, server: Process) -> None:
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "ID"}}
    send(server, json.dumps(cancelled).replace('"ID"', request_id))
    send(server, call("put_note", {"note": {}}))
    answered = await answer(server)

    assert answered["result"]["isError"] is False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_closes_and_ends_the_process_while_a_call_is_running(number: signal.Signals) -> None:
    async with serving() as process:
        send(process, call("note_fetch", {"id": "1"}))
        assert process.stderr is not None
        assert await asyncio.wait_for(process.stderr.readline(), PATIENCE) == b"waiting\n"

        process.send_signal(number)
        returned = await asyncio.wait_for(process.wait(), PATIENCE)
        errors = await process.stderr.read()

    assert returned == 0
    assert errors == b"closed\n"


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_the_official_client_is_served_in_both_eras(era: str) -> None:
    async with Client(StdioServerParameters(command=sys.executable, args=ARGUMENTS), mode=era) as client:
        version = client.protocol_version
        tools = [tool.name for tool in (await client.list_tools()).tools]
        result = await client.call_tool("put_note", {"note": {}})

    assert (version == "2026-07-28") == (era == "auto")
    assert tools == ["note_fetch", "note_search", "put_note"]
    assert result.structured_content == {"success": True, "id": "1"}
