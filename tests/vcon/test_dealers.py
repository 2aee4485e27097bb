"""Dealers: read from attachments of known purposes, and never by guessing."""

import json
from pathlib import Path
from typing import Any

import pytest

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.dealers import Dealers

STROLID = {
    "id": 815,
    "name": "North Motors",
    "outboundPhoneNumber": "+15551234567",
    "team": {"id": "t1", "name": "Team One"},
}
STROLID_DOCUMENT = {**STROLID, "id": "815", "source": "strolid_dealer"}
BRIA = {"dealerId": "1100", "dealerName": "RT 6 Boozers", "duration": 0}
BRIA_DOCUMENT = {
    "id": "1100",
    "name": "RT 6 Boozers",
    "outboundPhoneNumber": None,
    "team": None,
    "source": "bria_call_ended",
}


def attachment(purpose: str, body: Any, **members: Any) -> JsonObject:
    return {"purpose": purpose, "body": body, **members}


def find(dealers: Dealers, *attachments: Any) -> tuple[JsonObject | None, list[str | None]]:
    dealer, notices = dealers.find({"attachments": list(attachments)})
    return dealer.document if dealer else None, [notice.path for notice in notices]


def test_dealer_is_read_with_its_team(dealers: Dealers) -> None:
    dealer, notices = dealers.find({"attachments": [{}, attachment("strolid_dealer", STROLID)]})

    assert dealer is not None
    assert (dealer.id, dealer.name, dealer.team_id, dealer.team_name) == (
        "815",
        "North Motors",
        "t1",
        "Team One",
    )
    assert dealer.outbound_phone_number == "+15551234567"
    assert dealer.source == "strolid_dealer"
    assert dealer.document == STROLID_DOCUMENT
    assert notices == []


@pytest.mark.parametrize(
    "given",
    [
        attachment("bria_call_ended", BRIA),
        attachment("bria_call_ended", json.dumps(BRIA), encoding="none"),
        {"type": "bria_call_ended", "body": {**BRIA, "dealerId": 1100}, "encoding": "none"},
        attachment("bria_call_ended", {**BRIA, "dealerId": 1100.0}),
    ],
)
def test_dealer_is_read_from_a_native_body_and_from_json_text(dealers: Dealers, given: JsonObject) -> None:
    assert find(dealers, given) == (BRIA_DOCUMENT, [])


def test_purposes_count_in_the_order_of_the_file_and_then_attachments(dealers: Dealers) -> None:
    other = {**STROLID, "id": "2"}

    found, _ = find(
        dealers,
        attachment("bria_call_ended", BRIA),
        attachment("strolid_dealer", STROLID),
        attachment("strolid_dealer", other),
    )

    assert found == STROLID_DOCUMENT
    assert dealers.purposes == ("strolid_dealer", "bria_call_ended")


@pytest.mark.parametrize(
    "body",
    ["{broken", "text", None, [], 5, {}, {"id": ""}, {"id": "  "}, {"id": True}, {"id": {}}, {"id": None}],
)
def test_body_that_names_no_dealer_is_reported_and_the_next_one_is_read(dealers: Dealers, body: Any) -> None:
    bad = attachment("strolid_dealer", body)

    assert find(dealers, bad) == (None, ["$.attachments[0].body"])
    assert find(dealers, bad, attachment("bria_call_ended", BRIA)) == (
        BRIA_DOCUMENT,
        ["$.attachments[0].body"],
    )


@pytest.mark.parametrize(
    "vcon", [{}, {"attachments": None}, {"attachments": [None, 5, {"purpose": "invoice"}]}]
)
def test_vcon_without_a_dealer_attachment_has_none(dealers: Dealers, vcon: JsonObject) -> None:
    assert dealers.find(vcon) == (None, [])


def test_deployment_adds_purposes_of_its_own(tmp_path: Path) -> None:
    more = tmp_path / "more.yaml"
    more.write_text("dealers:\n  - {purpose: shop, id: number, name: title}\n", encoding="utf-8")

    dealers = Dealers.load(more)

    assert dealers.purposes == ("strolid_dealer", "bria_call_ended", "shop")
    found, _ = find(dealers, attachment("shop", {"number": 7, "title": "Corner Shop"}))
    assert found is not None
    assert (found["id"], found["name"]) == ("7", "Corner Shop")
