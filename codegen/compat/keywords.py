"""Changes of the keywords that bound one value: numbers, lengths, sizes, pattern and format."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from vcontract.codegen.compat.forms import JsonType
from vcontract.codegen.compat.patterns import allows_all_of
from vcontract.codegen.compat.texts import keyword_text
from vcontract.codegen.documents import JsonObject

Edge: TypeAlias = tuple[float, int] | None
"""The last value allowed, and 1 when it is itself excluded; None without an edge."""


@dataclass(frozen=True, slots=True)
class KeywordChange:
    kind: str
    action: str
    before: str
    after: str


_SIZES: Final[Mapping[JsonType, tuple[str, str]]] = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}
_NUMBERS: Final = frozenset({"integer", "fraction"})

DECIDED: Final = frozenset(
    {name for names in _SIZES.values() for name in names}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
    | {"uniqueItems", "pattern", "format"}
)
"""The keywords that this module compares."""


def keyword_changes(kind: JsonType, before: JsonObject, after: JsonObject) -> Iterator[KeywordChange]:
    """What changed in the bounds that hold for values of the type `kind`."""
    if kind in _NUMBERS:
        yield from _edges(before, after, lambda schema: _numeric(schema, kind, 1), 1)
        yield from _edges(before, after, lambda schema: _numeric(schema, kind, -1), -1)
        yield from _multiple(before, after)
    if kind in _SIZES:
        least, most = _SIZES[kind]
        yield from _edges(before, after, lambda schema: _size(schema, least), 1)
        yield from _edges(before, after, lambda schema: _size(schema, most), -1)
    if kind == "array":
        yield from _unique(before, after)
    if kind == "string":
        yield from _stated("pattern", before, after)
        yield from _stated("format", before, after)


def _edges(
    before: JsonObject, after: JsonObject, edge_of: Callable[[JsonObject], tuple[Edge, str]], sign: int
) -> Iterator[KeywordChange]:
    """The change of one edge; with `sign` 1 a greater one is tighter, with -1 a smaller one."""
    (old, old_text), (new, new_text) = edge_of(before), edge_of(after)
    if old == new:
        return
    tighter = old is None or (new is not None and _strength(new, sign) > _strength(old, sign))
    yield KeywordChange("bound", "tightened" if tighter else "loosened", old_text, new_text)


def _strength(edge: tuple[float, int], sign: int) -> tuple[float, int]:
    value, excluded = edge
    return sign * value, excluded


def _numeric(schema: JsonObject, kind: JsonType, sign: int) -> tuple[Edge, str]:
    name, exclusive = ("minimum", "exclusiveMinimum") if sign == 1 else ("maximum", "exclusiveMaximum")
    edges = [
        (_edge(schema[keyword], excluded, kind, sign), keyword_text(schema, keyword))
        for keyword, excluded in ((name, 0), (exclusive, 1))
        if keyword in schema
    ]
    return max(edges, key=lambda edge: _strength(edge[0], sign)) if edges else (None, "")


def _edge(value: float, excluded: int, kind: JsonType, sign: int) -> tuple[float, int]:
    """An edge; of integers the first that is allowed, so that above 0 and from 1 on are the same."""
    if kind != "integer":
        return value, excluded
    first = sign * (math.floor(sign * value) + 1) if excluded else sign * math.ceil(sign * value)
    return first, 0


def _size(schema: JsonObject, name: str) -> tuple[Edge, str]:
    value = schema.get(name)
    if value is None or (value == 0 and name.startswith("min")):
        return None, ""
    return (value, 0), keyword_text(schema, name)


def _multiple(before: JsonObject, after: JsonObject) -> Iterator[KeywordChange]:
    old, new = before.get("multipleOf"), after.get("multipleOf")
    if old == new:
        return
    texts = keyword_text(before, "multipleOf"), keyword_text(after, "multipleOf")
    if old is None or (new is not None and new % old == 0):
        yield KeywordChange("bound", "tightened", *texts)
    elif new is None or old % new == 0:
        yield KeywordChange("bound", "loosened", *texts)
    else:
        yield KeywordChange("bound", "changed", *texts)


def _unique(before: JsonObject, after: JsonObject) -> Iterator[KeywordChange]:
    old, new = bool(before.get("uniqueItems")), bool(after.get("uniqueItems"))
    if old != new:
        texts = "uniqueItems" if old else "", "uniqueItems" if new else ""
        yield KeywordChange("bound", "tightened" if new else "loosened", *texts)


def _stated(keyword: str, before: JsonObject, after: JsonObject) -> Iterator[KeywordChange]:
    old, new = before.get(keyword), after.get(keyword)
    if old == new:
        return
    action = "narrowed" if old is None else "widened" if new is None else "changed"
    if keyword == "pattern" and old is not None and new is not None:
        widened, narrowed = allows_all_of(new, old), allows_all_of(old, new)
        action = "widened" if widened else "narrowed" if narrowed else "changed"
    yield KeywordChange(keyword, action, keyword_text(before, keyword), keyword_text(after, keyword))
