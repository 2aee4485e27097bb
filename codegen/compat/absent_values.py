"""Decide which values count as absent, like dispatch: `null` and empty values of optional parameters."""

from collections.abc import Sequence
from typing import Final

from vcontract.codegen.compat.forms import Shapes
from vcontract.codegen.documents import JsonObject, JsonValue, is_array, is_object
from vcontract.runtime.frame.calls.schemas import without_placeholders

SENT_FOR_NOTHING: Final[tuple[JsonValue, ...]] = (None, "", [], {})

_MINIMUMS: Final = ("minLength", "minItems", "minProperties")


def is_given(
    value: JsonValue, schema: JsonValue, shapes: Shapes, *, closed: bool, required: bool = False
) -> bool | None:
    """Whether a null or empty value is meaningful; None if it is rejected.

    In an open object, which is a caller's document, only null counts as absent.
    """
    holder: JsonObject = {"properties": {"value": schema}, "additionalProperties": not closed}
    if not required and not without_placeholders({"value": value}, holder):
        return False
    return True if shapes.allows(schema, value) else None


def is_cleared(schema: JsonValue, steps: Sequence[str]) -> bool:
    """Whether absent values are dropped from the object at `steps`; list entries keep them."""
    for step in (step for step in steps if not step.startswith("<")):
        schema = schema.get("properties", {}).get(step) if is_object(schema) else None
    return is_object(schema) and "properties" in schema


def as_called(schema: JsonValue, *, closed: bool) -> JsonValue:
    """Return `schema` of an optional parameter as calls experience it: null and empty values are accepted."""
    if not is_object(schema):
        return schema
    met = {name: value for name, value in schema.items() if not (closed and name in _MINIMUMS and value <= 1)}
    if "anyOf" in met:
        branches = [branch for branch in met["anyOf"] if branch != {"type": "null"}]
        met["anyOf"] = [as_called(branch, closed=closed) for branch in branches]
    if is_array(met.get("type")):
        met["type"] = [name for name in met["type"] if name != "null"]
    return met
