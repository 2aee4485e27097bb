"""Dates: leniently read, never guessed, written in one form."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.vcon.times import (
    BadDate,
    conversation_time,
    earliest_start,
    format_time,
    is_rfc_3339,
    read_time,
    window_edge,
)

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

READABLE = [
    ("2025-10-14T15:30:00Z", datetime(2025, 10, 14, 15, 30)),
    ("2025-10-14t15:30:00z", datetime(2025, 10, 14, 15, 30)),
    ("2025-10-14 15:30:00Z", datetime(2025, 10, 14, 15, 30)),
    ("2025-10-14T15:30:00.25+02:00", datetime(2025, 10, 14, 13, 30, 0, 250_000)),
    ("2025-10-14T15:30:00.123456789-0500", datetime(2025, 10, 14, 20, 30, 0, 123_456)),
    ("2024-03-16T15:31:17.836192", datetime(2024, 3, 16, 15, 31, 17, 836_192)),
    ("2024-03-16T15:31", datetime(2024, 3, 16, 15, 31)),
    ("2024-03-16T15:31+02:00", datetime(2024, 3, 16, 13, 31)),
    ("2024-02-29", datetime(2024, 2, 29)),
    ("2016-12-31T23:59:60Z", datetime(2017, 1, 1)),
]
UNREADABLE = [
    "",
    "yesterday",
    "last week",
    "10/11/2025",
    "2025-02-30",
    "2025-02-30T10:00:00Z",
    "2025-13-01",
    "20251014",
    "2025-10-14T",
    "2025-10-14T25:00:00Z",
    "2025-10-14T15:61:00Z",
    "2025-10-14T15:30:00+24:00",
    "2025-W42-2",
    "2025-10-14T15:30:00+02:60",
    "2025-10-14T15:30:00.Z",
    " 2025-10-14",
    "2025-10-14\n",
    "2025-1-1",
    "1760455800",
    "0001-01-01T00:00:00+01:00",
    "0000-01-01",
    "٢٠٢٥-10-14",
]


@pytest.mark.parametrize(("text", "moment"), READABLE)
def test_readable_date_is_read_in_utc(text: str, moment: datetime) -> None:
    assert read_time(text) == moment.replace(tzinfo=UTC)


@pytest.mark.parametrize("text", UNREADABLE)
def test_anything_else_is_no_date(text: str) -> None:
    assert read_time(text) is None
    with pytest.raises(BadDate) as caught:
        window_edge(text, "start")
    assert caught.value.text == text
    assert "YYYY-MM-DD" in str(caught.value)
    assert all(read_time(form.partition(" ")[0]) for form in caught.value.accepted)


def test_bare_day_names_its_whole_day() -> None:
    assert window_edge("2025-10-14", "start") == datetime(2025, 10, 14, tzinfo=UTC)
    assert window_edge("2025-10-14", "end") == datetime(2025, 10, 15, tzinfo=UTC)
    assert window_edge("9999-12-31", "end") == datetime.max.replace(tzinfo=UTC)


def test_moment_is_the_same_at_both_edges() -> None:
    for edge in ("start", "end"):
        assert window_edge("2025-10-14T10:00+02:00", edge) == datetime(2025, 10, 14, 8, tzinfo=UTC)


@given(st.datetimes(min_value=datetime(1000, 1, 1), timezones=st.just(UTC)))
def test_what_is_written_is_read_back(moment: datetime) -> None:
    text = format_time(moment)

    assert read_time(text) == moment
    assert text.endswith("Z")
    assert ("." in text) == bool(moment.microsecond)


def test_written_form_is_utc() -> None:
    assert format_time(read_time("2025-10-14T15:30:00+02:00") or NOW) == "2025-10-14T13:30:00Z"


@pytest.mark.parametrize(
    ("vcon", "moment"),
    [
        ({"created_at": "2025-01-01", "dialog": [{"start": "2024-01-01"}]}, datetime(2025, 1, 1)),
        (
            {"created_at": "", "dialog": [{"start": "2024-01-02"}, {"start": "2024-01-01"}]},
            datetime(2024, 1, 1),
        ),
        ({"dialog": [{}, None, {"start": "NOT-A-DATE"}, {"start": "2024-01-03"}]}, datetime(2024, 1, 3)),
    ],
)
def test_conversation_is_dated_by_its_creation_else_by_its_earliest_dialog(
    vcon: JsonObject, moment: datetime
) -> None:
    assert conversation_time(vcon, NOW) == (moment.replace(tzinfo=UTC), None)


@pytest.mark.parametrize("vcon", [{}, {"created_at": None}, {"created_at": "soon", "dialog": "x"}])
def test_conversation_without_any_date_is_dated_by_its_storing_with_a_notice(vcon: JsonObject) -> None:
    moment, notice = conversation_time(vcon, NOW)

    assert moment == NOW
    assert notice is not None
    assert notice.code == "conversation_date_missing"


def test_leap_second_with_a_fraction_is_the_first_instant_of_the_next_minute() -> None:
    assert read_time("2016-12-31T23:59:60.5Z") == datetime(2017, 1, 1, tzinfo=UTC) + timedelta(0)


@pytest.mark.parametrize(
    ("text", "is_in_full"),
    [
        ("2025-10-14T15:30:00Z", True),
        ("2025-10-14t15:30:00.25+02:00", True),
        ("2025-10-14 15:30:00Z", False),
        ("2025-10-14T15:30Z", False),
        ("2025-10-14T15:30:00", False),
        ("2025-10-14T15:30:00+0200", False),
        ("2025-10-14", False),
    ],
)
def test_a_time_in_full_has_a_t_seconds_and_an_offset(text: str, is_in_full: bool) -> None:
    assert is_rfc_3339(text) is is_in_full


@pytest.mark.parametrize(
    ("starts", "earliest"),
    [
        (["2024-01-02T10:00:00Z", "2024-01-01T10:00:00Z"], "2024-01-01T10:00:00Z"),
        (["2024-01-02T10:00:00Z", "2024-01-02T11:00:00+02:00"], "2024-01-02T09:00:00Z"),
        (
            ["2024-01-02T10:00:00Z", "2024-01-02T10:00:00.5Z", "2024-01-02T09:59:59.75Z"],
            "2024-01-02T09:59:59.750000Z",
        ),
        (["0000-00-00T00:00:00Z", "2024-99-02T10:00:00Z", "2024-01-02T10:00:00Z"], "2024-01-02T10:00:00Z"),
        (
            ["1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "1970-01-01T01:00:00+01:00", "2024-01-02"],
            "2024-01-02T00:00:00Z",
        ),
        (["1970-01-01T00:00:01Z", "2024-01-02"], "1970-01-01T00:00:01Z"),
        (["soon", 5, None], None),
    ],
)
def test_the_earliest_start_is_that_of_a_dialog_with_a_time(
    starts: list[JsonValue], earliest: str | None
) -> None:
    moment = earliest_start({"dialog": [{"start": start} for start in starts] + [None, "x"]})
    assert (moment and format_time(moment)) == earliest
