"""Read the physical lines of a transcript, numbered from 1, including blank and malformed ones."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, MalformedJson, dump_json, parse_json
from vcontract.runtime.frame.documents.json_values import is_array, is_object

MAX_LINE_BYTES: Final = 32_000_000
"""Longer lines are malformed."""

_BYTE_ORDER_MARK: Final = "\ufeff"
_REPLACEMENT: Final = "\ufffd"
_SURROGATES: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Line:
    """One line, without its newline."""

    number: int
    raw: bytes
    ended: bool = True
    """Whether a newline follows. The last line may still be being written."""

    @property
    def is_blank(self) -> bool:
        return not self.raw or self.raw.isspace()

    def value(self) -> JsonValue:
        """Parse the line, with U+0000 and unpaired surrogates replaced.

        Raises: MalformedJson.
        """
        if len(self.raw) > MAX_LINE_BYTES:
            raise MalformedJson(f"longer than {MAX_LINE_BYTES:,} bytes")
        text = self.raw.decode("utf-8", "replace")
        if self.number == 1:
            text = text.removeprefix(_BYTE_ORDER_MARK)
        return lenient_json(text)

    def record(self) -> JsonObject | None:
        """Return the JSON object of the line; None for other values."""
        try:
            value = self.value()
        except MalformedJson:
            return None
        return value if is_object(value) else None

    @property
    def is_unfinished(self) -> bool:
        """Whether the line is incomplete: no newline, and not yet JSON."""
        if self.ended or self.is_blank:
            return False
        try:
            self.value()
        except MalformedJson:
            return True
        return False


def read_lines(stream: Iterable[bytes], change: Callable[[Line], Line] | None = None) -> Iterator[Line]:
    """Yield the lines of a file, each passed through `change`; omit a last line still being written."""
    for number, raw in enumerate(stream, start=1):
        ended = raw.endswith(b"\n")
        line = Line(number, raw[:-1] if ended else raw, ended)
        if line.is_unfinished:
            return
        yield line if change is None else change(line)


def with_value(line: Line, value: JsonValue) -> Line:
    """Return a line with the same number and the JSON text of this value."""
    return Line(line.number, dump_json(value), line.ended)


def lenient_json(text: str) -> JsonValue:
    """Parse a text, with U+0000 and unpaired surrogates replaced.

    Raises: MalformedJson.
    """
    if "\0" in text:
        text = text.replace("\0", _REPLACEMENT)
    if "\\u" not in text:
        return parse_json(text)
    try:
        value = parse_json(text)
    except MalformedJson:
        # the stricter parser rejects unpaired surrogates
        value = _lenient(text)
    try:
        return _storable(value)
    except RecursionError:
        raise MalformedJson("nested too deep") from None


def _lenient(text: str) -> JsonValue:
    """Parse leniently. Raises: MalformedJson."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise MalformedJson(str(error)) from None


def _refuse_constant(name: str) -> JsonValue:
    raise ValueError(f"{name} is not JSON")


def _storable(value: JsonValue) -> JsonValue:
    """Replace characters that the store cannot contain by U+FFFD."""
    if isinstance(value, str):
        if "\0" in value:
            value = value.replace("\0", _REPLACEMENT)
        if value.isascii():
            return value
        return _SURROGATES.sub(_REPLACEMENT, value)
    if is_array(value):
        return [_storable(element) for element in value]
    if is_object(value):
        return {_storable(name): _storable(member) for name, member in value.items()}
    return value
