"""What goes on the wire, from what stands in the spec."""

import json

import jsonschema_rs
import pytest

from vcontract.codegen.documents import JsonObject, compact_json
from vcontract.codegen.model import Contract, Tool
from vcontract.codegen.schemas import packed


def tool(contract: Contract, name: str) -> Tool:
    return next(tool for tool in contract.tools if tool.name == name)


def test_an_input_is_closed_and_stands_for_itself(good_contract: Contract) -> None:
    schema = tool(good_contract, "find_notes").input_schema

    assert (schema["type"], schema["additionalProperties"], schema["required"]) == ("object", False, ["word"])
    assert schema["properties"]["kind"] == {
        "type": "string",
        "enum": ["memo", "letter"],
        "description": "Only notes of this sort.",
    }
    assert "$ref" not in compact_json(schema)


def test_a_document_is_open_on_the_wire_and_its_marker_stays_behind(good_contract: Contract) -> None:
    schema = tool(good_contract, "write_note").input_schema

    assert "x-document" not in compact_json(schema)
    assert "additionalProperties" not in schema["properties"]["note"]
    assert schema["properties"]["note"]["properties"]["id"] == {"type": "string", "description": "Its name."}
    assert jsonschema_rs.is_valid(schema, {"note": {"id": "n1", "anything": [None]}})


def test_a_mixin_adds_its_parameters_errors_and_meta(good_contract: Contract) -> None:
    read = tool(good_contract, "read_note")

    assert read.budgeted
    assert list(read.input_schema["properties"]) == ["id", "max_response_bytes"]
    assert read.errors == ("BAD_REQUEST", "NO_SUCH_NOTE", "TOO_LARGE", "FAILED")
    success: JsonObject = read.output_schema["oneOf"][0]
    assert success["required"] == ["ok", "item", "meta"]
    assert success["properties"]["meta"]["required"] == ["response_bytes"]


def test_the_handler_need_not_fill_in_what_a_mixin_puts_into_meta(good_contract: Contract) -> None:
    model = tool(good_contract, "read_note").result_model

    assert model["required"] == ["ok", "item"]
    assert "required" not in model["properties"]["meta"]


@pytest.mark.parametrize(
    ("name", "answer", "fits"),
    [
        ("read_note", {"ok": True, "item": {"id": "1", "kind": "memo"}, "meta": {"response_bytes": 1}}, True),
        ("read_note", {"ok": True, "item": {"id": "1", "kind": "memo"}}, False),
        ("read_note", {"ok": True, "item": {"id": "1"}, "meta": {"response_bytes": 1}}, False),
        (
            "read_note",
            {"ok": False, "error": {"code": "TOO_LARGE", "message": "x", "details": {"a": 1}}},
            True,
        ),
        ("read_note", {"ok": False, "error": {"code": "OTHER", "message": "x"}}, False),
        ("read_note", {"ok": True, "error": {"code": "TOO_LARGE", "message": "x"}}, False),
        ("find_notes", {"ok": True, "items": [], "page": {"next_cursor": None, "count": 0}}, True),
        ("find_notes", {"ok": True, "items": [], "page": {"next_cursor": "x", "count": 0, "new": 1}}, True),
        ("find_notes", {"ok": True, "items": [], "page": {"count": 0}}, False),
        (
            "find_notes",
            {"ok": True, "items": [{"id": "1", "kind": "memo"}], "page": {"next_cursor": None}},
            False,
        ),
        ("write_note", {"success": True, "id": "1", "note": {"id": "1", "kind": "memo"}}, True),
        (
            "write_note",
            {"success": False, "error": "x", "error_code": "FAILED", "suggestions": ["a", {"tool": "b"}]},
            True,
        ),
        ("write_note", {"success": False, "error": "x", "error_code": "TOO_LARGE"}, False),
        ("write_note", {"ok": False, "error": {"code": "FAILED", "message": "x"}}, False),
    ],
)
def test_an_output_schema_takes_its_envelope_and_nothing_else(
    good_contract: Contract, name: str, answer: JsonObject, fits: bool
) -> None:
    schema = tool(good_contract, name).output_schema

    assert (schema["type"], len(schema["oneOf"])) == ("object", 2)
    assert jsonschema_rs.is_valid(schema, answer) is fits


def test_members_beside_a_reference_are_added_to_the_shape(good_contract: Contract) -> None:
    item = tool(good_contract, "find_notes").output_schema["oneOf"][0]["properties"]["items"]["items"]

    assert item["required"] == ["id", "kind", "score"]
    assert list(item["properties"]) == ["id", "kind", "labels", "author", "schema", "score"]


def test_a_shape_used_twice_is_a_definition_and_one_used_once_is_not(good_contract: Contract) -> None:
    assert list(tool(good_contract, "write_note").output_schema["$defs"]) == ["Note"]
    assert "$defs" not in tool(good_contract, "read_note").output_schema


def test_packing_keeps_small_shapes_inline_and_recursive_ones_as_definitions() -> None:
    small: JsonObject = {"type": "string"}
    tree: JsonObject = {"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}}}
    forest: JsonObject = {"type": "array", "items": {"$ref": "#/$defs/Tree"}}
    schema: JsonObject = {
        "properties": {
            "a": {"$ref": "#/$defs/Small"},
            "b": {"$ref": "#/$defs/Small", "description": "Another."},
            "t": {"$ref": "#/$defs/Forest"},
        }
    }

    assert packed(schema, {"Small": small, "Tree": tree, "Forest": forest}) == {
        "properties": {
            "a": {"type": "string"},
            "b": {"type": "string", "description": "Another."},
            "t": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
        },
        "$defs": {"Tree": tree},
    }


def test_errors_come_from_toolset_mixins_and_tool_in_the_order_of_the_file(good_contract: Contract) -> None:
    assert {tool.name: tool.errors for tool in good_contract.tools} == {
        "find_notes": ("BAD_REQUEST", "FAILED"),
        "read_note": ("BAD_REQUEST", "NO_SUCH_NOTE", "TOO_LARGE", "FAILED"),
        "write_note": ("BAD_REQUEST", "FAILED"),
    }


def test_the_sizes_of_responses_are_those_of_the_examples_where_none_were_measured(
    good_files: dict[str, str],
) -> None:
    document: JsonObject = json.loads(good_files["contract/find_notes.json"])

    items = [len(compact_json(item)) for item in document["example"]["items"]]
    assert document["typical_bytes"] == {
        "example": len(compact_json(document["example"])),
        "per_item": round(sum(items) / 2),
    }


def test_a_contract_file_holds_everything_that_goes_on_the_wire(good_files: dict[str, str]) -> None:
    found: JsonObject = json.loads(good_files["contract/desk_write_note.json"])

    assert {name: found[name] for name in list(found)[:11] if name != "description"} == {
        "name": "desk_write_note",
        "toolset": "desk",
        "title": "Write a note",
        "stability": "experimental",
        "since": "1.1",
        "aliases": [],
        "scope": "write",
        "rate_class": "other",
        "envelope": "success",
        "annotations": {
            "readOnlyHint": False,
            "destructiveHint": True,
            "idempotentHint": True,
            "openWorldHint": False,
        },
    }
    assert list(found)[11:15] == ["inputSchema", "listedSchema", "outputSchema", "errors"]
