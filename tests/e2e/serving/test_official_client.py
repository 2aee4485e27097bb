"""The whole server over stdio, as the official client sees it in both eras of the protocol."""

import asyncio
import json
import uuid
from collections.abc import Callable

import pytest
from mcp import types
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue

Parameters = Callable[..., StdioServerParameters]

PACKAGE = load_package()
DEFAULT = {toolset.id for toolset in PACKAGE.toolsets if toolset.default_on}
TOOLS = [name for name, tool in PACKAGE.tools.items() if tool.toolset in DEFAULT]


async def called(client: Client, name: str, arguments: JsonObject) -> JsonObject:
    """The structured content of a call, after a look at what else a result promises."""
    result = await client.call_tool(name, arguments)
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    content: JsonObject | None = result.structured_content
    assert content is not None
    assert json.loads(block.text) == content
    assert bool(result.is_error) is not content.get("ok", content.get("success"))
    return content


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_a_session_with_every_tool_and_its_errors(parameters: Parameters, era: str) -> None:
    word = f"w{uuid.uuid4().hex}"
    missing = str(uuid.uuid4())

    async with Client(parameters(), mode=era) as client:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == TOOLS
        assert all(tool.output_schema and tool.annotations and tool.title for tool in listed.tools)
        with pytest.raises(MCPError) as unknown_cursor:
            await client.list_tools(cursor="2")
        assert unknown_cursor.value.error.code == -32602

        capabilities = await called(client, "vcon_capabilities", {})
        assert capabilities["item"]["contract"]["name"] == "vcontract"
        shapes = await called(client, "describe_response_shape", {})
        assert [entry["tool_name"] for entry in shapes["items"]] == TOOLS
        schema = await called(client, "get_schema", {})
        assert schema["version"] == capabilities["item"]["vcon"]["latest"]

        created = await called(
            client, "create_vcon", {"vcon_data": {"subject": f"Refund {word}", "parties": [{"name": "Zoë"}]}}
        )
        id_ = created["uuid"]
        assert (await called(client, "get_vcon", {"uuid": id_}))["vcon"]["parties"] == [{"name": "Zoë"}]
        found = await called(client, "vcon_search", {"mode": "keyword", "query": word})
        assert [item["id"] for item in found["items"]] == [id_]
        updated = await called(client, "update_vcon", {"uuid": id_, "updates": {"subject": "💸"}})
        assert updated["changed"] == ["subject"]
        fetched = await called(client, "vcon_fetch", {"id": id_, "include": ["core"]})
        assert fetched["item"]["subject"] == "💸"
        assert (await called(client, "delete_vcon", {"uuid": id_, "confirm": True}))["deleted_uuid"] == id_

        refusals: list[tuple[str, JsonObject, str]] = [
            ("vcon_fetch", {"id": id_}, "NOT_FOUND"),
            ("vcon_fetch", {"id": missing, "include": ["cores"]}, "INVALID_ARGUMENT"),
            ("vcon_fetch", {}, "INVALID_ARGUMENT"),
            ("vcon_search", {"mode": "fuzzy"}, "INVALID_ARGUMENT"),
            ("vcon_search", {"mode": "metadata", "cursor": "damaged"}, "CURSOR_INVALID"),
            ("vcon_search", {"mode": "keyword", "query": "the"}, "AMBIGUOUS_QUERY"),
            ("describe_response_shape", {"tool_name": "vcon_serch"}, "UNKNOWN_TOOL"),
            ("vcon_capabilities", {"verbose": 1}, "INVALID_ARGUMENT"),
            ("get_vcon", {"uuid": missing}, "NOT_FOUND"),
            ("create_vcon", {"vcon_data": {"parties": []}}, "VALIDATION_ERROR"),
            ("update_vcon", {"uuid": missing, "updates": {"subject": "x"}}, "NOT_FOUND"),
            ("delete_vcon", {"uuid": id_, "confirm": True}, "NOT_FOUND"),
            ("get_schema", {"version": "9"}, "VALIDATION_ERROR"),
        ]
        for name, arguments, code in refusals:
            answer = await called(client, name, arguments)
            error = answer["error"]
            assert (error["code"] if isinstance(error, dict) else answer["error_code"]) == code
        with pytest.raises(MCPError) as unknown_tool:
            await client.call_tool("vcon_serch", {})
        assert unknown_tool.value.error.code == -32602
        assert "vcon_search" in unknown_tool.value.error.message

        # none of these takes long enough to report progress; asking for it does no harm
        reports: list[float] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            reports.append(progress)

        quick = await client.call_tool("vcon_capabilities", {}, progress_callback=on_progress)
        assert (bool(quick.is_error), reports) == (False, [])

        ids = [str(uuid.uuid4()) for _ in range(20)]
        subjects = await asyncio.gather(*(write_and_find(client, id_) for id_ in ids))
        assert subjects == [f"of {id_}" for id_ in ids]


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_a_session_with_resources_prompts_and_completion(parameters: Parameters, era: str) -> None:
    id_ = str(uuid.uuid4())
    async with Client(parameters(), mode=era) as client:
        vcon = {"uuid": id_, "subject": "By URI", "parties": [{"name": "Zoë"}]}
        await called(client, "create_vcon", {"vcon_data": vcon})

        (template,) = [
            each
            for each in (await client.list_resource_templates()).resource_templates
            if each.name == "vcon_parties"
        ]
        reference = types.ResourceTemplateReference(type="ref/resource", uri=template.uri_template)
        offered = await client.complete(reference, {"name": "uuid", "value": id_[:13]})
        assert offered.completion.values == [id_]
        read = await client.read_resource(template.uri_template.replace("{uuid}", id_))
        (content,) = read.contents
        assert isinstance(content, types.TextResourceContents)
        assert json.loads(content.text) == {"parties": [{"name": "Zoë"}]}
        with pytest.raises(MCPError) as unknown:
            await client.read_resource(f"vcon://v1/vcons/{uuid.uuid4()}")
        assert unknown.value.error.code == types.INVALID_PARAMS

        listed = {tool.name for tool in (await client.list_tools()).tools}
        for prompt in (await client.list_prompts()).prompts:
            arguments = {each.name: "x" for each in prompt.arguments or [] if each.required}
            (message,) = (await client.get_prompt(prompt.name, arguments)).messages
            assert isinstance(message.content, types.TextContent)
            named = {word.strip(".,:;") for word in message.content.text.split()} & set(TOOLS)
            assert named <= listed


