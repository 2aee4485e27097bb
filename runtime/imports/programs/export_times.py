"""Parse times in exports: dates of many countries, and offsets."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Final

from vcontract.runtime.frame.documents.json import JsonValue
from vcontract.runtime.frame.documents.json_values import is_object
from vcontract.runtime.vcon.times import read_time

if TYPE_CHECKING:
    from dateparser.date import DateDataParser

CLOCK: Final = (
    r"(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})(?:[:.](?P<second>\d{2})(?:[.,]\d+)?)?"
    r"(?:\s?(?P<half>[AaPp])\.?\s?[Mm]\b\.?)?"
)
_ZONE: Final = r"(?: ?(?:Z|UTC|GMT|\+00:00))?"
_NUMBERS: Final = re.compile(
    r"(?P<a>\d{1,4})(?:[./-] ?|年)(?P<b>\d{1,2})(?:[./-] ?|月)(?P<c>\d{2,4})日?"
    rf"(?:(?:,? +|T){CLOCK}(?: [A-ZÀ-Ž]{{2,5}})?)?{_ZONE}"
)
_WORDS: Final = re.compile(
    r"(?:[A-Za-z]{2,9},? )?(?:(?P<month>[A-Za-z]{3,9})\.? (?P<day>\d{1,2})"
    r"|(?P<day_first>\d{1,2})\.? (?P<month_last>[A-Za-z]{3,9})\.?),? (?P<year>\d{4})"
    rf"(?:,? (?:at )?{CLOCK}(?: [A-ZÀ-Ž]{{2,5}})?)?{_ZONE}"
)
_WEEKDAYS: Final[tuple[str, ...]] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY: Final = re.compile(r"(?i)(mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}[.,]+ ?(?=\d)")
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MAX_DATE: Final = 60
_LANGUAGES: Final = (
    "en de fr es pt it nl pl ru uk cs sk hu ro bg el tr sv da nb fi et lv lt hr sr sl ja ko zh"
    " vi th id hi ar he fa"
).split()
_YEAR_AND_CLOCK: Final = re.compile(r"(?:19|20)\d{2}.*\d{1,2}(?:[:.]\d{2}|시)")
_MILLISECONDS: Final = 1e11
_MICROSECONDS: Final = 1e14
"""A larger number counts milliseconds or microseconds since 1970; as seconds, it is the year 5138."""
_CLOCK_OFFSET: Final = re.compile(
    r"(?:(?P<hours>\d{1,3}):)?(?P<minutes>\d{1,3}):(?P<seconds>\d{1,2}(?:[.,]\d+)?)"
)
_ISO_OFFSET: Final = re.compile(
    r"PT(?:(?P<hours>\d+(?:\.\d+)?)H)?(?:(?P<minutes>\d+(?:\.\d+)?)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?"
)


def hour_of(hour: int, half: str | None) -> int:
    """Convert a 12-hour clock: 12 AM is 0 and 12 PM is 12."""
    return hour % 12 + (12 if half in ("P", "p") else 0) if half else hour


def order_of(dates: Sequence[tuple[int, int, int]]) -> str:
    """Whether dates are written day first (`dmy`), month first (`mdy`) or year first (`ymd`).

    Programs write them as their country does and do not say how. A number above 12 is not a month, and
    messages are in order of time. If neither decides, the day is first, as in most countries.
    """
    if any(first > 31 for first, _, _ in dates):
        return "ymd"
    if len({first for first, _, _ in dates}) == 1 < len({last for _, _, last in dates}) and dates[0][0] > 12:
        return "ymd"  # the same day of different years is no chat
    if any(first > 12 for first, _, _ in dates):
        return "dmy"
    if any(second > 12 for _, second, _ in dates):
        return "mdy"
    by_day = [(year, month, day) for day, month, year in dates]
    by_month = [(year, month, day) for month, day, year in dates]
    return "mdy" if by_day != sorted(by_day) and by_month == sorted(by_month) else "dmy"


def moments(values: Sequence[JsonValue]) -> list[datetime | None]:
    """Parse each value as a time in UTC, or None. Numeric dates are all read in one order."""
    texts = [
        re.sub(r"[\s\u00a0\u202f]+", " ", value).strip() if isinstance(value, str) else "" for value in values
    ]
    found = [_NUMBERS.fullmatch(_WEEKDAY.sub("", text)) for text in texts]
    order = _order_by_weekday(texts, found) or order_of(
        [(int(each["a"]), int(each["b"]), int(each["c"])) for each in found if each]
    )
    return [
        _since_1970(value) or read_time(text) or (_of_numbers(numbers, order) if numbers else _of_words(text))
        for value, text, numbers in zip(values, texts, found, strict=True)
    ]


def _order_by_weekday(texts: Sequence[str], found: Sequence[re.Match[str] | None]) -> str | None:
    """Whether day or month comes first, by the days of the week beside the dates; None if they do not say."""
    days = [
        (_WEEKDAYS.index(day[1][:3].lower()), numbers)
        for text, numbers in zip(texts, found, strict=True)
        if numbers and (day := _WEEKDAY.match(text))
    ]
    fits = {
        order: sum(
            (at := _of_numbers(numbers, order)) is not None and at.weekday() == day for day, numbers in days
        )
        for order in ("dmy", "mdy")
    }
    return None if fits["dmy"] == fits["mdy"] else max(fits, key=lambda order: fits[order])


def _since_1970(value: JsonValue) -> datetime | None:
    if isinstance(value, str) and re.fullmatch(r"\d{9,17}(?:\.\d+)?", value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 1e8:
        return None
    try:
        scale = 1e6 if value >= _MICROSECONDS else 1e3 if value >= _MILLISECONDS else 1
        return datetime.fromtimestamp(value / scale, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _of_numbers(found: re.Match[str], order: str) -> datetime | None:
    parts = dict(zip(order, (int(found["a"]), int(found["b"]), int(found["c"])), strict=True))
    return _moment(parts["y"], parts["m"], parts["d"], found)


def _of_words(text: str) -> datetime | None:
    found = _WORDS.fullmatch(text)
    if found is None:
        return _of_any_language(text)
    month = (found["month"] or found["month_last"])[:3].lower()
    number = _MONTHS.index(month) + 1 if month in _MONTHS else 0
    return _moment(int(found["year"]), number, int(found["day"] or found["day_first"]), found)


def _of_any_language(text: str) -> datetime | None:
    """Parse a full date with time, in words of any language."""
    if len(text) > _MAX_DATE or not _YEAR_AND_CLOCK.search(text):
        return None
    found = _parser().get_date_data(text).date_obj
    return None if found is None else found.astimezone(UTC)


_YEAR: Final = re.compile(r"(?:19|20)\d{2}(?!\d)")
_CLOCK_IN_TEXT: Final = re.compile(
    r"(?<![\d.:])(?P<hour>[01]?\d|2[0-3])[:.h](?P<minute>[0-5]\d)(?![\d.]\d)(?::[0-5]\d)?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\b)?"
)
_NUMERIC_DATE: Final = re.compile(
    r"\d{4}(?:[./-] ?|年)\d{1,2}(?:[./-] ?|月)\d{1,2}日?|\d{1,2}[./-] ?\d{1,2}[./-] ?\d{4}"
)
_MAX_DATE_WORDS: Final = 5


def date_in(text: str) -> datetime | None:
    """Find a full date with day, month and year within a line, in words of any language, and its time."""
    text = text[:400]
    if numeric := _NUMERIC_DATE.search(text):
        padded = re.sub(r"[年月]", "-", re.sub(r"(?<!\d)\d(?!\d)", r"0\g<0>", numeric[0])).rstrip("日")
        day, end = moments([padded])[0], numeric.end()
    else:
        day, end = _date_of_words(text)
    if day is None:
        return None
    clock = _CLOCK_IN_TEXT.search(text, end)
    if clock is None:
        return day
    hour = hour_of(int(clock["hour"]), clock["half"])
    return day.replace(hour=hour, minute=int(clock["minute"]))


def _date_of_words(text: str) -> tuple[datetime | None, int]:
    """A date that ends in its year, or begins with it, and where it ends."""
    for year in _YEAR.finditer(text):
        before = [found.start() for found in re.finditer(r"\S+", text[: year.start()])][-_MAX_DATE_WORDS:]
        after = [found.end() + year.end() for found in re.finditer(r"\S+", text[year.end() :])][:3]
        windows = [(start, year.end()) for start in before] + [(year.start(), end) for end in after[::-1]]
        for start, end in windows:
            words = text[start:end].strip(" ,;()[]")
            if re.search(r"\d", words.replace(year[0], "", 1)) and (day := _day_of(words)):
                return day, end
    return None, 0


def _day_of(words: str) -> datetime | None:
    """Parse a date in words of any language, without a time."""
    if any(letter.isalpha() for letter in words):
        found = _parser().get_date_data(words).date_obj
        return None if found is None else found.replace(hour=0, minute=0, second=0, microsecond=0)
    return None


@cache
def _parser() -> "DateDataParser":
    """Return a parser that first tries the language of the previous text."""
    from dateparser.date import DateDataParser

    return DateDataParser(
        languages=_LANGUAGES,
        settings={
            "RETURN_AS_TIMEZONE_AWARE": True,
            "TIMEZONE": "UTC",
            "REQUIRE_PARTS": ["day", "month", "year"],
        },
    )


def _moment(year: int, month: int, day: int, clock: re.Match[str]) -> datetime | None:
    hour = hour_of(int(clock["hour"] or 0), clock["half"])
    try:
        return datetime(
            year + (2000 if year < 100 else 0),
            *(month, day, hour, int(clock["minute"] or 0), int(clock["second"] or 0)),
            tzinfo=UTC,
        )
    except ValueError:
        return None


def offset(value: JsonValue, per_second: float = 1) -> float | None:
    """Parse a duration in seconds: a number, `1.5s`, `PT1M2.5S`, `[hh:]mm:ss` or seconds with nanos; else
    None.
    """
    if isinstance(value, bool):
        return None
    if is_object(value) and not value.keys() - {"seconds", "nanos"}:
        whole, nanos = offset(value.get("seconds", 0)), offset(value.get("nanos", 0), 1e9)
        return None if whole is None or nanos is None else whole + nanos
    if isinstance(value, int | float):
        seconds = value / per_second
    elif not isinstance(value, str):
        return None
    elif found := _CLOCK_OFFSET.fullmatch(value.strip()) or (
        _ISO_OFFSET.fullmatch(value.strip()) if value.strip()[2:] else None
    ):
        hours, minutes, rest = (float((found[name] or "0").replace(",", ".")) for name in found.re.groupindex)
        seconds = hours * 3600 + minutes * 60 + rest
    elif found := re.fullmatch(r"(\d{1,12}(?:[.,]\d+)?)( ?s)?", value.strip()):
        number = float(found[1].replace(",", "."))
        seconds = number if found[2] else number / per_second
    else:
        return None
    return seconds if 0 <= seconds < timedelta(days=3650).total_seconds() else None
