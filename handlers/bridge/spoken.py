"""Dates in words, read by dateparser and held to what the words can mean."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
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


UNKNOWN: Final = "no date was understood"
_ABOUT: Final = re.compile(
    r"(?:\bat\s+)?(?:\b(?:around|about|approximately|roughly|circa)\b|~)\s*", re.IGNORECASE
)
_SOMETIME: Final = re.compile(r"\b(?:sometime|some time)\s+", re.IGNORECASE)
_ORDINAL: Final = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b", re.IGNORECASE)
_PART_OF_HOUR: Final = re.compile(r"\b(?P<part>half|(?:a\s+)?quarter\s+of)\s+an\s+hour\b", re.IGNORECASE)
_ABOUT_AN_HOUR: Final = timedelta(minutes=30)
_EARLY: Final = re.compile(r"\bearly\s+(?P<day>.+?)\s+morning\b", re.IGNORECASE)
_SHADE: Final = re.compile(
    r"\b(?:late\s+(?=(?:last\s+)?night|(?:in\s+the\s+)?(?:morning|afternoon|evening))"
    r"|early\s+(?=(?:in\s+the\s+)?(?:afternoon|evening)))",
    re.IGNORECASE,
)
_PART_ALONE: Final = re.compile(
    r"(?:(?:in|at|during)\s+)?(?:the\s+)?(?P<part>(?:early\s+)?morning|afternoon|evening|night)",
    re.IGNORECASE,
)
_FEAST: Final = re.compile(
    r"(?:\b(?:last|on|at)\s+)?\b(?P<name>christmas eve|christmas(?: day)?|new year'?s eve|new year'?s day"
    r"|halloween|valentine'?s day)\b",
    re.IGNORECASE,
)
_DAY_OF_FEAST: Final[Mapping[str, str]] = {
    "christmas eve": "24 December",
    "christmas": "25 December",
    "christmas day": "25 December",
    "new years eve": "31 December",
    "new years day": "1 January",
    "halloween": "31 October",
    "valentines day": "14 February",
}
_SEASON: Final = re.compile(r"\b(?:spring|summer|autumn|fall|winter)\b", re.IGNORECASE)


_ABOUT_SEASONS: Final = "a season has other months elsewhere; name the months"


class NotUnderstood(ValueError):
    """The words mean no date, or could mean several; `reason` says why."""

    def __init__(self, text: str, reason: str = UNKNOWN) -> None:
        super().__init__(text)
        self.reason = reason


class SpokenDates:
    """Reads dates in words of some languages; dateparser is loaded with the first of them."""

    def __init__(self, languages: Sequence[str]) -> None:
        self._languages = tuple(languages)

    def read(self, text: str, now: datetime) -> LocalSpan:
        """The span that the words cover; `now` is the wall clock that relative words count from.

        Raises: NotUnderstood.
        """
        is_rough = _ABOUT.search(text) is not None
        plain = _plain(text)
        if (reason := _why_not(plain)) is not None:
            raise NotUnderstood(text, reason)
        part = _PART_ALONE.fullmatch(plain)
        if part is not None:
            span = self._read(f"today {part['part']}", now)
            if span.start > now.replace(tzinfo=None):
                span = self._read(f"yesterday {part['part']}", now)
        else:
            span = self._read(plain, now)
        if is_rough and span.precision in ("minute", "second"):
            return replace(
                span, start=span.start - _ABOUT_AN_HOUR, end=span.start + _ABOUT_AN_HOUR, precision="range"
            )
        return span

    def _read(self, text: str, now: datetime) -> LocalSpan:
        """The span that words cover in which nothing is left that dateparser does not know."""
        try:
            found = self._parser(now).get_date_data(text)
            moment, period = found.date_obj, found.period
            if moment is None or self._is_stray(text, moment, period, now):
                reason = UNKNOWN if _SEASON.search(text) is None else _ABOUT_SEASONS
                raise NotUnderstood(text, reason)
            span = _span(text, moment, period, getattr(found.part_of_day, "value", None))
        except NotUnderstood:
            raise
        except (ValueError, OverflowError) as error:
            raise NotUnderstood(text) from error
        return replace(span, offset=moment.tzinfo)

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


def _plain(text: str) -> str:
    """The words without shades of meaning, and with days for feasts, as dateparser knows them."""
    text = _ORDINAL.sub(r"\1", _SOMETIME.sub("", _ABOUT.sub("", text)))
    text = _PART_OF_HOUR.sub(
        lambda found: f"{30 if found['part'].casefold() == 'half' else 15} minutes", text
    )
    text = _SHADE.sub("", _EARLY.sub(r"\g<day> early morning", text))
    return _FEAST.sub(lambda found: _DAY_OF_FEAST[found["name"].casefold().replace("'", "")], text)


def _why_not(text: str) -> str | None:
    """Why the words, read as a date, would be a guess; None when they are not."""
    if (decade := _DECADE.search(text)) is not None:
        first = re.sub(r"\D", "", decade[0])
        years = f' as "{first}/{int(first) + 9}"' if len(first) == 4 else " by its years"
        return f"a decade is not read; write it{years}"
    if _ONLY_NUMBER.fullmatch(text):
        return "it names neither a month nor a year"
    if _DURATION.fullmatch(text):
        return f'a length of time alone; say "{text} ago"'
    if _RELATED.search(_DAY_BESIDE.sub("", text)):
        return '"before" and "after" are not read'
    for first, _, second, alone in _NUMERIC.findall(text):
        other = second or alone
        if int(first) <= 12 and int(other) <= 12 and int(first) != int(other):
            year = (re.findall(r"\d{4}", text) or ["2024"])[0]
            one, two = int(first), int(other)
            return (
                "day and month could change places;"
                f" write {year}-{two:02}-{one:02} or {year}-{one:02}-{two:02}"
            )
    return None


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
