"""UUIDs: what is read as one, and what new ones look like."""

from datetime import UTC, datetime
from uuid import RFC_4122

import pytest

from vcontract.runtime.vcon.identity import new_uuid, parse_uuid

NOW = datetime(2025, 10, 14, 15, 30, 0, 123_456, tzinfo=UTC)
MILLISECONDS = 1_760_455_800_123


@pytest.mark.parametrize(
    "text", ["01928e10-193e-8231-b9a2-279e0d16bc46", "01928E10-193E-8231-B9A2-279E0D16BC46"]
)
def test_five_hex_groups_of_any_case_are_a_uuid(text: str) -> None:
    assert str(parse_uuid(text)) == text.lower()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "01928e10193e8231b9a2279e0d16bc46",
        "{01928e10-193e-8231-b9a2-279e0d16bc46}",
        "urn:uuid:01928e10-193e-8231-b9a2-279e0d16bc46",
        " 01928e10-193e-8231-b9a2-279e0d16bc46",
        "01928e10-193e-8231-b9a2-279e0d16bc46\n",
        "01928e1-0193e-8231-b9a2-279e0d16bc46",
        "g1928e10-193e-8231-b9a2-279e0d16bc46",
    ],
)
def test_anything_else_is_no_uuid(text: str) -> None:
    assert parse_uuid(text) is None


def test_new_uuid_has_version_variant_and_time() -> None:
    made = new_uuid(NOW)

    assert made.variant == RFC_4122
    assert made.version == 7
    assert made.int >> 80 == MILLISECONDS


def test_new_uuids_of_one_moment_differ() -> None:
    assert len({new_uuid(NOW) for _ in range(1_000)}) == 1_000


def test_later_uuids_are_greater() -> None:
    later = datetime(2025, 10, 14, 15, 30, 0, 124_000, tzinfo=UTC)

    assert new_uuid(NOW) < new_uuid(later)
