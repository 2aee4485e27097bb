"""Changes of the keywords that bound one value: numbers, lengths, sizes, pattern and format."""

from collections.abc import Iterator
from typing import Final

from vcontract.codegen.compat.forms import JsonType, keyword_text
from vcontract.codegen.compat.patterns import allows_all_of
from vcontract.codegen.documents import JsonObject, JsonValue

_BOUNDS: Final = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), 1),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), -1),
}
"""1 where a greater value is tighter, and -1 where a smaller one is."""

_OF_TYPES: Final[dict[str, tuple[JsonType, ...]]] = {
    **dict.fromkeys(("minLength", "maxLength", "pattern", "format"), ("string",)),
    **dict.fromkeys(("minItems", "maxItems", "uniqueItems"), ("array",)),
    **dict.fromkeys(("minProperties", "maxProperties"), ("object",)),
}
"""The types that a keyword bounds, where they are not those of numbers."""

DECIDED: Final = frozenset({*_BOUNDS, "multipleOf", "uniqueItems", "pattern", "format"})
"""The keywords that this module compares."""


def keyword_changes(kind: JsonType, before: JsonObject, after: JsonObject) -> Iterator[tuple[str, str, str]]:
    """What changed in the bounds of values of the type `kind`: `bound-tightened` and the like, both texts."""
    for keyword in sorted(DECIDED):
        old, new = _said(before, keyword), _said(after, keyword)
        if old == new or kind not in _OF_TYPES.get(keyword, ("integer", "fraction")):
            continue
        is_text = keyword in ("pattern", "format")
        ways = ("widened", "narrowed") if is_text else ("loosened", "tightened")
        way = ways[0] if _allows(keyword, new, old) else ways[1] if _allows(keyword, old, new) else "changed"
        name = f"{keyword if is_text else 'bound'}-{way}"
        yield name, keyword_text(before, keyword), keyword_text(after, keyword)


def _said(schema: JsonObject, keyword: str) -> JsonValue:
    """The value of a keyword, or None if it says nothing, as a least length of 0 does."""
    value = schema.get(keyword)
    return None if keyword.startswith(("minL", "minI", "minP", "unique")) and not value else value


def _allows(keyword: str, wide: JsonValue, narrow: JsonValue) -> bool:
    """Whether a keyword's one value allows all that another allows; None is a keyword that is not there."""
    if wide is None or narrow is None:
        return wide is None
    if keyword in _BOUNDS:
        return bool(_BOUNDS[keyword] * wide <= _BOUNDS[keyword] * narrow)
    if keyword == "multipleOf":
        return bool(narrow % wide == 0)
    return keyword == "pattern" and allows_all_of(wide, narrow)
