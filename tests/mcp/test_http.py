"""The HTTP server: the protocol and plain calls, for whoever has a token, and only what the token allows."""

import asyncio
import contextlib
import hashlib
import os
import re
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from pydantic import SecretStr
from starlette.responses import Response
from starlette.types import Message

from tests.broken_ways import Proxy
from tests.conftest import PATIENCE
from tests.own_server import free_port
from tests.waiting import until
from tests.web import HERE, Bearers, Web, applied, post, running
from vcontract.runtime.app import App, build
from vcontract.runtime.app.token_requirement import NotServed
from vcontract.runtime.frame.calls.call import DONE, Answered
from vcontract.runtime.frame.calls.metrics import Metrics
from vcontract.runtime.frame.calls.telemetry import Telemetry
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.mcp import access_policy, bodies, http
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres import awaited_server, migrations
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.postgres.tokens import Tokens, revoke_token

VCON: JsonObject = {"vcon": "0.4.0", "subject": "Broken boiler", "parties": [{"name": "Ann"}]}

UNKNOWN = "01939c3a-6f00-8abc-9def-000000000000"

EXPOSED = re.compile(
    r"# (HELP \w+ [^\n]+|TYPE \w+ (counter|gauge|histogram))|"
    r'\w+\{\w+="[\w+.]+"(,\w+="[\w+.]+")*\} [0-9.e+-]+'
)
"""A line of Prometheus' text format."""


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_a_client_of_either_era_lists_calls_and_reads(
    era: Any, web: Web, bearers: Bearers, tenant: str
) -> None:
    async with (
        web(await bearers.make(tenant)) as http_client,
        Client(streamable_http_client(f"{HERE}/mcp", http_client=http_client), mode=era) as client,
    ):
        listed = {tool.name for tool in (await client.list_tools()).tools}
        created = await client.call_tool("create_vcon", {"vcon_data": VCON})
        read = await client.read_resource("vcon://v1/vcons/ids")

    assert {"vcon_search", "create_vcon"} <= listed
    assert created.structured_content is not None
    assert created.structured_content["uuid"] in read.contents[0].model_dump_json()


async def test_tools_and_resources_are_answered_as_the_openapi_document_says(
    web: Web, bearers: Bearers, tenant: str
) -> None:
    async with web(await bearers.make(tenant)) as client:
        created = await post(client, "create_vcon", vcon_data=VCON)
        answer = await client.get("/v1/resources/vcon", params={"uuid": created["uuid"]})
        wrong = await client.get("/v1/resources/vcon_metadata", params={"id": "x"})
        missing = await client.get("/v1/resources/vcon_metadta")
        near = await client.post("/v1/tools/vcon_serch", json={})

    assert created["success"] is True
    assert "Broken boiler" in answer.text
    assert (wrong.status_code, wrong.json()["details"]["accepted"]) == (400, ["uuid"])
    assert missing.status_code == 404
    assert (near.status_code, near.json()["error"]) == (404, "unknown_tool")
    assert "vcon_search" in near.json()["error_description"]


@pytest.mark.parametrize("body", [b"{", b"[1]", b'{"a": "\xff"}', b"[" * 100_000])
async def test_a_body_that_is_no_object_of_json_is_refused_in_words(
    body: bytes, web: Web, bearers: Bearers, tenant: str
) -> None:
    async with web(await bearers.make(tenant)) as client:
        answer = await client.post("/v1/tools/vcon_search", content=body)

    assert (answer.status_code, answer.json()["error"]) == (400, "malformed_json")


@pytest.mark.parametrize("path", ["/mcp", "/v1/tools/vcon_search"])
@pytest.mark.parametrize(
    ("limit", "value", "status", "reason"),
    [
        ("MAX_BODY_BYTES", 1_000, 413, "too_large"),
        ("_MAX_BUFFERED_BYTES", 1_000, 503, "busy"),
    ],
)
async def test_what_is_held_of_bodies_is_bounded(
    path: str,
    limit: str,
    value: int,
    status: int,
    reason: str,
    web: Web,
    bearers: Bearers,
    tenant: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bodies, limit, value)
    async with web(await bearers.make(tenant)) as client:
        answer = await client.post(path, content=b" " * 5_000)
        assert (answer.status_code, answer.json()["error"]) == (status, reason)
        # what was held is given back
        monkeypatch.undo()
        await post(client, "vcon_search", mode="metadata")


