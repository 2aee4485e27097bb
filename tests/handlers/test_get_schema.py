"""get_schema: one document a version, the one that create_vcon checks against."""

from collections.abc import Awaitable, Callable

import jsonschema
import pytest

from vcontract.runtime.documents import JsonObject, JsonValue
from vcontract.runtime.vcon.values import array, is_object

Call = Callable[..., Awaitable[JsonObject]]


@pytest.mark.parametrize(
    ("arguments", "version"),
    [
        ({}, "0.4.0"),
        ({"version": "latest"}, "0.4.0"),
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


async def test_an_unknown_version_lists_the_known_ones(call: Call) -> None:
    refused = await call("get_schema", version="0.9.9")

    assert refused["error_code"] == "VALIDATION_ERROR"
    assert refused["details"]["accepted"] == ["0.3.0", "0.4.0", "latest"]


DIALOG: JsonObject = {"type": "text", "start": "2025-01-01T00:00:00Z", "parties": 0}


@pytest.mark.parametrize("version", ["0.3.0", "0.4.0"])
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
        **members,
    }

    answer = await call("create_vcon", vcon_data=vcon)

    fits = jsonschema.Draft202012Validator(schema).is_valid(vcon)  # pyright: ignore[reportUnknownMemberType]
    assert fits is answer["success"] is valid
