"""Values and schemas as findings show them, and as comparisons hold them against each other."""

import json
from collections.abc import Iterable

from vcontract.codegen.compat.forms import NOT_COMPARED, JsonType
from vcontract.codegen.documents import JsonValue, compact_json, is_object
from vcontract.codegen.schemas import map_subschemas

ABSENT = ""
"""The text of what is not there."""


def canonical(value: JsonValue) -> str:
    """Equal for equal JSON values; keeps 1 and true apart, which Python does not."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def schema_text(schema: JsonValue) -> str:
    """A schema without its words: "any" when everything is valid."""
    bare = without_words(schema)
    return "any" if bare is True or bare == {} else "nothing" if bare is False else compact_json(bare)


def without_words(schema: JsonValue) -> JsonValue:
    """`schema` with nothing but what decides what is valid, at every depth."""
    if not is_object(schema):
        return schema
    kept = {
        keyword: value
        for keyword, value in schema.items()
        if keyword not in NOT_COMPARED or keyword == "$defs"
    }
    return map_subschemas(kept, without_words)


def types_text(types: Iterable[JsonType]) -> str:
    """The names of types as a schema writes them."""
    given = set(types)
    if {"integer", "fraction"} <= given:
        given = given - {"integer", "fraction"} | {"number"}
    return ", ".join(sorted(given)) or "nothing"


def keyword_text(schema: JsonValue, keyword: str) -> str:
    """`maxLength 128`, or empty when the schema does not say."""
    if not is_object(schema) or keyword not in schema:
        return ABSENT
    value = schema[keyword]
    return f"{keyword} {value if isinstance(value, str) else compact_json(value)}"
