"""Placeholders: clients that must send every parameter send what means that it is not given."""

from collections.abc import AsyncIterator

import pytest

from tests.conftest import Ask, Call
from tests.contract.examples import PACKAGE, examples
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.calls.schemas import without_placeholders
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, parse_json
from vcontract.runtime.frame.documents.json_values import is_object, members
from vcontract.runtime.settings import Settings

CALLS = {tool: example["params"] for tool, example in reversed(examples()) if "error" not in example}
"""By the key of each tool a call that it answers."""


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    """The application with all toolsets."""
    built = await build(settings.model_copy(update={"rate_limits": None, "toolsets": ("all",)}))
    yield built
    await built.close()


def filled_in(arguments: JsonObject, schema: JsonObject) -> JsonObject:
    """The call with every declared parameter, as strict clients make it: what is not given is null."""
    sent: JsonObject = dict.fromkeys(members(schema.get("properties")))
    for name, value in arguments.items():
        property_ = members(members(schema.get("properties")).get(name))
        sent[name] = filled_in(value, property_) if is_object(value) else value
    return sent


def test_every_tool_has_a_call_to_fill_in() -> None:
    assert CALLS.keys() == PACKAGE.tools.keys()


@pytest.mark.parametrize("tool", sorted(CALLS))
async def test_a_call_with_every_parameter_is_answered_as_the_call_without_them(ask: Ask, tool: str) -> None:
    schema = PACKAGE.read_contract(tool)["inputSchema"]
    filled = filled_in(CALLS[tool], schema)
    assert filled.keys() == schema["properties"].keys()

    bare = await ask(tool, **CALLS[tool])
    outcome = await ask(tool, as_tenant=f"other-{tool}", **filled)

    assert (outcome.is_error, outcome.structured.keys()) == (bare.is_error, bare.structured.keys())
    assert members(outcome.structured.get("error")).get("code") == members(bare.structured.get("error")).get(
        "code"
    )
    assert outcome.structured.get("error_code") == bare.structured.get("error_code")
    assert members(outcome.structured.get("details")).get("reason") == members(
        bare.structured.get("details")
    ).get("reason")


@pytest.mark.parametrize(
    "placeholders",
    [
        {"semantic_weight": 0.6},
        {"embedding": [], "cursor": "", "threshold": None},
        {"filters": {}},
        {"filters": {"subject": "", "party_name": None, "start_date": "", "tags": {}}},
        {"limit": 25, "max_response_bytes": 250_000},
    ],
)
async def test_what_fills_a_place_in_a_search_is_as_if_not_given(
    call: Call, placeholders: JsonObject
) -> None:
    bare = await call("vcon_search", mode="keyword", query="refund")

    answer = await call("vcon_search", mode="keyword", query="refund", **placeholders)

    assert answer["ok"]
    assert answer == bare


OPTIONAL: JsonObject = {
    "additionalProperties": False,
    "required": ["needed"],
    "properties": {
        "needed": {"type": "string"},
        "text": {"type": "string"},
        "list": {"type": "array"},
        "arrays": {"type": "array", "minItems": 0},
        "weight": {"type": "number", "default": 0.6},
        "flag": {"type": "boolean", "default": True},
        "value": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "name": {"anyOf": [{"type": "string", "minLength": 1}, {"type": "null"}]},
        "document": {"type": "object", "properties": {"note": {"type": "string"}, "any": {}}},
    },
}


@pytest.mark.parametrize(
    ("sent", "given"),
    [
        ({"text": ""}, {}),
        ({"list": []}, {}),
        ({"document": {}}, {}),
        ({"weight": 0.6, "flag": True}, {}),
        ({"weight": parse_json("0.60")}, {}),
        # what says something
        ({"needed": ""}, {"needed": ""}),
        ({"needed": None}, {"needed": None}),
        ({"weight": 0, "flag": False}, {"weight": 0, "flag": False}),
        ({"flag": 1}, {"flag": 1}),
        ({"arrays": []}, {"arrays": []}),
        ({"value": None}, {"value": None}),
        ({"value": ""}, {"value": ""}),
        ({"name": ""}, {}),
        ({"text": []}, {"text": []}),
        ({"unknown": None}, {"unknown": None}),
        # a document is its owner's, but for what could not be stored in it
        (
            {"document": {"note": "", "any": None, "else": None}},
            {"document": {"note": "", "any": None, "else": None}},
        ),
        ({"document": {"note": None, "any": 1}}, {"document": {"any": 1}}),
    ],
)
def test_only_what_says_nothing_is_left_out(sent: JsonObject, given: JsonValue) -> None:
    assert without_placeholders(sent, OPTIONAL) == given
