"""The vCon schema in the other languages that it is published in, as they were generated from it."""

import json
from importlib.resources import files
from typing import cast

from vcontract.runtime.frame.documents.json import JsonObject


def typescript_types(version: str) -> str:
    """The TypeScript types of a version of `VERSIONS`: one module that imports nothing."""
    return _text(version, "vcon.d.ts")


def openapi_document(version: str) -> JsonObject:
    """An OpenAPI 3.1 document without paths, whose components are the schema of `version` and its parts."""
    return cast(JsonObject, json.loads(_text(version, "vcon.openapi.json")))


def _text(version: str, name: str) -> str:
    return (files("vcontract.generated") / "vcon" / version / name).read_text(encoding="utf-8")
