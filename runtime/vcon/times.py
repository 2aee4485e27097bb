"""Parse and format dates of vCons and search windows."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from typing import Final, Literal

from vcontract.runtime.frame.documents.findings import Notice, quoted
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import objects

ACCEPTED_DATE_FORMS: tuple[str, ...] = (
    "2025-10-14",
    "2025-10-14T15:30:00Z",
    "2025-10-14T15:30:00.250+02:00",
    "2025-10-14T15:30 (seconds and offset may be missing; no offset means UTC)",
)

_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_MOMENT = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"[Tt ](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]+))?)?"
    r"(?:(?P<zulu>[Zz])|(?P<sign>[+-])(?P<offset_hours>[0-9]{2}):?(?P<offset_minutes>[0-9]{2}))?"
)


_UNSET: Final = (datetime(1, 1, 1, tzinfo=UTC), datetime(1970, 1, 1, tzinfo=UTC))
"""Zero of a clock that was never set."""
_TIMES_REMEMBERED: Final = 4_096
"""Cache size: the times of a long conversation, parsed again at each change."""


class BadDate(ValueError):
    """An invalid date; `accepted` lists the valid forms."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.accepted = ACCEPTED_DATE_FORMS
        super().__init__(
            f"{quoted(text)} is not a date. Accepted: YYYY-MM-DD, or RFC 3339 such as 2025-10-14T15:30:00Z "
            "(seconds and offset may be missing; no offset means UTC)."
        )


@lru_cache(maxsize=_TIMES_REMEMBERED)
def read_time(text: str) -> datetime | None:
    """Parse a time to UTC; None if invalid.

    Accepts RFC 3339. Seconds and offset are optional, a space may replace the T, and a date is its first
    instant. Without an offset, the time is UTC.
    """
    day = _read_day(text)
    if day is not None:
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
    found = _MOMENT.fullmatch(text)
    if found is None:
        return None
    second = int(found["second"] or 0)
    # a leap second is read as the first second of the next minute
    leap = second == 60
    try:
        local = datetime(
            int(found["year"]),
            int(found["month"]),
            int(found["day"]),
            int(found["hour"]),
            int(found["minute"]),
            59 if leap else second,
            int((found["fraction"] or "0").ljust(6, "0")[:6]) if not leap else 0,
            tzinfo=_offset(found),
        )
        moment = local.astimezone(UTC)
        return moment + timedelta(seconds=1) if leap else moment
    except (ValueError, OverflowError):
        return None


def is_rfc_3339(text: str) -> bool:
    """Whether a valid time is complete: with T, seconds, and an offset with colon."""
    found = _MOMENT.fullmatch(text)
    if found is None or found["second"] is None or text[10] not in "Tt":
        return False
    return found["zulu"] is not None or (found["sign"] is not None and text[-3] == ":")


def window_edge(text: str, edge: Literal["start", "end"]) -> datetime:
    """Parse a date parameter as the start or end of a half-open window, in UTC.

    A date without time means the whole day: as a start its first instant, as an end the first instant of the
    next day.

    Raises: BadDate.
    """
    moment = read_time(text)
    if moment is None:
        raise BadDate(text)
    if edge == "end" and _DAY.fullmatch(text):
        try:
            return moment + timedelta(days=1)
        except OverflowError:
            return datetime.max.replace(tzinfo=UTC)
    return moment


def format_time(moment: datetime) -> str:
    """Format as RFC 3339 in UTC with `Z`; microseconds only if they are not 0."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def by_month(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Counts of all months from the first to the last, including empty ones."""
    numbers = [int(name[:4]) * 12 + int(name[5:]) - 1 for name in counts]
    every = range(min(numbers), max(numbers) + 1) if numbers else ()
    names = (f"{number // 12:04}-{number % 12 + 1:02}" for number in every)
    return [(name, counts.get(name, 0)) for name in names]


def conversation_time(vcon: JsonObject, now: datetime) -> tuple[datetime, Notice | None]:
    """Time at which the vCon was made: `created_at`, else the earliest dialog.

    Without a valid one it is `now`, with the notice `conversation_date_missing`.
    """
    created = _time_in(vcon, "created_at")
    if created is not None:
        return created, None
    began = earliest_start(vcon)
    if began is not None:
        return began, None
    return now, Notice(
        "conversation_date_missing",
        "Neither created_at nor any dialog's start can be read as a date; "
        "the time of storing is used for sorting and date filters.",
        "$.created_at",
    )


def earliest_start(vcon: JsonObject) -> datetime | None:
    """Start of the earliest dialog; None if no dialog has a valid one. The zero of a clock is no start."""
    starts = {
        start for _, dialog in objects(vcon.get("dialog")) if isinstance(start := dialog.get("start"), str)
    }
    # times of this form sort as text: of a long conversation only the first is parsed
    uniform = {start for start in starts if len(start) == 20 and start[10] == "T" and start[-1] == "Z"}
    first = next(filter(None, map(_start, sorted(uniform))), None)
    return min(filter(None, (first, *map(_start, starts - uniform))), default=None)


def _start(text: str) -> datetime | None:
    moment = read_time(text)
    return None if moment in _UNSET else moment


def _time_in(element: JsonObject, member: str) -> datetime | None:
    value: JsonValue = element.get(member)
    return read_time(value) if isinstance(value, str) else None


def _read_day(text: str) -> date | None:
    found = _DAY.fullmatch(text)
    if found is None:
        return None
    try:
        return date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return None


def _offset(found: re.Match[str]) -> timezone:
    """Parse an offset. Raises: ValueError if it is out of range."""
    if found["sign"] is None:
        return UTC
    hours, minutes = int(found["offset_hours"]), int(found["offset_minutes"])
    if hours > 23 or minutes > 59:
        raise ValueError("offset")
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if found["sign"] == "-" else offset)
