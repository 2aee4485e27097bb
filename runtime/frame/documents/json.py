"""JSON documents: their types, and the one way to parse and to print them, numbers as they were written."""

import json
import re
import secrets
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final, Self, TypeAlias, cast

import pydantic_core
from pydantic_core import SchemaSerializer, core_schema

JsonValue: TypeAlias = Any
"""Any JSON value: None, bool, int, float, str, list or dict with string keys."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object, members in the order they were given."""

_NUMBER: Final = re.compile(
    rb"[:\[,\s](-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)|-0)(?=[\s,\]}])"
)
"""A number that a double stands for; also such a one in a string."""
_BLANKS: Final = b" \t\r\n"


class MalformedJson(ValueError):
    """The text is not JSON; the message names the place (line and column)."""


def _as_double(number: "WrittenNumber", info: core_schema.SerializationInfo[Any]) -> float:
    if isinstance(info.context, _Met):
        info.context.numbers += 1
    return float(number)


class _Met:
    """Counts the written numbers that a printer meets."""

    def __init__(self) -> None:
        self.numbers = 0


class WrittenNumber(float):
    """A double that was written in characters which printing it would not give back: `1.50`, `1e-400`."""

    __slots__ = ("text",)
    __pydantic_serializer__ = SchemaSerializer(
        core_schema.any_schema(
            serialization=core_schema.plain_serializer_function_ser_schema(_as_double, info_arg=True)
        )
    )
    text: str
    """The characters."""

    def __new__(cls, text: str) -> Self:
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        """How it is sent from one process to another: by its characters."""
        return type(self), (self.text,)

    @property
    def value(self) -> float | str:
        """The double, when that is the very number that was written; else the number, in one spelling."""
        try:
            exact = Decimal(self.text)
            if exact == Decimal(repr(float(self))):
                return float(self)
            sign, digits, exponent = exact.as_tuple()
        except ArithmeticError:  # an exponent that is out of all bounds
            return self.text
        kept = "".join(map(str, digits)).rstrip("0")
        return f"{'-' * sign}{kept}e{int(exponent) + len(digits) - len(kept)}"


def parse_json(text: str | bytes) -> JsonValue:
    """The value that `text` holds: integers exact at any size, other numbers as doubles.

    A double that would be printed otherwise than it was written is a `WrittenNumber`. NaN, infinities and
    unpaired surrogates are refused. A number beyond the range of a double becomes an infinity here;
    `runtime.vcon.conformance` refuses it with its path.

    Raises: MalformedJson.
    """
    try:
        value = pydantic_core.from_json(text, allow_inf_nan=False)
    except ValueError as error:
        raise MalformedJson(str(error)) from None
    data = text.encode() if isinstance(text, str) else text
    if is_as_printed(value, data):
        return value
    return json.loads(data, parse_float=_as_written, parse_int=_integer)


def is_as_printed(value: JsonValue, text: bytes) -> bool:
    """Whether printing the value gives its numbers as the JSON text has them that it is, or is in."""
    printed, bare = print_doubles(value).translate(None, _BLANKS), text.translate(None, _BLANKS)
    if printed == bare or (printed.startswith(b"{") and printed in bare):
        return True
    # what is in other characters by escapes: look at the numbers alone
    numbers = b"[" + b",".join(_NUMBER.findall(b" %s " % text)) + b"]"
    return print_doubles(pydantic_core.from_json(numbers)) == numbers


def dump_json(value: JsonValue, *, indent: int | None = None) -> bytes:
    """JSON in UTF-8, members in their order, compact unless indented.

    `parse_json` gives an equal value back.
    """
    met = _Met()
    text = pydantic_core.to_json(value, indent=indent, context=met)
    if not met.numbers:
        return text
    written: list[bytes] = []
    mark = secrets.token_hex(16)

    def mark_of(number: WrittenNumber) -> str:
        written.append(number.text.encode())
        return f"{mark}{len(written) - 1}"

    marked = pydantic_core.to_json(_replaced(value, mark_of), indent=indent)
    return re.sub(rb'"%s(\d+)"' % mark.encode(), lambda found: written[int(found[1])], marked)


def as_doubles(value: JsonValue) -> JsonValue:
    """The value with plain doubles for written numbers, for libraries that know no others."""
    met = _Met()
    pydantic_core.to_json(value, context=met, inf_nan_mode="constants")
    return _replaced(value, float) if met.numbers else value


def canonical_json(value: JsonValue) -> bytes:
    """The value as bytes that are equal for values that are equal as JSON."""
    told = value if as_doubles(value) is value else _replaced(value, _told)
    return json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _told(number: WrittenNumber) -> float | str:
    value = number.value
    # no text that is stored holds U+0000, so none looks like one of these
    return f"\0{value}" if isinstance(value, str) else value


def _replaced(value: JsonValue, replace: Callable[[WrittenNumber], JsonValue]) -> JsonValue:
    """A copy with other values for the written numbers."""
    if isinstance(value, WrittenNumber):
        return replace(value)
    if isinstance(value, dict):
        return {name: _replaced(member, replace) for name, member in cast(JsonObject, value).items()}
    if isinstance(value, list | tuple):
        return [_replaced(element, replace) for element in cast("list[JsonValue]", value)]
    return value


def print_doubles(value: JsonValue) -> bytes:
    """JSON with the double of every written number, and NaN and Infinity as such.

    Raises: ValueError for what is no Unicode.
    """
    return pydantic_core.to_json(value, inf_nan_mode="constants")


def _is_written(text: str) -> bool:
    return text == "-0" or print_doubles(float(text)) != text.encode()


def _as_written(text: str) -> float:
    return WrittenNumber(text) if _is_written(text) else float(text)


def _integer(text: str) -> int | WrittenNumber:
    return WrittenNumber(text) if text == "-0" else pydantic_core.from_json(text)
