"""describe_response_shape: what it publishes is what is listed, and its examples are true."""

from pathlib import Path

import jsonschema
import pytest

from tests.conftest import ALL_SCOPES, Call
from vcontract.codegen.lints.tools import model_tokens
from vcontract.codegen.load import load_spec
from vcontract.codegen.schemas import without_markers
from vcontract.codegen.surface import surface_of
from vcontract.runtime.app import App
from vcontract.runtime.frame.calls.dispatch import CallOutcome
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.frame.documents.json_values import array, is_array, is_object, members
from vcontract.runtime.frame.mcp.server import listed_tool

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture
def listed(app: App) -> dict[str, JsonObject]:
    """tools/list: name to the tool as the server lists it."""
    tools = app.catalogue.seen_with(app.caller.scopes).tools
    return {
        name: listed_tool(document).model_dump(mode="json", by_alias=True, exclude_none=True)
        for name, document in tools.items()
    }


async def test_without_a_name_exactly_the_listed_tools_are_described_in_order(
    call: Call, listed: dict[str, JsonObject]
) -> None:
    answer = await call("describe_response_shape")

    assert [entry["tool_name"] for entry in answer["items"]] == list(listed)
    assert answer["page"] == {"next_cursor": None, "count": len(listed)}
    assert all(
        entry.keys() == {"tool_name", "toolset", "title", "envelope", "stability", "typical_bytes"}
        for entry in answer["items"]
    )


async def test_the_schema_of_each_tool_is_the_one_that_is_listed_byte_for_byte(
    call: Call, listed: dict[str, JsonObject]
) -> None:
    for name, tool in listed.items():
        answer = await call("describe_response_shape", tool_name=name, whole=True)

        assert dump_json(answer["item"]["schema"]) == dump_json(tool["outputSchema"])
        assert (answer["item"]["tool_name"], answer["item"]["title"]) == (name, tool["title"])


async def test_tools_and_vcons_are_described_by_the_document_that_the_gate_compares(call: Call) -> None:
    surface = surface_of(load_spec(REPOSITORY))
    for name, tool in surface["tools"].items():
        answer = await call("describe_response_shape", tool_name=name, whole=True)
        if answer["ok"]:  # only what is served is described
            assert answer["item"]["schema"] == without_markers(tool["output"]), name
            assert answer["item"]["arguments_schema"] == without_markers(tool["input"]), name
    for version, schema in surface["vcon"].items():
        assert (await call("get_schema", version=version))["schema"] == schema


async def test_the_arguments_of_each_tool_are_told_whole(call: Call, app: App) -> None:
    for name, tool in app.catalogue.seen_with(app.caller.scopes).tools.items():
        answer = await call("describe_response_shape", tool_name=name, whole=True, include_example=False)

        assert answer["item"]["arguments_schema"] == tool["inputSchema"]


async def test_the_example_of_each_tool_is_a_success_that_fits_its_schema(
    call: Call, listed: dict[str, JsonObject]
) -> None:
    for name in listed:
        item = (await call("describe_response_shape", tool_name=name))["item"]

        jsonschema.validate(item["example"], item["schema"])
        assert item["example"].get("ok", item["example"].get("success")) is True
        assert item["typical_bytes"]["example"] == len(dump_json(item["example"]))
        assert ("per_item" in item["typical_bytes"]) is ("items" in item["example"])


async def test_the_schemas_tell_success_from_error(call: Call, listed: dict[str, JsonObject]) -> None:
    for name in listed:
        item = (await call("describe_response_shape", tool_name=name, whole=True))["item"]

        # an error object cannot pass for a success by claiming to be one
        claims = {"ok": True, "success": True, "error": {"code": "X", "message": "x"}}
        for document in (claims, {}):
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate(document, item["schema"])


MAX_TOKENS = 2_050


