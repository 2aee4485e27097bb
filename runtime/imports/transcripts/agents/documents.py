"""Read JSON documents of agents, including truncated ones."""

import json
import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from vcontract.runtime.frame.documents.json import JsonValue, MalformedJson
from vcontract.runtime.frame.documents.json_values import array, is_object, members
from vcontract.runtime.imports.transcripts.agents.declaration import UnexpectedFormat, text
from vcontract.runtime.imports.transcripts.lines import lenient_json

_MAX_SESSION_BYTES: Final = 256 * 1024 * 1024
_SPACE: Final = re.compile(r"[\s,]*")


def bytes_of(path: Path) -> bytes:
    """Read a file.

    Raises: OSError; UnexpectedFormat if it is too large.
    """
    if path.stat().st_size > _MAX_SESSION_BYTES:
        raise UnexpectedFormat(f"has more than the {_MAX_SESSION_BYTES:,} bytes that one session may have")
    return path.read_bytes()


def document_of(path: Path, *names: str) -> tuple[JsonValue, bytes | None]:
    """Parse a file's document. For a truncated one, return the complete part, and the rest as bytes.

    `names` are arrays that may be incomplete; without names the document is an array itself.

    Raises: OSError, UnexpectedFormat.
    """
    written = bytes_of(path).decode("utf-8", "replace")
    try:
        return lenient_json(written), None
    except MalformedJson as error:
        found = _salvaged(written, names)
        if found is None:
            raise UnexpectedFormat(f"is not JSON: {error}") from None
        return found


def _salvaged(written: str, names: tuple[str, ...]) -> tuple[JsonValue, bytes] | None:
    if not names:
        begin = written.find("[")
        elements, rest = _elements(written, begin + 1)
        return (elements, rest) if begin >= 0 and elements else None
    opening = re.search(rf'"({"|".join(names)})"\s*:\s*\[', written)
    if opening is None:
        return None
    elements, rest = _elements(written, opening.end())
    before = written[: opening.start()].rstrip().removesuffix(",")
    try:
        around = members(lenient_json(f"{before}}}"))
    except MalformedJson:
        around = {}
    return {**around, opening[1]: elements}, rest


def _elements(written: str, position: int) -> tuple[list[JsonValue], bytes]:
    """Complete elements of an array, and the remaining bytes."""
    decoder = json.JSONDecoder()
    elements: list[JsonValue] = []
    while (position := _after_space(written, position)) < len(written) and written[position] != "]":
        try:
            element, position = decoder.raw_decode(written, position)
        except (ValueError, RecursionError):
            break
        elements.append(element)
    return elements, written[position:].encode("utf-8", "replace")


def _after_space(written: str, position: int) -> int:
    found = _SPACE.match(written, position)
    return position if found is None else found.end()


def beside(path: Path) -> JsonValue:
    """Parse a file, or the complete part of a truncated one. None if it is missing or not JSON."""
    try:
        return document_of(path)[0]
    except OSError:
        return None


def path_of(uri: JsonValue) -> str | None:
    """Return the path of a `file:` URI, or the path itself, or None."""
    given = text(uri)
    if not given.startswith("file:"):
        return given or None
    try:
        return unquote(urlsplit(given).path) or None
    except ValueError:  # invalid URL with an unclosed bracket
        return None


def output_of(value: JsonValue) -> JsonValue:
    """Parse a text that is a JSON object or array; return other values unchanged."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return lenient_json(value)
    except MalformedJson:
        return value


def texts_of(content: JsonValue, *, join: str = "\n") -> str:
    """Join the text parts of a message."""
    if isinstance(content, str):
        return content
    parts = [content] if is_object(content) else array(content)
    words = (part if isinstance(part, str) else text(members(part).get("text")) for part in parts)
    return join.join(word for word in words if word)
