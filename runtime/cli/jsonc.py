"""Edit JSON with comments: set or remove a member of an object, and keep all other text."""

import json
import re
from dataclasses import dataclass
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, MalformedJson, parse_json
from vcontract.runtime.frame.documents.json_values import is_object

_STRING: Final = r'"(?:[^"\\]|\\.)*"'
_COMMENT: Final = re.compile(rf"{_STRING}|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING_COMMA: Final = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_VISIBLE: Final = re.compile(r"[^\r\n]")
_REST_OF_LINE: Final = re.compile(r"[ \t]*\r?\n")
_DECODER: Final = json.JSONDecoder()
_UNIT: Final = "  "


class NotJson(ValueError):
    """The text or a member is not a JSON object; the message says what and where."""


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    start: int
    """Start of its name."""
    value: int
    """Start of its value."""
    end: int


@dataclass(frozen=True, slots=True)
class _Object:
    start: int
    close: int
    """Position of its closing brace."""
    members: tuple[_Member, ...]

    def find(self, name: str) -> _Member | None:
        return next((member for member in self.members if member.name == name), None)


def without_comments(text: str) -> str:
    """The text as plain JSON: comments and trailing commas become spaces."""
    return _blank(_TRAILING_COMMA, _blank(_COMMENT, text))


def with_member(text: str, under: str, name: str, value: JsonObject | None) -> str:
    """The text with the member `name` of the object `under` set to this value; None removes the member.

    `under` is created if absent. Comments are kept.

    Raises: NotJson.
    """
    text = text if text.strip() else "{}\n"
    bare = _blank(_COMMENT, text)
    plain = _blank(_TRAILING_COMMA, bare)
    held = _checked(plain, under).get(under, {})
    if (name in held) == (value is not None) and held.get(name) == value:
        return text
    root = _object_at(plain, plain.index("{"))
    unit = (_is_on_lines(text, root) and _indent_at(text, root.members[0].start)) or _UNIT
    holder = root.find(under)
    if holder is None:
        return _added(text, bare, root, unit, under, {name: value})
    servers = _object_at(plain, holder.value)
    member = servers.find(name)
    if value is None:
        return text if member is None else _removed(text, bare, servers, member)
    if member is None:
        return _added(text, bare, servers, unit, name, value)
    rendered = _rendered(text, value, unit, _indent_at(text, member.start))
    return text[: member.value] + rendered + text[member.end :]


def _blank(pattern: re.Pattern[str], text: str) -> str:
    """Replace matches outside strings by spaces, so that positions do not change."""
    return pattern.sub(lambda found: found[0] if found[0][0] == '"' else _VISIBLE.sub(" ", found[0]), text)


def _checked(plain: str, under: str) -> JsonObject:
    try:
        document = parse_json(plain)
    except MalformedJson as error:
        raise NotJson(str(error)) from None
    if not is_object(document):
        raise NotJson("it is not a JSON object")
    if not is_object(document.get(under, {})):
        raise NotJson(f"its member {under} is not an object")
    return document


def _object_at(plain: str, start: int) -> _Object:
    """Parse the object at a position of valid JSON."""
    members: list[_Member] = []
    at = _next(plain, start + 1)
    while plain[at] != "}":
        name, after = _DECODER.raw_decode(plain, at)
        value = _next(plain, _next(plain, after) + 1)
        _, end = _DECODER.raw_decode(plain, value)
        members.append(_Member(name, at, value, end))
        at = _next(plain, end)
        if plain[at] == ",":
            at = _next(plain, at + 1)
    return _Object(start, at, tuple(members))


def _next(plain: str, at: int) -> int:
    """Position of the next non-space character."""
    while plain[at].isspace():
        at += 1
    return at


def _added(text: str, bare: str, into: _Object, unit: str, name: str, value: JsonObject) -> str:
    """Add a last member to the object, after its comments."""
    newline, outer = _newline_of(text), _indent_at(text, into.start)
    indent = _indent_at(text, into.members[-1].start) if _is_on_lines(text, into) else outer + unit
    before, comma = text[: into.close].rstrip(), ""
    closing = text[len(before) : into.close]
    if into.members:
        last = into.members[-1].end
        if "," in bare[last : into.close]:
            comma = ","  # as in the file
        else:
            before = f"{before[:last]},{before[last:]}"
    member = f"{json.dumps(name)}: {_rendered(text, value, unit, indent)}{comma}"
    if "\n" not in closing:
        closing = f"{newline}{outer}"
    return f"{before}{newline}{indent}{member}{closing}{text[into.close :]}"


def _removed(text: str, bare: str, of: _Object, member: _Member) -> str:
    """Remove a member and its comma; comments stay."""
    at = of.members.index(member)
    start, end = member.start, member.end
    following = bare[end : of.members[at + 1].start if at + 1 < len(of.members) else of.close]
    if "," in following:
        end += following.index(",") + 1
    elif at:  # remove the comma before it
        comma = bare.index(",", of.members[at - 1].end)
        text = text[:comma] + text[comma + 1 :]
        start, end = start - 1, end - 1
    line = text.rfind("\n", 0, start) + 1
    rest = _REST_OF_LINE.match(text, end)
    if rest is not None and not text[line:start].strip():
        start, end = line, rest.end()
    return text[:start] + text[end:]


def _rendered(text: str, value: JsonObject, unit: str, indent: str) -> str:
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    return f"{_newline_of(text)}{indent}".join(lines)


def _newline_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _is_on_lines(text: str, of: _Object) -> bool:
    """Whether the last member is on another line than the object's start."""
    return bool(of.members) and "\n" in text[of.start : of.members[-1].start]


def _indent_at(text: str, at: int) -> str:
    """Indentation of the line at a position."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
