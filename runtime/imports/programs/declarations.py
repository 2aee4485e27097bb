"""The declarations of `spec/formats`, and what they say of formats that code reads."""

import json
from functools import cache
from importlib.resources import files

from vcontract.runtime.frame.documents.json import JsonObject


@cache
def declarations() -> dict[str, JsonObject]:
    """Every declaration by its format's name."""
    text = (files("vcontract.generated") / "formats.json").read_text(encoding="utf-8")
    return {spec["name"]: spec for spec in json.loads(text)}


def told_of(name: str) -> tuple[str, str]:
    """The name and the title of a format that is read by code."""
    spec = declarations()[name]
    return spec["name"], spec["title"]
