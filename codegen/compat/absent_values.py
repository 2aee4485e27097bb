"""What counts as not given, by the dispatcher's own words: `null` and empty values of optional parameters."""

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
    """Whether a null or empty value of a parameter says something; None where it is refused.

    In an object that is open, which is a caller's document, only a null counts as not given.
    """
    holder: JsonObject = {"properties": {"value": schema}, "additionalProperties": not closed}
    if not required and not without_placeholders({"value": value}, holder):
        return False
    return True if shapes.allows(schema, value) else None


def is_cleared(schema: JsonValue, steps: Sequence[str]) -> bool:
    """Whether what is not given is left out of the object at `steps`; in entries of lists it is kept."""
    for step in (step for step in steps if not step.startswith("<")):
        schema = schema.get("properties", {}).get(step) if is_object(schema) else None
    return is_object(schema) and "properties" in schema


def as_called(schema: JsonValue, *, closed: bool) -> JsonValue:
    """`schema` of an optional parameter as calls meet it: null and a least length of one refuse nothing."""
    if not is_object(schema):
        return schema
    met = {name: value for name, value in schema.items() if not (closed and name in _MINIMUMS and value <= 1)}
    if "anyOf" in met:
        branches = [branch for branch in met["anyOf"] if branch != {"type": "null"}]
        met["anyOf"] = [as_called(branch, closed=closed) for branch in branches]
    if is_array(met.get("type")):
        met["type"] = [name for name in met["type"] if name != "null"]
    return met
