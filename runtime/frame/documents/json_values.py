"""Read JSON values of unknown type as arrays, objects or indices."""

from typing import TypeGuard

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue


def is_array(value: JsonValue) -> TypeGuard[list[JsonValue]]:
    return isinstance(value, list)


def is_object(value: JsonValue) -> TypeGuard[JsonObject]:
    return isinstance(value, dict)


def array(value: JsonValue) -> list[JsonValue]:
    """Return the value if it is an array, else an empty list."""
    return value if is_array(value) else []


def members(value: JsonValue) -> JsonObject:
    """Return the value if it is an object, else an empty one."""
    return value if is_object(value) else {}


def objects(value: JsonValue, first: int = 0) -> list[tuple[int, JsonObject]]:
    """List the objects of an array from index `first` on, with their indices. Empty if it is not an array."""
    return [
        (index, element) for index, element in enumerate(array(value)[first:], first) if is_object(element)
    ]


def as_index(value: JsonValue) -> int | None:
    """Return the value as an index, or None if it is not one. 1.0 is one, as in JSON Schema."""
    if isinstance(value, int):
        return None if isinstance(value, bool) or value < 0 else value
    return int(value) if isinstance(value, float) and value >= 0 and value.is_integer() else None


def error_of(answer: JsonObject) -> JsonObject:
    """Return the error in a tool's response (`code`, `message`, `details`), from either envelope."""
    error: JsonValue = answer.get("error")
    document = members(error) or {
        "code": answer.get("error_code"),
        "message": error,
        "details": answer.get("details"),
    }
    return {**document, "details": members(document.get("details"))}
