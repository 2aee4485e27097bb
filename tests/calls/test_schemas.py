"""Errors for arguments that do not fit the schema."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.sweep import sweep
from vcontract.runtime.frame.calls.schemas import ToolSchemas
from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.frame.documents import violation_messages, violations
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, parse_json
from vcontract.runtime.frame.documents.nearest_names import nearest_name
from vcontract.runtime.frame.documents.violations import ArgumentViolation, argument_problem

SEARCH: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "required": ["query"],
    "properties": {
        "query": {"type": "string"},
        "cursor": {"type": "string"},
        "value": {"anyOf": [{"type": "string"}, {"type": "number"}]},
        "tags": {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}},
        "include": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        "filters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"dealer_id": {"type": "string"}, "party_name": {"type": "string"}},
        },
    },
}


def violation(arguments: JsonObject) -> ArgumentViolation:
    """The one violation of arguments beside a query."""
    schemas = ToolSchemas({"inputSchema": SEARCH, "outputSchema": {}})
    (found,), more = schemas.argument_violations({"query": "x", **arguments})
    assert not more
    return found


@pytest.mark.parametrize("written", ["1.50", "1e-07", "1e5"])
def test_a_number_fits_in_whatever_characters_it_is_written(written: str) -> None:
    schemas = ToolSchemas({"inputSchema": SEARCH, "outputSchema": SEARCH})
    for member in ('"tags": {"score": %s}', '"value": %s'):
        document = parse_json(f'{{"query": "x", {member % written}}}')

        assert schemas.argument_violations(document) == ([], False)
        assert schemas.output_violations(document) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cursor": None}, "Parameter cursor is null; it must be of type string, or left out"),
        ({"value": None}, "Parameter value is null; it must be of type string or number, or left out"),
        (
            {"filters": {"party_name": None}},
            "Parameter filters.party_name is null; it must be of type string, or left out",
        ),
        ({"query": None}, "Parameter query is null; it must be of type string"),
        ({"include": [None]}, "Parameter include[0] is null; it must be of type string"),
        (
            {"include": '["core"]'},
            'Parameter include is "["core"]"; it must be of type array, not JSON in a string',
        ),
        ({"include": "core"}, 'Parameter include is "core"; it must be of type array'),
        ({"cursor": {"a": 1}}, "Parameter cursor is an object of 1 member; it must be of type string"),
    ],
)
def test_a_value_of_a_wrong_kind_is_told_with_what_to_send_instead(
    arguments: JsonObject, message: str
) -> None:
    assert violation(arguments).message == message


SENT_AS_TEXT: JsonObject = {
    **SEARCH,
    "properties": {
        **SEARCH["properties"],
        "limit": {"type": "integer"},
        "exact": {"type": "boolean"},
        "score": {"type": "number"},
        "people": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
        "numbers": {"type": "array", "items": {"type": "integer"}},
        "document": {"type": "object"},
    },
}


@pytest.mark.parametrize(
    ("sent", "taken"),
    [
        ({"include": '["core"]'}, {"include": ["core"]}),
        ({"include": "core"}, {"include": ["core"]}),
        ({"include": ["core"]}, {"include": ["core"]}),
        ({"filters": '{"dealer_id": "7"}'}, {"filters": {"dealer_id": "7"}}),
        ({"tags": '{"team": "red", "year": 2024}'}, {"tags": {"team": "red", "year": 2024}}),
        ({"limit": "3", "exact": "true", "score": "0.5"}, {"limit": 3, "exact": True, "score": 0.5}),
        ({"numbers": "[1, 2]"}, {"numbers": [1, 2]}),
        ({"numbers": ["1", 2]}, {"numbers": [1, 2]}),
        ({"people": '["Ann", "Ben"]'}, {"people": ["Ann", "Ben"]}),
        ({"document": '{"body": "[1]", "n": "3"}'}, {"document": {"body": "[1]", "n": "3"}}),
        # text that is accepted as text stays
        ({"people": "Ann", "query": '["a"]'}, {"people": "Ann", "query": '["a"]'}),
        ({"people": "[1, 2]"}, {"people": "[1, 2]"}),
        ({"people": "[]", "value": "3"}, {"people": "[]", "value": "3"}),
        ({"filters": {"dealer_id": "7"}}, {"filters": {"dealer_id": "7"}}),
        ({"document": {"n": "3"}}, {"document": {"n": "3"}}),
        # and what does not parse is an error
        ({"include": "[core", "limit": "three"}, {"include": "[core", "limit": "three"}),
        ({"limit": "true", "exact": "1"}, {"limit": "true", "exact": "1"}),
        ({"numbers": "1"}, {"numbers": "1"}),
    ],
)
def test_json_that_a_client_sends_as_text_is_parsed_where_no_text_is_accepted(
    sent: JsonObject, taken: JsonObject
) -> None:
    schemas = ToolSchemas({"inputSchema": SENT_AS_TEXT, "outputSchema": {}})

    assert schemas.given({"query": "x", **sent}) == {"query": "x", **taken}


@sweep("tool", sorted(load_package().tools))
def test_a_missing_parameter_that_takes_known_values_names_them(tool: str) -> None:
    schemas = ToolSchemas(load_package().read_contract(tool))
    required: list[str] = schemas.input_schema.get("required", [])
    choices = {name: schemas.input_schema["properties"][name].get("enum") for name in required}

    found, _ = schemas.argument_violations({})

    assert {each.place[0]: list(each.accepted) or None for each in found} == choices
    for each in found:
        assert all(value in each.message for value in each.accepted)


def test_a_list_that_is_too_long_is_told_as_that_alone() -> None:
    assert violation({"include": [1] * 80_000}).message == (
        "Parameter include is a list of 80000; it must be a list of at most 3"
    )


LONG = 500


def with_a_long_value(place: JsonObject) -> Iterator[JsonValue]:
    """For each list and each object in a schema a value in which that one is long and wrong."""
    for form in place.get("anyOf", ()):
        yield from with_a_long_value(form)
    if place.get("type") == "array":
        yield [[[]]] * LONG
        yield [{"\0": 1}] * LONG
        yield from ([value] for value in with_a_long_value(place.get("items", {})))
    if place.get("type") == "object":
        yield {f"name{number}": [[]] for number in range(LONG)}
        for name, inner in place.get("properties", {}).items():
            yield from ({name: value} for value in with_a_long_value(inner))


@sweep("tool", sorted(load_package().tools))
def test_however_much_is_wrong_a_hundred_and_one_violations_are_looked_for(
    tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    described: list[Any] = []

    def noting(place: Any) -> str:
        described.append(place)
        return violations.named(place)

    monkeypatch.setattr(violation_messages, "named", noting)
    schemas = ToolSchemas(load_package().read_contract(tool))

    for arguments in with_a_long_value(schemas.input_schema):
        described.clear()
        found, more = schemas.argument_violations(arguments)

        assert len(described) == len(found) + more
        assert len(found) <= 100


def test_a_parameter_that_belongs_into_another_one_is_told_where() -> None:
    found = violation({"dealer_id": "101"})

    assert "did you mean filters.dealer_id?" in found.message
    assert "suggestion" not in argument_problem([found]).details


@pytest.mark.parametrize(
    ("given", "nearest"),
    [
        ("startDate", "start_date"),
        ("START_DATE", "start_date"),
        ("date_start", "start_date"),
        ("end_time", "end_date"),
        ("party_mail", "party_email"),
        ("limits", "limit"),
        ("vcon_uuid", "uuid"),
        ("delaer_name", "dealer_name"),
        # what they mean is not here
        ("party_phone", None),
        ("agent_name", None),
        ("offset", None),
        # a part of several
        ("party", None),
        ("", None),
        ("x" * 1_000, None),
        (7, None),
    ],
)
def test_the_nearest_name_is_one_that_was_meant(given: JsonValue, nearest: str | None) -> None:
    known = ("start_date", "end_date", "party_name", "party_email", "limit", "uuid", "dealer_name")

    assert nearest_name(given, known) == nearest


def test_a_filter_that_a_tool_does_not_have_is_not_turned_into_another_one() -> None:
    assert nearest_name("dealer_name", ("subject", "party_name", "party_email", "party_tel")) is None
