"""Parse and print JSON, preserving numbers as they were written."""

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
"""A JSON object, members in their original order."""

_NUMBER: Final = re.compile(
    rb"[:\[,\s](-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)|-0)(?=[\s,\]}])"
)
"""A number that fits a double. Also matches inside strings."""
_BLANKS: Final = b" \t\r\n"


class MalformedJson(ValueError):
    """The text is not JSON. The message gives line and column."""


def _as_double(number: "WrittenNumber", info: core_schema.SerializationInfo[Any]) -> float:
    if isinstance(info.context, _Met):
        info.context.numbers += 1
    return float(number)


class _Met:
    """Counts the written numbers that a printer encounters."""

    def __init__(self) -> None:
        self.numbers = 0


class WrittenNumber(float):
    """A double whose original text printing would change: `1.50`, `1e-400`."""

    __slots__ = ("text",)
    __pydantic_serializer__ = SchemaSerializer(
        core_schema.any_schema(
            serialization=core_schema.plain_serializer_function_ser_schema(_as_double, info_arg=True)
        )
    )
    text: str
    """The original text."""

    def __new__(cls, text: str) -> Self:
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        """Pickle as text, to send it to another process."""
        return type(self), (self.text,)

    @property
    def value(self) -> float | str:
        """The double if it is exactly the written number, else the number in a normal form."""
        try:
            exact = Decimal(self.text)
            if exact == Decimal(repr(float(self))):
                return float(self)
            sign, digits, exponent = exact.as_tuple()
        except ArithmeticError:  # an exponent out of bounds
            return self.text
        kept = "".join(map(str, digits)).rstrip("0")
        return f"{'-' * sign}{kept}e{int(exponent) + len(digits) - len(kept)}"


def parse_json(text: str | bytes) -> JsonValue:
    """Parse JSON: integers are exact at any size, other numbers are doubles.

    A double that would be printed differently is a `WrittenNumber`. NaN, infinities and unpaired surrogates
    are rejected. A number beyond the range of a double becomes an infinity; `runtime.vcon.conformance`
    rejects it with its path.

    Raises: MalformedJson.
    """
    try:
        value = pydantic_core.from_json(text, allow_inf_nan=False)
    except (ValueError, TypeError) as error:  # TypeError: half a surrogate pair in a text
        raise MalformedJson(str(error)) from None
    data = text.encode() if isinstance(text, str) else text
    if is_as_printed(value, data):
        return value
    return json.loads(data, parse_float=_as_written, parse_int=_integer)


def is_as_printed(value: JsonValue, text: bytes) -> bool:
    """Whether printing the value reproduces the numbers of `text`, which is or contains its JSON."""
    printed, bare = print_doubles(value).translate(None, _BLANKS), text.translate(None, _BLANKS)
    if printed == bare or (printed.startswith(b"{") and printed in bare):
        return True
    # escapes may change other characters, so compare only numbers
    numbers = b"[" + b",".join(_NUMBER.findall(b" %s " % text)) + b"]"
    return print_doubles(pydantic_core.from_json(numbers)) == numbers


def dump_json(value: JsonValue, *, indent: int | None = None) -> bytes:
    """Print JSON in UTF-8, members in their order, compact unless indented.

    `parse_json` returns an equal value.
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
    """Replace written numbers by plain doubles, for libraries that know no others."""
    met = _Met()
    pydantic_core.to_json(value, context=met, inf_nan_mode="constants")
    return _replaced(value, float) if met.numbers else value


def canonical_json(value: JsonValue) -> bytes:
    """Print the value so that values equal as JSON give equal bytes."""
    plain = value if as_doubles(value) is value else _replaced(value, _plain_number)
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _plain_number(number: WrittenNumber) -> float | str:
    value = number.value
    # stored text never contains U+0000, so none looks like one of these
    return f"\0{value}" if isinstance(value, str) else value


def _replaced(value: JsonValue, replace: Callable[[WrittenNumber], JsonValue]) -> JsonValue:
    """Copy the value with its written numbers replaced."""
    if isinstance(value, WrittenNumber):
        return replace(value)
    if isinstance(value, dict):
        return {name: _replaced(member, replace) for name, member in cast(JsonObject, value).items()}
    if isinstance(value, list | tuple):
        return [_replaced(element, replace) for element in cast("list[JsonValue]", value)]
    return value


def print_doubles(value: JsonValue) -> bytes:
    """Print JSON with written numbers as doubles, and with NaN and Infinity.

    Raises: ValueError for text that is not valid Unicode.
    """
    return pydantic_core.to_json(value, inf_nan_mode="constants")


def _is_written(text: str) -> bool:
    return text == "-0" or print_doubles(float(text)) != text.encode()


def _as_written(text: str) -> float:
    return WrittenNumber(text) if _is_written(text) else float(text)


def _integer(text: str) -> int | WrittenNumber:
    return WrittenNumber(text) if text == "-0" else pydantic_core.from_json(text)
