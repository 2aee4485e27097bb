"""Parse ISO 8601 dates and times, and the days, weeks, months, quarters and years around a moment."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Final, Literal, TypeAlias

Precision: TypeAlias = Literal[
    "second", "minute", "part of day", "day", "week", "month", "quarter", "year", "range"
]
UNKNOWN: Final = "no date was understood"
NO_SUCH_TIME: Final = "there is no such day or time"
_ISO: Final = re.compile(
    r"\d{4}(?:-W\d{2}(?P<weekday>-[1-7])?|(?P<month>-\d{2}(?P<day>-\d{2}"
    r"(?P<minute>[Tt ]\d{2}:\d{2}(?P<second>:\d{2}(?:[.,]\d{1,9})?)?(?:[Zz]|[+-]\d{2}(?::?\d{2})?)?)?)?)?)?"
)
_BEGINS_AS_ISO: Final = re.compile(r"\d{4}-(?:W\d{2}|\d{2}(?P<day>-\d{2})?)(?!\d)")


class UnreadableTime(ValueError):
    """The text is not an understood time, or it ends before it starts; `reason` says which."""

    def __init__(self, text: str, reason: str = UNKNOWN) -> None:
        super().__init__(text)
        self.reason = reason


class NotIso(ValueError):
    """The text is not ISO 8601; another reader may understand it."""


@dataclass(frozen=True, slots=True)
class Span:
    """A single date or time: wall clock times, and the zone written with them, if any."""

    start: datetime
    end: datetime
    precision: Precision
    offset: tzinfo | None = None


def read_iso(text: str) -> Span:
    """Parse ISO 8601. Raises: NotIso, UnreadableTime."""
    found = _ISO.fullmatch(text) or _BEGINS_AS_ISO.match(text)
    if found is None:
        raise NotIso(text)
    try:
        moment = _moment(found[0])
        if found.re is _BEGINS_AS_ISO:
            raise NotIso(text)
        return _covered(found, moment)
    except (ValueError, OverflowError) as error:
        if isinstance(error, NotIso):
            raise
        raise UnreadableTime(text, NO_SUCH_TIME) from None


def _moment(text: str) -> datetime:
    """Return the start of a year, month, week or day, or a time. Raises: ValueError."""
    rest = {4: "-01-01", 7: "-01"}.get(len(text), "")
    return datetime.fromisoformat(text.upper() + rest)


def _covered(found: "re.Match[str]", moment: datetime) -> Span:
    """Return the full span that a text names, starting at the moment. Raises: OverflowError."""
    offset, moment = moment.tzinfo, moment.replace(tzinfo=None, microsecond=0)
    if found["second"]:
        return Span(moment, moment + timedelta(seconds=1), "second", offset)
    if found["minute"]:
        return Span(moment, moment + timedelta(minutes=1), "minute", offset)
    width = "day" if found["day"] or found["weekday"] else "month" if found["month"] else "year"
    return week_of(moment) if width == "year" and "W" in found[0] else WIDTHS[width](moment)


def day_of(moment: datetime) -> Span:
    start = datetime(moment.year, moment.month, moment.day)
    return Span(start, start + timedelta(days=1), "day")


def week_of(moment: datetime) -> Span:
    """The ISO week, from Monday."""
    start = day_of(moment).start - timedelta(days=moment.weekday())
    return Span(start, start + timedelta(days=7), "week")


def months_of(moment: datetime, count: int, name: Precision) -> Span:
    """Return a month, or the quarter or year that contains it."""
    start = datetime(moment.year, (moment.month - 1) // count * count + 1, 1)
    return Span(start, add_months(start, count), name)


WIDTHS: Final[Mapping[str, Callable[[datetime], Span]]] = {
    "day": day_of,
    "week": week_of,
    "month": lambda moment: months_of(moment, 1, "month"),
    "quarter": lambda moment: months_of(moment, 3, "quarter"),
    "year": lambda moment: months_of(moment, 12, "year"),
}


def add_months(moment: datetime, months: int) -> datetime:
    """Return the same day some months later, or the last day of a shorter month."""
    years, month = divmod(moment.month - 1 + months, 12)
    first = moment.replace(year=moment.year + years, month=month + 1, day=1)
    last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    return first.replace(day=min(moment.day, last.day))
