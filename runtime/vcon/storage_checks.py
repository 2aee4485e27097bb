"""Checks that every vCon must pass to be stored, validated or not: top-level types, text and nesting."""

import math
from collections.abc import Iterator
from itertools import chain

from vcontract.runtime.frame.documents.findings import Step, Violation, path_of, quoted
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, print_doubles
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.vcon.identity import parse_uuid

MAX_NESTING = 100
"""Maximum nesting of objects and arrays, including the vCon itself."""

_ARRAYS = ("parties", "dialog", "analysis", "attachments")
_STRINGS = ("vcon", "uuid", "created_at", "updated_at", "subject")
_STRING_ARRAYS = ("extensions", "critical")
_OBJECTS = ("redacted", "amended", "redacted_from", "amended_from")
_SIGNS = (b"\\u0000", b"NaN", b"Infinity")
"""How JSON shows what cannot be stored. A text may contain the same characters."""


def blocking_violations(vcon: JsonValue) -> list[Violation]:
    """Return violations that both validation modes reject; empty if the vCon can be stored.

    It must be an object whose declared members have their types (null counts as absent), with a valid uuid.
    It must not contain U+0000, unpaired surrogates, infinity or NaN, or more than 100 levels. Legacy names
    must already be translated.
    """
    if not is_object(vcon):
        return [Violation("$", "type", f"A vCon is an object; this is {kind_of(vcon)}.")]
    found = list(_declared_types(vcon))
    if not _is_surely_storable(vcon):
        found += _unstorable(vcon)
    return found


def kind_of(value: JsonValue) -> str:
    """Describe the JSON type with its article: `a string`, `null`."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"


def _declared_types(vcon: JsonObject) -> Iterator[Violation]:
    for name, value in vcon.items():
        if value is None:
            continue
        if name in _STRINGS:
            yield from _string(value, name)
        elif name in _ARRAYS:
            yield from _array(value, name, dict, "object")
        elif name in _STRING_ARRAYS:
            yield from _array(value, name, str, "string")
        elif name in _OBJECTS and not is_object(value):
            yield _wrong_type((name,), "an object", value)


def _string(value: JsonValue, name: str) -> Iterator[Violation]:
    if not isinstance(value, str):
        yield _wrong_type((name,), "a string", value)
    elif name == "uuid" and parse_uuid(value) is None:
        cure = "give hex groups of 8-4-4-4-12, or leave uuid out to have one made"
        yield Violation("$.uuid", "format", f"{quoted(value)} is no UUID; {cure}.")


def _array(value: JsonValue, name: str, element_type: type, element_name: str) -> Iterator[Violation]:
    if not is_array(value):
        yield _wrong_type((name,), f"an array of {element_name}s", value)
        return
    for index, element in enumerate(value):
        if not isinstance(element, element_type):
            yield _wrong_type((name, index), f"an {element_name}".replace("an s", "a s"), element)


def _wrong_type(steps: tuple[Step, ...], wanted: str, value: JsonValue) -> Violation:
    return Violation(path_of(steps), "type", f"Must be {wanted}; this is {kind_of(value)}.")


def _is_surely_storable(vcon: JsonObject) -> bool:
    """Quick check that nothing inside is unstorable. False positives are left to `_unstorable`."""
    level: list[JsonValue] = [vcon]
    for _ in range(MAX_NESTING):
        values = [*chain.from_iterable(one.values() if is_object(one) else one for one in level)]
        # a written number that is too large prints as null
        if not all(math.isfinite(value) for value in values if isinstance(value, float)):
            return False
        level = [value for value in values if isinstance(value, (dict, list))]
        if not level:
            break
    else:
        return False
    try:
        text = print_doubles(vcon)
    except ValueError:  # unpaired surrogate
        return False
    return not any(sign in text for sign in _SIGNS)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _unstorable(vcon: JsonObject) -> Iterator[Violation]:
    """Yield each text, number or level that cannot be stored, in document order."""
    # An explicit stack, because documents may be nested deeper than Python's recursion limit.
    waiting: list[tuple[tuple[Step, ...], JsonValue]] = [((), vcon)]
    while waiting:
        steps, value = waiting.pop()
        if isinstance(value, str):
            yield from _bad_text(value, steps, "The string")
        elif isinstance(value, float) and not math.isfinite(value):
            message = "The number is beyond the range of a double, or not a number; JSON has no such value."
            yield Violation(path_of(steps), "infinite_number", message)
        elif is_object(value) or is_array(value):
            if len(steps) >= MAX_NESTING:
                message = f"Nested more than {MAX_NESTING} levels deep; flatten it, or carry it as JSON text."
                yield Violation(path_of(steps), "too_deep", message)
                continue
            inner: list[tuple[tuple[Step, ...], JsonValue]]
            if is_object(value):
                for name in value:
                    yield from _bad_text(name, (*steps, name), "The name of this member")
                inner = [((*steps, name), member) for name, member in value.items()]
            else:
                inner = [((*steps, index), element) for index, element in enumerate(value)]
            waiting.extend(reversed(inner))


def _bad_text(text: str, steps: tuple[Step, ...], what: str) -> Iterator[Violation]:
    if "\0" in text:
        message = f"{what} holds U+0000, which the database cannot keep; remove it or write it another way."
        yield Violation(path_of(steps), "nul_character", message)
    elif not _is_unicode(text):
        message = f"{what} holds half of a surrogate pair, which is no Unicode; write the whole character."
        yield Violation(path_of(steps), "unpaired_surrogate", message)
