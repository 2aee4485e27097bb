"""The places inside a value, each of which a test may change."""

from collections.abc import Iterator

from vcontract.runtime.frame.documents.json import JsonValue
from vcontract.runtime.frame.documents.json_values import array, is_object


def places(value: JsonValue) -> Iterator[tuple[JsonValue, str | int]]:
    """Each container inside, with each of its keys."""
    for key in _keys(value):
        yield value, key
        yield from places(value[key])


def _keys(value: JsonValue) -> list[str] | range:
    return list(value) if is_object(value) else range(len(array(value)))
