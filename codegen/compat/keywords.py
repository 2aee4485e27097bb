"""Compare keywords that bound a value: numbers, lengths, sizes, pattern and format."""

from collections.abc import Iterator
from typing import Final

from vcontract.codegen.compat.forms import JsonType, keyword_text
from vcontract.codegen.compat.patterns import allows_all_of
from vcontract.codegen.documents import JsonObject, JsonValue

_BOUNDS: Final = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), 1),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), -1),
}
"""1 if greater values are tighter, -1 if smaller ones are."""

_OF_TYPES: Final[dict[str, tuple[JsonType, ...]]] = {
    **dict.fromkeys(("minLength", "maxLength", "pattern", "format"), ("string",)),
    **dict.fromkeys(("minItems", "maxItems", "uniqueItems"), ("array",)),
    **dict.fromkeys(("minProperties", "maxProperties"), ("object",)),
}
"""Types bounded by a keyword, other than numbers."""

DECIDED: Final = frozenset({*_BOUNDS, "multipleOf", "uniqueItems", "pattern", "format"})
"""Keywords compared in this module."""


def keyword_changes(kind: JsonType, before: JsonObject, after: JsonObject) -> Iterator[tuple[str, str, str]]:
    """Yield changed bounds for values of type `kind`: `bound-tightened` and so on, with both texts."""
    for keyword in sorted(DECIDED):
        old, new = _said(before, keyword), _said(after, keyword)
        if old == new or kind not in _OF_TYPES.get(keyword, ("integer", "fraction")):
            continue
        is_looser, is_tighter = _allows(keyword, new, old), _allows(keyword, old, new)
        way = "loosened" if is_looser else "tightened" if is_tighter else "changed"
        name = "format" if keyword == "format" else "bound"
        yield f"{name}-{way}", keyword_text(before, keyword), keyword_text(after, keyword)


def _said(schema: JsonObject, keyword: str) -> JsonValue:
    """Value of a keyword; None if it has no effect, such as a minimum length of 0."""
    value = schema.get(keyword)
    return None if keyword.startswith(("minL", "minI", "minP", "unique")) and not value else value


def _allows(keyword: str, wide: JsonValue, narrow: JsonValue) -> bool:
    """Whether one value of a keyword allows everything that another does; None means absent."""
    if wide is None or narrow is None:
        return wide is None
    if keyword in _BOUNDS:
        return bool(_BOUNDS[keyword] * wide <= _BOUNDS[keyword] * narrow)
    if keyword == "multipleOf":
        return bool(narrow % wide == 0)
    return keyword == "pattern" and allows_all_of(wide, narrow)
