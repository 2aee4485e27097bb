"""Names: which known one was most likely meant."""

import difflib
import re
from collections.abc import Iterable, Sequence

from vcontract.runtime.frame.documents.json import JsonValue

_MAX_NAME_LENGTH = 100
MIN_SIMILARITY = 0.5
"""Of two spellings one of which may be meant by the other."""
_LIKENESS_OF_THE_ONE = 0.6
"""Of the one name that is told as the one that was meant."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")


def nearest_name(given: JsonValue, known: Sequence[str]) -> str | None:
    """The known name that was most likely meant, in whatever case it was given.

    None when none looks like it, or when what was given is a part of several.
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
    """Up to `most` of the known names that look like what was given in any case, the most similar first."""
    by_folded = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(given.casefold(), by_folded, n=most, cutoff=MIN_SIMILARITY)
    return [by_folded[name] for name in near]


def likeness(one: str, other: str) -> float:
    """How alike two spellings are in any case, from 0 to 1."""
    return _ratio(one.casefold(), other.casefold())


def _likeness(given: Sequence[str], known: Sequence[str]) -> float:
    """How alike two names are, from 0 to 1.

    Names that share a word and mean different things by the others, as party_phone and party_name do, are
    not alike.
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
    """The words of a name in snake_case, camelCase, kebab-case or capitals, in lower case."""
    return [word.lower() for word in _WORD.findall(name)]
