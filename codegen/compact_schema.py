"""The short form of an input schema: what a model needs to write a call, at a price it can pay.

A model reads every tool of tools/list before it calls one, so each conversation pays for what the list
says. The whole input schema stays the promise: calls are checked against it, and the contract publishes
it. What the short form omits, the error of a call that needs it reports.
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
"""A maximum from here on is not listed: sensible calls stay below it, and the error of others names it."""


def read_by_model(tool: Tool) -> JsonObject:
    """What a model is given of a tool before it calls any."""
    return {"name": tool.key, "description": tool.description, "inputSchema": tool.listed_schema}


def listed(schema: JsonObject) -> JsonObject:
    """What tools/list shows of a tool's input schema. It accepts every call that `schema` accepts.

    A parameter keeps its description. Its members are listed by name and type, an object among alternatives
    by type alone. Parameters that a client's program sets, and no model, are omitted.
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
            del kept["properties"]  # some model interfaces refuse an object that declares none
    if "anyOf" in kept:
        kept["anyOf"] = [_alternative(form) for form in kept["anyOf"]]
    return map_subschemas(kept, _short)


def _is_unlisted(member: JsonValue) -> bool:
    return is_object(member) and UNLISTED_MARKER in member


def _alternative(form: JsonValue) -> JsonValue:
    return {"type": "object"} if is_object(form) and form.get("type") == "object" else form
