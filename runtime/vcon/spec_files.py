"""The data files of `spec/` that are read at start."""

import json
from importlib.resources import files
from typing import cast

from vcontract.runtime.frame.documents.json import JsonObject


def shipped_text(*parts: str) -> str:
    """The text of a file below `spec/`, as it is installed; `parts` are its folders and its name."""
    place = files("vcontract.spec")
    for part in parts:
        place = place / part
    return place.read_text(encoding="utf-8")


def shipped_json(*parts: str) -> JsonObject:
    """The JSON object in a file below `spec/`."""
    return cast(JsonObject, json.loads(shipped_text(*parts)))


def shipped_yaml(*parts: str) -> JsonObject:
    """The YAML mapping in a file below `spec/`, as plain Python values."""
    return read_yaml(shipped_text(*parts))


def read_yaml(text: str) -> JsonObject:
    """The mapping that a YAML text holds, as plain Python values."""
    from ruamel.yaml import YAML  # the server reads none before a call asks for a template or an example

    return cast(JsonObject, YAML(typ="safe", pure=True).load(text))  # pyright: ignore[reportUnknownMemberType]