async def test_a_client_that_stops_in_the_midst_of_a_body_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bodies, "_SILENCE_SECONDS", 0.01)
    never = asyncio.Event()

    async def halves() -> AsyncIterator[bytes]:
        yield b'{"mode":'
        await never.wait()

    application = bodies.Bodies(unreachable, bodies.BufferedBodies())
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": await anext(body), "more_body": True}

    async def send(message: Message) -> None:
        sent.append(message)

    body = halves()
    await application({"type": "http"}, receive, send)

    assert sent[0]["status"] == 408


async def unreachable(*_: object) -> None:
    raise AssertionError("the application was asked")


async def test_small_answers_are_sent_at_once() -> None:
    with contextlib.closing(http.listen("127.0.0.1", 0)) as listening:
        _, writer = await asyncio.open_connection(*listening.getsockname())
        accepted, _ = listening.accept()
        with accepted:
            _, answering = await asyncio.open_connection(sock=accepted)
            assert answering.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            answering.close()
        writer.close()


REQUEST = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Raw:
    """Connections to a server that answers every request with `here`."""

    port: int

    async def open(self, sent: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(sent)
        return reader, writer

    async def said(self, sent: bytes) -> bytes:
        """What the server says until it closes the connection."""
        reader, writer = await self.open(sent)
        try:
            return await asyncio.wait_for(reader.read(), PATIENCE)
        except ConnectionResetError:
            return b""
        finally:
            writer.close()


@pytest.fixture
async def raw() -> AsyncIterator[Raw]:
    listening, (ended, lifeline) = http.listen("127.0.0.1", 0), os.pipe()

    async def answers(connection: Any, receive: Any, send: Any) -> None:
        if connection["type"] == "http":
            await Response("here")(connection, receive, send)

    serving = asyncio.create_task(http.serve_http(answers, listening, lifeline=ended))
    yield Raw(listening.getsockname()[1])
    os.close(lifeline)
    await serving
    os.close(ended)


async def test_half_requests_and_endless_heads_hinder_nobody(raw: Raw) -> None:
    halves = [await raw.open(REQUEST[:-1]) for _ in range(20)]

    endless = await raw.said(REQUEST[:-2] + b"x: " + b"a" * 200_000)
    reader, writer = await raw.open(REQUEST)
    answer = await asyncio.wait_for(reader.readuntil(b"here"), PATIENCE)
    for _, each in (*halves, (reader, writer)):
        each.close()

    assert b"here" not in endless
    assert answer.startswith(b"HTTP/1.1 200")


async def test_every_token_of_no_use_gets_the_same_answer_and_one_line_of_the_log(
    web: Web, bearers: Bearers, tenant: str, owner: OwnerConnection, caplog: pytest.LogCaptureFixture
) -> None:
    expired = await bearers.make(tenant, expires_at=datetime.now(UTC) - timedelta(seconds=1))
    revoked = await bearers.make(tenant, name=f"{tenant} revoked")
    assert await revoke_token(owner, f"{tenant} revoked")
    answers: list[tuple[int, str, str]] = []
    caplog.set_level("INFO", "vcontract")

    for token in (expired, revoked, "vct_unknown", "x", "a.b.c"):
        async with web(token) as client:
            for path in ("/mcp", "/v1/tools/vcon_search", "/v1/nothing"):
                answer = await client.post(path, json={})
                answers.append((answer.status_code, answer.text, answer.headers["www-authenticate"]))

    assert len(set(answers)) == 1
    assert answers[0][0] == 401
    assert answers[0][2] == 'Bearer realm="vcontract", error="invalid_token"'
    lines = [(record.getMessage(), record.__dict__["vcontract_fields"]) for record in caplog.records]
    assert lines == [("refused", {"reason": "invalid_token"})] * len(answers)


async def test_without_a_token_only_health_is_told(web: Web) -> None:
    async with web() as client:
        found = {
            path: (await client.get(path)).status_code
            for path in ("/healthz", "/readyz", "/mcp", "/v1/resources/vcon_ids")
        }
        refused = await client.get("/mcp")

    assert found == {"/healthz": 200, "/readyz": 200, "/mcp": 401, "/v1/resources/vcon_ids": 401}
    assert refused.headers["www-authenticate"] == 'Bearer realm="vcontract"'


async def test_a_token_sees_and_does_what_its_scopes_allow(web: Web, bearers: Bearers, tenant: str) -> None:
    async with web(await bearers.make(tenant, "read")) as http_client:
        async with Client(streamable_http_client(f"{HERE}/mcp", http_client=http_client)) as client:
            listed = {tool.name for tool in (await client.list_tools()).tools}
        refused = await post(http_client, "create_vcon", vcon_data=VCON)

    assert "vcon_search" in listed
    assert not {"create_vcon", "analyze_query"} & listed
    assert (refused["success"], refused["error_code"]) == (False, "PERMISSION_DENIED")


async def test_two_tokens_in_one_request_are_none(web: Web, bearers: Bearers, tenant: str) -> None:
    token, other = await bearers.make(tenant), await bearers.make(f"{tenant}x")
    twice = [("authorization", f"Bearer {each}") for each in (token, other)]
    async with web(None) as client:
        answer = await client.get("/v1/resources/vcon_ids", headers=twice)

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")


async def test_headers_take_away_and_never_add(web: Web, bearers: Bearers, tenant: str) -> None:
    reader, writer = await bearers.make(tenant, "read"), await bearers.make(tenant)

    async def listed(token: str, **headers: str) -> set[str]:
        async with (
            web(token, **headers) as http_client,
            Client(streamable_http_client(f"{HERE}/mcp", http_client=http_client)) as client,
        ):
            return {tool.name for tool in (await client.list_tools()).tools}

    assert await listed(writer, **{"x-mcp-tools": "vcon_search, create_vcon"}) == {
        "vcon_search",
        "create_vcon",
    }
    assert await listed(reader, **{"x-mcp-tools": "vcon_search,create_vcon"}) == {"vcon_search"}
    assert "create_vcon" not in await listed(writer, **{"x-mcp-readonly": "true"})
    assert "get_vcon" not in await listed(writer, **{"x-mcp-toolsets": "contract"})
    async with web(writer, **{"x-mcp-tools": "vcon_search"}) as client:
        hidden = await client.post("/v1/tools/create_vcon", json={"vcon_data": VCON})
        unread = await client.get("/v1/resources/vcon_ids")
    assert (hidden.status_code, unread.status_code) == (404, 404)
    async with web(writer, **{"x-mcp-readonly": "true"}) as client:
        unwritten = await post(client, "create_vcon", vcon_data=VCON)
    assert unwritten["error_code"] == "PERMISSION_DENIED"
    async with web(writer, **{"x-mcp-toolsets": "bridge"}) as client:
        unknown = await client.post("/v1/tools/vcon_search", json={})
    assert (unknown.status_code, unknown.json()["error"]) == (400, "unknown_selection")


async def test_what_one_tenant_stores_is_not_there_for_another(
    web: Web, bearers: Bearers, tenant: str
) -> None:
    async with web(await bearers.make(tenant)) as mine, web(await bearers.make(f"{tenant}x")) as theirs:
        uuid = (await post(mine, "create_vcon", vcon_data=VCON))["uuid"]
        own = await post(mine, "vcon_fetch", id=uuid)
        foreign = await post(theirs, "vcon_fetch", id=uuid)
        unknown = await post(theirs, "vcon_fetch", id=UNKNOWN)
        read = await theirs.get("/v1/resources/vcon_metadata", params={"uuid": uuid})
        listed = (await theirs.get("/v1/resources/vcon_ids")).json()

    assert own["ok"] is True
    assert foreign["error"]["code"] == unknown["error"]["code"] == "NOT_FOUND"
    assert read.status_code == 400
    assert listed["vcons"] == []


async def test_metrics_tell_of_all_calls_and_of_nothing_that_was_said(
    settings: Settings, bearers: Bearers, tenant: str
) -> None:
    watched = settings.model_copy(update={"metrics_token": SecretStr("watch me")})
    token = await bearers.make(tenant)
    metrics = Metrics()
    metrics.count(Answered("create_vcon", Caller("x", frozenset()), "", DONE, 7.0, 6.0, 1_000))
    app = await build(watched, meters=(metrics,))
    try:
        async with running(await applied(app, watched, metrics=metrics)) as web:
            async with web(token) as client:
                await post(client, "create_vcon", vcon_data=VCON)
                await post(client, "vcon_fetch", id=UNKNOWN)
                assert (await client.get("/v1/resources/vcon_ids")).status_code == 200
                assert (await client.get("/metrics")).status_code == 401
            async with web() as client:
                assert (await client.get("/v1/resources/vcon_ids")).status_code == 401
                assert (await client.get("/metrics")).status_code == 401
            async with web("watch me", origin="https://evil.example") as client:
                assert (await client.get("/metrics")).status_code == 403
            # a read is answered before its connection is given back
            await until(lambda: app.database.connections[1] == 0)
            async with web("watch me") as client:
                reported = (await client.get("/metrics")).text
    finally:
        await app.close()

    lines = set(reported.splitlines())
    assert {
        'vcontract_calls_total{outcome="done",tool="create_vcon"} 2.0',
        'vcontract_calls_total{outcome="NOT_FOUND",tool="vcon_fetch"} 1.0',
        'vcontract_call_seconds_bucket{le="5.0",tool="create_vcon"} 1.0',
        'vcontract_call_seconds_bucket{le="10.0",tool="create_vcon"} 2.0',
        'vcontract_call_seconds_bucket{le="+Inf",tool="create_vcon"} 2.0',
        'vcontract_call_seconds_count{tool="create_vcon"} 2.0',
        'vcontract_refused_total{reason="no_token"} 1.0',
        'vcontract_database_connections{process="0",state="used"} 0.0',
    } <= lines
    assert all(EXPOSED.fullmatch(line) for line in lines)
    assert not any(said in reported for said in (tenant, "Broken boiler", "Ann", UNKNOWN, "vct_"))


async def test_each_call_is_a_span_of_the_callers_trace_and_holds_nothing_that_was_said(
    settings: Settings, bearers: Bearers, tenant: str
) -> None:
    sdk = pytest.importorskip("opentelemetry.sdk.trace")
    export = pytest.importorskip("opentelemetry.sdk.trace.export")
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    metrics = pytest.importorskip("opentelemetry.sdk.metrics")
    spans, tracers = memory.InMemorySpanExporter(), sdk.TracerProvider()
    tracers.add_span_processor(export.SimpleSpanProcessor(spans))
    app = await build(settings, meters=(Telemetry(tracers, metrics.MeterProvider()),))
    of_headers, of_meta = "a" * 32, "b" * 32
    named = {"traceparent": f"00-{of_headers}-{'1' * 16}-01"}
    meta = {"traceparent": f"00-{of_meta}-{'2' * 16}-01"}
    search: JsonObject = {"name": "vcon_search", "arguments": {"mode": "keyword", "query": "boiler"}}
    message: JsonObject = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    protocol = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
    try:
        async with running(await applied(app, settings)) as web, web(await bearers.make(tenant)) as client:
            await client.post("/v1/tools/create_vcon", json={"vcon_data": VCON}, headers=named)
            for params in (search, {**search, "_meta": meta}):
                body = {**message, "params": params}
                await client.post("/mcp", json=body, headers={**named, **protocol})
            # the same, but by the SDK's own way, which takes every other protocol version
            body = {**message, "params": {**search, "_meta": meta}}
            earlier = {**named, **protocol, "mcp-protocol-version": "2025-03-26"}
            await client.post("/mcp", json=body, headers=earlier)
    finally:
        await app.close()

    reported = [(span.name, f"{span.context.trace_id:032x}") for span in spans.get_finished_spans()]
    assert reported == [
        ("tools/call create_vcon", of_headers),
        ("tools/call vcon_search", of_headers),
        ("tools/call vcon_search", of_meta),
        ("tools/call vcon_search", of_meta),
    ]
    written = "".join(span.to_json() for span in spans.get_finished_spans())
    assert not any(said in written for said in (tenant, "boiler", "Ann", "vct_"))


async def test_metrics_are_read_by_nobody_where_no_token_for_them_is_set(
    web: Web, bearers: Bearers, tenant: str
) -> None:
    for token in (await bearers.make(tenant), "", "None", None):
        async with web(token) as client:
            assert (await client.get("/metrics")).status_code == 401


async def test_calls_of_a_token_over_the_limit_are_rejected_and_those_of_another_are_not(
    settings: Settings, bearers: Bearers, tenant: str
) -> None:
    limited = settings.model_copy(update={"rate_limits": {"other": 10}})
    busy, quiet = await bearers.make(tenant), await bearers.make(tenant)
    async with contextlib.AsyncExitStack() as stack:
        app = await build(limited)
        stack.push_async_callback(app.close)
        web = await stack.enter_async_context(running(await applied(app, limited)))
        client = await stack.enter_async_context(web(busy))
        answers = [await post(client, "vcon_fetch", id=UNKNOWN) for _ in range(11)]
        other = await stack.enter_async_context(web(quiet))
        others = await post(other, "vcon_fetch", id=UNKNOWN)

    codes = [answer["error"]["code"] for answer in answers]
    assert codes == ["NOT_FOUND"] * 10 + ["RATE_LIMIT_EXCEEDED"]
    assert 0 < answers[-1]["error"]["details"]["retry_after_ms"] <= 60_000
    assert others["error"]["code"] == "NOT_FOUND"


async def test_of_a_token_the_store_keeps_a_digest_alone(
    bearers: Bearers, tenant: str, owner: OwnerConnection
) -> None:
    token = await bearers.make(tenant)

    kept = await owner.fetchval("select string_agg(t::text, ' ') from vcontract.token t")

    assert hashlib.sha256(token.encode()).hexdigest() in kept
    assert token.removeprefix("vct_") not in kept


async def test_that_a_token_is_used_is_written_once_a_minute(
    serving: App, bearers: Bearers, tenant: str, owner: OwnerConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, tokens, written = await bearers.make(tenant), Tokens(serving.database), 0
    write = Database.writing

    def counted(*arguments: Any) -> Any:
        nonlocal written
        written += 1
        return write(*arguments)

    monkeypatch.setattr(Database, "writing", counted)

    for _ in range(3):
        assert await tokens.bearers([token])
    assert written == 1
    await owner.execute("update vcontract.token set last_used_at = now() - interval '61 seconds'")
    assert await tokens.bearers([token])
    assert written == 2


async def test_who_was_let_in_waits_behind_no_flood_of_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_policy, "_MAX_CONCURRENT_LOOKUPS", 1)
    monkeypatch.setattr(access_policy, "_MAX_CACHED_TOKENS", 2)
    monkeypatch.setattr(access_policy, "_KNOWN_SECONDS", 60.0)
    never, ann = asyncio.Event(), Caller("ann", frozenset())

    async def identify(tokens: Sequence[str]) -> dict[str, Caller]:
        if tokens == ["slow"]:
            await never.wait()
        return {"ann": ann} if "ann" in tokens else {}

    known = access_policy._Known(identify, "")  # pyright: ignore[reportPrivateUsage]
    await known.bearer("ann")
    for made_up in ("a", "b", "c"):
        assert await known.bearer("ann") is ann
        await known.bearer(made_up)
    flood = asyncio.create_task(known.bearer("slow"))
    await asyncio.sleep(0)
    monkeypatch.setattr(access_policy, "_KNOWN_SECONDS", 0.0)

    assert await asyncio.wait_for(known.bearer("ann"), PATIENCE) is ann
    flood.cancel()


async def test_who_calls_is_asked_for_together_before_it_is_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    callers = {token: Caller(token, frozenset()) for token in ("ann", "ben", "eve")}
    asked: list[list[str]] = []

    async def identify(tokens: Sequence[str]) -> dict[str, Caller]:
        asked.append([*tokens])
        return {token: callers[token] for token in tokens if token in callers}

    known = access_policy._Known(identify, "")  # pyright: ignore[reportPrivateUsage]
    clock = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: clock)
    for token in ("ann", "ben", "eve", "nobody"):
        await known.bearer(token)
    asked.clear()
    clock += 3
    del callers["ben"]
    assert await known.bearer("ann") is await known.bearer("ann") is not None
    await asyncio.sleep(0)
    clock += 3
    answers = [await known.bearer(token) for token in ("ann", "ben")]

    assert [sorted(tokens) for tokens in asked] == [["ann", "ben", "eve"]]
    assert answers == [callers["ann"], None]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "localhost/.evil.example"}, 421),
        ({"host": "localhost#evil.example"}, 421),
        ({"host": "evil@localhost"}, 421),
        ({"host": "localhost:80:80"}, 421),
        ({"host": "[::1]evil"}, 421),
        ({"host": "127.0.0.1:8000"}, 200),
        ({"host": "localhost"}, 200),
        ({"host": "["}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost:3000"}, 200),
    ],
)
async def test_requests_from_pages_of_others_are_refused(
    headers: Mapping[str, str], status: int, web: Web, bearers: Bearers, tenant: str
) -> None:
    async with web(await bearers.make(tenant), **headers) as client:
        answer = await client.get("/v1/resources/vcon_ids")

    assert answer.status_code == status


