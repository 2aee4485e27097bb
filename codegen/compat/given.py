"""What counts as not given: values that clients send for a parameter that they must send and do not give.

The dispatcher leaves them out in the same way (`without_placeholders`); a test holds the two together.
"""

from typing import Final

from vcontract.codegen.compat.place import Place
from vcontract.codegen.documents import JsonObject, JsonValue, is_array, is_object

_LEAST: Final = {"string": "minLength", "array": "minItems", "object": "minProperties"}
_EMPTY: Final[JsonObject] = {"string": "", "array": [], "object": {}}

SENT_FOR_NOTHING: Final[tuple[JsonValue, ...]] = (None, "", [], {})


def is_given(value: JsonValue, schema: JsonValue, *, closed: bool) -> bool | None:
    """Whether a null or empty value of an optional parameter says something; None where it is refused.

    In an object that is open, which is a caller's document, only a null counts as not given.
    """
    branches = branches_of(schema)
    takes_null = any(branch.get("type", "null") == "null" for branch in branches)
    if value is None:
        return takes_null
    kind = next(name for name, empty in _EMPTY.items() if value == empty)
    branch = next((branch for branch in branches if branch.get("type") == kind), None)
    if branch is None:
        return None
    least = branch.get(_LEAST[kind])
    if not closed:
        return None if least else True
    return not (least or (least is None and not takes_null))


def arguments_given(arguments: JsonObject, schema: JsonObject) -> JsonObject:
    """The arguments without those that count as not given."""
    closed = schema.get("additionalProperties") is False
    given: JsonObject = {}
    for name, sent in arguments.items():
        member = schema.get("properties", {}).get(name)
        value = arguments_given(sent, member) if is_object(sent) and is_object(member) else sent
        optional = bool(member) and name not in schema.get("required", [])
        if not (optional and _fills_a_place(value, member, closed=closed)):
            given[name] = value
    return given


def is_cleared(schema: JsonValue, place: Place) -> bool:
    """Whether what is not given is left out of the object at `place`; in entries of lists it is not."""
    for step in place.steps:
        if step.kind == "form":
            continue
        schema = schema.get("properties", {}).get(step.name) if is_object(schema) else None
    return is_object(schema) and "properties" in schema


def _fills_a_place(value: JsonValue, schema: JsonValue, *, closed: bool) -> bool:
    default: JsonValue = schema.get("default") if is_object(schema) else None
    if value is None or not closed:
        return value is None and not is_given(None, schema, closed=closed)
    if value == default and isinstance(value, bool) is isinstance(default, bool):
        return True
    return value in ("", [], {}) and value is not False and is_given(value, schema, closed=closed) is False


def without_what_is_not_given(schema: JsonValue, *, closed: bool) -> JsonValue:
    """`schema` of an optional parameter as calls meet it: null and a least length of one refuse nothing."""
    if not is_object(schema):
        return schema
    changed: JsonObject = {}
    for keyword, value in schema.items():
        if keyword == "anyOf":
            kept = [branch for branch in value if not (is_object(branch) and branch.get("type") == "null")]
            changed[keyword] = [without_what_is_not_given(branch, closed=closed) for branch in kept]
        elif keyword == "type" and is_array(value):
            changed[keyword] = [name for name in value if name != "null"]
        elif not (closed and keyword in _LEAST.values() and value <= 1):
            changed[keyword] = value
    return changed


def branches_of(schema: JsonValue) -> list[JsonObject]:
    """The schemas of one type each, any of which a value may fit."""
    branches: list[JsonObject] = schema.get("anyOf", []) if is_object(schema) else []
    return branches or ([schema] if is_object(schema) else [{}])
