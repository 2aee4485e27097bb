"""Dates in words, read by dateparser and held to what the words can mean."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Final

from vcontract.handlers.bridge.iso import (
    LocalSpan,
    whole_day,
    whole_month,
    whole_quarter,
    whole_week,
    whole_year,
)

if TYPE_CHECKING:
    from dateparser.date import DateDataParser

_ONLY_NUMBER: Final = re.compile(r"(?:(?:the|an?|on|of|\d+(?:st|nd|rd|th)?)[\s,]*)+", re.IGNORECASE)
_DURATION: Final = re.compile(
    r"(?:(?:the|about|\d+(?:[.,]\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|some"
    r"|several|few|half|couple|of|and)?[\s,]*"
    r"(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mo|months?|y|yrs?|years?"
    r"|decades?)\b[\s,]*(?:and\b)?\s*)+",
    re.IGNORECASE,
)
_DECADE: Final = re.compile(r"\b\d{2,4}'?s\b", re.IGNORECASE)
_NUMERIC: Final = re.compile(r"(?<![\d/.:-])(\d{1,2})(?:([/.-])(\d{1,2})\2\d{2,4}|/(\d{1,2}))(?![\d/.:-])")
_RELATED: Final = re.compile(r"\b(?:before|after)\b", re.IGNORECASE)
_DAY_BESIDE: Final = re.compile(
    r"\b(?:the\s+)?day\s+(?:before\s+yesterday|after\s+tomorrow)\b", re.IGNORECASE
)
_SECONDS: Final = re.compile(r"\d:\d{2}:\d{2}")
_WORD: Final = re.compile(r"[^\W\d_]+")
_DATED: Final = re.compile(r"\d{1,2}[./-]\d|\d{4}")
_NEAREST_WEEKDAYS: Final = timedelta(days=8)
_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_PARTS_OF_DAY: Final[Mapping[str, tuple[int, int]]] = {
    "early_morning": (0, 6),
    "morning": (6, 12),
    "afternoon": (12, 18),
    "evening": (18, 22),
    "night": (20, 28),
}
"""First hour, and the hour behind the last, of the day that is named."""

_WIDTHS: Final[Mapping[str, Callable[[datetime], LocalSpan]]] = {
    "day": whole_day,
    "week": whole_week,
    "month": whole_month,
    "quarter": whole_quarter,
    "year": whole_year,
}


class NotUnderstood(ValueError):
    """The words mean no date, or could mean several."""


class SpokenDates:
    """Reads dates in words of some languages; dateparser is loaded with the first of them."""

    def __init__(self, languages: Sequence[str]) -> None:
        self._languages = tuple(languages)

    def read(self, text: str, now: datetime) -> LocalSpan:
        """The span that the words cover; `now` is the wall clock that relative words count from.

        Raises: NotUnderstood.
        """
        if _says_nothing(text):
            raise NotUnderstood(text)
        try:
            found = self._parser(now).get_date_data(text)
            moment, period = found.date_obj, found.period
            if moment is None or self._is_stray(text, moment, period, now):
                raise NotUnderstood(text)
            span = _span(text, moment, period, getattr(found.part_of_day, "value", None))
        except (ValueError, OverflowError) as error:
            raise NotUnderstood(text) from error
        return LocalSpan(span.start, span.end, span.precision, moment.tzinfo)

    def _parser(self, now: datetime) -> "DateDataParser":
        from dateparser.date import DateDataParser  # takes a while to load: not before words have to be read

        settings: dict[str, object] = {
            "PREFER_DATES_FROM": "past",
            "RETURN_TIME_AS_PERIOD": True,
            "PARSERS": ["relative-time", "absolute-time"],
            "RELATIVE_BASE": now.replace(tzinfo=None),
        }
        return DateDataParser(languages=list(self._languages), settings=settings)

    def _is_stray(self, text: str, moment: datetime, period: str, now: datetime) -> bool:
        """Whether the result is a month that no word names, or not near and not the weekday that one does."""
        words = {word.casefold() for word in _WORD.findall(text)}
        names_month = bool(words & self._month_names)
        if period == "month" and not names_month:
            return True
        weekdays = {self._weekday_of[word] for word in words if word in self._weekday_of}
        if not weekdays:
            return False
        if period in ("week", "month", "quarter", "year") or moment.weekday() not in weekdays:
            return True
        distance = abs(moment.replace(tzinfo=None) - now.replace(tzinfo=None))
        return distance > _NEAREST_WEEKDAYS and not names_month and not _DATED.search(text)

    @cached_property
    def _month_names(self) -> frozenset[str]:
        return frozenset(name for key in (*_MONTHS, "month") for name in self._names(key))

    @cached_property
    def _weekday_of(self) -> dict[str, int]:
        return {name: number for number, key in enumerate(_WEEKDAYS) for name in self._names(key)}

    def _names(self, key: str) -> set[str]:
        """What the languages call a month or a day; single letters are left out."""
        from dateparser.languages.loader import default_loader

        names = {key} if "en" in self._languages else set[str]()
        for language in self._languages:
            known = default_loader.get_locale(language).info.get(key, ())
            names |= {name.casefold() for name in known if len(name) > 1}
        return names | ({"months"} if key == "month" and "en" in self._languages else set())


def _says_nothing(text: str) -> bool:
    """Whether the words, read as a date, would be a guess."""
    if _ONLY_NUMBER.fullmatch(text) or _DURATION.fullmatch(text) or _DECADE.search(text):
        return True
    if _RELATED.search(_DAY_BESIDE.sub("", text)):
        return True
    for first, _, second, alone in _NUMERIC.findall(text):
        other = second or alone
        if int(first) <= 12 and int(other) <= 12 and int(first) != int(other):
            return True
    return False


def _span(text: str, moment: datetime, period: str, part_of_day: str | None) -> LocalSpan:
    wall = moment.replace(tzinfo=None)
    if part_of_day is not None and period == "part_of_day":
        first, last = _PARTS_OF_DAY[part_of_day]
        midnight = whole_day(wall).start
        return LocalSpan(midnight + timedelta(hours=first), midnight + timedelta(hours=last), "part of day")
    if period != "time":
        return _WIDTHS[period](wall)
    if _SECONDS.search(text):
        second = wall.replace(microsecond=0)
        return LocalSpan(second, second + timedelta(seconds=1), "second")
    minute = wall.replace(second=0, microsecond=0)
    return LocalSpan(minute, minute + timedelta(minutes=1), "minute")
