"""Placeholders: what clients that must send every parameter send for one that is not given."""

from typing import Final

from vcontract.runtime.documents.json import JsonObject, JsonValue
from vcontract.runtime.documents.values import array, is_object, members

_EMPTY: Final[JsonObject] = {"string": "", "array": [], "object": {}}
_LEAST: Final = {"string": "minLength", "array": "minItems", "object": "minProperties"}
"""By type the keyword for the least length of a value."""


def without_placeholders(arguments: JsonObject, schema: JsonObject) -> JsonObject:
    """The arguments that are given, by an input schema: optional ones that only fill a place are left out.

    Those are a null that the schema does not take; the published default; and an empty text, list or object,
    unless the schema says that the least length is 0. Within an open object, which is a caller's document,
    only such a null is left out.
    """
    required = array(schema.get("required"))
    is_document = schema.get("additionalProperties") is not False
    given: JsonObject = {}
    for name, sent in arguments.items():
        property_ = members(members(schema.get("properties")).get(name))
        value: JsonValue = sent
        if is_object(sent) and "properties" in property_:
            value = without_placeholders(sent, property_)
        is_optional = bool(property_) and name not in required
        if not is_optional or not _fills_a_place(value, property_, is_document=is_document):
            given[name] = value
    return given


def _fills_a_place(value: JsonValue, schema: JsonObject, *, is_document: bool) -> bool:
    if value is None:
        return not _takes_null(schema)
    if is_document:
        return False
    default = schema.get("default")
    return (value == default and isinstance(value, bool) == isinstance(default, bool)) or _is_empty(
        value, schema
    )


def _is_empty(value: JsonValue, schema: JsonObject) -> bool:
    """Whether the value is an empty one of its type, where that is none or says no more than null."""
    type_ = next((name for name, empty in _EMPTY.items() if value == empty), None)
    branch = next((branch for branch in _branches(schema) if branch.get("type") == type_), None)
    if type_ is None or branch is None:
        return False
    least = branch.get(_LEAST[type_])
    return bool(least) or (least is None and not _takes_null(schema))


def _takes_null(schema: JsonObject) -> bool:
    return any(branch.get("type", "null") == "null" for branch in _branches(schema))


def _branches(schema: JsonObject) -> list[JsonObject]:
    """The schemas of one type each, any of which a value may fit."""
    return [members(branch) for branch in array(schema.get("anyOf"))] or [schema]
