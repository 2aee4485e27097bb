"""Periods for counting conversations: days, weeks and months, in UTC."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

SHOWN_DAYS: Final[Mapping[str, int]] = {"day": 92, "week": 728, "month": 7_305}
"""Steps, with the number of days shown for each."""


@dataclass(frozen=True, slots=True)
class Span:
    """The days from `since` to `until`, and the number of conversations that began in them."""

    name: str
    since: date
    until: date
    count: int


@dataclass(frozen=True, slots=True)
class Window:
    """A range of whole steps, the last of which contains the day `until`."""

    step: str
    since: date
    until: date

    @classmethod
    def ending(cls, step: str, until: date) -> "Window":
        """Return the window whose last step contains the day `until`."""
        end = _end(_begin(until, step), step)
        return cls(step, _begin(_moved(end, 1 - SHOWN_DAYS[step]), step), end)

    @property
    def before(self) -> date:
        """Last day of the previous window."""
        return _moved(self.since, -1)

    @property
    def after(self) -> date:
        """A day on which the next window may end."""
        return _moved(self.until, SHOWN_DAYS[self.step])

    def spans(self, counts: Mapping[date, int]) -> Iterator[Span]:
        """Every step from the first non-empty one. `counts` are by day, or by first day of the month."""
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
    """The smallest step that shows everything from `first` to `last` at once."""
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
    """The date some days later, within the range of dates."""
    return date.fromordinal(min(max(day.toordinal() + days, 1), date.max.toordinal()))
