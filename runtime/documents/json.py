"""JSON documents: their types, and the one way to parse and to print them."""

from typing import Any, TypeAlias

import pydantic_core

JsonValue: TypeAlias = Any
"""Any JSON value: None, bool, int, float, str, list or dict with string keys."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object, members in the order they were given."""


class MalformedJson(ValueError):
    """The text is not JSON; the message names the place (line and column)."""


def parse_json(text: str | bytes) -> JsonValue:
    """The value that `text` holds: integers exact at any size, other numbers as doubles.

    NaN, infinities and unpaired surrogates are refused. A number beyond the range of a double
    becomes an infinity here; `runtime.vcon.conformance` refuses it with its path.

    Raises: MalformedJson.
    """
    try:
        return pydantic_core.from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise MalformedJson(str(error)) from None


def dump_json(value: JsonValue) -> bytes:
    """Compact JSON in UTF-8, members in their order; `parse_json` gives an equal value back."""
    return pydantic_core.to_json(value)
