"""Passages: every part of a vCon that can be found, each with its place and its time."""

from datetime import UTC, datetime

import pytest

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.text import Passage, passages

START = "2025-10-14T10:30:00Z"
STARTED = datetime(2025, 10, 14, 10, 30, tzinfo=UTC)
LATER = datetime(2025, 10, 14, 10, 31, tzinfo=UTC)


def test_every_part_has_its_passages_in_order() -> None:
    vcon = {
        "subject": "Refund",
        "parties": [{"name": "Ada"}, {}],
        "dialog": [
            {"type": "text", "start": START, "parties": [0], "body": "I want my money back."},
            {"type": "recording", "start": "2025-10-14T10:31:00Z", "filename": "call.wav"},
            {"type": "text", "body": ""},
        ],
        "analysis": [
            {"type": "summary", "vendor": "v", "dialog": [1, 0], "body": "Ada asks for a refund."},
            {"type": "transcript", "vendor": "v", "body": [{"party": 0, "text": "Hello."}]},
        ],
        "attachments": [
            {"purpose": "note", "dialog": 0, "body": "Called twice.", "filename": "note.txt"},
            {"purpose": "tags", "body": ["department:sales"]},
            {"type": "invoice", "start": "2025-10-14T10:31:00Z", "body": {"item": "Piano lessons"}},
        ],
    }

    assert passages(vcon) == [
        Passage("subject", None, 0, "Refund", None),
        Passage("party", 0, 0, "Ada", None),
        Passage("dialog", 0, 0, "I want my money back.", STARTED, speaker=0),
        Passage("dialog", 1, 0, "call.wav", LATER),
        Passage("analysis", 0, 0, "Ada asks for a refund.", LATER),
        Passage("analysis", 1, 0, "Ada: Hello.", None),
        Passage("attachment", 0, 0, "Called twice.\nnote.txt", STARTED),
        Passage("attachment", 2, 0, "Piano lessons", LATER),
    ]


@pytest.mark.parametrize(
    ("party", "content"),
    [
        (
            {
                "name": "Ada",
                "tel": "tel:+1 (555) 123-4567",
                "mailto": "mailto:ada@example.com",
                "role": "agent",
            },
            "Ada\nada@example.com\n+1 (555) 123-4567\n15551234567\nagent",
        ),
        (
            {
                "sip": "sip:ada@example.com",
                "did": "did:example:1",
                "org": "ACME",
                "dept": "Sales",
                "uuid": "u-1",
                "id": "i-1",
                "email": "a@b.co",
            },
            "a@b.co\nada@example.com\ndid:example:1\nACME\nSales\nu-1\ni-1",
        ),
        ({"name": "+1555", "tel": "+1555", "id": "+1555"}, "+1555\n1555"),
        ({"tel": 15551234567, "id": 7}, "15551234567\n7"),
        ({"name": " ", "tel": "", "role": None, "mailto": ["x"], "meta": {"secret": "x"}}, None),
        ({"name": "anonymous", "type": "person", "gmlpos": "1 2"}, "anonymous"),
    ],
)
def test_party_is_found_by_its_name_addresses_numbers_and_ids(party: JsonObject, content: str | None) -> None:
    found = [passage.content for passage in passages({"parties": [party]})]

    assert found == ([] if content is None else [content])


def test_long_body_has_several_chunks_numbered_from_zero() -> None:
    body = "This sentence is said again and again. " * 100

    found = passages({"dialog": [{"type": "text", "start": START, "body": body}]})

    assert [passage.chunk for passage in found] == list(range(len(found)))
    assert len(found) > 4
    assert {(passage.part, passage.element, passage.occurred_at) for passage in found} == {
        ("dialog", 0, STARTED)
    }


def test_vcon_with_an_unsupported_critical_extension_has_no_passages() -> None:
    vcon = {"subject": "x", "dialog": [{"body": "words"}]}

    assert passages({**vcon, "critical": ["holograms"]}) == []
    assert len(passages({**vcon, "critical": ["cc"]})) == 2


UNEXPECTED: list[JsonObject] = [
    {"parties": None, "dialog": "x", "analysis": [None, 5], "attachments": {}, "subject": 5},
    {
        "analysis": [
            {"dialog": [], "body": False},
            {"dialog": [9], "body": True},
            {"dialog": "0", "body": [[]]},
        ]
    },
    {"dialog": [{"start": 5, "filename": ["x"], "body": {}}]},
]


@pytest.mark.parametrize("vcon", UNEXPECTED)
def test_values_of_unexpected_types_have_no_passages_and_do_not_fail(vcon: JsonObject) -> None:
    assert passages(vcon) == []
