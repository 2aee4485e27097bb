"""The content of a dialog, analysis or attachment: decoded, and told apart as text or as JSON."""

import base64
import binascii
import re
from dataclasses import dataclass
from email.message import Message

from vcontract.runtime.documents import JsonObject, JsonValue, MalformedJson, parse_json
from vcontract.runtime.vcon.markup import html_text, mail_text, vtt_text

_BASE64URL = re.compile(r"[A-Za-z0-9_+/-]*={0,2}")
_WHITE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class TextBody:
    """Content that is text."""

    text: str


@dataclass(frozen=True, slots=True)
class JsonBody:
    """Content that is a JSON value, whether it was native or JSON text."""

    value: JsonValue


def read_body(element: JsonObject) -> TextBody | JsonBody | None:
    """The content of an element's `body`, or None when there is none that can be read as text.

    No `url` is opened. A missing `encoding` is derived: a body that is no string is JSON, a string is text.
    """
    body: JsonValue = element.get("body")
    if body is None or body == "":
        return None
    if not isinstance(body, str):
        return JsonBody(body)
    given = element.get("mediatype")
    mediatype = given.strip() if isinstance(given, str) else ""
    encoding = element.get("encoding")
    if encoding == "base64url":
        decoded = _decoded_text(body, mediatype)
        return _read_text(decoded, mediatype, is_json=False) if decoded else None
    return _read_text(body, mediatype, is_json=encoding == "json")


def json_of_body(element: JsonObject) -> JsonValue:
    """The JSON value of an element's body: native, in JSON text, or in base64url of that; else None."""
    body: JsonValue = element.get("body")
    if not isinstance(body, str):
        return body
    if element.get("encoding") == "base64url":
        decoded = decode_base64url(body)
        body = "" if decoded is None else decoded.decode("utf-8", "replace")
    try:
        return parse_json(body)
    except MalformedJson:
        return None


def decode_base64url(text: str) -> bytes | None:
    """The bytes, or None when the text is none; the standard alphabet, padding and white space pass."""
    compact = _WHITE.sub("", text)
    if not _BASE64URL.fullmatch(compact):
        return None
    bare = compact.rstrip("=").replace("+", "-").replace("/", "_")
    try:
        return base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4))
    except binascii.Error:
        return None


def _read_text(text: str, mediatype: str, *, is_json: bool) -> TextBody | JsonBody:
    kind = mediatype.partition(";")[0].strip().lower()
    if is_json or _is_json_type(kind) or (not kind and text.lstrip()[:1] in ("{", "[")):
        try:
            return JsonBody(parse_json(text))
        except MalformedJson:
            return TextBody(text)
    if kind in ("text/html", "application/xhtml+xml"):
        return TextBody(html_text(text))
    if kind.startswith("multipart/") or kind == "message/rfc822":
        return TextBody(mail_text(text, mediatype))
    if kind == "text/vtt":
        return TextBody(vtt_text(text))
    return TextBody(text)


def _decoded_text(body: str, mediatype: str) -> str | None:
    """The text in a base64url body, or None when its mediatype is none of text."""
    kind = mediatype.partition(";")[0].strip().lower()
    textual = kind.startswith(("text/", "multipart/")) or kind in ("message/rfc822", "application/xhtml+xml")
    if not textual and not _is_json_type(kind):
        return None
    decoded = decode_base64url(body)
    if decoded is None:
        return None
    try:
        return decoded.decode(_charset(mediatype), "replace")
    except LookupError:
        return decoded.decode("utf-8", "replace")


def _charset(mediatype: str) -> str:
    if "charset" not in mediatype.lower():
        return "utf-8"
    header = Message()
    header["Content-Type"] = mediatype
    return header.get_content_charset("utf-8")


def _is_json_type(kind: str) -> bool:
    return kind == "application/json" or kind.endswith("+json")
