"""Changes of the keywords that bound one value: numbers, lengths, sizes, pattern and format."""

import math
from collections.abc import Iterator
from typing import Final

from vcontract.codegen.compat.forms import JsonType
from vcontract.codegen.compat.patterns import allows_all_of
from vcontract.codegen.compat.texts import keyword_text
from vcontract.codegen.documents import JsonObject, JsonValue

_EDGES: Final = (
    ("minimum", "exclusiveMinimum", 1, ("integer", "fraction")),
    ("maximum", "exclusiveMaximum", -1, ("integer", "fraction")),
    ("minLength", "", 1, ("string",)),
    ("maxLength", "", -1, ("string",)),
    ("minItems", "", 1, ("array",)),
    ("maxItems", "", -1, ("array",)),
    ("minProperties", "", 1, ("object",)),
    ("maxProperties", "", -1, ("object",)),
)
"""A keyword, its form that excludes the value itself, 1 where a greater value is tighter, and the types."""

_LEAST_SIZES: Final = ("minLength", "minItems", "minProperties")
"""Of these a 0 says nothing."""

_OTHERS: Final = (
    ("multipleOf", "bound", ("integer", "fraction")),
    ("uniqueItems", "bound", ("array",)),
    ("pattern", "pattern", ("string",)),
    ("format", "format", ("string",)),
)

DECIDED: Final = frozenset({name for edge in _EDGES for name in edge[:2]} | {name for name, *_ in _OTHERS})
"""The keywords that this module compares."""

_TO_BOUNDS: Final = ("tightened", "loosened", "changed")
_TO_TEXTS: Final = ("narrowed", "widened", "changed")


def keyword_changes(kind: JsonType, before: JsonObject, after: JsonObject) -> Iterator[tuple[str, str, str]]:
    """What changed in the bounds of values of the type `kind`: `bound-tightened` and the like, both texts."""
    for inclusive, exclusive, sign, kinds in _EDGES:
        if kind in kinds:
            sides = [_edge(side, inclusive, exclusive, sign, kind) for side in (before, after)]
            (old, old_text), (new, new_text) = sides
            if old != new:
                way = "tightened" if new > old else "loosened"
                yield f"bound-{way}", old_text, new_text
    for keyword, family, kinds in _OTHERS:
        old_value, new_value = before.get(keyword) or None, after.get(keyword) or None
        if kind in kinds and old_value != new_value:
            ways = _TO_BOUNDS if family == "bound" else _TO_TEXTS
            wider, narrower = _allows(keyword, new_value, old_value), _allows(keyword, old_value, new_value)
            way = ways[1 if wider else 0 if narrower else 2]
            yield f"{family}-{way}", keyword_text(before, keyword), keyword_text(after, keyword)


def _edge(
    schema: JsonObject, inclusive: str, exclusive: str, sign: int, kind: JsonType
) -> tuple[tuple[float, int], str]:
    """How tight an edge is, greater for tighter, with 1 where the value itself is excluded; and its text.

    Of integers it is the first that is allowed, so that above 0 and from 1 on are the same.
    """
    edges = [((-math.inf, 0), "")]
    for keyword, excluded in ((inclusive, 0), (exclusive, 1)):
        if keyword in schema and not (schema[keyword] == 0 and keyword in _LEAST_SIZES):
            value = sign * schema[keyword]
            if kind == "integer":
                value, excluded = (math.floor(value) + 1 if excluded else math.ceil(value)), 0
            edges.append(((value, excluded), keyword_text(schema, keyword)))
    return max(edges)


def _allows(keyword: str, wide: JsonValue, narrow: JsonValue) -> bool:
    """Whether a keyword's one value allows all that another allows; None is a keyword that is not there."""
    if wide is None or narrow is None:
        return wide is None
    if keyword == "multipleOf":
        return bool(narrow % wide == 0)
    return keyword == "pattern" and allows_all_of(wide, narrow)