async def write_and_find(client: Client, id_: str) -> str:
    """The subject of a vCon that was stored and then found by a word that no other has."""
    word = f"w{id_.replace('-', '')}"
    vcon = {"uuid": id_, "subject": f"of {id_}", "parties": [{"name": word}]}
    await called(client, "create_vcon", {"vcon_data": vcon})
    (item,) = (await called(client, "vcon_search", {"mode": "keyword", "query": word}))["items"]
    subject: str = item["subject"]
    return subject


async def test_a_client_that_knows_nothing_gets_to_a_conversation(parameters: Parameters) -> None:
    """Only what the server itself says is used: no name of a mode, parameter or member is known before."""
    word = f"w{uuid.uuid4().hex}"
    async with Client(parameters(), mode="auto") as client:
        for number in range(3):  # by somebody who does know
            vcon = {"subject": f"{word} {number}", "parties": [{"name": "A"}]}
            await called(client, "create_vcon", {"vcon_data": vcon})

        assert client.instructions is not None
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        # the instructions name where to start, and how to go on
        named = sorted(
            (client.instructions.index(name), name) for name in tools if name in client.instructions
        )
        recall, fetch, search, start = (name for _, name in named[:4])
        (question_of_recall,) = tools[recall].input_schema["required"]
        evidence = (await client.call_tool(recall, {question_of_recall: word})).structured_content
        assert evidence is not None
        assert evidence["items"]
        assert all(item["subject"].startswith(word) for item in evidence["items"])

        assert not tools[start].input_schema.get("required")
        able = (await called(client, start, {}))["item"]

        mode = next(mode for mode in able["search_modes"] if mode["ranked"])
        (asked,) = mode["requires"]
        switch = next(n for n, p in tools[search].input_schema["properties"].items() if "enum" in p)
        paging = able["pagination_semantics"]
        limit = next(
            n
            for n, p in tools[search].input_schema["properties"].items()
            if p.get("maximum") == paging["max_limit"]
        )
        question: JsonObject = {switch: mode["mode"], asked: word, limit: 2}

        items: list[JsonObject] = []
        cursor: JsonValue = paging["end"]
        while True:
            follow: JsonObject = {} if cursor == paging["end"] else {paging["request_field"]: cursor}
            answer = await called(client, search, {**question, **follow})
            items += answer["items"]
            cursor = answer
            for member in paging["response_field"].split("."):
                cursor = cursor[member]
            if cursor == paging["end"]:
                break
        assert len(items) == 3

        budget = able["byte_budgets"]
        for item in items:
            (handle,) = {n for n in tools[fetch].input_schema["properties"] if n in item} - {"uuid"}
            wanted = able["default_includes"][fetch]
            fetched = await called(
                client,
                fetch,
                {handle: item[handle], "include": wanted, budget["parameter"]: budget["minimum"]},
            )
            assert fetched["item"]["subject"].startswith(word)
