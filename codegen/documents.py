"""JSON values in the generator, and how it prints them."""

import hashlib
import json
from collections.abc import Collection
from typing import Any, TypeAlias, TypeGuard

JsonValue: TypeAlias = Any
"""Any JSON value: None, bool, int, float, str, list or dict with string keys."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object, members in the order they were written."""

Pointer: TypeAlias = tuple[str | int, ...]
"""Keys and indexes from a document's root to a value."""


def is_object(value: JsonValue) -> TypeGuard[JsonObject]:
    return isinstance(value, dict)


def is_array(value: JsonValue) -> TypeGuard[list[JsonValue]]:
    return isinstance(value, list)


def print_json(value: JsonValue) -> str:
    """Print indented JSON with a final newline, without ASCII escapes."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def print_entries(value: JsonValue, depth: int, indent: str = "", apart: Collection[str] = ()) -> str:
    """JSON indented down to `depth`; each deeper value takes one line, so that a diff still names it.

    An empty line precedes the members that `apart` names: changes on both sides of it merge.
    """
    if depth == 0 or not value or not (is_object(value) or is_array(value)):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    inner = indent + "  "
    if is_object(value):
        parts = [
            ("\n" if name in apart else "")
            + f"{inner}{json.dumps(name, ensure_ascii=False)}: "
            + print_entries(member, depth - 1, inner, apart)
            for name, member in value.items()
        ]
    else:
        parts = [inner + print_entries(entry, depth - 1, inner, apart) for entry in value]
    first, last = "{}" if is_object(value) else "[]"
    lines = ",\n".join(parts)
    return f"{first}\n{lines}\n{indent}{last}"


def compact_json(value: JsonValue) -> str:
    """Print JSON without white space, as the server sends it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def byte_length(value: JsonValue) -> int:
    """Size of `value` as sent, in bytes."""
    return len(compact_json(value).encode())


def digest_of(value: JsonValue) -> str:
    """`sha256:` and the hex digest of `value`, independent of member order."""
    canonical = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()


def has_pointer(value: JsonValue, pointer: Pointer) -> bool:
    """Whether `pointer` leads to a value inside `value`."""
    try:
        value_at(value, pointer)
    except (KeyError, IndexError, TypeError):
        return False
    return True


def value_at(value: JsonValue, pointer: Pointer) -> JsonValue:
    """The value that `pointer` leads to. Raises: KeyError, IndexError, TypeError."""
    for step in pointer:
        value = value[step]
    return value
