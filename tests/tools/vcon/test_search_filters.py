"""Filters as vcon_search applies them: text, phone numbers, tags and dates."""

import pytest

from tests.conftest import Call
from tests.tools.vcon.conftest import Create
from vcontract.runtime.frame.documents.json import JsonObject

PARTIES = [
    {"name": "Zoë 100%_Sure", "mailto": "mailto:Zoe@Mail.example", "tel": "tel:+1-555-123-4567"},
    {"name": "Max", "email": "max@other.example", "tel": "030 1234"},
    {"name": 5, "mailto": None, "tel": {"a": 1}},
]


@pytest.mark.parametrize(
    ("filters", "matches"),
    [
        ({"subject": "straße"}, True),
        ({"subject": "HAUPTSTRASSE"}, True),
        ({"subject": "100%"}, True),
        ({"subject": "100_"}, False),
        ({"subject": "back\\slash"}, True),
        ({"subject": "back\\\\slash"}, False),
        ({"subject": "'; drop table vcontract.vcon; --"}, False),
        ({"party_name": "zoe"}, True),
        ({"party_name": "%_sure"}, True),
        ({"party_name": "0%S"}, False),
        ({"party_email": "zoe@mail"}, True),
        ({"party_email": "mailto:ZOE@"}, True),
        ({"party_email": "max@other"}, True),
        ({"party_email": "mailto"}, False),
        ({"party_tel": "555 123"}, True),
        ({"party_tel": "(555) 123-4567"}, True),
        ({"party_tel": "999"}, False),
        ({"party_name": "max", "party_tel": "0301"}, True),
        ({"party_name": "max", "party_tel": "555"}, False),
        ({"party_name": "zoe", "party_email": "max@"}, False),
        ({"tags": {"n": 1}}, True),
        ({"tags": {"n": "1"}}, True),
        ({"tags": {"n": 1.0}}, True),
        ({"tags": {"n": True}}, False),
        ({"tags": {"yes": "true"}}, True),
        ({"tags": {"yes": True}}, True),
        ({"tags": {"half": 0.5}}, True),
        ({"tags": {"half": "0.5"}}, True),
        ({"tags": {"whole": 2}}, True),
        ({"tags": {"empty": ""}}, True),
        ({"tags": {"long": "x" * 1024}}, True),
        ({"tags": {"long": "x" * 1023}}, False),
        ({"tags": {"Case": "Value"}}, True),
        ({"tags": {"Case": "value"}}, False),
        ({"tags": {"n": 1, "yes": True}}, True),
        ({"tags": {"n": 1, "yes": False}}, False),
        ({"tags": {}}, True),
        ({"dealer_id": "815"}, True),
        ({"dealer_id": "81"}, False),
        ({"dealer_name": "horse"}, True),
    ],
)
async def test_what_a_filter_matches(call: Call, create: Create, filters: JsonObject, matches: bool) -> None:
    tags = {"n": 1, "yes": True, "half": 0.5, "whole": 2.0, "empty": "", "long": "x" * 1024, "Case": "Value"}
    dealer = {
        "type": "bria_call_ended",
        "encoding": "json",
        "body": {"dealerId": 815, "dealerName": "White Horse"},
    }
    uuid = await create(
        {"tags": tags}, subject="Hauptstraße 100% back\\slash", parties=PARTIES, attachments=[dealer]
    )

    answer = await call("vcon_search", mode="metadata", filters=filters)

    assert [item["id"] for item in answer["items"]] == ([uuid] if matches else [])


@pytest.mark.parametrize(
    "name", ["subject", "party_name", "party_email", "party_tel", "dealer_id", "dealer_name"]
)
async def test_u0000_in_a_text_filter_is_refused(call: Call, name: str) -> None:
    refused = await call("vcon_search", mode="metadata", filters={name: "abc\x00123"})

    assert refused["error"]["code"] == "INVALID_ARGUMENT"
    assert refused["error"]["details"] == {"parameter": f"filters.{name}", "reason": "nul_character"}


@pytest.mark.parametrize("tags", [{"a\0": "b"}, {"a": "b\0"}])
async def test_u0000_in_a_tag_filter_is_refused(call: Call, create: Create, tags: JsonObject) -> None:
    await create({"tags": {"a": "b"}})

    refused = await call("vcon_search", mode="metadata", filters={"tags": tags})

    assert refused["error"]["details"] == {"parameter": "filters.tags", "reason": "nul_character"}


async def test_fewer_than_three_digits_of_a_phone_number_are_refused(call: Call) -> None:
    refused = await call("vcon_search", mode="metadata", filters={"party_tel": "+1 (5"})

    assert refused["error"]["details"]["reason"] == "too_few_digits"