async def test_one_foreign_origin_among_two_is_refused(web: Web) -> None:
    origins = [("origin", "http://localhost"), ("origin", "https://evil.example")]
    async with web() as client:
        statuses = [
            (await client.get("/v1/resources/vcon_ids", headers=given)).status_code
            for given in (origins, origins[::-1])
        ]

    assert statuses == [403, 403]


async def test_a_slash_too_many_or_too_few_leads_to_no_other_host(web: Web) -> None:
    async with web() as client:
        at_home = await client.get("/mcp/?a=b")
        refused = [await client.get(path, headers={"host": "evil.example"}) for path in ("/mcp/", "/v1")]
        missing = await client.get("//evil.example/nothing/")

    assert (at_home.status_code, at_home.headers["location"]) == (307, "/mcp?a=b")
    assert [(answer.status_code, "location" in answer.headers) for answer in refused] == [(421, False)] * 2
    assert missing.status_code == 404


@pytest.mark.parametrize("version", ["2025-03-26", "2025-11-25"])
@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        (
            '[{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 2, "method": "ping"}]',
            -32600,
            "it is a batch of 2; batches are not supported, so send each message alone",
        ),
        ("[]", -32600, "send one JSON object in it"),
        ('{"jsonrpc": "2.0", "id": 1}', -32600, 'its member "method" is missing or of a wrong kind'),
        ('{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600, 'its member "id" is neither a text'),
        ('{"jso', -32700, "send one JSON object in it"),
    ],
)
async def test_a_body_that_is_no_message_is_refused_in_a_plain_sentence(
    version: str, body: str, code: int, said: str, web: Web, bearers: Bearers, tenant: str
) -> None:
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    async with web(await bearers.make(tenant), **headers, **{"mcp-protocol-version": version}) as client:
        answer = await client.post("/mcp", content=body)

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, code)
    assert error["message"].startswith(f"This body is not a JSON-RPC message: {said}")
    assert "pydantic" not in answer.text


