"""Envelopes of responses: the form of success and error around a tool's own content."""

from collections.abc import Iterable, Sequence
from typing import Final

from vcontract.codegen.documents import JsonObject, JsonValue
from vcontract.codegen.model import Envelope, Style

STYLE_OF: Final[dict[Envelope, Style]] = {
    "item": "item",
    "page": "item",
    "success": "success",
    "document": "success",
}
"""Which of the two forms of error goes with each envelope."""

_NEXT_CURSOR: Final[JsonObject] = {
    "type": ["string", "null"],
    "description": "Send it back as cursor for the next page; null when nothing follows.",
}


def success_forms(response: JsonObject, meta: JsonObject | None) -> list[JsonObject]:
    """The success objects that `response`, as a tool's file has it, describes; mostly one.

    `meta` is the complete schema of the member `meta`, or None when the response has none.
    """
    envelope: Envelope = response["envelope"]
    if STYLE_OF[envelope] == "success":
        return [_success(response, meta)]
    if envelope == "page":
        return [_page(response, meta)]
    item = _object("ok", {"item": response["item"]}, ["item"], meta)
    return [item, _page(response["list"], meta)] if "list" in response else [item]


def error_form(style: Style, codes: Sequence[str]) -> JsonObject:
    """The error object of a tool that may answer with `codes`."""
    code: JsonObject = {"type": "string", "enum": list(codes)}
    if style == "item":
        error: JsonObject = {
            "type": "object",
            "properties": {"code": code, "message": {"type": "string"}, "details": {"type": "object"}},
            "required": ["code", "message"],
        }
        return {
            "type": "object",
            "properties": {"ok": {"const": False}, "error": error},
            "required": ["ok", "error"],
        }
    return {
        "type": "object",
        "properties": {
            "success": {"const": False},
            "error": {"type": "string"},
            "error_code": code,
            "details": {"type": "object"},
            "suggestions": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "object"}]}},
        },
        "required": ["success", "error", "error_code"],
    }


def error_answer(style: Style, code: str, message: str, details: JsonObject | None) -> JsonObject:
    """An error as a tool answers with it; `details` is left out when there are none."""
    further: JsonObject = {} if details is None else {"details": details}
    if style == "item":
        return {"ok": False, "error": {"code": code, "message": message, **further}}
    return {"success": False, "error": message, "error_code": code, **further}


def one_object(forms: Sequence[JsonObject]) -> JsonObject:
    """One object schema for all `forms`: what is not required in each of them is optional."""
    properties: JsonObject = {}
    for form in forms:
        properties.update(
            {name: schema for name, schema in form["properties"].items() if name not in properties}
        )
    required = [name for name in properties if all(name in form["required"] for form in forms)]
    return {"type": "object", "properties": properties, "required": required}


def merged_meta(parts: Iterable[JsonValue]) -> JsonObject | None:
    """One `meta` of several object schemas; None when there are none."""
    found = [part for part in parts if part is not None]
    if not found:
        return None
    merged: JsonObject = {"type": "object", "properties": {}}
    required: list[str] = []
    for part in found:
        merged["properties"].update(part.get("properties", {}))
        required.extend(part.get("required", []))
    return {**merged, "required": required} if required else merged


def _page(response: JsonObject, meta: JsonObject | None) -> JsonObject:
    own: JsonObject = response.get("page", {})
    page: JsonObject = {
        "type": "object",
        "properties": {"next_cursor": _NEXT_CURSOR, **own.get("properties", {})},
        "required": ["next_cursor", *own.get("required", [])],
    }
    items: JsonObject = {"type": "array", "items": response["item"]}
    return _object("ok", {"items": items, "page": page}, ["items", "page"], meta)


def _success(response: JsonObject, meta: JsonObject | None) -> JsonObject:
    return _object("success", response.get("properties", {}), response.get("required", []), meta)


def _object(
    flag: str, properties: JsonObject, required: Sequence[str], meta: JsonObject | None
) -> JsonObject:
    members: JsonObject = {flag: {"const": True}, **properties}
    needed = [flag, *required]
    if meta is not None:
        members["meta"] = meta
        if meta.get("required"):
            needed.append("meta")
    return {"type": "object", "properties": members, "required": needed}
