"""Recognize weekdays, months, days and years among the words of a query."""

import re
from collections.abc import Sequence
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.text.words import fold

_MONTHS: Final = (
    "january february march april may june july august september october november december".split()
)
_WEEKDAYS: Final = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTH: Final = {
    **{name: number for number, name in enumerate(_MONTHS, start=1)},
    **{name[:3]: number for number, name in enumerate(_MONTHS, start=1) if name not in ("march", "may")},
    "sept": 9,
}
_WEEKDAY: Final = {
    **{name: number for number, name in enumerate(_WEEKDAYS, start=1)},
    "mon": 1,
    "tue": 2,
    "tues": 2,
    "wed": 3,
    "thu": 4,
    "thur": 4,
    "thurs": 4,
    "fri": 5,
}
_ORDINAL: Final = re.compile(r"([1-9]|[12]\d|3[01])(?:st|nd|rd|th)")
_DAY: Final = re.compile(r"0?[1-9]|[12]\d|3[01]")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")


def days_of(words: Sequence[str]) -> list[JsonObject | None]:
    """For each word: `weekday` (Monday is 1), `month`, `day` or `year`, or None.

    A bare number is a day of the month only next to a month's name. `may` is a month only if capitalized.
    """
    has_month = any(_month(word) for word in words)
    return [_day(word, has_month=has_month) for word in words]


def _day(word: str, *, has_month: bool) -> JsonObject | None:
    plain = fold(word)
    if month := _month(word):
        return {"month": month}
    if weekday := _WEEKDAY.get(plain):
        return {"weekday": weekday}
    if ordinal := _ORDINAL.fullmatch(plain):
        return {"day": int(ordinal[1])}
    if has_month and _DAY.fullmatch(plain):
        return {"day": int(plain)}
    return {"year": int(plain)} if _YEAR.fullmatch(plain) else None


def _month(word: str) -> int | None:
    return None if word == "may" else _MONTH.get(fold(word))