@pytest.mark.parametrize("headers", [{}, {"last-event-id": "1"}, {"last-event-id": ""}])
async def test_a_stream_opens_at_once_whatever_event_a_client_goes_on_from(
    headers: Mapping[str, str], serving: App, settings: Settings, bearers: Bearers, tenant: str
) -> None:
    token = await bearers.make(tenant)
    application = await applied(serving, settings)
    opened: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
    given = {
        "host": "localhost",
        "authorization": f"Bearer {token}",
        "accept": "text/event-stream",
        **headers,
    }
    raw = [(name.encode(), value.encode()) for name, value in given.items()]
    path = {"path": "/mcp", "raw_path": b"/mcp", "query_string": b"", "root_path": ""}
    scope = {"type": "http", "method": "GET", "http_version": "1.1", "scheme": "http", "headers": raw, **path}
    requests: list[Message] = [{"type": "http.request", "body": b""}]

    async def receive() -> Message:
        if requests:
            return requests.pop()
        await asyncio.shield(opened)
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if not opened.done():
            opened.set_result(message)

    async with running(application):
        streaming = asyncio.create_task(application(scope, receive, send))
        head = await asyncio.wait_for(asyncio.shield(opened), PATIENCE)
        streaming.cancel()
        await asyncio.wait([streaming])

    assert (head["type"], head["status"]) == ("http.response.start", 200)
    assert (b"content-type", b"text/event-stream") in [
        (name, value.partition(b";")[0]) for name, value in head["headers"]
    ]


