"""Short input schemas for tools/list, to save model tokens.

A model reads every tool of tools/list before it calls one, so each conversation pays for what the list says.
Calls are still checked against the complete schema, which the contract publishes. If a call violates an
omitted rule, the error explains it.
"""

from typing import Final

from vcontract.codegen.documents import JsonObject, JsonValue, is_object
from vcontract.codegen.model import Tool
from vcontract.codegen.schemas import UNLISTED_MARKER, map_subschemas, without_markers

_LEFT_OUT: Final = frozenset(
    {
        *("additionalProperties", "minProperties", "maxProperties"),
        *("minLength", "maxLength", "minimum", "minItems", "pattern"),
    }
)
"""Whether an object is closed, what its free members are, least values, sizes beyond sensible calls, and
patterns, which descriptions state in fewer words."""
_LARGE_MAXIMUM: Final = 10_000
"""Maximums from here on are omitted: sensible calls stay below, and the error names them."""


def read_by_model(tool: Tool) -> JsonObject:
    """Everything that a model reads about a tool before calling any."""
    return {"name": tool.key, "description": tool.description, "inputSchema": tool.listed_schema}


def listed(schema: JsonObject) -> JsonObject:
    """Shorten a tool's input schema for tools/list. It accepts every call that `schema` accepts.

    Parameters keep their descriptions. Their members have name and type only, and objects among alternatives
    only their type. Parameters that are set by programs instead of models are omitted.
    """
    properties = {
        name: _parameter(parameter)
        for name, parameter in schema["properties"].items()
        if not _is_unlisted(parameter)
    }
    short: JsonObject = without_markers({**_short(schema), "properties": properties})
    return short


def _parameter(schema: JsonValue) -> JsonValue:
    short = _short(schema)
    return (
        {**short, "description": schema["description"]}
        if is_object(schema) and "description" in schema
        else short
    )


def _short(schema: JsonValue) -> JsonValue:
    if not is_object(schema):
        return schema
    kept = {keyword: value for keyword, value in schema.items() if keyword not in _LEFT_OUT | {"description"}}
    if kept.get("maximum", 0) >= _LARGE_MAXIMUM:
        del kept["maximum"]
    if "properties" in kept:
        kept["properties"] = {
            name: member for name, member in kept["properties"].items() if not _is_unlisted(member)
        }
        if not kept["properties"]:
            del kept["properties"]  # some model APIs reject an object with empty properties
    if "anyOf" in kept:
        kept["anyOf"] = [_alternative(form) for form in kept["anyOf"]]
    return map_subschemas(kept, _short)


def _is_unlisted(member: JsonValue) -> bool:
    return is_object(member) and UNLISTED_MARKER in member


def _alternative(form: JsonValue) -> JsonValue:
    return {"type": "object"} if is_object(form) and form.get("type") == "object" else form
