"""Words for the parts of a day, such as `PM`, `오후` or `da tarde`, and the hours that they name."""

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Final

_NO_LETTERS: Final = re.compile(r"[\s.’'\u00ad\u061c\u070f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_HALF_A_DAY: Final = 12


def plain_word(text: str) -> str:
    """Return a word without case, points, spaces and marks: `a. m.` is `am`."""
    return unicodedata.normalize("NFC", _NO_LETTERS.sub("", unicodedata.normalize("NFC", text))).casefold()


def is_day_period(word: str) -> bool:
    """Whether a word names a part of a day in any language."""
    return plain_word(word) in _hours()


def hour_in(hour: int, word: str) -> int:
    """Return the hour from 0 to 23 that a clock of 12 hours shows in a part of the day.

    An hour above 12 stays. If a word names several parts, in several languages, the earlier hour counts.
    """
    if not 1 <= hour <= _HALF_A_DAY:
        return hour
    named = _hours().get(plain_word(word), ())
    early = hour % _HALF_A_DAY
    for candidate in (early, early + _HALF_A_DAY):
        if any(_is_within(candidate, first, last) for first, last in named):
            return candidate
    return hour


def _is_within(hour: int, first: int, last: int) -> bool:
    return first <= hour < last if first < last else hour >= first or hour < last


@cache
def _hours() -> dict[str, tuple[tuple[int, int], ...]]:
    """Read the words of all languages, with their first hour and the one after their last."""
    found: dict[str, tuple[tuple[int, int], ...]] = {}
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            word, _, hours = line.rpartition(": ")
            pairs = [each.split("-") for each in hours.split()]
            found[word] = tuple((int(first), int(last)) for first, last in pairs)
    return found
