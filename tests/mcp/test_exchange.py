"""Calls over HTTP that are answered without the SDK's streams: as the SDK answers them, byte for byte."""

import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import httpx2
import pytest
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.web import HERE, running
from vcontract.runtime.frame.calls.dispatch import Dispatcher
from vcontract.runtime.frame.context import Caller, ToolContext
from vcontract.runtime.frame.contract.catalogue import Catalogue, Selection
from vcontract.runtime.frame.contract.package import ContractPackage
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.mcp.access_policy import CALLER
from vcontract.runtime.frame.mcp.http import caller_of
from vcontract.runtime.frame.mcp.server import build_server
from vcontract.runtime.frame.mcp.tool_call_fastpath import ToolCallFastPath

Answer = tuple[int, dict[str, str], bytes]
Ask = Callable[..., Awaitable[Answer]]
Answers = dict[str, Callable[[Any, ToolContext], Awaitable[Any]]]

HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
}
FETCH: JsonObject = {"name": "note_fetch", "arguments": {"id": "a"}}
ITEM: JsonObject = {
    "id": "a",
    "subject": 'Ä "quoted" \u2028 line',
    "none": None,
    "number": 1.50,
    "whole": 10**20,
}


def message(params: object, **members: object) -> bytes:
    whole = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    return json.dumps({**whole, **members}).encode()


BODIES: dict[str, bytes] = {
    "a call": message(FETCH),
    "a text for an id": message(FETCH, id="seven"),
    "characters beyond ASCII": message({**FETCH, "arguments": {"id": "größer"}}, id="größer"),
    "a trace and a token of progress": message(
        {**FETCH, "_meta": {"progressToken": 1, "traceparent": "00-" + "1" * 32 + "-" + "2" * 16 + "-01"}}
    ),
    "an argument that is wrong": message({**FETCH, "arguments": {"id": 1}}),
    "an argument that nobody knows": message({**FETCH, "arguments": {"id": "a", "include": ["all"]}}),
    "no arguments": message({"name": "note_fetch"}),
    "null for arguments": message({"name": "note_fetch", "arguments": None}),
    "a list for arguments": message({"name": "note_fetch", "arguments": []}),
    "an unknown tool": message({"name": "note_fetsh", "arguments": {}}),
    "an alias": message({"name": "get_note", "arguments": {"id": "a"}}),
    "no name": message({"arguments": {"id": "a"}}),
    "a name that is a number": message({**FETCH, "name": 1}),
    "no parameters": message(None),
    "a task": message({**FETCH, "task": {"ttl": 1}}),
    "a task of a wrong kind": message({**FETCH, "task": 1}),
    "a token of progress of a wrong kind": message({**FETCH, "_meta": {"progressToken": []}}),
    "meta of a wrong kind": message({**FETCH, "_meta": 1}),
    "null for meta": message({**FETCH, "_meta": None}),
    "null for an id": message(FETCH, id=None),
    "a fraction for an id": message(FETCH, id=1.5),
    "another version of JSON-RPC": message(FETCH, jsonrpc="1.0"),
    "a member that nobody knows": message(FETCH, more=1),
    "a notification": b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
    "a ping": message({}, method="ping"),
    "another method": message({}, method="tools/list"),
    "two messages": b"[%b, %b]" % (message(FETCH), message(FETCH)),
    "a text": b'"tools/call"',
    "half a message": message(FETCH)[:-5],
    "no UTF-8": message(FETCH).replace(b"note_fetch", b"note_\xff"),
    "nothing": b"",
}


@pytest.fixture
def fetches(answers: Answers) -> None:
    async def fetch(params: Any, context: ToolContext) -> JsonObject:
        return {"ok": True, "item": ITEM}

    answers["note_fetch"] = fetch


@pytest.fixture
async def ask(package: ContractPackage, dispatcher: Dispatcher, caller: Caller) -> AsyncIterator[Ask]:
    """Sends a request to the SDK's application at /sdk, or to ours before it at /ours."""
    server = build_server(Catalogue(package, Selection()), dispatcher, caller, caller_of=caller_of)
    unguarded = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    manager = StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, security_settings=unguarded
    )

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with manager.run():
            yield

    ours = ToolCallFastPath(dispatcher, manager.asgi_app)
    routes = [Mount("/sdk", of(caller, manager.asgi_app)), Mount("/ours", of(caller, ours))]
    async with running(Starlette(routes=routes, lifespan=lifespan)) as web, web() as client:

        async def ask(path: str, body: bytes, headers: Mapping[str, str], method: str = "POST") -> Answer:
            return answer_of(await client.request(method, path, content=body, headers=headers))

        yield ask


def of(caller: Caller, app: ASGIApp) -> ASGIApp:
    """An application whose requests the gate found to be of this caller."""

    async def let_in(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, CALLER: caller}, receive, send)

    return let_in


def answer_of(answer: httpx2.Response) -> Answer:
    return answer.status_code, dict(answer.headers), answer.content


@pytest.mark.usefixtures("fetches")
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
async def test_what_is_sent_is_answered_as_the_sdk_answers_it(body: bytes, ask: Ask) -> None:
    assert await ask("/ours/", body, HEADERS) == await ask("/sdk/", body, HEADERS)


@pytest.mark.usefixtures("fetches")
@pytest.mark.parametrize(
    "headers",
    [
        {"mcp-protocol-version": ""},
        {"mcp-protocol-version": "2024-11-05"},
        {"mcp-protocol-version": "2025-03-26"},
        {"mcp-protocol-version": "2025-06-18"},
        {"mcp-protocol-version": "2026-07-28"},
        {"mcp-protocol-version": "1999-01-01"},
        {"accept": "application/json"},
        {"accept": "application/json;q=0.9 , */*;q=0.1"},
        {"accept": "*/*"},
        {"accept": "text/html"},
        {"content-type": "application/json; charset=utf-8"},
        {"content-type": "text/plain"},
    ],
    ids=str,
)
async def test_the_head_of_a_request_counts_as_it_does_to_the_sdk(headers: dict[str, str], ask: Ask) -> None:
    sent = {name: value for name, value in {**HEADERS, **headers}.items() if value}

    assert await ask("/ours/", message(FETCH), sent) == await ask("/sdk/", message(FETCH), sent)


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
async def test_other_methods_are_refused_as_the_sdk_refuses_them(method: str, ask: Ask) -> None:
    headers = {**HEADERS, "accept": "application/json"}

    assert await ask("/ours/", b"", headers, method) == await ask("/sdk/", b"", headers, method)


@pytest.mark.usefixtures("fetches")
@pytest.mark.parametrize("meta", [{}, {"_meta": {"progressToken": "a", "x/y": 1}}], ids=str)
async def test_a_plain_call_does_not_come_to_the_sdk(
    meta: JsonObject, dispatcher: Dispatcher, caller: Caller
) -> None:
    transport = httpx2.ASGITransport(of(caller, ToolCallFastPath(dispatcher, unreachable)))
    async with httpx2.AsyncClient(transport=transport, base_url=HERE, headers=HEADERS) as client:
        answer = await client.post("/mcp", content=message({**FETCH, **meta}))

    assert answer.json()["result"]["structuredContent"]["item"] == ITEM


async def unreachable(*_: object) -> None:
    raise AssertionError("nothing was to be asked of the SDK, or sent")
