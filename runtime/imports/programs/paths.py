"""Paths in JSON documents, and the values at them.

A path is names joined by points. `*` selects every element, and a number one of them (from the end if
negative). `*[name=value]` selects those with a member of this value, `*[name]` those with one that is not
empty or 0, and `*[!name]` those without.
`**` selects a value and everything inside it, `a,b` several members, and `$json` the document in a text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Final

from vcontract.runtime.frame.documents.json import JsonValue, MalformedJson, parse_json
from vcontract.runtime.frame.documents.json_values import is_array, is_object

_CHOSEN: Final = re.compile(r"\*\[([^=\]]+)(?:=([^\]]*))?\]")

_MAX_DEPTH: Final = 40
_EMPTY: Final[tuple[JsonValue, ...]] = (None, "", 0, "0", [], {})


@lru_cache(maxsize=4_096)
def steps_of(path: str) -> tuple[str, ...]:
    """Steps of a path."""
    return tuple(step.replace("\\.", ".") for step in re.split(r"(?<!\\)\.", path)) if path else ()


@lru_cache(maxsize=4_096)
def _member_of(path: str) -> str | None:
    """The member that a path begins with; None if it begins with no bare name."""
    step = next(iter(steps_of(path)), "")
    return None if not step or re.search(r"[*,\[]", step) or step == "$json" else step


def values(document: JsonValue, path: str) -> list[JsonValue]:
    """Values at a path, in order, without nulls."""
    # most messages lack most of the members that a format may have
    if isinstance(document, dict) and (name := _member_of(path)) is not None and name not in document:
        return []
    found: list[JsonValue] = [document]
    for step in steps_of(path):
        found = [each for value in found for each in _step(value, step)]
    return [value for value in found if value is not None]


def _step(value: JsonValue, step: str) -> Sequence[JsonValue]:
    if step == "**":
        return list(_nested(value))
    if step == "$json":
        return _parsed(value)
    if is_object(value):
        if step == "*":
            return list(value.values())
        if step in value:
            return (value[step],)
        if chosen := _CHOSEN.fullmatch(step):
            return _chosen(list(value.values()), *chosen.groups())
        return [value[name] for name in step.split(",") if name in value] if "," in step else ()
    if is_array(value):
        if step == "*":
            return value
        if chosen := _CHOSEN.fullmatch(step):
            return _chosen(value, *chosen.groups())
        if step.lstrip("-").isdigit() and -len(value) <= int(step) < len(value):
            return (value[int(step)],)
    return ()


def _chosen(elements: Sequence[JsonValue], name: str, wanted: str | None) -> list[JsonValue]:
    """Objects with a member of this value, or with one that is not empty; with `!`, those without."""
    objects = [each for each in elements if is_object(each)]
    if name.startswith("!"):
        return [each for each in objects if each.get(name[1:]) in _EMPTY]
    if wanted is None:
        return [each for each in objects if each.get(name) not in _EMPTY]
    return [each for each in objects if word(each.get(name)) == wanted]


def _nested(value: JsonValue, depth: int = 0) -> Iterator[JsonValue]:
    yield value
    inside = value.values() if is_object(value) else value if is_array(value) else ()
    if depth < _MAX_DEPTH:
        for each in inside:
            yield from _nested(each, depth + 1)


def _parsed(value: JsonValue) -> Sequence[JsonValue]:
    if is_object(value) or is_array(value):
        return (value,)
    with suppress(MalformedJson):
        return (parse_json(value),) if isinstance(value, str) else ()
    return ()


def first(document: JsonValue, paths: Sequence[str]) -> JsonValue:
    """Return the first non-empty value."""
    return next(
        (value for path in paths for value in values(document, path) if value not in ("", [], {})), None
    )


def word(value: JsonValue) -> str:
    """Return a value as name or ID: text, or a number as text."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def text_at(value: JsonValue) -> str:
    """Return the text of a value: of a list, its texts joined."""
    if is_array(value):
        return "".join(map(text_at, value))
    if is_object(value):
        return text_at(value.get("text"))
    return value if isinstance(value, str) else word(value)


def fits(document: JsonValue, where: Mapping[str, str]) -> bool:
    """Whether each path has a value that matches its regular expression; an empty one matches any value."""
    return all(
        any(re.search(pattern, word(value)) if pattern else True for value in values(document, path))
        for path, pattern in where.items()
    )
