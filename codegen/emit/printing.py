"""Python text from templates, and Python literals, printed so that no formatter is needed afterwards."""

import textwrap
from pathlib import Path
from typing import Final, TypeGuard

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from vcontract.codegen.documents import JsonValue, is_array, is_object

WIDTH: Final = 100
"""Prose in generated Python is wrapped to this many columns."""


def render(template: str, **values: object) -> str:
    """The text of codegen/templates/`template`; a value that the template needs and lacks is an error."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).resolve().parents[1] / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - Python and Markdown are printed here, not HTML
    )
    environment.filters["literal"] = literal
    environment.filters["docstring"] = docstring
    return environment.get_template(template).render(**values)


def literal(value: JsonValue, indent: int = 0, before: int = 0) -> str:
    """`value` as a Python literal with one element a line.

    The first line follows `before` characters of text, which stand after `indent` spaces.
    """
    inner = " " * (indent + 4)
    if is_object(value):
        members = (
            f"{inner}{_string(key)}: {literal(member, indent + 4, len(key) + 4)},\n"
            for key, member in value.items()
        )
        return "{\n" + "".join(members) + " " * indent + "}" if value else "{}"
    if is_array(value) or is_tuple(value):
        opening, closing = "[]" if is_array(value) else "()"
        elements = "".join(f"{inner}{literal(element, indent + 4)},\n" for element in value)
        return f"{opening}\n{elements}{' ' * indent}{closing}" if value else opening + closing
    if isinstance(value, str):
        return _long_string(value, indent, before)
    return repr(value)


def docstring(text: str, indent: int = 4) -> str:
    """`text` wrapped for a docstring whose quotes stand at `indent`, without the quotes."""
    margin = " " * indent
    paragraphs = text.replace("\\", "\\\\").replace('"""', '\\"""').split("\n")
    lines = [
        line
        for number, paragraph in enumerate(paragraphs)
        for line in textwrap.wrap(
            paragraph,
            # The first line stands after the quotes.
            width=WIDTH - indent - (3 if number == 0 else 0),
            break_long_words=False,
            break_on_hyphens=False,
        )
        or [""]
    ]
    return ("\n" + margin).join(lines).replace(f"{margin}\n", "\n")


def is_tuple(value: JsonValue) -> TypeGuard[tuple[JsonValue, ...]]:
    return isinstance(value, tuple)


def _string(text: str) -> str:
    """`text` as a Python string in double quotes, or in single ones where that needs no escapes."""
    quoted = repr(text)
    if quoted[0] == "'" and '"' not in text:
        inner = quoted[1:-1].replace("\\'", "'")
        return f'"{inner}"'
    return quoted


def _long_string(text: str, indent: int, before: int) -> str:
    if len(_string(text)) + indent + before <= WIDTH:
        return _string(text)
    inner = " " * (indent + 4)
    pieces = [
        piece for line in text.splitlines(keepends=True) for piece in _pieces(line, WIDTH - indent - 10)
    ]
    return "(\n" + "".join(f"{inner}{_string(piece)}\n" for piece in pieces) + " " * indent + ")"


def _pieces(text: str, width: int) -> list[str]:
    """`text` cut after spaces into pieces of at most `width` characters where its words allow it."""
    pieces = [""]
    for word in text.split(" "):
        if pieces[-1] and len(pieces[-1]) + len(word) > width:
            pieces.append("")
        pieces[-1] += word + " "
    pieces[-1] = pieces[-1][:-1]
    return pieces
