"""Rules of vCon 0.3.0, which older files are held to: types, enumerations, and few requirements."""

from typing import Any

import pytest

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.conformance import VconSchemas

UUID = "01928e10-193e-8231-b9a2-279e0d16bc46"
DATE = "2025-10-14T10:30:00Z"


def vcon(**members: Any) -> JsonObject:
    return {"vcon": "0.3.0", "uuid": UUID, "created_at": DATE, "parties": [{}], **members}


def text(**members: Any) -> JsonObject:
    return vcon(dialog=[{"type": "text", **members}])


ALLOWED: list[JsonObject] = [
    vcon(),
    vcon(vcon="0.0.1"),
    vcon(vcon="0.0.2"),
    vcon(redacted={}, group=[]),
    vcon(must_support=["a"], critical=["a"], appended={}, amended={}),
    vcon(attachments=[{"type": "invoice", "body": "x"}]),
    vcon(analysis=[{"type": "summary", "vendor": "v", "body": "x"}]),
    text(body="x"),
    text(url="https://example.com/a"),
    text(session_id="abc"),
    text(session_id={"local": "a", "remote": "b"}),
    text(party_history=[{"party": 0, "time": DATE, "event": "dtmfdown", "dtmf": "1"}]),
    text(party_history=[{"party": 0, "time": DATE, "event": "keydown"}]),
    vcon(dialog=[{"type": "transfer", "parties": [0], "body": "x"}, {"type": "incomplete"}]),
    vcon(extensions=["mcp_session"], dialog=[{"type": "mcp_session"}]),
]


@pytest.mark.parametrize("document", ALLOWED)
def test_what_the_older_drafts_leave_open_is_no_finding(schemas: VconSchemas, document: JsonObject) -> None:
    report = schemas.check(document)

    assert report.violations == ()
    assert report.version == "0.3.0"


FINDINGS: list[tuple[JsonObject, list[tuple[str, str]]]] = [
    ({"vcon": "0.3.0"}, [("$.uuid", "required"), ("$.created_at", "required"), ("$.parties", "required")]),
    (vcon(parties=None), [("$.parties", "required")]),
    (vcon(dialog=[{}]), [("$.dialog[0].type", "required")]),
    (vcon(dialog=[{"type": "recording-set"}]), [("$.dialog[0].type", "enum")]),
    (vcon(dialog=[{"type": "video"}]), [("$.dialog[0].type", "enum")]),
    (vcon(analysis=[{}]), [("$.analysis[0].type", "required"), ("$.analysis[0].vendor", "required")]),
    (vcon(created_at="2024-01-01T00:00:00"), [("$.created_at", "format")]),
    (vcon(must_support="a"), [("$.must_support", "type")]),
    (vcon(appended={"uuid": "x"}), [("$.appended.uuid", "format")]),
    (text(duration=-30), [("$.dialog[0].duration", "minimum")]),
    (text(mediatype=12345), [("$.dialog[0].mediatype", "type")]),
    (text(url="s3://bucket/a.wav"), [("$.dialog[0].url", "pattern")]),
    (text(encoding="hex"), [("$.dialog[0].encoding", "enum")]),
    (text(body={}, encoding="none"), [("$.dialog[0].body", "type")]),
    (text(body="a+b=", encoding="base64url"), []),
    (text(session_id=5), [("$.dialog[0].session_id", "type")]),
    (text(parties=[None]), [("$.dialog[0].parties[0]", "type")]),
    (text(parties=[1]), [("$.dialog[0].parties[0]", "index_out_of_range")]),
    (text(disposition="asleep"), [("$.dialog[0].disposition", "enum")]),
]


@pytest.mark.parametrize(("document", "wanted"), FINDINGS)
def test_older_vcon_has_exactly_these_findings(
    schemas: VconSchemas, document: JsonObject, wanted: list[tuple[str, str]]
) -> None:
    assert [(v.path, v.rule) for v in schemas.all_violations(document)] == wanted


@pytest.mark.parametrize(
    ("version", "checked"), [(None, "0.4.0"), ("0.4.0", "0.4.0"), ("0.0.3", "0.4.0"), ("0.0.2", "0.3.0")]
)
def test_version_chooses_the_schema(schemas: VconSchemas, version: str | None, checked: str) -> None:
    assert schemas.check(vcon(vcon=version)).version == checked
