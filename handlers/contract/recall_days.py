"""Recognize days named in a question, and prefer turns of these days."""

import calendar
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final
from uuid import UUID

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query
from vcontract.runtime.store.search.ranking import Passage, Scored
from vcontract.runtime.text.dates import TimeReader
from vcontract.runtime.text.query import Query
from vcontract.runtime.text.query_dates import days_of

_RAISED: Final = 1.7
"""Factor for the score of a passage on a named day; tuned on half of the dated questions."""
_LISTED: Final = 3.0
"""Factor if the question only asks for one day; no other passage is then on the first page."""
_MAX_LISTED: Final = 40
_OF_ANY_DAY: Final = frozenset(
    "happen happened happening go going say said talk talked tell told write wrote discuss discussed".split()
)
_RELATIVE: Final = re.compile(r"\b(?:today|yesterday|(?:last|this) (?:week|month|year))\b", re.IGNORECASE)
_TIMES: Final = TimeReader("UTC", ("en",))
_WRITTEN: Final[Mapping[str, Callable[[int], str]]] = {
    "weekday": lambda number: calendar.day_name[number - 1],
    "day": str,
    "month": lambda number: calendar.month_name[number],
    "year": str,
}


@dataclass(frozen=True, slots=True)
class NamedDays:
    """Weekdays, days, months and years named in a question, or a range of days."""

    parts: Mapping[str, tuple[int, ...]]
    is_all: bool = False
    """Whether it only asks what was said on one day, possibly by whom."""
    span: tuple[date, date] | None = None
    """First and last day of expressions like `last week`, in UTC, if nothing else is named."""

    @classmethod
    def of(cls, question: Query, text: str = "", today: date | None = None) -> "NamedDays":
        """Find the days named in a question; empty for most questions.

        `text` is the original question, for days relative to `today`.
        """
        words = [term.text for term in question.terms]
        days = days_of(words)
        parts: dict[str, list[int]] = {}
        for one in days:
            for part, number in (one or {}).items():
                parts.setdefault(part, []).append(number)
        if not parts and (named_span := _RELATIVE.search(text)):
            return cls({}, span=_span(named_span[0].lower(), today or datetime.now(UTC).date()))
        others = [word for word, one in zip(words, days, strict=True) if one is None]
        is_one_day = len(parts.get("day", ())) == len(parts.get("month", ())) == 1
        return cls(
            {part: tuple(dict.fromkeys(numbers)) for part, numbers in parts.items()},
            is_one_day and all(word[:1].isupper() or word in _OF_ANY_DAY for word in others),
        )

    def __bool__(self) -> bool:
        return bool(self.parts) or self.span is not None

    def __str__(self) -> str:
        """Format as `Monday 2 March 2025`, as far as named; alternatives are separated by slashes."""
        if self.span is not None:
            first, last = self.span
            return f"{first}" if first == last else f"{first} to {last}"
        return " ".join(
            "/".join(write(number) for number in self.parts[part])
            for part, write in _WRITTEN.items()
            if part in self.parts
        )

    def has(self, at: datetime | None) -> bool:
        """Whether a time is on such a day, in UTC."""
        if at is None or not self:
            return False
        if self.span is not None:
            return self.span[0] <= at.date() <= self.span[1]
        own = {"weekday": at.isoweekday(), "day": at.day, "month": at.month, "year": at.year}
        return all(own[part] in numbers for part, numbers in self.parts.items())

    @property
    def window(self) -> tuple[datetime, datetime] | None:
        """Begin and end of the one range of days that is named; None for days of any month or year."""
        if self.span is not None:
            first, last = self.span
        else:
            if (
                any(len(self.parts.get(part, ())) != 1 for part in ("month", "year"))
                or "weekday" in self.parts
            ):
                return None
            (year,), (month,) = self.parts["year"], self.parts["month"]
            days = self.parts.get("day", (1, calendar.monthrange(year, month)[1]))
            try:
                first, last = date(year, month, min(days)), date(year, month, max(days))
            except ValueError:
                return None
        begin = datetime(first.year, first.month, first.day, tzinfo=UTC)
        return begin, datetime(last.year, last.month, last.day, tzinfo=UTC) + timedelta(days=1)

    def score(self, one: Scored) -> float:
        """Score of a passage, raised if it was said on such a day."""
        if not self.has(one.passage.at):
            return one.score
        return one.score * (_LISTED if self.is_all else _RAISED)


def _span(named_span: str, today: date) -> tuple[date, date]:
    """Days of `yesterday`, `last week` (Monday to Sunday), `this month` and the like."""
    found = _TIMES.read(named_span, datetime(today.year, today.month, today.day, tzinfo=UTC))
    assert found.start is not None
    assert found.end is not None
    return found.start.date(), min((found.end - timedelta(days=1)).date(), today)


async def turns_of_day(
    connection: Connection, tenant: str, ids: Iterable[UUID], days: NamedDays, best: float
) -> Sequence[Scored]:
    """Dialogs of these vCons on the requested day, in order, each with the score `best`."""
    rows = await connection.fetch(
        *named_query(
            "select id, element, occurred_at from vcontract.passage"
            " where tenant = :tenant and kind = 'vcon' and id = any(:ids) and part = 'dialog' and chunk = 0"
            " and extract(day from occurred_at at time zone 'UTC') = :day"
            " and extract(month from occurred_at at time zone 'UTC') = :month"
            " order by occurred_at, id, element limit :most",
            tenant=tenant,
            ids=sorted(ids),
            day=days.parts["day"][0],
            month=days.parts["month"][0],
            most=_MAX_LISTED,
        )
    )
    places = [
        Passage(row["id"], "dialog", row["element"], 0, 0, 0, None, row["occurred_at"], None) for row in rows
    ]
    return [Scored(one, best, 0.0, 0.0, 0.0, ()) for one in places if days.has(one.at)]
