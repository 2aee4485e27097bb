"""Event times: what a person wrote, resolved once to a half-open interval in UTC."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo

from vcontract.handlers.bridge.answers import Notices
from vcontract.handlers.bridge.iso import (
    ImpossibleDate,
    LocalSpan,
    NotIso,
    add_months,
    read_iso,
    whole_week,
)
from vcontract.handlers.bridge.spoken import UNKNOWN, NotUnderstood, SpokenDates
from vcontract.runtime.store.bridge.records import EventTime, Precision
from vcontract.runtime.vcon.times import format_time

FORMS: Final = (
    "2024",
    "2024-01",
    "2024-W03",
    "2024-01-15",
    "2024-01-15T10:30",
    "2024-01-15T10:30:00+02:00",
    "yesterday morning",
    "last week",
    "3 days ago",
    "15 January 2024",
    "2024-01-01/2024-01-15",
    "Jan 3 to Jan 5",
    "since Monday",
    "last 7 days",
    "last weekend",
)
"""Forms that are understood, for messages."""

_BACKWARDS: Final = "it ends before it starts"
_CLOCK_TIMES: Final = ("second", "minute")
_OPEN: Final = ".."
_FROM_TO: Final = (
    re.compile(r"(?:from\s+)?(?P<first>.+?)\s+to\s+(?P<last>.+)", re.IGNORECASE | re.DOTALL),
    re.compile(r"between\s+(?P<first>.+?)\s+and\s+(?P<last>.+)", re.IGNORECASE | re.DOTALL),
)
_SINCE: Final = re.compile(r"since\s+(?P<first>.+)", re.IGNORECASE | re.DOTALL)
_NUMBERS: Final = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_WITHIN: Final = r"(?:(?:in|over|during|within)\s+)?(?:the\s+)?"
_ROLLING: Final = re.compile(
    rf"{_WITHIN}(?:(?:last|past)\s+(?P<count>\d{{1,4}}|{'|'.join(_NUMBERS[1:])})\s+|past\s+|last\s+(?=minute|hour))"
    r"(?P<unit>minute|hour|day|week|month|year)(?(count)s?)",
    re.IGNORECASE,
)
"""Without a number one unit; `last day` and longer are days and weeks of the calendar."""
_WEEKEND: Final = re.compile(rf"{_WITHIN}(?:on\s+)?(?P<which>last|past|this)\s+weekend", re.IGNORECASE)

Window: TypeAlias = "str | tuple[str, str]"
"""A filter as it is given: one text, or the texts of start and end."""


class UnreadableTime(ValueError):
    """The text names no time that is understood, or one that ends before it starts; `reason` says which."""

    def __init__(self, text: str, reason: str = UNKNOWN) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Interval:
    """From `start` until before `end`, in UTC; None is open."""

    start: datetime | None
    end: datetime | None
    zone: str
    precision: Precision


@dataclass(frozen=True, slots=True)
class _Span:
    """A single date or time, resolved."""

    start: datetime
    end: datetime
    zone: str
    precision: Precision

    @property
    def last(self) -> datetime:
        """Where a range ends that names this as its end: before a clock time, behind a day."""
        return self.start if self.precision in _CLOCK_TIMES else self.end


class TimeReader:
    """Resolves times in the zone and the languages of the settings."""

    def __init__(self, zone: str, languages: tuple[str, ...]) -> None:
        self.zone_name = zone
        self.zone = ZoneInfo(zone)
        self._spoken = SpokenDates(languages)

    def read(self, text: str, now: datetime) -> Interval:
        """The interval that a text means, relative words counted from `now`.

        Raises: UnreadableTime.
        """
        text = " ".join(text.split())
        try:
            return self._whole(self._single_iso(text))
        except NotIso:
            pass
        found = self._range(text, now)
        if found is None:
            found = self._whole(self._single_spoken(text, now))
        if found.start is not None and found.end is not None and found.start >= found.end:
            raise UnreadableTime(text, _BACKWARDS)
        return found

    def read_window(self, window: Window, now: datetime) -> Interval:
        """The interval of a filter: a text, or from the start of one to the end of another.

        Raises: UnreadableTime.
        """
        if isinstance(window, str):
            return self.read(window, now)
        first, last = (self._single(" ".join(text.split()), now) for text in window)
        if first.start >= last.last:
            raise UnreadableTime(" to ".join(window), _BACKWARDS)
        return Interval(first.start, last.last, first.zone, "range")

    def _range(self, text: str, now: datetime) -> Interval | None:
        """The interval of a text that names two ends, or one and now; None when it does not."""
        if (rolling := _ROLLING.fullmatch(text)) is not None:
            return Interval(
                self._before(now, rolling["count"] or "1", rolling["unit"]), now, self.zone_name, "range"
            )
        if (weekend := _WEEKEND.fullmatch(text)) is not None:
            weeks = 0 if weekend["which"].casefold() == "this" else 1
            monday = whole_week(now.astimezone(self.zone).replace(tzinfo=None)).start
            start = monday + timedelta(days=5, weeks=-weeks)
            end = start + timedelta(days=2)
            return Interval(_utc(start, self.zone), _utc(end, self.zone), self.zone_name, "range")
        if (since := _SINCE.fullmatch(text)) is not None:
            first = self._single(since["first"], now)
            return Interval(first.start, None, first.zone, "range")
        if (ends := self._iso_ends(text)) is not None:
            return ends
        for form in _FROM_TO:
            if (found := form.fullmatch(text)) is not None:
                first, last = self._single(found["first"], now), self._single(found["last"], now)
                return Interval(first.start, last.last, first.zone, "range")
        return None

    def _iso_ends(self, text: str) -> Interval | None:
        """The interval of `A/B`, where both are ISO forms or one is open."""
        sides = [side.strip() for side in text.split("/")]
        if len(sides) != 2 or sides == [_OPEN, _OPEN]:
            return None
        try:
            first, last = (None if side == _OPEN else self._single_iso(side) for side in sides)
        except NotIso:
            return None
        named = first or last
        return Interval(
            None if first is None else first.start,
            None if last is None else last.last,
            self.zone_name if named is None else named.zone,
            "range",
        )

    def _single(self, text: str, now: datetime) -> _Span:
        try:
            return self._single_iso(text)
        except NotIso:
            return self._single_spoken(text, now)

    def _single_iso(self, text: str) -> _Span:
        """Raises: NotIso, UnreadableTime."""
        try:
            return self._resolved(read_iso(text))
        except (ImpossibleDate, OverflowError):
            raise UnreadableTime(text, "there is no such day or time") from None

    def _single_spoken(self, text: str, now: datetime) -> _Span:
        try:
            return self._resolved(self._spoken.read(text, now.astimezone(self.zone)))
        except NotUnderstood as words:
            raise UnreadableTime(text, words.reason) from None
        except OverflowError:
            raise UnreadableTime(text) from None

    def _resolved(self, local: LocalSpan) -> _Span:
        if local.offset is None:
            return _Span(
                _utc(local.start, self.zone), _utc(local.end, self.zone), self.zone_name, local.precision
            )
        start, end = _utc(local.start, local.offset), _utc(local.end, local.offset)
        return _Span(start, end, _offset_name(local), local.precision)

    def _before(self, now: datetime, count: str, unit: str) -> datetime:
        number = int(count) if count.isdigit() else _NUMBERS.index(count.casefold())
        unit = unit.casefold()
        try:
            if unit in ("month", "year"):
                local = now.astimezone(self.zone).replace(tzinfo=None)
                return _utc(add_months(local, -number * (12 if unit == "year" else 1)), self.zone)
            return now - timedelta(**{f"{unit}s": number})
        except (ValueError, OverflowError):
            raise UnreadableTime(f"{count} {unit}s") from None

    @staticmethod
    def _whole(span: _Span) -> Interval:
        return Interval(span.start, span.end, span.zone, span.precision)


def event_time(times: TimeReader, text: str, now: datetime, notices: Notices) -> EventTime:
    """An event time with its interval, or without one and a warning that it was not understood."""
    try:
        found = times.read(text, now)
        reason = "it has no end" if found.end is None else "it has no beginning"
    except UnreadableTime as unreadable:
        found, reason = None, unreadable.reason
    if found is None or found.start is None or found.end is None:
        notices.warn(
            "when_unresolved",
            f'when "{text[:60]}" is kept as text, and no when filter finds it: {reason}.',
        )
        return EventTime(text)
    if found.start > now:
        notices.warn("when_in_future", f"when is in the future: {format_time(found.start)}.")
    return EventTime(text, found.start, found.end, found.zone, found.precision)


def _utc(wall: datetime, zone: tzinfo) -> datetime:
    """A wall clock time in UTC: of two the first, and one that there is not moves on by the gap."""
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)


def _offset_name(local: LocalSpan) -> str:
    if local.offset is UTC:
        return "UTC"
    text = local.start.replace(tzinfo=local.offset).strftime("%z")
    return f"{text[:3]}:{text[3:5]}"
