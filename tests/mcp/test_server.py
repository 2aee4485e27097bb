"""The MCP server as the official client sees it, in both eras of the protocol."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp import types
from mcp.client import Client
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from tests.conftest import PATIENCE
from vcontract.runtime.frame.calls.dispatch import Dispatcher
from vcontract.runtime.frame.context import Caller, ToolContext
from vcontract.runtime.frame.contract.catalogue import Catalogue, Selection
from vcontract.runtime.frame.contract.package import ContractPackage
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.mcp.server import build_server

Answers = dict[str, Callable[[Any, ToolContext], Awaitable[Any]]]


@pytest.fixture(params=["legacy", "2026-07-28"])
def era(request: pytest.FixtureRequest) -> str:
    era: str = request.param
    return era


@pytest.fixture
def server(package: ContractPackage, dispatcher: Dispatcher, caller: Caller) -> Server[JsonObject]:
    return build_server(Catalogue(package, Selection()), dispatcher, caller)


@pytest.fixture
def connect(server: Server[JsonObject], era: str) -> Callable[[], Client]:
    """A client of the server, to be entered by the test's own task."""
    return lambda: Client(server, mode=era)


async def test_tools_are_listed_in_order_with_the_short_form_of_their_input(
    connect: Callable[[], Client], package: ContractPackage
) -> None:
    async with connect() as client:
        listed = await client.list_tools()

        assert [tool.name for tool in listed.tools] == ["note_fetch", "note_search", "put_note"]
        assert listed.next_cursor is None
        for tool in listed.tools:
            document = package.read_contract(tool.name)
            assert tool.input_schema == document["listedSchema"]
            assert tool.output_schema == document["outputSchema"]
            assert (tool.title, tool.description) == (document["title"], document["description"])
            assert tool.annotations is not None
            assert tool.annotations.model_dump(by_alias=True, exclude_none=True) == document["annotations"]


async def test_any_cursor_of_tools_list_is_invalid(connect: Callable[[], Client]) -> None:
    async with connect() as client:
        with pytest.raises(MCPError) as caught:
            await client.list_tools(cursor="2")

        assert caught.value.error.code == -32602


async def test_the_server_introduces_itself(server: Server[JsonObject]) -> None:
    async with Client(server, mode="legacy") as client:
        assert client.server_info is not None
        info = client.server_info
        assert (info.name, info.title, info.version) == ("fake", "Fake", "3.1.4")
        assert info.website_url == "https://example.org/fake"
        assert info.icons is not None
        assert [icon.src for icon in info.icons] == ["data:image/svg+xml;base64,PHN2Zy8+"]
        assert client.instructions == "Use it well."


async def test_a_modern_client_discovers_the_server(server: Server[JsonObject]) -> None:
    async with Client(server, mode="auto") as client:
        listed = await client.list_tools()

        assert client.protocol_version == "2026-07-28"
        assert client.instructions == "Use it well."
        assert (listed.ttl_ms, listed.cache_scope) == (300_000, "private")


async def test_a_result_is_one_text_block_and_the_same_object(
    connect: Callable[[], Client], answers: Answers
) -> None:
    async def fetch(params: Any, ctx: ToolContext) -> JsonObject:
        return {"ok": True, "item": {"id": params.id, "none": None, "big": 10**20}, "meta": {}}

    answers["note_fetch"] = fetch

    async with connect() as client:
        result = await client.call_tool("note_fetch", {"id": "ß"})

        (block,) = result.content
        assert isinstance(block, types.TextContent)
        assert block.text.startswith('{"ok":true,"item":{"id":"ß","none":null,"big":100000000000000000000}')
        assert result.structured_content is not None
        assert result.structured_content["item"] == {"id": "ß", "none": None, "big": 10**20}
        assert result.structured_content["meta"]["response_bytes"] == len(block.text.encode())
        assert not result.is_error


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("note_fetch", {"id": "1", "filters": {"start": "last week"}}),
        ("note_search", {"mode": "fuzzy"}),
        ("note_fetch", {}),
    ],
)
async def test_a_wrong_argument_is_an_error_in_the_envelope_and_not_of_the_protocol(
    connect: Callable[[], Client], name: str, arguments: JsonObject
) -> None:
    async with connect() as client:
        result = await client.call_tool(name, arguments)

        assert result.is_error
        assert result.structured_content is not None
        assert result.structured_content["error"]["code"] == "INVALID_ARGUMENT"


