"""Load the declarations of `spec/formats`, also for formats implemented in code."""

import json
from functools import cache
from importlib.resources import files

from vcontract.runtime.frame.documents.json import JsonObject


@cache
def declarations() -> dict[str, JsonObject]:
    """Every declaration by its format's name."""
    text = (files("vcontract.generated") / "formats.json").read_text(encoding="utf-8")
    return {spec["name"]: spec for spec in json.loads(text)}


def name_and_title(name: str) -> tuple[str, str]:
    """Return name and title of a format implemented in code."""
    spec = declarations()[name]
    return spec["name"], spec["title"]