async def test_a_character_that_nothing_stored_contains_is_refused_in_the_uri_of_a_resource(
    web: Web, bearers: Bearers, tenant: str
) -> None:
    async with web(await bearers.make(tenant, "read")) as client:
        answer = await client.get("/v1/resources/vcon", params={"uuid": "a\0b"})

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid")


async def test_a_server_without_tokens_listens_to_its_own_machine_alone(
    make_empty_database: Callable[[], Awaitable[str]], settings: Settings
) -> None:
    url = await make_empty_database()
    connection: OwnerConnection = await asyncpg.connect(url)
    await migrations.migrate(connection)
    await connection.close()
    app = await build(settings.model_copy(update={"database_url": SecretStr(url)}))
    try:
        with pytest.raises(NotServed, match="no token was made yet"):
            await applied(app, settings, "192.0.2.1")
        async with running(await applied(app, settings)) as web, web() as client:
            assert (await client.get("/v1/resources/vcon_ids")).status_code == 200
            assert (await client.get("/metrics")).status_code == 200
    finally:
        await app.close()


@pytest.mark.parametrize("asks", [False, True], ids=["for guests", "for bearers of tokens"])
async def test_a_server_starts_without_its_database_and_serves_it_when_it_comes(
    asks: bool,
    make_empty_database: Callable[[], Awaitable[str]],
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(awaited_server, "_RETRY_SECONDS", 0.0)
    monkeypatch.setattr(access_policy, "_KNOWN_SECONDS", 0.0)
    url = await make_empty_database()
    owner: OwnerConnection = await asyncpg.connect(url)
    await migrations.migrate(owner)
    token = await Bearers(owner).make("somebody") if asks else None
    await owner.close()
    port = free_port()
    way = Proxy(url, port)
    away = settings.model_copy(
        update={"database_url": SecretStr(way.url(port)), "toolsets": ("all",), "data_dir": tmp_path}
    )
    app = await build(away, waits=True)
    try:
        async with running(await applied(app, away)) as web, web(token) as client, web() as guest:
            before = (await client.get("/readyz")).status_code, (await client.get("/healthz")).status_code
            listed = await client.post("/v1/tools/vcon_search", json={"mode": "metadata"})
            status = await post(guest, "session_status")
            await way.start()
            assert (await client.get("/readyz")).status_code == 200
            found = await post(client, "vcon_search", mode="metadata")
            without = await guest.post("/v1/tools/vcon_search", json={"mode": "metadata"})
            await way.cut()
            kept = await post(client, "vcon_search", mode="metadata")
            unknown = await guest.get("/v1/resources/vcon_ids", headers={"authorization": "Bearer vct_x"})
    finally:
        await app.close()

    assert before == (503, 200)
    error = listed.json()["error"]
    assert (error["details"]["reason"], error["details"]["retryable"]) == ("unavailable", True)
    assert (status["success"], status["memory_system_status"]["enabled"]) == (True, False)
    assert found["ok"] is True
    assert without.status_code == (401 if asks else 200)
    assert kept["error"]["details"]["reason"] == "unavailable"
    assert unknown.status_code == (503 if asks else 500)
