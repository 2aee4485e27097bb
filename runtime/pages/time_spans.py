"""Spans of time that conversations are counted by: days, weeks and months, all in UTC."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

SHOWN_DAYS: Final[Mapping[str, int]] = {"day": 92, "week": 728, "month": 7_305}
"""The steps, and how many days are shown at once by each."""


@dataclass(frozen=True, slots=True)
class Span:
    """The days from `since` to `until`, and how many conversations began in them."""

    name: str
    since: date
    until: date
    count: int


@dataclass(frozen=True, slots=True)
class Window:
    """What is shown at once: whole steps, of which the last one has the day `until`."""

    step: str
    since: date
    until: date

    @classmethod
    def ending(cls, step: str, until: date) -> "Window":
        """The window whose last step has the day `until`."""
        end = _end(_begin(until, step), step)
        return cls(step, _begin(_moved(end, 1 - SHOWN_DAYS[step]), step), end)

    @property
    def before(self) -> date:
        """The day that the window before this one ends on."""
        return _moved(self.since, -1)

    @property
    def after(self) -> date:
        """A day that the window after this one may end on."""
        return _moved(self.until, SHOWN_DAYS[self.step])

    def spans(self, counts: Mapping[date, int]) -> Iterator[Span]:
        """Every step from the first one that has something on; `counts` are by day, or by a month's first."""
        by_step: Counter[date] = Counter()
        for day, count in counts.items():
            by_step[_begin(day, self.step)] += count
        begin = max(self.since, min((day for day in by_step if day >= self.since), default=self.until))
        while begin <= self.until:
            end = _end(begin, self.step)
            name = f"{begin:%Y-%m}" if self.step == "month" else begin.isoformat()
            yield Span(name, begin, end, by_step[begin])
            if end == date.max:
                return
            begin = _moved(end, 1)


def step_for(first: date, last: date) -> str:
    """The smallest step by which everything from `first` to `last` is shown at once."""
    days = (last - first).days
    return next((step for step, shown in SHOWN_DAYS.items() if days < shown), "month")


def _begin(day: date, step: str) -> date:
    if step == "week":
        return _moved(day, -day.weekday())
    return day.replace(day=1) if step == "month" else day


def _end(begin: date, step: str) -> date:
    if step == "month":
        return _moved(_moved(begin, 31).replace(day=1), -1) if begin < date(9999, 12, 1) else date.max
    return _moved(begin, 6 if step == "week" else 0)


def _moved(day: date, days: int) -> date:
    """The date this many days later, within the range of dates."""
    return date.fromordinal(min(max(day.toordinal() + days, 1), date.max.toordinal()))
