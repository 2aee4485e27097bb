"""Parse dates and times, in ISO 8601 or in words, into half-open intervals in UTC.

dateparser reads words, and its results are checked against what the words can mean. Ambiguous words are
rejected with a reason.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias
from zoneinfo import ZoneInfo

from vcontract.runtime.text.iso_dates import (
    NO_SUCH_TIME,
    UNKNOWN,
    WIDTHS,
    NotIso,
    Precision,
    Span,
    UnreadableTime,
    add_months,
    day_of,
    read_iso,
    week_of,
)

if TYPE_CHECKING:
    from dateparser.date import DateDataParser

FORMS: Final = (
    *("2024", "2024-01", "2024-W03", "2024-01-15", "2024-01-15T10:30", "2024-01-15T10:30:00+02:00"),
    *("yesterday morning", "last week", "3 days ago", "15 January 2024", "2024-01-01/2024-01-15"),
    *("Jan 3 to Jan 5", "since Monday", "last 7 days", "last weekend"),
)
"""Supported forms, for messages."""
_BACKWARDS: Final = "it ends before it starts"
_OPEN: Final = ".."

_FROM_TO: Final = (
    re.compile(r"(?:from\s+)?(?P<first>.+?)\s+to\s+(?P<last>.+)", re.IGNORECASE | re.DOTALL),
    re.compile(r"between\s+(?P<first>.+?)\s+and\s+(?P<last>.+)", re.IGNORECASE | re.DOTALL),
)
_SINCE: Final = re.compile(r"since\s+(?P<first>.+)", re.IGNORECASE | re.DOTALL)
_NUMBERS: Final[Sequence[str]] = "zero one two three four five six seven eight nine ten eleven twelve".split()
_WITHIN: Final = r"(?:(?:in|over|during|within)\s+)?(?:the\s+)?"
_ROLLING: Final = re.compile(
    rf"{_WITHIN}(?:(?:last|past)\s+(?P<count>\d{{1,4}}|{'|'.join(_NUMBERS[1:])})\s+|past\s+|last\s+(?=minute|hour))"
    r"(?P<unit>minute|hour|day|week|month|year)(?(count)s?)",
    re.IGNORECASE,
)
"""Without a number, one unit. `last day` and longer units follow the calendar."""
_WEEKEND: Final = re.compile(rf"{_WITHIN}(?:on\s+)?(?P<which>last|past|this)\s+weekend", re.IGNORECASE)

_ONLY_NUMBER: Final = re.compile(r"(?:(?:the|an?|on|of|\d+(?:st|nd|rd|th)?)[\s,]*)+", re.IGNORECASE)
_DURATION: Final = re.compile(
    rf"(?:(?:the|about|\d+(?:[.,]\d+)?|an?|{'|'.join(_NUMBERS[1:])}|some|several|few|half|couple|of|and)?[\s,]*"
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
    "january february march april may june july august september october november december".split()
)
_WEEKDAYS: Final = "monday tuesday wednesday thursday friday saturday sunday".split()
_PARTS_OF_DAY: Final[Mapping[str, tuple[int, int]]] = {
    "early_morning": (0, 6),
    "morning": (6, 12),
    "afternoon": (12, 18),
    "evening": (18, 22),
    "night": (20, 28),
}
"""Start and end hour of each part of the day."""
_ABOUT: Final = re.compile(
    r"(?:\bat\s+)?(?:\b(?:around|about|approximately|roughly|circa)\b|~)\s*", re.IGNORECASE
)
_ABOUT_AN_HOUR: Final = timedelta(minutes=30)
_PART_ALONE: Final = re.compile(
    r"(?:(?:in|at|during)\s+)?(?:the\s+)?(?P<part>(?:early\s+)?morning|afternoon|evening|night)",
    re.IGNORECASE,
)
_SEASON: Final = re.compile(r"\b(?:spring|summer|autumn|fall|winter)\b", re.IGNORECASE)
_PLAINER: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), plain)
    for pattern, plain in (
        (r"\b(?:sometime|some time)\s+", ""),
        (r"\b(\d{1,2})(?:st|nd|rd|th)\b", r"\1"),
        (r"\bhalf\s+an\s+hour\b", "30 minutes"),
        (r"\b(?:a\s+)?quarter\s+of\s+an\s+hour\b", "15 minutes"),
        (r"\bearly\s+(?P<day>.+?)\s+morning\b", r"\g<day> early morning"),
        (r"\blate\s+(?=(?:last\s+)?night|(?:in\s+the\s+)?(?:morning|afternoon|evening))", ""),
        (r"\bearly\s+(?=(?:in\s+the\s+)?(?:afternoon|evening))", ""),
        *(
            (rf"(?:\b(?:last|on|at)\s+)?\b{feast}\b", day)
            for feast, day in (
                ("christmas eve", "24 December"),
                ("christmas(?: day)?", "25 December"),
                ("new year'?s eve", "31 December"),
                ("new year'?s day", "1 January"),
                ("halloween", "31 October"),
                ("valentine'?s day", "14 February"),
            )
        ),
    )
)
"""Replaces nuances and holidays by words that dateparser knows."""

Window: TypeAlias = "str | tuple[str, str]"
"""A filter: one text, or the texts of start and end."""


@dataclass(frozen=True, slots=True)
class Interval:
    """From `start` until before `end`, in UTC. None means unbounded."""

    start: datetime | None
    end: datetime | None
    zone: str
    precision: Precision


class TimeReader:
    """Resolves times in a zone and some languages. dateparser is loaded on first use."""

    def __init__(self, zone: str, languages: tuple[str, ...]) -> None:
        self.zone_name = zone
        self.zone = ZoneInfo(zone)
        self._languages = languages

    def read(self, text: str, now: datetime) -> Interval:
        """Parse a text. Relative words count from `now`.

        Raises: UnreadableTime.
        """
        text = " ".join(text.split())
        try:
            return self._resolved(read_iso(text))
        except NotIso:
            found = self._range(text, now) or self._resolved(self._spoken(text, now))
        return _forward(text, found)

    def read_window(self, window: Window, now: datetime) -> Interval:
        """Parse a filter: one text, or from the start of one to the end of another.

        Raises: UnreadableTime.
        """
        if isinstance(window, str):
            return self.read(window, now)
        first, last = (self._single(" ".join(text.split()), now) for text in window)
        return _forward(" to ".join(window), self._between(first, last))

    def _range(self, text: str, now: datetime) -> Interval | None:
        """Parse a text with two ends, or one and now. None for any other text."""
        if (rolling := _ROLLING.fullmatch(text)) is not None:
            start = self._before(now, rolling["count"] or "1", rolling["unit"].casefold())
            return Interval(start, now, self.zone_name, "range")
        if (weekend := _WEEKEND.fullmatch(text)) is not None:
            week = week_of(self._wall(now)).start - timedelta(weeks=weekend["which"].casefold() != "this")
            return self._resolved(Span(week + timedelta(days=5), week + timedelta(days=7), "range"))
        if (since := _SINCE.fullmatch(text)) is not None:
            return self._between(self._single(since["first"], now), None)
        sides = [side.strip() for side in text.split("/")]
        if len(sides) == 2 and sides != [_OPEN, _OPEN]:
            try:
                return self._between(*(None if side == _OPEN else read_iso(side) for side in sides))
            except NotIso:
                pass
        for form in _FROM_TO:
            if (found := form.fullmatch(text)) is not None:
                return self._between(self._single(found["first"], now), self._single(found["last"], now))
        return None

    def _single(self, text: str, now: datetime) -> Span:
        try:
            return read_iso(text)
        except NotIso:
            return self._spoken(text, now)

    def _between(self, first: Span | None, last: Span | None) -> Interval:
        """From the start of one until the end of the other. A clock time is excluded, a day included."""
        if last is not None and last.precision in ("second", "minute"):
            last = replace(last, end=last.start)
        begins = None if first is None else self._resolved(first)
        ends = None if last is None else self._resolved(last)
        named = begins or ends
        return Interval(
            None if begins is None else begins.start,
            None if ends is None else ends.end,
            self.zone_name if named is None else named.zone,
            "range",
        )

    def _resolved(self, span: Span) -> Interval:
        zone = span.offset or self.zone
        name = self.zone_name
        if span.offset is not None:
            name = "UTC" if span.offset is UTC else span.start.replace(tzinfo=span.offset).isoformat()[-6:]
        try:
            return Interval(_utc(span.start, zone), _utc(span.end, zone), name, span.precision)
        except OverflowError:
            raise UnreadableTime(str(span.start), NO_SUCH_TIME) from None

    def _wall(self, now: datetime) -> datetime:
        return now.astimezone(self.zone).replace(tzinfo=None)

    def _before(self, now: datetime, count: str, unit: str) -> datetime:
        number = int(count) if count.isdigit() else list[str](_NUMBERS).index(count.casefold())
        try:
            if unit in ("month", "year"):
                months = -number * (12 if unit == "year" else 1)
                return _utc(add_months(self._wall(now), months), self.zone)
            return now - timedelta(**{f"{unit}s": number})
        except (ValueError, OverflowError):
            raise UnreadableTime(f"{count} {unit}s") from None

    def _spoken(self, text: str, now: datetime) -> Span:
        """Parse words. Raises: UnreadableTime."""
        plain = _ABOUT.sub("", text)
        is_rough = plain != text
        for pattern, plainer in _PLAINER:
            plain = pattern.sub(plainer, plain)
        if (reason := _why_not(plain)) is not None:
            raise UnreadableTime(text, reason)
        if (part := _PART_ALONE.fullmatch(plain)) is None:
            span = self._parsed(plain, now)
        else:
            span = self._parsed(f"today {part['part']}", now)
            if span.start > self._wall(now):
                span = self._parsed(f"yesterday {part['part']}", now)
        if is_rough and span.precision in ("minute", "second"):
            start, end = span.start - _ABOUT_AN_HOUR, span.start + _ABOUT_AN_HOUR
            return replace(span, start=start, end=end, precision="range")
        return span

    def _parsed(self, text: str, now: datetime) -> Span:
        """Parse words with dateparser. Raises: UnreadableTime."""
        wall = self._wall(now)
        try:
            found = self._parser(wall).get_date_data(text)
            moment, period = found.date_obj, found.period
            if moment is None or self._is_stray(text, moment, period, wall):
                season = "a season has other months elsewhere; name the months"
                raise UnreadableTime(text, UNKNOWN if _SEASON.search(text) is None else season)
            span = _span(text, moment.replace(tzinfo=None), period, getattr(found.part_of_day, "value", None))
        except UnreadableTime:
            raise
        except (ValueError, OverflowError):
            raise UnreadableTime(text) from None
        return replace(span, offset=moment.tzinfo)

    def _parser(self, wall: datetime) -> "DateDataParser":
        from dateparser.date import DateDataParser  # slow to import, so only when words must be parsed

        settings: dict[str, object] = {
            "PREFER_DATES_FROM": "past",
            "RETURN_TIME_AS_PERIOD": True,
            "PARSERS": ["relative-time", "absolute-time"],
            "RELATIVE_BASE": wall,
        }
        return DateDataParser(languages=list(self._languages), settings=settings)

    def _is_stray(self, text: str, moment: datetime, period: str, wall: datetime) -> bool:
        """Whether the result contradicts the text: a month or weekday not in it, or a distant date for a
        weekday alone.
        """
        words = {word.casefold() for word in _WORD.findall(text)}
        names_month = bool(words & self._month_names)
        if period == "month" and not names_month:
            return True
        weekdays = {self._weekday_of[word] for word in words if word in self._weekday_of}
        if not weekdays:
            return False
        if period in ("week", "month", "quarter", "year") or moment.weekday() not in weekdays:
            return True
        distance = abs(moment.replace(tzinfo=None) - wall)
        return distance > _NEAREST_WEEKDAYS and not names_month and not _DATED.search(text)

    @cached_property
    def _month_names(self) -> frozenset[str]:
        return frozenset(name for key in (*_MONTHS, "month") for name in self._names(key))

    @cached_property
    def _weekday_of(self) -> dict[str, int]:
        return {name: number for number, key in enumerate(_WEEKDAYS) for name in self._names(key)}

    def _names(self, key: str) -> set[str]:
        """Names of a month or day in the languages, without single letters."""
        from dateparser.languages.loader import default_loader

        names = {key} if "en" in self._languages else set[str]()
        for language in self._languages:
            known = default_loader.get_locale(language).info.get(key, ())
            names |= {name.casefold() for name in known if len(name) > 1}
        return names | ({"months"} if key == "month" and "en" in self._languages else set())


def _forward(text: str, found: Interval) -> Interval:
    """Return the interval. Raises: UnreadableTime if it ends before it starts."""
    if found.start is not None and found.end is not None and found.start >= found.end:
        raise UnreadableTime(text, _BACKWARDS)
    return found


def _span(text: str, wall: datetime, period: str, part_of_day: str | None) -> Span:
    """Return the span around a moment that the words mean."""
    if part_of_day is not None and period == "part_of_day":
        first, last = (timedelta(hours=hour) for hour in _PARTS_OF_DAY[part_of_day])
        midnight = day_of(wall).start
        return Span(midnight + first, midnight + last, "part of day")
    if period != "time":
        return WIDTHS[period](wall)
    if _SECONDS.search(text):
        second = wall.replace(microsecond=0)
        return Span(second, second + timedelta(seconds=1), "second")
    minute = wall.replace(second=0, microsecond=0)
    return Span(minute, minute + timedelta(minutes=1), "minute")


def _why_not(text: str) -> str | None:
    """Return why reading the words as a date would be a guess, or None."""
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
        one, two = int(first), int(second or alone)
        if one <= 12 and two <= 12 and one != two:
            year = (re.findall(r"\d{4}", text) or ["2024"])[0]
            return (
                "day and month could change places;"
                f" write {year}-{two:02}-{one:02} or {year}-{one:02}-{two:02}"
            )
    return None


def _utc(wall: datetime, zone: tzinfo) -> datetime:
    """Convert a wall clock time to UTC. Ambiguous times are the first; skipped times move forward by the
    gap.
    """
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
