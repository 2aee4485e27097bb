"""Times in words and numbers, read as one interval or not at all."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from vcontract.runtime.text.dates import TimeReader
from vcontract.runtime.text.iso_dates import UnreadableTime

NOW = datetime(2026, 11, 18, 15, 30, tzinfo=ZoneInfo("Europe/Berlin"))
BERLIN = TimeReader("Europe/Berlin", ("en",))


def read(text: str) -> str:
    """The interval as text: start/end, to the minute, in UTC."""
    found = BERLIN.read(text, NOW)
    ends = (found.start, found.end)
    return "/".join("…" if end is None else end.astimezone(UTC).strftime("%Y-%m-%dT%H:%M") for end in ends)


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("2024", "2023-12-31T23:00/2024-12-31T23:00"),
        ("2024-01", "2023-12-31T23:00/2024-01-31T23:00"),
        ("2024-W03", "2024-01-14T23:00/2024-01-21T23:00"),
        ("2024-01-15", "2024-01-14T23:00/2024-01-15T23:00"),
        ("2024-01-15T10:30", "2024-01-15T09:30/2024-01-15T09:31"),
        ("2024-01-15T10:30Z", "2024-01-15T10:30/2024-01-15T10:31"),
        ("2024-01-15T10:30+02:00", "2024-01-15T08:30/2024-01-15T08:31"),
        ("2024-01-01/2024-01-15", "2023-12-31T23:00/2024-01-15T23:00"),
        ("../2024", "…/2024-12-31T23:00"),
        ("2024/..", "2023-12-31T23:00/…"),
        ("from Jan 3 2024 to Jan 5 2024", "2024-01-02T23:00/2024-01-05T23:00"),
        ("between monday and tuesday", "2026-11-15T23:00/2026-11-17T23:00"),
        ("noon to 3pm", "2026-11-18T11:00/2026-11-18T14:00"),
        ("since Monday", "2026-11-15T23:00/…"),
        ("last 7 days", "2026-11-11T14:30/2026-11-18T14:30"),
        ("past two hours", "2026-11-18T12:30/2026-11-18T14:30"),
        ("last hour", "2026-11-18T13:30/2026-11-18T14:30"),
        ("in the past hour", "2026-11-18T13:30/2026-11-18T14:30"),
        ("the past week", "2026-11-11T14:30/2026-11-18T14:30"),
        ("half an hour ago", "2026-11-18T14:00/2026-11-18T14:01"),
        ("a quarter of an hour ago", "2026-11-18T14:15/2026-11-18T14:16"),
        ("May 20th", "2026-05-19T22:00/2026-05-20T22:00"),
        ("20th of May", "2026-05-19T22:00/2026-05-20T22:00"),
        ("the morning of May 20th, 2026", "2026-05-20T04:00/2026-05-20T10:00"),
        ("last weekend", "2026-11-13T23:00/2026-11-15T23:00"),
        ("this weekend", "2026-11-20T23:00/2026-11-22T23:00"),
        ("last 3 months", "2026-08-18T13:30/2026-11-18T14:30"),
        ("yesterday morning", "2026-11-17T05:00/2026-11-17T11:00"),
        ("this afternoon", "2026-11-18T11:00/2026-11-18T17:00"),
        ("monday evening", "2026-11-16T17:00/2026-11-16T21:00"),
        ("last night", "2026-11-17T19:00/2026-11-18T03:00"),
        ("yesterday", "2026-11-16T23:00/2026-11-17T23:00"),
        ("yesterday at 3pm", "2026-11-17T14:00/2026-11-17T14:01"),
        ("the day before yesterday", "2026-11-15T23:00/2026-11-16T23:00"),
        ("last week", "2026-11-08T23:00/2026-11-15T23:00"),
        ("last month", "2026-09-30T22:00/2026-10-31T23:00"),
        ("Q1 2024", "2023-12-31T23:00/2024-03-31T22:00"),
        ("15.01.2024", "2024-01-14T23:00/2024-01-15T23:00"),
        ("January 2024", "2023-12-31T23:00/2024-01-31T23:00"),
        ("2024-01-15 in the evening", "2024-01-15T17:00/2024-01-15T21:00"),
        ("around 3pm yesterday", "2026-11-17T13:30/2026-11-17T14:30"),
        ("yesterday at about 3pm", "2026-11-17T13:30/2026-11-17T14:30"),
        ("sometime last week", "2026-11-08T23:00/2026-11-15T23:00"),
        ("morning", "2026-11-18T05:00/2026-11-18T11:00"),
        ("early morning", "2026-11-17T23:00/2026-11-18T05:00"),
        ("early yesterday morning", "2026-11-16T23:00/2026-11-17T05:00"),
        ("in the evening", "2026-11-17T17:00/2026-11-17T21:00"),
        ("late last night", "2026-11-17T19:00/2026-11-18T03:00"),
        ("christmas 2025", "2025-12-24T23:00/2025-12-25T23:00"),
        ("last Christmas", "2025-12-24T23:00/2025-12-25T23:00"),
        ("Christmas Eve", "2025-12-23T23:00/2025-12-24T23:00"),
        ("new year's eve 2024", "2024-12-30T23:00/2024-12-31T23:00"),
        ("on Christmas morning", "2025-12-25T05:00/2025-12-25T11:00"),
    ],
)
def test_a_time_is_the_interval_that_its_words_cover(text: str, interval: str) -> None:
    assert read(text) == interval


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("2024-03-31", "2024-03-30T23:00/2024-03-31T22:00"),
        ("2024-10-27", "2024-10-26T22:00/2024-10-27T23:00"),
        ("2024-03-31T02:30", "2024-03-31T01:30/2024-03-31T01:31"),
        ("2024-10-27T02:30", "2024-10-27T00:30/2024-10-27T00:31"),
    ],
)
def test_a_day_of_a_clock_change_has_its_own_length(text: str, interval: str) -> None:
    assert read(text) == interval


@pytest.mark.parametrize(
    "text",
    [
        *(
            "in the shower",
            "5",
            "a",
            "3rd",
            "the 3rd",
            "on a sunday",
            "10 minutes",
            "an hour",
            "1990s",
            "in 1990s",
            "past hours",
        ),
        *(
            "10 minutes before noon",
            "10 minutes after noon",
            "01/02/2024",
            "2024-13-01",
            "2024-02-30",
            "2024-W60",
        ),
        *(
            "2024-02-30 in the evening",
            "Tuesday morning at 8",
            "2024-01-15T25:00",
            "walked to school",
            "..",
            "../..",
        ),
        *("9999", "0000", "last 9999 years", "tomorrow to yesterday"),
    ],
)
def test_what_nobody_meant_as_a_time_is_not_read_as_one(text: str) -> None:
    with pytest.raises(UnreadableTime):
        BERLIN.read(text, NOW)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("01/02/2024", "day and month could change places; write 2024-02-01 or 2024-01-02"),
        ("the 3rd", "it names neither a month nor a year"),
        ("10 minutes", 'a length of time alone; say "10 minutes ago"'),
        ("1990s", 'a decade is not read; write it as "1990/1999"'),
        ("an hour before lunch", '"before" and "after" are not read'),
        ("summer 2024", "a season has other months elsewhere; name the months"),
        ("2024-02-30", "there is no such day or time"),
        ("tomorrow to yesterday", "it ends before it starts"),
        ("in the shower", "no date was understood"),
    ],
)
def test_a_time_that_is_not_read_says_why(text: str, reason: str) -> None:
    with pytest.raises(UnreadableTime) as refused:
        BERLIN.read(text, NOW)

    assert refused.value.reason == reason


def test_the_offset_that_was_written_is_the_zone() -> None:
    zones = [
        BERLIN.read(text, NOW).zone for text in ("2024-01-15T10:30+02:00", "2024-01-15T10:30Z", "2024-01-15")
    ]

    assert zones == ["+02:00", "UTC", "Europe/Berlin"]


def test_other_languages_are_read_when_they_are_set() -> None:
    german = TimeReader("Europe/Berlin", ("de", "en"))

    assert german.read("letzte Woche", NOW) == BERLIN.read("last week", NOW)
