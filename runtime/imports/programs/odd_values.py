"""Mend values in exports that JSON, XML or the store cannot hold, instead of refusing the file."""

import json
import re
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, MalformedJson, dump_json, parse_json
from vcontract.runtime.frame.documents.json_values import is_array, is_object

REPLACED: Final = "replaced_characters"
REPLACED_MESSAGE: Final = "Characters that cannot be read or stored, such as half an emoji, became U+FFFD."
_REPLACEMENT: Final = "\ufffd"
_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")
_REFERENCE: Final = re.compile(rb"&#(?:x(?P<hex>[0-9A-Fa-f]{1,8})|(?P<decimal>[0-9]{1,10}));")
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def parse_export(data: bytes | str) -> JsonValue:
    """Parse JSON of an export: half a surrogate pair becomes U+FFFD; NaN and infinities become null.

    Raises: MalformedJson.
    """
    try:
        return parse_json(data)
    except MalformedJson:
        text = data if isinstance(data, str) else data.decode("utf-8-sig", "replace")
        try:
            return mended(json.loads(text, parse_constant=lambda _: None, strict=False))
        except (ValueError, RecursionError):
            pass
        raise


def storable(vcon: JsonObject) -> tuple[JsonObject, bool]:
    """Return a vCon without U+0000 and half surrogate pairs, and whether it has characters in their place."""
    try:
        text = dump_json(vcon)
    except (ValueError, UnicodeError):
        text = b"\\u0000"
    if b"\\u0000" in text:
        vcon = mended(vcon)
        text = dump_json(vcon)
    return vcon, _REPLACEMENT.encode() in text


def mended(value: JsonValue) -> JsonValue:
    """Return the value with U+FFFD for what cannot be stored; the same object if there is nothing to mend."""
    if isinstance(value, str):
        return mended_text(value)
    if is_array(value):
        elements = [mended(each) for each in value]
        return elements if any(a is not b for a, b in zip(elements, value, strict=True)) else value
    if is_object(value):
        pairs: JsonObject = {mended_text(name): mended(each) for name, each in value.items()}
        is_same = len(pairs) == len(value) and all(
            name in value and each is value[name] for name, each in pairs.items()
        )
        return value if is_same else pairs
    return value


def mended_text(text: str) -> str:
    """Join surrogate pairs, and replace halves and U+0000."""
    if text.isascii() and "\0" not in text:
        return text
    if not _UNSTORABLE.search(text):
        return text
    joined = _PAIR.sub(lambda pair: pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le"), text)
    return _UNSTORABLE.sub(_REPLACEMENT, joined)


def mended_xml(data: bytes) -> bytes:
    """Join surrogate pairs in references of XML 1.0, and replace characters that it cannot have."""
    if b"&#" in data:
        data = re.sub(rb"(?:%s)+" % re.sub(rb"\?P<\w+>", b"?:", _REFERENCE.pattern), _characters, data)
    return _CONTROL.sub(_REPLACEMENT.encode(), data)


def _characters(references: re.Match[bytes]) -> bytes:
    """Return a run of references, as characters where one of them is not valid alone."""
    numbers = [
        int(each["hex"], 16) if each["hex"] else int(each["decimal"])
        for each in _REFERENCE.finditer(references[0])
    ]
    if all(_is_valid(number) for number in numbers):
        return references[0]
    text = "".join(
        chr(number) if _is_valid(number) or 0xD800 <= number < 0xE000 else _REPLACEMENT for number in numbers
    )
    return "".join(f"&#{ord(each)};" for each in mended_text(text)).encode()


def _is_valid(number: int) -> bool:
    """Whether XML 1.0 allows a character. Source: XML 1.0, production 2."""
    is_text = 0x20 <= number <= 0x10FFFF and not 0xD800 <= number < 0xE000 and number not in (0xFFFE, 0xFFFF)
    return is_text or number in (9, 10, 13)
