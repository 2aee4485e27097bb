"""Generated forms of the vCon schema: TypeScript and OpenAPI."""

import json
from importlib.resources import files
from typing import cast

from vcontract.runtime.frame.documents.json import JsonObject


def typescript_types(version: str) -> str:
    """Return the TypeScript types of a version in `VERSIONS`: one module without imports."""
    return _text(version, "vcon.d.ts")


def openapi_document(version: str) -> JsonObject:
    """Return an OpenAPI 3.1 document without paths, with the schema of `version` as components."""
    return cast(JsonObject, json.loads(_text(version, "vcon.openapi.json")))


def _text(version: str, name: str) -> str:
    return (files("vcontract.generated") / "vcon" / version / name).read_text(encoding="utf-8")