async def test_unless_all_is_asked_for_a_tool_is_described_in_few_words_and_as_truly(
    every_toolset: App, tenant: str
) -> None:
    caller = Caller(tenant, ALL_SCOPES)
    described: dict[str, CallOutcome] = {}
    for tool in every_toolset.catalogue.seen_with(ALL_SCOPES).tools:
        arguments = {"tool_name": tool}
        described[tool] = await every_toolset.dispatcher.call("describe_response_shape", arguments, caller)

    costs = {tool: model_tokens(outcome.text) for tool, outcome in described.items()}
    assert {tool: cost for tool, cost in costs.items() if cost >= MAX_TOKENS} == {}
    for tool, outcome in described.items():
        item = outcome.structured["item"]
        published = every_toolset.catalogue.seen_with(ALL_SCOPES).tools[tool]
        jsonschema.validate(item["example"], item["schema"])
        assert members_of(item["schema"]["oneOf"]) == members_of(published["outputSchema"]["oneOf"][:-1])
        arguments = resolved(item["arguments_schema"], item["arguments_schema"])
        assert members_of(arguments) == members_of(published["inputSchema"])
        assert [error["code"] for error in item["errors"]] == published["errors"]


def resolved(schema: JsonValue, root: JsonObject) -> JsonValue:
    """A schema with what its references lead to."""
    if is_array(schema):
        return [resolved(each, root) for each in schema]
    if not is_object(schema):
        return schema
    if "$ref" in schema:
        found: JsonValue = root
        for name in str(schema["$ref"]).split("/")[1:]:
            found = members(found)[name]
        return resolved(found, root)
    return {name: resolved(member, root) for name, member in schema.items()}


def members_of(schema: JsonValue) -> list[str]:
    """The names of the properties that a schema declares, at any depth."""
    inner = array(schema) if is_array(schema) else list(members(schema).values())
    names = list(members(members(schema).get("properties")))
    return [*names, *(name for one in inner for name in members_of(one))]


async def test_the_example_can_be_left_out(call: Call) -> None:
    answer = await call("describe_response_shape", tool_name="vcon_fetch", include_example=False)

    assert "example" not in answer["item"]


async def test_errors_are_those_of_the_tool_with_the_schemas_of_their_details(call: Call) -> None:
    item = (await call("describe_response_shape", tool_name="vcon_fetch", whole=True))["item"]
    errors = {error["code"]: error for error in item["errors"]}

    assert errors.keys() == {
        *("INVALID_ARGUMENT", "PERMISSION_DENIED", "RATE_LIMIT_EXCEEDED", "INTERNAL"),
        *("RESPONSE_TOO_LARGE", "NOT_FOUND"),
    }
    assert errors["RATE_LIMIT_EXCEEDED"]["retryable"] is True
    assert errors["NOT_FOUND"]["retryable"] is False
    answer = await call("vcon_fetch", id="01939c3a-6f00-8abc-9def-0123456789ab")
    jsonschema.validate(answer["error"]["details"], errors["NOT_FOUND"]["details_schema"])


@pytest.mark.parametrize("name", ["vcon_serch", "VCON_SEARCH", "vconSearch"])
async def test_a_misspelled_name_is_unknown_and_the_nearest_are_named(call: Call, name: str) -> None:
    answer = await call("describe_response_shape", tool_name=name)

    assert answer["error"]["code"] == "UNKNOWN_TOOL"
    assert answer["error"]["details"]["tool_name"] == name
    assert answer["error"]["details"]["nearest"][0] == "vcon_search"
    assert len(answer["error"]["details"]["nearest"]) <= 5


async def test_a_tool_that_the_caller_may_not_use_is_unknown_to_them(app: App) -> None:
    reader = Caller("reader", frozenset({"read"}))
    answer = await app.dispatcher.call("describe_response_shape", {"tool_name": "create_vcon"}, reader)

    assert answer.structured["error"]["code"] == "UNKNOWN_TOOL"
    assert "create_vcon" not in answer.structured["error"]["details"]["nearest"]


async def test_an_answer_over_the_budget_names_the_budget_that_it_needs(call: Call) -> None:
    refused = await call("describe_response_shape", tool_name="vcon_search", max_response_bytes=1024)
    suggestion: JsonObject = refused["error"]["details"]["suggestion"]
    answered = await call(
        "describe_response_shape",
        tool_name="vcon_search",
        max_response_bytes=suggestion["max_response_bytes"],
    )

    assert refused["error"]["code"] == "RESPONSE_TOO_LARGE"
    assert answered["ok"]
    assert answered["meta"]["response_bytes"] <= refused["error"]["details"]["estimated_bytes"]
