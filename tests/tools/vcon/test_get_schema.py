"""get_schema: one document a version, the one that create_vcon checks against."""

import json
from pathlib import Path

import jsonschema
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from tests.conftest import Call
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, is_object

GENERATED = Path(__file__).parents[3] / "generated"
COMPONENTS = "#/components/schemas/"


@pytest.mark.parametrize(
    ("arguments", "version"),
    [
        ({}, "0.5.0"),
        ({"version": "latest"}, "0.5.0"),
        ({"version": "0.4.0"}, "0.4.0"),
        ({"version": "0.3.0"}, "0.3.0"),
    ],
)
async def test_a_version_is_answered_as_a_whole_schema(
    call: Call, arguments: JsonObject, version: str
) -> None:
    answer = await call("get_schema", **arguments)

    assert (answer["format"], answer["version"]) == ("json_schema", version)
    jsonschema.Draft202012Validator.check_schema(answer["schema"])
    assert all(reference.startswith("#") for reference in references(answer["schema"]))


def references(value: JsonValue) -> list[str]:
    """Every $ref inside."""
    own = [str(value["$ref"])] if is_object(value) and "$ref" in value else []
    inner = value.values() if is_object(value) else array(value)
    return own + [found for element in inner for found in references(element)]


@pytest.mark.parametrize("version", ["0.3.0", "0.4.0", "0.5.0"])
async def test_typescript_is_the_generated_module_of_the_version(call: Call, version: str) -> None:
    answer = await call("get_schema", format="typescript", version=version)

    assert (answer["format"], answer["version"]) == ("typescript", version)
    assert answer["schema"] == (GENERATED / "vcon" / version / "vcon.d.ts").read_text(encoding="utf-8")
    assert answer["schema"].startswith(f"// The vCon syntax, version {version}.\n")


@pytest.mark.parametrize("version", ["0.3.0", "0.4.0", "0.5.0"])
async def test_openapi_has_the_json_schema_as_components(call: Call, version: str) -> None:
    json_schema = (await call("get_schema", version=version))["schema"]

    answer = await call("get_schema", format="openapi", version=version)

    assert (answer["format"], answer["version"]) == ("openapi", version)
    OpenAPIV31SpecValidator(answer["schema"]).validate()
    components = json.loads(
        json.dumps(answer["schema"]["components"]["schemas"]).replace(COMPONENTS, "#/$defs/")
    )
    whole = {name: value for name, value in json_schema.items() if name not in ("$schema", "$id", "$defs")}
    assert _without_any_items(components) == {"Vcon": whole, **json_schema["$defs"]}


def _without_any_items(schema: JsonValue) -> JsonValue:
    """The schema without `items: {}`, which says nothing and which linters of OpenAPI want."""
    if is_object(schema):
        return {
            name: _without_any_items(each) for name, each in schema.items() if (name, each) != ("items", {})
        }
    return [_without_any_items(each) for each in array(schema)] if isinstance(schema, list) else schema


@pytest.mark.parametrize("language", ["json_schema", "typescript", "openapi"])
async def test_the_latest_is_0_5_0_in_every_language(call: Call, language: str) -> None:
    latest = await call("get_schema", format=language, version="latest")

    assert latest["version"] == "0.5.0"
    assert latest == await call("get_schema", format=language, version="0.5.0")


async def test_an_unknown_language_is_refused(call: Call) -> None:
    refused = await call("get_schema", format="protobuf")

    assert refused["error_code"] == "VALIDATION_ERROR"


async def test_an_unknown_version_lists_the_known_ones(call: Call) -> None:
    refused = await call("get_schema", version="0.9.9")

    assert refused["error_code"] == "VALIDATION_ERROR"
    assert refused["details"]["accepted"] == ["0.3.0", "0.4.0", "0.5.0", "latest"]


DIALOG: JsonObject = {"type": "text", "start": "2025-01-01T00:00:00Z", "parties": 0}


@pytest.mark.parametrize("version", ["0.3.0", "0.4.0", "0.5.0"])
@pytest.mark.parametrize(
    ("members", "valid"),
    [
        ({}, True),
        ({"dialog": [DIALOG]}, True),
        ({"dialog": [{**DIALOG, "type": 5}]}, False),
        ({"analysis": [{"type": "summary"}]}, False),
        ({"analysis": [{"type": "summary", "vendor": "x"}]}, True),
        ({"parties": [{"tel": 5}]}, False),
    ],
)
async def test_the_schema_agrees_with_what_create_vcon_refuses(
    call: Call, version: str, members: JsonObject, valid: bool
) -> None:
    schema = (await call("get_schema", version=version))["schema"]
    vcon: JsonObject = {
        "vcon": version,
        "uuid": "01939c3a-6f00-8abc-9def-0123456789ab",
        "created_at": "2025-01-01T00:00:00Z",
        "parties": [{}],
        **({"sessions": [{}]} if version == "0.5.0" else {}),
        **members,
    }

    answer = await call("create_vcon", vcon_data=vcon)

    fits = jsonschema.Draft202012Validator(schema).is_valid(vcon)  # pyright: ignore[reportUnknownMemberType]
    assert fits is answer["success"] is valid
