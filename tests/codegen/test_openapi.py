"""generated/openapi.json and vcon.openapi.json: OpenAPI 3.1 that holds the published schemas."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import jsonschema_rs
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from vcontract.codegen.documents import JsonObject, JsonValue, is_object
from vcontract.codegen.generate import print_files
from vcontract.codegen.load import load_spec
from vcontract.codegen.model import Contract, DocumentSchema
from vcontract.codegen.output import OutputFile
from vcontract.codegen.published import contract_schemas, references
from vcontract.codegen.resolve import resolve
from vcontract.codegen.schemas import subschemas
from vcontract.runtime.frame.documents.json_values import array

COMPONENTS = "#/components/schemas/"
VCON: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "urn:x",
    "type": "object",
    "required": ["a"],
    "properties": {"a": {"$ref": "#/$defs/A", "description": "An a."}},
    "$defs": {"A": {"type": "array", "items": {"$ref": "#/$defs/B"}}, "B": {"type": "integer"}},
}


@pytest.fixture(scope="module")
def contract(good_contract: Contract) -> Contract:
    return replace(good_contract, document_schemas=(DocumentSchema("vcon", "1.0", VCON),))


@pytest.fixture(scope="module")
def documents(contract: Contract) -> Mapping[str, JsonObject]:
    return {file.path: json.loads(file.text) for file in documents_of(contract)}


@pytest.fixture(scope="module")
def real_contract() -> Contract:
    return resolve(load_spec(Path(__file__).resolve().parents[2]))


def documents_of(contract: Contract) -> list[OutputFile]:
    return [file for file in print_files(contract) if file.path.endswith("openapi.json")]


def alone(document: JsonObject, schema: JsonValue) -> JsonObject:
    """`schema` of an OpenAPI document, with all that it may refer to."""
    return {"components": document["components"], "allOf": [schema]}


def test_every_document_is_openapi(documents: Mapping[str, JsonObject]) -> None:
    assert documents.keys() == {"openapi.json", "vcon/1.0/vcon.openapi.json"}
    for document in documents.values():
        assert document["openapi"].startswith("3.1.")
        OpenAPIV31SpecValidator(document).validate()


def test_the_real_documents_are_openapi(real_contract: Contract) -> None:
    documents = documents_of(real_contract)

    assert len(documents) == 1 + len(real_contract.document_schemas)
    for document in documents:
        OpenAPIV31SpecValidator(json.loads(document.text)).validate()


def test_every_tool_is_one_operation(contract: Contract, documents: Mapping[str, JsonObject]) -> None:
    paths: JsonObject = documents["openapi.json"]["paths"]

    assert [path for path in paths if "post" in paths[path]] == [
        f"/tools/{tool.key}" for tool in contract.tools
    ]
    operation = paths["/tools/read_note"]["post"]
    assert (operation["operationId"], operation["summary"], operation["tags"]) == (
        "read_note",
        "Read a note",
        ["notes"],
    )
    assert operation["requestBody"]["content"]["application/json"]["schema"] == {
        "$ref": COMPONENTS + "ReadNoteParams"
    }
    assert operation["requestBody"]["required"] is True


def test_every_resource_is_one_operation_whose_parameters_are_those_of_its_uris(
    contract: Contract, documents: Mapping[str, JsonObject]
) -> None:
    paths: JsonObject = documents["openapi.json"]["paths"]

    assert [path for path in paths if "get" in paths[path]] == [
        f"/resources/{resource.name}" for resource in contract.resources
    ]
    operation = paths["/resources/newest"]["get"]
    assert (operation["operationId"], operation["tags"]) == ("newest_resource", ["notes"])
    assert operation["x-uris"] == ["note://v1/notes/newest", "note://v1/notes/newest/{limit}"]
    assert operation["parameters"] == [
        {
            "name": "limit",
            "in": "query",
            "required": False,
            "description": "Most notes.",
            "schema": {"type": "integer", "minimum": 1, "maximum": 50, "default": 5},
        }
    ]
    content = operation["responses"]["200"]["content"]["application/json"]
    assert content["schema"] == {"$ref": COMPONENTS + "NewestContent"}
    assert content["examples"] == {"example": {"value": {"notes": [{"id": "n1", "kind": "memo"}]}}}
    (id_,) = paths["/resources/note"]["get"]["parameters"]
    assert id_["required"] is True


def test_what_is_read_refers_to_the_shapes_that_tools_answer_with(
    documents: Mapping[str, JsonObject],
) -> None:
    schemas: JsonObject = documents["openapi.json"]["components"]["schemas"]

    assert schemas["NewestContent"]["properties"]["notes"]["items"] == {"$ref": COMPONENTS + "Note"}
    assert schemas["NoteContent"]["description"]


@pytest.mark.parametrize("which", ["contract", "real_contract"])
def test_a_content_component_says_what_the_published_schema_says(
    which: str, request: pytest.FixtureRequest
) -> None:
    given: Contract = request.getfixturevalue(which)
    document = next(json.loads(file.text) for file in documents_of(given) if file.path == "openapi.json")
    for resource in given.resources:
        operation = document["paths"][f"/resources/{resource.name}"]["get"]
        component = operation["responses"]["200"]["content"]["application/json"]["schema"]
        content = resource.example.content if resource.example else {}
        odd: JsonObject = {"vcon": 1, "count": "x", "notes": [{}]}
        for value in (content, {**content, "further": 1}, {}, odd):
            assert jsonschema_rs.is_valid(resource.content, value) is jsonschema_rs.is_valid(
                alone(document, component), value
            ), resource.name


def test_examples_are_those_of_the_spec(documents: Mapping[str, JsonObject]) -> None:
    operation = documents["openapi.json"]["paths"]["/tools/read_note"]["post"]

    assert operation["requestBody"]["content"]["application/json"]["examples"] == {
        "a_memo": {"value": {"id": "n1"}}
    }
    answers = operation["responses"]["200"]["content"]["application/json"]["examples"]
    assert answers["a_memo"]["value"]["item"]["author"] == {"name": "Ada"}
    assert answers["unknown"]["value"] == {
        "ok": False,
        "error": {"code": "NO_SUCH_NOTE", "message": "There is no such note.", "details": {"id": "n9"}},
    }


@pytest.mark.parametrize("which", ["contract", "real_contract"])
def test_every_example_fits_its_schema(which: str, request: pytest.FixtureRequest) -> None:
    given: Contract = request.getfixturevalue(which)
    document = next(json.loads(file.text) for file in documents_of(given) if file.path == "openapi.json")
    for path, item in document["paths"].items():
        operation = item.get("post") or item["get"]
        bodies = [operation[name] for name in ("requestBody",) if name in operation]
        for body in (*bodies, operation["responses"]["200"]):
            content = body["content"]["application/json"]
            validator = jsonschema_rs.Draft202012Validator(alone(document, content["schema"]))
            for name, example in content["examples"].items():
                assert validator.is_valid(example["value"]), (path, name)


@pytest.mark.parametrize(
    ("tool", "answer"),
    [
        ("read_note", {"ok": True, "item": {"id": "1", "kind": "memo"}, "meta": {"response_bytes": 1}}),
        ("read_note", {"ok": True, "item": {"id": "1", "kind": "essay"}, "meta": {"response_bytes": 1}}),
        ("read_note", {"ok": True, "item": {"id": "1", "kind": "memo"}}),
        ("read_note", {"ok": False, "error": {"code": "FAILED", "message": "x"}}),
        ("read_note", {"ok": False, "error": {"code": "OTHER", "message": "x"}}),
        (
            "find_notes",
            {"ok": True, "items": [{"id": "1", "kind": "memo"}], "page": {"next_cursor": None, "count": 1}},
        ),
        (
            "find_notes",
            {
                "ok": True,
                "items": [{"id": "1", "kind": "memo", "score": 1, "labels": {"a": None}}],
                "page": {"next_cursor": None, "count": 1},
            },
        ),
        ("find_notes", {"ok": True, "items": [], "page": {"next_cursor": None, "count": 0}}),
        ("desk_write_note", {"success": True, "id": "1", "note": {"id": "1", "kind": "memo"}}),
        ("desk_write_note", {"success": True, "id": "1", "note": {"id": "1", "kind": "memo"}, "before": {}}),
        ("desk_write_note", {"success": False, "error": "x", "error_code": "FAILED"}),
    ],
)
def test_a_component_says_what_the_wire_schema_says(
    contract: Contract, documents: Mapping[str, JsonObject], tool: str, answer: JsonObject
) -> None:
    document = documents["openapi.json"]
    wire = next(candidate for candidate in contract.tools if candidate.key == tool).output_schema
    operation = document["paths"][f"/tools/{tool}"]["post"]
    component = operation["responses"]["200"]["content"]["application/json"]["schema"]

    assert jsonschema_rs.is_valid(wire, answer) is jsonschema_rs.is_valid(alone(document, component), answer)


def test_a_vcon_document_holds_the_schema_and_its_parts(documents: Mapping[str, JsonObject]) -> None:
    document = documents["vcon/1.0/vcon.openapi.json"]

    assert document["info"]["version"] == "1.0"
    assert document["components"]["schemas"] == {
        "Vcon": {
            "type": "object",
            "required": ["a"],
            "properties": {"a": {"$ref": COMPONENTS + "A", "description": "An a."}},
        },
        "A": {"type": "array", "items": {"$ref": COMPONENTS + "B"}},
        "B": {"type": "integer"},
    }


def test_every_reference_leads_to_a_component(real_contract: Contract) -> None:
    for file in documents_of(real_contract):
        schemas: JsonObject = json.loads(file.text)["components"]["schemas"]
        named = {name for schema in schemas.values() for name in references(schema)}
        assert {name.removeprefix(COMPONENTS) for name in named} <= schemas.keys(), file.path
        assert all(name.startswith(COMPONENTS) for name in named), file.path


def schemas_in(value: JsonValue) -> Iterator[JsonObject]:
    """Every object inside that may be a schema."""
    if is_object(value):
        yield value
    for inner in value.values() if is_object(value) else array(value):
        yield from schemas_in(inner)


def test_readers_of_openapi_find_servers_and_the_entries_of_each_list(
    real_contract: Contract,
) -> None:
    for file in documents_of(real_contract):
        document: JsonObject = json.loads(file.text)

        assert document["servers"][0]["url"] == "{server}/v1"
        lists = [each for each in schemas_in(document["components"]) if each.get("type") == "array"]
        assert lists
        assert [each for each in lists if "items" not in each] == []


@pytest.mark.parametrize(
    ("member", "part", "known"),
    [
        ("parties", "VconParty", "mailto"),
        ("dialog", "VconDialog", "start"),
        ("analysis", "VconAnalysis", "vendor"),
        ("attachments", "VconAttachment", "purpose"),
    ],
)
def test_what_a_conversation_holds_is_described_by_the_schema_of_vcons(
    real_contract: Contract, member: str, part: str, known: str
) -> None:
    (document,) = [
        json.loads(file.text) for file in documents_of(real_contract) if file.path == "openapi.json"
    ]
    schemas: JsonObject = document["components"]["schemas"]
    entries = schemas["VconFetchResult"]["properties"]["item"]["properties"][member]["items"]

    assert entries == {"anyOf": [{"$ref": COMPONENTS + part}, {"type": "object"}]}
    assert known in schemas[part]["properties"]


@pytest.fixture(scope="module")
def real_document(real_contract: Contract) -> JsonObject:
    document: JsonObject = next(
        json.loads(file.text) for file in documents_of(real_contract) if file.path == "openapi.json"
    )
    return document


def operations_of(document: JsonObject) -> list[JsonObject]:
    return [operation for item in document["paths"].values() for operation in item.values()]


def test_each_operation_has_a_name_of_its_own_and_says_what_it_needs(real_document: JsonObject) -> None:
    schemes: JsonObject = real_document["components"]["securitySchemes"]
    names = [operation["operationId"] for operation in operations_of(real_document)]
    empty = [
        operation["operationId"]
        for operation in operations_of(real_document)
        if not operation.get("requestBody", {}).get("required", True)
    ]

    assert len(names) == len(set(names))
    assert {"vcon_capabilities", "session_init"} <= {*empty} < {*names} - {"create_vcon", "vcon_search"}
    assert real_document["security"] == [{"bearer": []}, {}]
    assert (schemes["bearer"]["type"], schemes["bearer"]["scheme"]) == ("http", "bearer")


def test_each_operation_says_what_every_rejection_looks_like(real_document: JsonObject) -> None:
    components: JsonObject = real_document["components"]
    kinds = {"post": set[str](), "get": set[str]()}
    for item in real_document["paths"].values():
        for method, operation in item.items():
            kinds[method].add(" ".join(sorted(operation["responses"])))
            for status, response in operation["responses"].items():
                name: str = response.get("$ref", "").removeprefix("#/components/responses/")
                described = components["responses"][name] if name else response
                assert described["description"], status
                assert described["content"]["application/json"]["schema"], status

    assert kinds == {
        "post": {"200 400 401 403 404 408 413 421 503"},
        "get": {"200 400 401 403 404 421 429 500 503"},
    }


def test_generators_of_clients_meet_no_schema_that_they_cannot_name(real_document: JsonObject) -> None:
    """openapi-python-client rejects rules between members, `false` as a schema and forms without a name."""
    schemas: JsonObject = real_document["components"]["schemas"]
    rules = {"allOf", "not", "if", "then", "else", "patternProperties", "$defs"}

    def unnamed(schema: JsonValue) -> Iterator[str]:
        if isinstance(schema, bool):
            yield "a boolean"
        if is_object(schema):
            yield from rules & schema.keys()
        for pointer, part in subschemas(schema):
            if not (pointer == ("additionalProperties",) and isinstance(part, bool)):
                yield from unnamed(part)

    assert {name: found for name, schema in schemas.items() if (found := [*unnamed(schema)])} == {}
    assert [
        name
        for name, schema in schemas.items()
        if any("$ref" not in form for form in array(schema.get("oneOf", [])) if is_object(form))
    ] == []
    assert "DescribeResponseShapeResult2" in schemas


@pytest.mark.parametrize(
    ("part", "listed"),
    [
        ({"properties": {"a": True, "b": False}}, {"properties": {"a": {}}}),
        ({"properties": {"a": {"items": False}}}, {"properties": {"a": {"items": {}, "maxItems": 0}}}),
        ({"properties": {"a": {"items": True}}}, {"properties": {"a": {"items": {}}}}),
        (
            {"properties": {"a": {"anyOf": [False, {"const": False}]}}},
            {"properties": {"a": {"anyOf": [{"const": False}]}}},
        ),
        ({"additionalProperties": False}, {"additionalProperties": False}),
    ],
)
def test_a_part_of_documents_has_no_boolean_as_a_schema(
    good_contract: Contract, part: JsonObject, listed: JsonObject
) -> None:
    marked: JsonObject = {"type": "object", "x-vcon": "Author"}
    toolset = good_contract.toolsets[0]
    tool = replace(toolset.tools[0], params_model={"type": "object", "properties": {"by": marked}})
    schema: JsonObject = {**VCON, "$defs": {**VCON["$defs"], "Author": part}}
    contract = replace(
        good_contract,
        toolsets=(replace(toolset, tools=(tool,)),),
        document_schemas=(DocumentSchema("vcon", "1.0", schema),),
    )

    assert contract_schemas(contract, has_rules=False)["VconAuthor"] == listed


def test_each_operation_and_each_component_takes_one_line(contract: Contract) -> None:
    text = next(file.text for file in documents_of(contract) if file.path == "openapi.json")
    document: JsonObject = json.loads(text)
    lines = [line.strip().removesuffix(",") for line in text.splitlines()]

    entries = {**document["components"]["schemas"], **document["components"]["responses"]}
    operations = [pair for item in document["paths"].values() for pair in item.items()]
    for name, entry in [*entries.items(), *operations]:
        assert f'"{name}": {json.dumps(entry, ensure_ascii=False)}' in lines
    assert text.endswith("\n}\n")
