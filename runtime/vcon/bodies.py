"""Decode the content of a dialog, analysis or attachment as text or JSON."""

import base64
import binascii
import re
from dataclasses import dataclass
from email.message import Message
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, MalformedJson, parse_json
from vcontract.runtime.vcon.charsets import decoded
from vcontract.runtime.vcon.html import html_text
from vcontract.runtime.vcon.markup import mail_text, vtt_text

MAX_MARKUP: Final = 4_000_000
"""Maximum characters of HTML, mail and captions to parse; the rest is not searched."""

_MAX_MEDIATYPE_LENGTH: Final = 1_000
_BASE64URL = re.compile(r"[A-Za-z0-9_+/-]*={0,2}")
_WHITE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class TextBody:
    """Content that is text."""

    text: str
    is_cut: bool = False
    """Whether its markup continues beyond the part that was read."""
    language: str | None = None
    """Declared language."""


@dataclass(frozen=True, slots=True)
class JsonBody:
    """Content that is a JSON value, whether it was native or JSON text."""

    value: JsonValue


def read_body(element: JsonObject) -> TextBody | JsonBody | None:
    """Decode an element's `body`; None if it cannot be read as text.

    No `url` is opened. A string that is declared as JSON, or looks like it, is parsed as JSON if possible.
    """
    body: JsonValue = element.get("body")
    if body is None or body == "":
        return None
    if not isinstance(body, str):
        return JsonBody(body)
    given = element.get("mediatype")
    mediatype = given.strip()[:_MAX_MEDIATYPE_LENGTH] if isinstance(given, str) else ""
    encoding = element.get("encoding")
    if encoding == "base64url":
        text = _decoded_text(body, mediatype)
        return _read_text(text, mediatype, is_json=False) if text else None
    return _read_text(body, mediatype, is_json=encoding == "json")


def json_of_body(element: JsonObject) -> JsonValue:
    """Return the JSON value of a body: native, JSON text, or base64url of it; else None."""
    body: JsonValue = element.get("body")
    if not isinstance(body, str):
        return body
    if element.get("encoding") == "base64url":
        data = decode_base64url(body)
        body = "" if data is None else data.decode("utf-8", "replace")
    try:
        return parse_json(body)
    except MalformedJson:
        return None


def decode_base64url(text: str) -> bytes | None:
    """Decode base64url; None if invalid. The standard alphabet, padding and white space are accepted."""
    compact = _WHITE.sub("", text)
    if not _BASE64URL.fullmatch(compact):
        return None
    bare = compact.rstrip("=").replace("+", "-").replace("/", "_")
    try:
        return base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4))
    except binascii.Error:
        return None


def encode_base64url(data: bytes) -> str:
    """Encode bytes without padding."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _read_text(text: str, mediatype: str, *, is_json: bool) -> TextBody | JsonBody:
    kind = mediatype.partition(";")[0].strip().lower()
    if is_json or _is_json_type(kind) or (not kind and text.lstrip()[:1] in ("{", "[")):
        try:
            return JsonBody(parse_json(text))
        except MalformedJson:
            return TextBody(text)
    if (plain := _without_markup(text[:MAX_MARKUP], kind, mediatype)) is not None:
        return TextBody(plain, is_cut=len(text) > MAX_MARKUP)
    return TextBody(text)


def _without_markup(text: str, kind: str, mediatype: str) -> str | None:
    """Extract the words of HTML, mail or captions; None for other text."""
    if kind in ("text/html", "application/xhtml+xml"):
        return html_text(text)
    if kind.startswith("multipart/") or kind == "message/rfc822":
        return mail_text(text, mediatype)
    return vtt_text(text) if kind == "text/vtt" else None


def _decoded_text(body: str, mediatype: str) -> str | None:
    """Decode a base64url body as text; None if it is invalid, or its type is neither text nor JSON."""
    kind = mediatype.partition(";")[0].strip().lower()
    textual = kind.startswith(("text/", "multipart/")) or kind in ("message/rfc822", "application/xhtml+xml")
    if not textual and not _is_json_type(kind):
        return None
    data = decode_base64url(body)
    return None if data is None else decoded(data, _charset(mediatype))


def _charset(mediatype: str) -> str:
    if "charset" not in mediatype.lower():
        return "utf-8"
    header = Message()
    header["Content-Type"] = mediatype
    return header.get_content_charset("utf-8")


def _is_json_type(kind: str) -> bool:
    return kind == "application/json" or kind.endswith("+json")
