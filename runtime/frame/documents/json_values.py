"""Reading JSON values whose type is not known: arrays, objects, indices."""

from typing import TypeGuard

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue


def is_array(value: JsonValue) -> TypeGuard[list[JsonValue]]:
    return isinstance(value, list)


def is_object(value: JsonValue) -> TypeGuard[JsonObject]:
    return isinstance(value, dict)


def array(value: JsonValue) -> list[JsonValue]:
    """The value itself when it is an array, else an empty one."""
    return value if is_array(value) else []


def members(value: JsonValue) -> JsonObject:
    """The value itself when it is an object, else an empty one."""
    return value if is_object(value) else {}


def objects(value: JsonValue, first: int = 0) -> list[tuple[int, JsonObject]]:
    """The objects in an array from `first` on, each with its index; none when the value is no array."""
    return [
        (index, element) for index, element in enumerate(array(value)[first:], first) if is_object(element)
    ]


def as_index(value: JsonValue) -> int | None:
    """The value as an index, or None when it is none; 1.0 is one, as in JSON Schema."""
    if isinstance(value, int):
        return None if isinstance(value, bool) or value < 0 else value
    return int(value) if isinstance(value, float) and value >= 0 and value.is_integer() else None


def error_of(answer: JsonObject) -> JsonObject:
    """The error that a tool answered: `code`, `message` and `details`, in whichever of the two envelopes."""
    error: JsonValue = answer.get("error")
    told = members(error) or {
        "code": answer.get("error_code"),
        "message": error,
        "details": answer.get("details"),
    }
    return {**told, "details": members(told.get("details"))}
