"""UUIDs: what is read as one, and what new ones look like."""

import hashlib
from datetime import UTC, datetime
from uuid import RFC_4122, UUID

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


@pytest.mark.parametrize(("domain", "version"), [("example.com", 8), (None, 7), ("", 7)])
def test_new_uuid_has_version_variant_and_time(domain: str | None, version: int) -> None:
    made = new_uuid(domain, NOW)

    assert made.variant == RFC_4122
    assert made.version == version
    assert made.int >> 80 == MILLISECONDS


def test_uuid_of_a_domain_ends_in_the_high_bits_of_its_hash() -> None:
    made = new_uuid("example.com", NOW)

    bits = int(hashlib.sha1(b"example.com", usedforsecurity=False).hexdigest(), 16) >> (160 - 62)
    assert made.int & ((1 << 62) - 1) == bits


def test_new_uuids_of_one_moment_differ() -> None:
    without_domain = {new_uuid(None, NOW) for _ in range(1_000)}
    of_domain = {new_uuid("example.com", NOW) for _ in range(100)}

    assert len(without_domain) == 1_000
    assert len(of_domain) > 50


def test_later_uuids_are_greater() -> None:
    later = datetime(2025, 10, 14, 15, 30, 0, 124_000, tzinfo=UTC)

    assert new_uuid("example.com", NOW) < new_uuid("example.com", later)
    assert isinstance(new_uuid(None, NOW), UUID)
