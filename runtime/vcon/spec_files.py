"""Load data files of `spec/`."""

import json
from importlib.resources import files
from typing import cast

from vcontract.runtime.frame.documents.json import JsonObject


def shipped_text(*parts: str) -> str:
    """Return the text of an installed file below `spec/`; `parts` are its folders and name."""
    place = files("vcontract.spec")
    for part in parts:
        place = place / part
    return place.read_text(encoding="utf-8")


def shipped_json(*parts: str) -> JsonObject:
    """Load a JSON object from a file below `spec/`."""
    return cast(JsonObject, json.loads(shipped_text(*parts)))


def shipped_yaml(*parts: str) -> JsonObject:
    """Load a YAML mapping from a file below `spec/`, as plain Python values."""
    return read_yaml(shipped_text(*parts))


def read_yaml(text: str) -> JsonObject:
    """Parse a YAML mapping to plain Python values."""
    from ruamel.yaml import YAML  # imported here, because most servers need it late

    return cast(JsonObject, YAML(typ="safe", pure=True).load(text))  # pyright: ignore[reportUnknownMemberType]
