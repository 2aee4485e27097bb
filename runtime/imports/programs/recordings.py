"""Parse the start time of a recording from file and folder names."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

_MOMENT: Final = re.compile(
    r"(?<!\d)"
    # 2026-07-07, 2026_07_07, 2026.07.07, 20260707, and with the day first where points separate: 07.07.2026
    r"(?:(?P<year>(?:19|20)\d\d)(?P<between>[-._]?)(?P<month>\d\d)(?P=between)(?P<day>\d\d)"
    r"|(?P<first>\d\d)\.(?P<second>\d\d)\.(?P<last>(?:19|20)\d\d))"
    # 14.30, 14-30-05 or 143005 after a space, symbol or T. Four digits alone may be any number, unlike six
    # directly after a date: 20260707143005
    r"(?:(?:[T _.-]|[ _]at[ _]|(?=\d{6}(?!\d)))(?P<hour>[01]\d|2[0-3])(?P<colon>[:._h-]|(?=\d{4}(?!\d)))"
    r"(?P<minute>[0-5]\d)(?:(?P=colon)(?P<seconds>[0-5]\d))?"
    r"(?: (?:GMT|UTC)(?P<sign>[+-])(?P<hours>\d{1,2})(?:[:_]?(?P<minutes>\d\d))?)?)?(?!\d)"
)


def recorded_at(path: str) -> datetime | None:
    """Return the time in the name of the file, or of its folder, as UTC; midnight for a date only."""
    *_, folder, name = ("", *path.split("/"))
    return next((moment for part in (name, folder) for moment in _moments(part)), None)


def _moments(name: str) -> Iterator[datetime]:
    for found in _MOMENT.finditer(name):
        day = (
            (found["year"], found["month"], found["day"])
            if found["year"]
            else (found["last"], found["second"], found["first"])
        )
        clock = (found["hour"], found["minute"], found["seconds"])
        year, month, date, hour, minute, second = (int(part or 0) for part in (*day, *clock))
        east = timedelta(hours=int(found["hours"] or 0), minutes=int(found["minutes"] or 0))
        try:
            moment = datetime(year, month, date, hour, minute, second, tzinfo=UTC)
            yield moment + east if found["sign"] == "-" else moment - east
        except (ValueError, OverflowError):
            continue
