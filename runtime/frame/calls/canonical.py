"""Canonical JSON of arguments, the input of digests."""

import json
from typing import cast

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, WrittenNumber


def canonical(value: JsonValue) -> bytes:
    """Print equal JSON values equally: members are sorted, and 1.0 is written as 1."""
    text = json.dumps(_plain_numbers(value), sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8")


def _plain_numbers(value: JsonValue) -> JsonValue:
    if isinstance(value, WrittenNumber):
        value = value.value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {name: _plain_numbers(member) for name, member in cast("JsonObject", value).items()}
    if isinstance(value, list | tuple):
        return [_plain_numbers(element) for element in cast("list[JsonValue]", value)]
    return value
