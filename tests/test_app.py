"""The whole server over a real database: composed from settings, called by the official client."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import types
from mcp.client import Client
from pydantic import SecretStr

from vcontract.runtime.app import App, build
from vcontract.runtime.embedding import minilm
from vcontract.runtime.frame.contract.catalogue import UnknownSelection
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.mcp.server import build_server
from vcontract.runtime.settings import Settings

Built = Callable[..., AbstractAsyncContextManager[App]]


@pytest.fixture
def running(database_url: str, tmp_path: Path) -> Built:
    """Builds the application over the module's database, as a start of the process would."""

    @asynccontextmanager
    async def run(**settings: Any) -> AsyncGenerator[App]:
        app = await build(Settings(database_url=SecretStr(database_url), data_dir=tmp_path, **settings))
        try:
            yield app
        finally:
            await app.close()

    return run


def client_of(app: App, era: str) -> Client:
    return Client(build_server(app.catalogue, app.dispatcher, app.caller), mode=era)


async def call(client: Client, name: str, arguments: JsonObject) -> JsonObject:
    result = await client.call_tool(name, arguments)
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    assert json.loads(block.text) == result.structured_content
    answer: JsonObject = json.loads(block.text)
    return answer


def conversation(number: int) -> JsonObject:
    return {
        "vcon": "0.4.0",
        "subject": f"Refund {number} für Zoë",
        "parties": [{"name": "Zoë"}, {"name": "Agent"}],
        "dialog": [
            {
                "type": "text",
                "start": f"2025-10-{10 + number:02d}T10:00:00Z",
                "parties": [0],
                "body": "I want a refund, bitte. 🙂",
                "mediatype": "text/plain",
                "encoding": "none",
            }
        ],
    }


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_a_conversation_is_stored_found_and_fetched_within_its_budget(running: Built, era: str) -> None:
    async with running() as app, client_of(app, era) as client:
        created = await call(client, "create_vcon", {"vcon_data": conversation(1)})
        fetched = await call(client, "vcon_fetch", {"id": created["uuid"], "include": ["parties", "dialog"]})
        size = fetched["meta"]["response_bytes"]
        arguments = {"id": created["uuid"], "include": ["parties", "dialog"]}
        exact = await call(client, "vcon_fetch", {**arguments, "max_response_bytes": max(size, 1_024)})

    assert created["success"]
    assert fetched["item"]["parties"] == [{"name": "Zoë"}, {"name": "Agent"}]
    assert exact["ok"]


async def test_a_cursor_works_after_a_restart_and_not_after_a_change(running: Built) -> None:
    async with running() as app, client_of(app, "legacy") as client:
        for number in range(4):
            await call(client, "create_vcon", {"vcon_data": conversation(number)})
        first = await call(client, "vcon_search", {"mode": "keyword", "query": "refund", "limit": 2})
    cursor = first["page"]["next_cursor"]

    async with running() as app, client_of(app, "legacy") as client:
        arguments = {"mode": "keyword", "query": "refund", "limit": 1, "cursor": cursor}
        second = await call(client, "vcon_search", arguments)
        other = await call(client, "vcon_search", {**arguments, "query": "bitte"})
        damaged = await call(client, "vcon_search", {**arguments, "cursor": "B" + cursor[1:]})

    assert {item["id"] for item in first["items"]}.isdisjoint(item["id"] for item in second["items"])
    assert other["error"]["details"] == {"reason": "other_query", "changed": ["query"]}
    assert damaged["error"]["details"] == {"reason": "malformed"}


async def test_a_read_only_server_lists_no_tool_that_writes(running: Built) -> None:
    async with running(read_only=True) as app, client_of(app, "legacy") as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        refused = await call(client, "create_vcon", {"vcon_data": conversation(1)})
        capabilities = await call(client, "vcon_capabilities", {})

    assert "vcon_fetch" in listed
    assert "create_vcon" not in listed
    assert refused["error_code"] == "PERMISSION_DENIED"
    assert capabilities["item"]["access"]["read_only"]


async def test_limits_of_the_settings_hold_and_can_be_switched_off(running: Built) -> None:
    async with running(rate_limits={"search": 1}) as app, client_of(app, "legacy") as client:
        limited = [await call(client, "vcon_search", {"mode": "metadata"}) for _ in range(2)]
    async with running(rate_limits=None) as app, client_of(app, "legacy") as client:
        free = [await call(client, "vcon_search", {"mode": "metadata"}) for _ in range(2)]

    assert limited[1]["error"]["code"] == "RATE_LIMIT_EXCEEDED"
    assert limited[1]["error"]["details"]["limit"] == 1
    assert all(answer["ok"] for answer in free)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"toolsets": ("vcom",)}, UnknownSelection, "toolsets: there is no 'vcom'; choose from"),
        ({"exclude_tools": ("create_vcom",)}, UnknownSelection, "exclude_tools: there is no 'create_vcom'"),
        ({"rate_limits": {"serach": 5}}, ValueError, "unknown classes: serach"),
    ],
)
async def test_a_setting_that_names_what_does_not_exist_stops_the_start(
    running: Built, settings: JsonObject, error: type[ValueError], message: str
) -> None:
    with pytest.raises(error, match=message):
        async with running(**settings):
            raise AssertionError


async def test_a_store_goes_on_without_the_package_of_the_model_and_with_a_copy_of_its_file(
    running: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = minilm.find_model()
    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package_of_weights")
    by_meaning: JsonObject = {"mode": "semantic", "query": "She asked to get her money back.", "limit": 50}

    async with running() as app, client_of(app, "legacy") as client:
        created = await call(client, "create_vcon", {"vcon_data": conversation(9)})
        by_words = await call(client, "vcon_search", {"mode": "keyword", "query": "refund 9"})
        refused = await call(client, "vcon_search", by_meaning)
        cure = app.embeddings.model.state.cure
    async with running(embedding_path=copy) as app, client_of(app, "legacy") as client:
        await app.worker.drain(app.caller.tenant)
        found = await call(client, "vcon_search", by_meaning)

    assert created["uuid"] in {item["uuid"] for item in by_words["items"]}
    assert refused["error"]["code"] == "SEMANTIC_UNAVAILABLE"
    assert refused["error"]["details"]["suggestion"] == {"mode": "keyword"}
    assert "VCONTRACT_EMBEDDING_PATH" in cure
    assert created["uuid"] in {item["uuid"] for item in found["items"]}
