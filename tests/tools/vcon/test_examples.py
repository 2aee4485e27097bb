"""get_examples: complete vCons that can be stored as they are, as an object or as YAML."""

from itertools import product

import pytest
from ruamel.yaml import YAML

from tests.conftest import Call
from tests.sweep import sweep
from vcontract.runtime.frame.documents.json import JsonValue
from vcontract.runtime.frame.documents.json_values import array, is_object
from vcontract.runtime.vcon.yaml_text import dump_yaml

EXAMPLES = ["minimal", "phone_call", "chat", "email", "video", "full_featured"]
every_example = pytest.mark.parametrize("example", EXAMPLES)


def load_yaml(text: str, version: str) -> JsonValue:
    reader = YAML(typ="safe", pure=True)
    reader.version = version  # pyright: ignore[reportAttributeAccessIssue]
    return reader.load(text)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def is_equal(one: JsonValue, other: JsonValue) -> bool:
    """Equal in value and in type: 1 is neither 1.0 nor true, and a text is no date."""
    if type(one) is not type(other):
        return False
    if is_object(one):
        return list(one) == list(other) and all(is_equal(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(array(one)) == len(array(other)) and all(map(is_equal, array(one), array(other)))
    return bool(one == other)


@every_example
async def test_an_example_goes_through_create_vcon_unchanged(call: Call, example: str) -> None:
    vcon = (await call("get_examples", example_type=example))["vcon"]

    created = await call("create_vcon", vcon_data=vcon)
    stored = await call("get_vcon", uuid=vcon["uuid"])

    assert created["success"], created
    assert created["uuid"] == vcon["uuid"]
    assert created["translated"] == []
    assert created["conformance"]["version"] == "0.4.0"
    assert created["conformance"]["valid"] is True
    assert is_equal(stored["vcon"], vcon)


@every_example
@pytest.mark.parametrize("version", ["1.1", "1.2"])
async def test_the_yaml_of_an_example_loads_back_equal(call: Call, example: str, version: str) -> None:
    as_json = await call("get_examples", example_type=example, format="json")
    as_yaml = await call("get_examples", example_type=example, format="yaml")

    assert (as_json["format"], as_yaml["format"]) == ("json", "yaml")
    assert is_equal(load_yaml(as_yaml["vcon"], version), as_json["vcon"])


async def test_times_are_quoted_in_yaml(call: Call) -> None:
    text = (await call("get_examples", example_type="minimal", format="yaml"))["vcon"]

    assert 'created_at: "2025-09-01T08:00:00Z"\n' in text


async def test_the_default_form_is_json(call: Call) -> None:
    answer = await call("get_examples", example_type="chat")

    assert answer["format"] == "json"
    assert is_object(answer["vcon"])


async def test_an_unknown_example_lists_the_known_ones(call: Call) -> None:
    refused = await call("get_examples", example_type="meeting")

    assert refused["error_code"] == "VALIDATION_ERROR"
    assert refused["details"]["accepted"] == EXAMPLES


VALUES_OF_YAML: list[JsonValue] = [
    *("", " ", "no", "on", "~", "null", "0123", "1e3", "12:30:45", "2025-01-01", "a: b", "# c", "- d"),
    *("two\nlines\n", "\ttab", "tail ", '"quoted"', "back\\slash", "\u00e9\u2028\U0001f62c\x85\x07"),
    *(True, None, 0, -7, 1.5, 0.1 + 0.2, 1e22, 10**20, [], {}, [[]], [None, {"a": []}]),
    {"no": 1, "y": 2, "1": 3, "": 4, "a b": 5, "null": 6, "2025-01-01": 7, "<<": 8, "?": 9},
]


@sweep(("value", "version"), product(VALUES_OF_YAML, ["1.1", "1.2"]))
def test_no_value_changes_its_type_in_yaml(value: JsonValue, version: str) -> None:
    document = {"value": value, "list": [value]}

    assert is_equal(load_yaml(dump_yaml(document), version), document)
