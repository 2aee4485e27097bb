"""Views inside a chat: listed for clients that support them; other clients see no change at all."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import pytest
from mcp import Client, types
from mcp.client.extension import advertise
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from tests.web import HERE, Bearers, applied, running
from vcontract.runtime.app import App
from vcontract.runtime.frame.calls.call import RequestScope
from vcontract.runtime.frame.calls.resources import ResourceReader
from vcontract.runtime.frame.mcp.apps import EXTENSION, MEDIA_TYPE
from vcontract.runtime.frame.mcp.server import build_server
from vcontract.runtime.pages.apps import render_app
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

VIEWS = {
    "vcon_search": "ui://vcontract/search",
    "vcon_recall": "ui://vcontract/evidence",
    "vcon_fetch": "ui://vcontract/conversation",
    "get_vcon": "ui://vcontract/conversation",
    "vcon_graph_shape": "ui://vcontract/graph",
}
Era = Literal["legacy", "auto"]
Connect = Callable[..., Client]


@pytest.fixture(params=["legacy", "auto"])
def era(request: pytest.FixtureRequest) -> Era:
    found: Era = request.param
    return found


@pytest.fixture
def connect(app: App, era: Era) -> Connect:
    """A client of the whole contract, which says of itself what it is given."""
    server = build_server(app.catalogue, app.dispatcher, app.caller, resources=app.resources)

    def client(settings: dict[str, Any] | None = None) -> Client:
        extensions = None if settings is None else [advertise(EXTENSION, settings)]
        return Client(server, mode=era, extensions=extensions)

    return client


async def listed(client: Client) -> str:
    """Return everything that a client receives before it calls a tool."""
    answers = [
        await client.list_tools(),
        await client.list_resources(),
        await client.list_resource_templates(),
        await client.list_prompts(),
    ]
    return "\n".join(answer.model_dump_json(by_alias=True, exclude_none=True) for answer in answers)


async def test_a_client_that_knows_views_is_told_them_and_reads_them(connect: Connect) -> None:
    async with connect({"mimeTypes": [MEDIA_TYPE]}) as client:
        tools = (await client.list_tools()).tools
        resources = (await client.list_resources()).resources
        read = {uri: (await client.read_resource(uri)).contents[0] for uri in set(VIEWS.values())}

    assert {tool.name: tool.meta["ui"] for tool in tools if tool.meta and "ui" in tool.meta} == {
        name: {"resourceUri": uri} for name, uri in VIEWS.items()
    }
    assert {one.uri for one in resources if one.mime_type == MEDIA_TYPE} == set(VIEWS.values())
    for uri, content in read.items():
        assert isinstance(content, types.TextResourceContents)
        assert (content.uri, content.mime_type) == (uri, MEDIA_TYPE)
        assert content.text.startswith("<!doctype html>")
        assert content.meta is not None
        assert not any(content.meta["ui"]["csp"].values())


@pytest.mark.parametrize(
    "known", [None, {}, {"mimeTypes": []}, {"mimeTypes": ["text/html"]}, {"mimeTypes": "x"}]
)
async def test_a_client_that_does_not_know_views_sees_no_difference_byte_for_byte(
    connect: Connect, app: App, era: Era, known: dict[str, Any] | None
) -> None:
    package = replace(app.catalogue.package, apps={}, read_contract=_without_views(app))
    catalogue = type(app.catalogue)(package, app.catalogue.selection)
    reader = ResourceReader(RequestScope(catalogue, lambda _: None), object())
    before = build_server(catalogue, app.dispatcher, app.caller, resources=reader)

    async with connect({"mimeTypes": [MEDIA_TYPE]}) as knowing, connect(known) as client:
        told_to_the_other = await listed(knowing)
        reported = await listed(client)
        with pytest.raises(MCPError) as refused:
            await client.read_resource("ui://vcontract/search")
    async with Client(before, mode=era) as client:
        without = await listed(client)
        with pytest.raises(MCPError) as refused_before:
            await client.read_resource("ui://vcontract/search")

    assert reported == without
    assert reported != told_to_the_other
    assert refused.value.error == refused_before.value.error


def _without_views(app: App) -> Callable[[str], dict[str, Any]]:
    def read(key: str) -> dict[str, Any]:
        document = app.catalogue.package.read_contract(key)
        return {name: value for name, value in document.items() if name != "ui"}

    return read


async def test_over_http_a_client_is_known_again_though_nothing_of_it_is_kept(
    app: App, settings: Settings, owner: OwnerConnection, tenant: str, era: Era
) -> None:
    token = await Bearers(owner).make(tenant)

    async def tools_with_views(known: dict[str, Any] | None) -> set[str]:
        extensions = None if known is None else [advertise(EXTENSION, known)]
        # each time another process of the deployment, as far as what is kept goes
        async with (
            running(await applied(app, settings)) as web,
            web(token) as http_client,
            Client(
                streamable_http_client(f"{HERE}/mcp", http_client=http_client),
                mode=era,
                extensions=extensions,
            ) as client,
        ):
            if known is not None:
                assert "<script>" in (await client.read_resource("ui://vcontract/graph")).model_dump_json()
            listed = (await client.list_tools()).tools
            return {tool.name for tool in listed if tool.meta and "ui" in tool.meta}

    assert await tools_with_views({"mimeTypes": [MEDIA_TYPE]}) == set(VIEWS)
    assert await tools_with_views(None) == set()


async def test_a_client_that_knows_no_views_gets_no_session(
    app: App, settings: Settings, owner: OwnerConnection, tenant: str
) -> None:
    token = await Bearers(owner).make(tenant)
    first: dict[str, Any] = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "c", "version": EXTENSION},
        },
    }
    headers = {"accept": "application/json, text/event-stream"}

    async with running(await applied(app, settings)) as web, web(token) as client:
        answer = await client.post("/mcp", json=first, headers=headers)

    assert answer.status_code == 200
    assert "mcp-session-id" not in answer.headers


async def test_who_may_not_call_a_tool_is_not_told_its_view(app: App) -> None:
    package = app.catalogue.package
    only = frozenset({"vcon_search"})
    seen = app.catalogue.seen_with(app.caller.scopes, only)

    assert list(seen.apps) == ["ui://vcontract/search"]
    assert {tool for view in package.apps.values() for tool in view.tools} == set(VIEWS)


@pytest.mark.parametrize("view", ["search", "conversation", "graph"])
def test_a_view_holds_all_that_it_needs_and_asks_for_nothing(view: str) -> None:
    html = render_app(view)

    assert f'data-view="{view}"' in html
    assert "default-src 'none'" in html
    assert re.findall(r"<(?:link|img|iframe|script [^>]*src)", html) == []
    assert [
        found for found in re.findall(r"https?://[^\s\"'`)]+", html) if "w3.org/2000/svg" not in found
    ] == []
    assert "innerHTML" not in html
    assert len(html) < 40_000
