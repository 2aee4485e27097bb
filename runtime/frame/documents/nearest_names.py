"""Suggest known names that are similar to a misspelt one."""

import difflib
import re
from collections.abc import Iterable, Sequence

from vcontract.runtime.frame.documents.json import JsonValue

_MAX_NAME_LENGTH = 100
MIN_SIMILARITY = 0.5
"""Minimum similarity of a suggestion."""
_LIKENESS_OF_THE_ONE = 0.6
"""Minimum similarity of the only suggestion."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")


def nearest_name(given: JsonValue, known: Sequence[str]) -> str | None:
    """Return the known name that was most likely meant, ignoring case.

    None if no name is similar, or if the given one is part of several.
    """
    if not isinstance(given, str) or len(given) > _MAX_NAME_LENGTH:
        return None
    words = _words(given)
    alike = {name: _likeness(words, _words(name)) for name in known}
    nearest = max(alike, key=alike.__getitem__, default=None)
    if nearest is None or alike[nearest] < _LIKENESS_OF_THE_ONE:
        return None
    whole = [name for name in known if set(words) < set(_words(name))]
    return None if nearest in whole and len(whole) > 1 else nearest


def nearest_names(given: str, known: Iterable[str], most: int = 5) -> list[str]:
    """Return up to `most` known names similar to the given one, ignoring case, most similar first."""
    by_folded = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(given.casefold(), by_folded, n=most, cutoff=MIN_SIMILARITY)
    return [by_folded[name] for name in near]


def likeness(one: str, other: str) -> float:
    """Similarity of two spellings from 0 to 1, ignoring case."""
    return _ratio(one.casefold(), other.casefold())


def _likeness(given: Sequence[str], known: Sequence[str]) -> float:
    """Similarity of two names from 0 to 1.

    Names that share one word but differ in the others, such as party_phone and party_name, are not similar.
    """
    if set(given) == set(known):
        return 1
    other = " ".join(word for word in given if word not in known)
    wanted = " ".join(word for word in known if word not in given)
    if other and wanted and _ratio(other, wanted) < MIN_SIMILARITY:
        return 0
    return _ratio(" ".join(given), " ".join(known))


def _ratio(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()


def _words(name: str) -> list[str]:
    """Split a name in snake_case, camelCase, kebab-case or capitals into lower-case words."""
    return [word.lower() for word in _WORD.findall(name)]
