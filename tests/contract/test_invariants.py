"""What holds for every tool at once: names, annotations, descriptions, schemas, examples, and their cost."""

import json
import re
from collections.abc import AsyncIterator, Iterator

import jsonschema
import jsonschema_rs
import pytest

from tests.contract.examples import PACKAGE, examples
from tests.sweep import sweep
from vcontract.codegen.documents import compact_json
from vcontract.codegen.lints.tools import model_tokens
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.settings import Settings

MAX_AVERAGE_TOKENS = 160
MAX_TOOL_TOKENS = 400
"""Of name, description and listed schema as compact JSON: estimated here, counted in tests/languages."""

NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
PROPERTY = re.compile(r"[a-z][A-Za-z0-9_]{0,63}")
KEYWORDS = {
    *("type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "description"),
    *(
        "default",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
        "maxProperties",
        "minProperties",
        "format",
        "pattern",
    ),
}
TOOLS = {name: PACKAGE.read_contract(name) for name in sorted(PACKAGE.tools)}


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    """The application with all toolsets, without rate limits."""
    built = await build(settings.model_copy(update={"rate_limits": None, "toolsets": ("all",)}))
    yield built
    await built.close()


every_tool = sweep("name", TOOLS)
REACHING_BEYOND_THE_STORE = {"session_init", "verify_vcon"}


def schemas_of(schema: JsonObject, path: str = "$") -> Iterator[tuple[str, JsonObject]]:
    """A schema and those inside it, with their paths."""
    yield path, schema
    for name, inner in schema.get("properties", {}).items():
        yield from schemas_of(inner, f"{path}.{name}")
    for place in ("items", "additionalProperties"):
        if isinstance(schema.get(place), dict):
            yield from schemas_of(schema[place], f"{path}.{place}()")
    for index, inner in enumerate(schema.get("anyOf", [])):
        yield from schemas_of(inner, f"{path}.anyOf({index})")


@every_tool
def test_names_are_plain_and_bear_the_name_of_their_document(name: str) -> None:
    assert NAME.fullmatch(name)
    assert TOOLS[name]["name"] == name
    assert not set(TOOLS[name]["aliases"]) & TOOLS.keys()


def test_no_name_or_alias_is_used_twice() -> None:
    names = [name for tool in TOOLS.values() for name in (tool["name"], *tool["aliases"])]

    assert len(names) == len(set(names))


@every_tool
def test_all_four_annotations_are_given_and_agree_with_the_scope(name: str) -> None:
    annotations = TOOLS[name]["annotations"]

    assert annotations.keys() == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    assert all(isinstance(value, bool) for value in annotations.values())
    assert annotations["readOnlyHint"] is (TOOLS[name]["scope"] != "write")
    assert not (annotations["readOnlyHint"] and annotations["destructiveHint"])
    assert annotations["openWorldHint"] is (name in REACHING_BEYOND_THE_STORE)


@every_tool
def test_the_first_sentence_of_a_description_stands_alone(name: str) -> None:
    description: str = TOOLS[name]["description"]
    first = re.split(r"(?<=[.])\s", description)[0]

    assert first.endswith(".")
    assert first[0].isupper()
    assert 15 <= len(first) <= 200
    assert description == " ".join(description.split())
    assert TOOLS[name]["title"]
    assert not TOOLS[name]["title"].endswith(".")


@every_tool
def test_an_input_schema_has_nothing_that_model_interfaces_reject(name: str) -> None:
    root: JsonObject = TOOLS[name]["inputSchema"]

    jsonschema.Draft202012Validator.check_schema(root)
    assert root["type"] == "object"
    assert root["additionalProperties"] is False
    assert "properties" in root
    assert "anyOf" not in root
    for path, schema in schemas_of(root):
        assert schema.keys() <= KEYWORDS, path
        assert isinstance(schema.get("type", ""), str), path
        assert "type" in schema or "anyOf" in schema, path
        if schema.get("type") == "array":
            assert "items" in schema, path
        if "enum" in schema:
            assert schema["type"] == "string", path
            assert all(isinstance(value, str) for value in schema["enum"]), path
        if "default" in schema:
            jsonschema.validate(schema["default"], schema)
        for property_, inner in schema.get("properties", {}).items():
            assert PROPERTY.fullmatch(property_), path
            assert inner.get("description"), f"{path}.{property_}"
        assert set(schema.get("required", [])) <= schema.get("properties", {}).keys(), path


@every_tool
def test_an_output_schema_is_one_document_with_a_success_and_an_error(name: str) -> None:
    schema: JsonObject = TOOLS[name]["outputSchema"]

    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    switch = "ok" if TOOLS[name]["envelope"] in ("item", "page") else "success"
    references = re.findall(r'"\$ref": *"([^"]*)"', json.dumps(schema))
    assert all(reference.startswith("#/$defs/") for reference in references)
    assert not [key for _, key in keys_of(schema) if key.startswith("x-")]
    *successes, error = schema["oneOf"]
    assert all(form["properties"][switch]["const"] is True for form in successes)
    assert error["properties"][switch]["const"] is False
    assert all(switch in form["required"] for form in schema["oneOf"])


def keys_of(value: JsonValue, path: str = "$") -> Iterator[tuple[str, str]]:
    if is_object(value):
        for key, member in value.items():
            yield path, key
            yield from keys_of(member, f"{path}.{key}")
    elif is_array(value):
        for element in value:
            yield from keys_of(element, path)


@every_tool
def test_only_known_errors_are_declared(name: str) -> None:
    declared = TOOLS[name]["errors"]

    assert set(declared) <= PACKAGE.errors.keys()
    assert {"PERMISSION_DENIED", "RATE_LIMIT_EXCEEDED"} <= set(declared)
    assert ("RESPONSE_TOO_LARGE" in declared) is (
        "max_response_bytes" in TOOLS[name]["inputSchema"]["properties"]
        and TOOLS[name]["toolset"] == "contract"
    )


EXAMPLES = examples()
REFUSED_BY_ARGUMENTS = {"INVALID_ARGUMENT", "VALIDATION_ERROR"}


def test_every_tool_has_an_example_of_success() -> None:
    assert {tool for tool, example in EXAMPLES if "response" in example} == TOOLS.keys()


@sweep(("tool", "example"), EXAMPLES, ids=[f"{tool}-{e['name']}" for tool, e in EXAMPLES])
def test_the_arguments_of_an_example_are_accepted(tool: str, example: JsonObject) -> None:
    if example.get("error", {}).get("code") in REFUSED_BY_ARGUMENTS:
        assert example["error"]["details"]
    else:
        jsonschema.Draft202012Validator(TOOLS[tool]["inputSchema"]).validate(example["params"])  # pyright: ignore[reportUnknownMemberType]


def test_tools_are_listed_toolset_by_toolset_in_the_order_of_their_names(app: App) -> None:
    listed = app.catalogue.seen_with(app.caller.scopes).tools
    toolsets = [toolset.id for toolset in PACKAGE.toolsets]

    assert list(listed) == sorted(listed, key=lambda name: (toolsets.index(TOOLS[name]["toolset"]), name))


def test_tools_cost_a_model_little_before_it_calls_any() -> None:
    costs = {name: model_tokens(compact_json(shown(tool))) for name, tool in TOOLS.items()}
    dearest_first = sorted(costs.items(), key=lambda cost: -cost[1])
    average = sum(costs.values()) / len(costs)
    table = "\n".join(f"{cost:5}  {name}" for name, cost in dearest_first)
    print(f"{average:5.0f}  tokens a tool\n{table}")

    assert average <= MAX_AVERAGE_TOKENS
    assert dearest_first[0][1] <= MAX_TOOL_TOKENS


def shown(tool: JsonObject) -> JsonObject:
    """What a model is given of a tool."""
    return {name: tool[name] for name in ("name", "description")} | {"inputSchema": tool["listedSchema"]}


@every_tool
def test_what_is_listed_is_the_input_schema_with_less_said(name: str) -> None:
    listed: JsonObject = TOOLS[name]["listedSchema"]
    whole: JsonObject = TOOLS[name]["inputSchema"]

    jsonschema.Draft202012Validator.check_schema(listed)
    unlisted = {"request_key", "embedding"}
    unlisted |= {"max_response_bytes"} if TOOLS[name]["toolset"] == "vcon" else set()
    unlisted |= {"filters", "explain"} if name == "vcon_recall" else set()
    if name.startswith("search_vcons"):
        unlisted |= {"party_role", "analysis_type", "analysis_vendor", "attachment_type"}
    assert listed["properties"].keys() == whole["properties"].keys() - unlisted
    assert listed.get("required") == whole.get("required")
    for parameter, schema in listed["properties"].items():
        assert schema["description"] == whole["properties"][parameter]["description"]
    for path, schema in schemas_of(listed):
        assert schema.keys() <= KEYWORDS, path
        assert "type" in schema or "anyOf" in schema, path
        assert schema.get("type") != "array" or "items" in schema, path
        # some model interfaces refuse an object that declares none; a tool without parameters has to
        assert path == "$" or schema.get("properties") != {}, path


@pytest.mark.parametrize("name", ["vcon_aggregate", "vcon_graph_shape", "vcon_topics", "vcon_trends"])
def test_counting_tools_list_the_filters_of_vcon_search(name: str) -> None:
    search, counting = (
        TOOLS[tool]["listedSchema"]["properties"]["filters"]["properties"] for tool in ("vcon_search", name)
    )

    assert counting == search
    assert {"tags", "party_name", "start_date"} <= counting.keys()


@sweep(("tool", "example"), EXAMPLES, ids=[f"{tool}-{e['name']}" for tool, e in EXAMPLES])
def test_what_is_listed_allows_the_arguments_that_are_accepted(tool: str, example: JsonObject) -> None:
    accepted = jsonschema_rs.is_valid(TOOLS[tool]["inputSchema"], example["params"])

    assert not accepted or jsonschema_rs.is_valid(TOOLS[tool]["listedSchema"], example["params"])
