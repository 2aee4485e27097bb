"""Days that a question names: what was said on them is preferred."""

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
"""What the score of a place said on a named day is multiplied by; chosen on half of the dated questions."""
_LISTED: Final = 3.0
"""The same where a question asks for one day and nothing else: no other place is on the first page then."""
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
    """What a question says of days: numbers of weekdays, days, months and years, or a span of days."""

    parts: Mapping[str, tuple[int, ...]]
    is_all: bool = False
    """Whether it asks what was said on one day, and nothing else but by whom."""
    span: tuple[date, date] | None = None
    """First and last day of `last week` and the like, in UTC, where no part is named."""

    @classmethod
    def of(cls, question: Query, text: str = "", today: date | None = None) -> "NamedDays":
        """What the words of a question name; nothing for most questions.

        `text` is the question as it was asked, of which days relative to `today` are read.
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
        """`Monday 2 March 2025`, as far as it is named; several of a part are joined by a slash."""
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

    def score(self, one: Scored) -> float:
        """The score of a place, higher when it was said on such a day."""
        if not self.has(one.passage.at):
            return one.score
        return one.score * (_LISTED if self.is_all else _RAISED)


def _span(named_span: str, today: date) -> tuple[date, date]:
    """The days of `yesterday`, `last week` (Monday to Sunday), `this month` and the like."""
    found = _TIMES.read(named_span, datetime(today.year, today.month, today.day, tzinfo=UTC))
    assert found.start is not None
    assert found.end is not None
    return found.start.date(), min((found.end - timedelta(days=1)).date(), today)


async def turns_of_day(
    connection: Connection, tenant: str, ids: Iterable[UUID], days: NamedDays, best: float
) -> Sequence[Scored]:
    """The dialogs of these vCons on the one day that is asked for, in order, each with the score `best`."""
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
