"""ISO 8601 as people write it: years, months, weeks, days and date-times, each as the span it covers."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Final

from vcontract.runtime.store.bridge.records import Precision

_FORM: Final = re.compile(
    r"(?P<year>\d{4})"
    r"(?:-W(?P<week>\d{2})(?:-(?P<weekday>[1-7]))?"
    r"|-(?P<month>\d{2})(?:-(?P<day>\d{2})"
    r"(?:[Tt ](?P<hour>\d{2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?"
    r"(?P<offset>[Zz]|[+-]\d{2}(?::?\d{2})?)?)?)?)?"
)
_BEGINS: Final = re.compile(
    r"(?P<year>\d{4})-(?:W(?P<week>\d{2})|(?P<month>\d{2})(?:-(?P<day>\d{2}))?)(?!\d)"
)


class NotIso(ValueError):
    """The text is no form of ISO 8601; another reader may know it."""


class ImpossibleDate(ValueError):
    """The text begins as ISO 8601 and names a day, week, month or time that there is not."""


@dataclass(frozen=True, slots=True)
class LocalSpan:
    """From `start` until before `end`, both wall clock times without a zone."""

    start: datetime
    end: datetime
    precision: Precision
    offset: tzinfo | None = None
    """The offset that was written."""


def read_iso(text: str) -> LocalSpan:
    """The span that an ISO 8601 text covers.

    Raises: NotIso; ImpossibleDate.
    """
    found = _FORM.fullmatch(text)
    if found is None:
        _check_beginning(text)
        raise NotIso(text)
    try:
        return _span(found)
    except (ValueError, OverflowError):
        raise ImpossibleDate(text) from None


def whole_day(day: datetime) -> LocalSpan:
    start = _midnight(day)
    return LocalSpan(start, start + timedelta(days=1), "day")


def whole_week(day: datetime) -> LocalSpan:
    """The ISO week, from Monday."""
    start = _midnight(day) - timedelta(days=day.weekday())
    return LocalSpan(start, start + timedelta(days=7), "week")


def whole_month(day: datetime) -> LocalSpan:
    start = _midnight(day).replace(day=1)
    return LocalSpan(start, add_months(start, 1), "month")


def whole_quarter(day: datetime) -> LocalSpan:
    start = _midnight(day).replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
    return LocalSpan(start, add_months(start, 3), "quarter")


def whole_year(day: datetime) -> LocalSpan:
    start = _midnight(day).replace(month=1, day=1)
    return LocalSpan(start, add_months(start, 12), "year")


def add_months(moment: datetime, months: int) -> datetime:
    """The same day a number of months later, or the last day of that month if it is shorter."""
    years, month = divmod(moment.month - 1 + months, 12)
    first = moment.replace(year=moment.year + years, month=month + 1, day=1)
    following = (first + timedelta(days=31)).replace(day=1)
    return first.replace(day=min(moment.day, (following - timedelta(days=1)).day))


def _span(found: re.Match[str]) -> LocalSpan:
    year = int(found["year"])
    if found["week"] is not None:
        monday = date.fromisocalendar(year, int(found["week"]), int(found["weekday"] or 1))
        day = datetime(monday.year, monday.month, monday.day)
        return whole_day(day) if found["weekday"] else whole_week(day)
    if found["month"] is None:
        return whole_year(datetime(year, 1, 1))
    month = int(found["month"])
    if found["day"] is None:
        return whole_month(datetime(year, month, 1))
    day = datetime(year, month, int(found["day"]))
    if found["hour"] is None:
        return whole_day(day)
    start = day.replace(
        hour=int(found["hour"]), minute=int(found["minute"]), second=int(found["second"] or 0)
    )
    offset = _offset(found["offset"])
    if found["second"] is not None:
        return LocalSpan(start, start + timedelta(seconds=1), "second", offset)
    return LocalSpan(start, start + timedelta(minutes=1), "minute", offset)


def _check_beginning(text: str) -> None:
    """Pass unless the text begins with a date that there is not.

    Raises: ImpossibleDate.
    """
    found = _BEGINS.match(text)
    if found is None:
        return
    try:
        if found["week"] is not None:
            date.fromisocalendar(int(found["year"]), int(found["week"]), 1)
        else:
            date(int(found["year"]), int(found["month"]), int(found["day"] or 1))
    except ValueError:
        raise ImpossibleDate(text) from None


def _offset(text: str | None) -> tzinfo | None:
    if text is None:
        return None
    if text in ("Z", "z"):
        return UTC
    hours, minutes = int(text[1:3]), int(text[3:].lstrip(":") or 0)
    if hours > 23 or minutes > 59:
        raise ValueError("offset")
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if text[0] == "-" else offset)


def _midnight(day: datetime) -> datetime:
    return day.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