async def test_an_unknown_tool_is_the_one_error_of_the_protocol(connect: Callable[[], Client]) -> None:
    async with connect() as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("note_fetc", {"id": "1"})

        assert caught.value.error.code == -32602
        assert caught.value.error.message == "Unknown tool: note_fetc; did you mean note_fetch?"
        assert caught.value.error.data == {"tool_name": "note_fetc", "nearest": ["note_fetch", "note_search"]}

        with pytest.raises(MCPError) as long:
            await client.call_tool("x" * 100_000, {})
        assert len(str(long.value.error)) < 400


async def test_nothing_of_an_exception_reaches_the_client(
    connect: Callable[[], Client], answers: Answers
) -> None:
    async def fail(params: Any, ctx: ToolContext) -> JsonObject:
        raise RuntimeError("hunter2")

    answers["note_fetch"] = fail

    async with connect() as client:
        result = await client.call_tool("note_fetch", {"id": "1"})

        assert result.is_error
        assert "hunter2" not in result.model_dump_json()


async def test_progress_is_reported_to_a_request_that_asks_for_it(
    connect: Callable[[], Client], answers: Answers
) -> None:
    reports: list[tuple[float, float | None, str | None]] = []

    async def put(params: Any, ctx: ToolContext) -> JsonObject:
        assert ctx.report_progress is not None
        await ctx.report_progress(1, 2, "half")
        return {"success": True, "id": "1"}

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        reports.append((progress, total, message))

    answers["put_note"] = put

    async with connect() as client:
        result = await client.call_tool("put_note", {"note": {}}, progress_callback=on_progress)

        assert not result.is_error
        assert reports == [(1.0, 2.0, "half")]


async def test_cancellation_interrupts_the_handler_once_and_lets_it_clean_up(
    connect: Callable[[], Client], answers: Answers
) -> None:
    started, cleaned = asyncio.Event(), asyncio.Event()

    async def fetch(params: Any, ctx: ToolContext) -> JsonObject:
        try:
            started.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            # A rollback takes a round trip, and a further interruption here would break it off.
            for _ in range(5):
                await asyncio.sleep(0)
            cleaned.set()
            raise
        raise AssertionError

    answers["note_fetch"] = fetch
    async with connect() as client:
        call = asyncio.create_task(client.call_tool("note_fetch", {"id": "1"}))
        await started.wait()

        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

        await asyncio.wait_for(cleaned.wait(), PATIENCE)


async def test_a_call_has_cleaned_up_before_the_connection_ends(
    connect: Callable[[], Client], answers: Answers
) -> None:
    started = asyncio.Event()
    cleaned: list[bool] = []

    async def fetch(params: Any, ctx: ToolContext) -> JsonObject:
        try:
            started.set()
            await asyncio.Event().wait()
        finally:
            for _ in range(500):
                await asyncio.sleep(0)
            cleaned.append(True)
        raise AssertionError

    answers["note_fetch"] = fetch
    async with connect() as client:
        call = asyncio.create_task(client.call_tool("note_fetch", {"id": "1"}))
        await started.wait()
        call.cancel()
        await asyncio.wait([call])

    assert cleaned == [True]


async def test_a_slow_call_does_not_hold_up_another(connect: Callable[[], Client], answers: Answers) -> None:
    release = asyncio.Event()

    async def fetch(params: Any, ctx: ToolContext) -> JsonObject:
        await release.wait()
        return {"ok": True, "item": {"id": "slow"}, "meta": {}}

    answers["note_fetch"] = fetch
    async with connect() as client:
        slow = asyncio.create_task(client.call_tool("note_fetch", {"id": "1"}))

        quick = await client.call_tool("put_note", {"note": {}})
        release.set()

        assert not quick.is_error
        assert not (await slow).is_error


def test_the_input_schema_of_a_tool_is_found_without_listing_tools(server: Server[JsonObject]) -> None:
    lookup = server.get_tool_input_schema
    assert lookup is not None

    assert lookup("get_note") == lookup("note_fetch")
    assert lookup("unknown") is None
