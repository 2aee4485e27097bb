"""Rules of vCon 0.4.0: every MUST and MUST NOT of the field tables, each with the place that is told."""

from typing import Any

import jsonschema_rs
import pytest

from tests.sweep import sweep
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, is_object, members
from vcontract.runtime.vcon.conformance import VconSchemas

UUID = "01928e10-193e-8231-b9a2-279e0d16bc46"
DATE = "2025-10-14T10:30:00Z"
HASH = "sha512-" + "A" * 86
URL = "https://example.com/file"

# The applicability table of the draft: M must, S should, O optional, SN should not, X must not, - no meaning.
TYPES = ("recording", "recording-set", "text", "transfer", "incomplete")
APPLICABILITY = """
start           S  S  S  O  S
duration        O  O  O  -  O
parties         S  S  S  X  S
originator      O  O  O  X  O
recordings      X  M  X  X  X
recording_set   O  X  X  X  X
mediatype       M  X  M  X  X
filename        O  X  O  X  X
body            S  X  S  X  X
encoding        M  X  M  X  X
url             S  X  S  X  X
content_hash    M  X  M  X  X
disposition     SN SN SN SN M
session_id      O  O  O  X  O
party_history   O  O  O  X  O
transferee      X  X  X  S  X
transferor      X  X  X  S  X
transfer_target X  X  X  O  X
original        X  X  X  S  X
target_dialog   X  X  X  S  X
consultation    X  X  X  O  X
application     O  O  O  O  O
message_id      O  X  O  X  X
"""
VALUES: JsonObject = {
    "start": DATE,
    "duration": 1.5,
    "parties": [0, 1],
    "originator": 1,
    "recordings": [1],
    "recording_set": 2,
    "mediatype": "text/plain",
    "filename": "a.txt",
    "body": "words",
    "encoding": "none",
    "url": URL,
    "content_hash": HASH,
    "disposition": "busy",
    "session_id": {"local": "a", "remote": "b"},
    "party_history": [{"party": 0, "time": DATE, "event": "join"}],
    "transferee": 0,
    "transferor": 1,
    "transfer_target": 1,
    "original": 1,
    "target_dialog": 1,
    "consultation": 1,
    "application": "App",
    "message_id": "m1",
}
COMPANIONS = {"body": ("encoding", "mediatype"), "url": ("content_hash",)}
NEEDED: JsonObject = {"recording-set": {"recordings": [1]}, "incomplete": {"disposition": "busy"}}


def cells() -> list[tuple[str, str, str]]:
    rows = [line.split() for line in APPLICABILITY.strip().splitlines()]
    return [(row[0], kind, mark) for row in rows for kind, mark in zip(TYPES, row[1:], strict=True)]


def vcon(**members: Any) -> JsonObject:
    return {"uuid": UUID, "created_at": DATE, "parties": [{"name": "A"}, {"name": "B"}], **members}


def with_dialog(dialog: JsonObject) -> JsonObject:
    """The dialog at index 0, a recording at 1 and a recording-set at 2 to point at."""
    return vcon(
        dialog=[dialog, {"type": "recording"}, {"type": "recording-set", "recordings": [1]}],
        attachments=[],
        analysis=[],
    )


def findings(schemas: VconSchemas, document: JsonObject) -> list[tuple[str, str]]:
    return [(violation.path, violation.rule) for violation in schemas.all_violations(document)]


@sweep(("member", "kind", "mark"), [cell for cell in cells() if cell[2] == "X"])
def test_member_that_must_not_be_there_is_one_finding(
    schemas: VconSchemas, member: str, kind: str, mark: str
) -> None:
    dialog = {"type": kind, **NEEDED.get(kind, {}), member: VALUES[member]}

    violations = schemas.all_violations(with_dialog(dialog))

    assert [(v.path, v.rule) for v in violations] == [(f"$.dialog[0].{member}", "not_allowed")]
    article = "an" if kind == "incomplete" else "a"
    assert violations[0].message == f'"{member}" has no meaning on {article} {kind} dialog; remove it.'


@sweep(("member", "kind", "mark"), [cell for cell in cells() if cell[2] != "X"])
def test_member_that_may_be_there_is_no_finding(
    schemas: VconSchemas, member: str, kind: str, mark: str
) -> None:
    companions = {name: VALUES[name] for name in COMPANIONS.get(member, ())}
    dialog = {"type": kind, **NEEDED.get(kind, {}), member: VALUES[member], **companions}

    assert findings(schemas, with_dialog(dialog)) == []


DIALOG_FINDINGS: list[tuple[JsonObject, list[tuple[str, str]]]] = [
    ({}, [("type", "required")]),
    ({"type": "video"}, [("type", "enum")]),
    ({"type": 7}, [("type", "type")]),
    ({"type": "mcp_session"}, [("type", "enum")]),
    ({"type": "recording-set"}, [("recordings", "required")]),
    ({"type": "incomplete"}, [("disposition", "required")]),
    ({"type": "incomplete", "disposition": "asleep"}, [("disposition", "enum")]),
    ({"type": "text", "body": "x", "encoding": "none"}, [("mediatype", "required")]),
    ({"type": "recording", "body": "x", "mediatype": "audio/x-wav"}, [("encoding", "required")]),
    ({"type": "text", "body": "x"}, [("mediatype", "required"), ("encoding", "required")]),
    ({"type": "text", "body": ""}, []),
    ({"type": "text", "body": None}, []),
    ({"type": "text", "body": 0, "mediatype": "a/b"}, [("encoding", "required")]),
    ({"type": "text", "url": URL}, [("content_hash", "required")]),
    ({"type": "recording", "url": "http://example.com/a", "content_hash": HASH}, [("url", "pattern")]),
    ({"type": "recording", "url": "not-a-url", "content_hash": HASH}, [("url", "pattern")]),
    ({"type": "recording", "content_hash": "sha512-short"}, [("content_hash", "pattern")]),
    ({"type": "recording", "content_hash": [HASH, "SHA-256"]}, [("content_hash[1]", "pattern")]),
    ({"type": "recording", "content_hash": [HASH, "sha256-abc"]}, []),
    ({"type": "recording", "content_hash": []}, [("content_hash", "minItems")]),
    ({"type": "recording", "content_hash": 5}, [("content_hash", "type")]),
    ({"type": "text", "body": {}, "encoding": "none", "mediatype": "a/b"}, [("body", "type")]),
    ({"type": "text", "body": [], "encoding": "base64url", "mediatype": "a/b"}, [("body", "type")]),
    ({"type": "text", "body": "a+b=", "encoding": "base64url", "mediatype": "a/b"}, [("body", "pattern")]),
    ({"type": "text", "body": {"a": 1}, "encoding": "json", "mediatype": "application/json"}, []),
    ({"type": "text", "body": '{"a": 1}', "encoding": "json", "mediatype": "application/json"}, []),
    ({"type": "text", "encoding": "base64"}, [("encoding", "enum")]),
    ({"type": "text", "mediatype": "not a valid mimetype!"}, [("mediatype", "pattern")]),
    ({"type": "text", "mediatype": "text/plain; charset=utf-8"}, []),
    ({"type": "text", "mediatype": 12345}, [("mediatype", "type")]),
    ({"type": "text", "start": "2025-10-14T10:30:00"}, [("start", "format")]),
    ({"type": "text", "start": "yesterday"}, [("start", "format")]),
    ({"type": "recording", "duration": -1}, [("duration", "minimum")]),
    ({"type": "recording", "duration": "long"}, [("duration", "type")]),
    ({"type": "recording", "parties": 0}, []),
    ({"type": "recording", "parties": [0, None, [0, 1]]}, []),
    ({"type": "recording", "parties": [0, -1]}, [("parties[1]", "minimum")]),
    ({"type": "recording", "parties": [0, [1, "x"]]}, [("parties[1][1]", "type")]),
    ({"type": "recording", "parties": [0, True]}, [("parties[1]", "type")]),
    ({"type": "recording", "parties": "both"}, [("parties", "type")]),
    ({"type": "recording", "originator": 1.5}, [("originator", "type")]),
    ({"type": "recording", "session_id": "abc"}, [("session_id", "type")]),
    ({"type": "recording", "session_id": {"local": 5}}, [("session_id.local", "type")]),
    ({"type": "recording", "parties": [0, [1]], "session_id": [{}, [{"local": "a"}]]}, []),
    ({"type": "recording", "parties": [0, 1], "session_id": [{}, 5]}, [("session_id[1]", "type")]),
    (
        {"type": "recording", "party_history": [{}]},
        [
            ("party_history[0].party", "required"),
            ("party_history[0].time", "required"),
            ("party_history[0].event", "required"),
        ],
    ),
    (
        {"type": "recording", "party_history": [{"party": 0, "time": DATE, "event": "dtmfdown"}]},
        [
            ("party_history[0].event", "enum"),
        ],
    ),
    (
        {"type": "recording", "party_history": [{"party": 0, "time": DATE, "event": "keyup"}]},
        [
            ("party_history[0].button", "required"),
        ],
    ),
    ({"type": "transfer", "original": [1]}, [("original", "type")]),
    ({"type": "transfer", "body": {"deep": {"down": 1}}}, [("body", "not_allowed")]),
    ({"type": "transfer", "parties": [7]}, [("parties", "not_allowed")]),
    ({"type": "text", "nobody": {"knows": "this"}}, []),
]


@pytest.mark.parametrize(("dialog", "wanted"), DIALOG_FINDINGS)
def test_dialog_has_exactly_these_findings(
    schemas: VconSchemas, dialog: JsonObject, wanted: list[tuple[str, str]]
) -> None:
    assert findings(schemas, with_dialog(dialog)) == [(f"$.dialog[0].{path}", rule) for path, rule in wanted]


ATTACHMENT: JsonObject = {"start": DATE, "party": 0, "dialog": 0}
INLINE: JsonObject = {"body": "x", "encoding": "none", "mediatype": "text/plain"}


def without(members: JsonObject, name: str) -> JsonObject:
    return {key: value for key, value in members.items() if key != name}


VCON_FINDINGS: list[tuple[JsonObject, list[tuple[str, str]]]] = [
    (vcon(), []),
    (without(vcon(), "uuid"), [("$.uuid", "required")]),
    (without(vcon(), "created_at"), [("$.created_at", "required")]),
    (vcon(uuid=None), [("$.uuid", "required")]),
    (vcon(uuid=UUID.upper()), []),
    (vcon(uuid=UUID.replace("-", "")), [("$.uuid", "format")]),
    (vcon(created_at=""), [("$.created_at", "format")]),
    (vcon(updated_at="2025-10-14"), [("$.updated_at", "format")]),
    (vcon(vcon="0.4.0"), []),
    (vcon(vcon="0.6.0"), [("$.vcon", "const")]),
    (vcon(vcon=""), [("$.vcon", "const")]),
    (vcon(subject=5), [("$.subject", "type")]),
    (vcon(subject=None), []),
    (vcon(extensions=["cc", 5]), [("$.extensions[1]", "type")]),
    (vcon(critical="cc"), [("$.critical", "type")]),
    (vcon(group=[]), [("$.group", "not_allowed")]),
    (vcon(redacted={}), [("$.redacted.type", "required")]),
    (vcon(redacted={"type": "pii"}), []),
    (vcon(redacted={"type": "pii", "url": URL}), [("$.redacted.content_hash", "required")]),
    (vcon(redacted={"type": "pii", "uuid": "x"}), [("$.redacted.uuid", "format")]),
    (vcon(redacted=None, amended={"uuid": UUID}), []),
    (vcon(amended={}), [("$.amended.uuid", "required")]),
    (vcon(amended={"url": URL, "content_hash": HASH}), []),
    (vcon(amended={"url": URL}), [("$.amended.content_hash", "required")]),
    (vcon(redacted={"type": "pii"}, amended={"uuid": UUID}), [("$.amended", "not_allowed")]),
    (vcon(redacted={"type": "pii"}, amended={}), [("$.amended", "not_allowed")]),
    (vcon(parties=[{}]), []),
    (vcon(parties=None), []),
    (vcon(parties="all"), [("$.parties", "type")]),
    (vcon(parties=[{"tel": 5}]), [("$.parties[0].tel", "type")]),
    (vcon(parties=[{"did": "example:1"}]), [("$.parties[0].did", "pattern")]),
    (vcon(parties=[{"did": "did:example:1"}]), []),
    (
        vcon(parties=[{"civicaddress": {"country": "DE", "a1": 5}}]),
        [("$.parties[0].civicaddress.a1", "type")],
    ),
    (vcon(parties=[{"role": 5, "meta": {}}]), []),
    (vcon(analysis=[{"vendor": "v"}]), [("$.analysis[0].type", "required")]),
    (vcon(analysis=[{"type": "summary"}]), [("$.analysis[0].vendor", "required")]),
    (
        vcon(analysis=[{"type": "summary", "vendor": "v", "body": "x"}]),
        [("$.analysis[0].encoding", "required")],
    ),
    (vcon(analysis=[{"type": "summary", "vendor": "v", "body": "x", "encoding": "none"}]), []),
    (vcon(analysis=[{"type": "t", "vendor": "v", "url": URL}]), [("$.analysis[0].content_hash", "required")]),
    (vcon(analysis=[{"type": "t", "vendor": "v", "dialog": "0"}]), [("$.analysis[0].dialog", "type")]),
    (vcon(analysis=[{"type": "t", "vendor": "v", "dialog": [0.5]}]), [("$.analysis[0].dialog[0]", "type")]),
    (vcon(dialog=[{"type": "text"}], attachments=[ATTACHMENT]), []),
    (vcon(dialog=[{"type": "text"}], attachments=[ATTACHMENT | INLINE]), []),
    (
        vcon(attachments=[{}]),
        [(f"$.attachments[0].{name}", "required") for name in ("start", "party", "dialog")],
    ),
    (
        vcon(dialog=[{"type": "text"}], attachments=[ATTACHMENT | without(INLINE, "mediatype")]),
        [
            ("$.attachments[0].mediatype", "required"),
        ],
    ),
    (
        vcon(dialog=[{"type": "text"}], attachments=[ATTACHMENT | without(INLINE, "encoding")]),
        [
            ("$.attachments[0].encoding", "required"),
        ],
    ),
    (
        vcon(dialog=[{"type": "text"}], attachments=[ATTACHMENT | {"url": URL}]),
        [
            ("$.attachments[0].content_hash", "required"),
        ],
    ),
]


@pytest.mark.parametrize(("document", "wanted"), VCON_FINDINGS)
def test_vcon_has_exactly_these_findings(
    schemas: VconSchemas, document: JsonObject, wanted: list[tuple[str, str]]
) -> None:
    assert findings(schemas, document) == wanted


def test_null_counts_as_absence_at_every_level(schemas: VconSchemas) -> None:
    history = {"party": 0, "time": DATE, "event": "join", "button": None}
    document = vcon(
        subject=None,
        group=None,
        redacted={"type": "pii", "url": None},
        amended=None,
        parties=[{"tel": None, "civicaddress": {"a1": None}}],
        dialog=[
            {"type": "text", "body": None, "session_id": {"local": None}, "party_history": [history]},
            {"type": "transfer", "parties": None, "body": None},
        ],
        analysis=[{"type": "summary", "vendor": None}],
    )

    assert findings(schemas, document) == [("$.analysis[0].vendor", "required")]


def test_mcp_session_is_a_dialog_type_when_the_extension_is_listed(schemas: VconSchemas) -> None:
    document = vcon(extensions=["mcp_session"], dialog=[{"type": "mcp_session"}, {"type": "video"}])

    assert findings(schemas, document) == [("$.dialog[1].type", "enum")]


def test_three_faults_in_three_places_are_three_findings_in_the_order_of_the_document(
    schemas: VconSchemas,
) -> None:
    document = {
        "created_at": DATE,
        "analysis": [{"type": "summary", "vendor": "v"}, {"type": "summary"}],
        "dialog": [{"type": "text", "parties": [0, "one"]}],
        "uuid": UUID,
        "parties": [{"name": ["A"]}],
    }

    assert findings(schemas, document) == [
        ("$.analysis[1].vendor", "required"),
        ("$.dialog[0].parties[1]", "type"),
        ("$.parties[0].name", "type"),
    ]


def test_messages_name_the_value_and_what_is_wanted(schemas: VconSchemas) -> None:
    document = vcon(
        uuid="x", dialog=[{"type": "video"}, {"type": "text", "url": 5}], analysis=[{"type": "t"}]
    )

    assert [violation.message for violation in schemas.all_violations(document)] == [
        '"x" is not valid here; wanted: UUID in five hex groups.',
        '"video" is not one of recording, recording-set, text, transfer, incomplete.',
        "Must be a string; this is a number.",
        'Content at a url needs "content_hash", which is missing.',
        'Analysis needs "vendor", which is missing.',
    ]


def test_report_lists_fifty_and_counts_all(schemas: VconSchemas) -> None:
    report = schemas.check(vcon(dialog=[{} for _ in range(70)]))

    assert not report.valid
    assert (len(report.violations), report.violation_count) == (50, 70)
    assert report.violations[49].path == "$.dialog[49].type"


def test_unsupported_critical_names_are_reported_and_are_no_violation(schemas: VconSchemas) -> None:
    report = schemas.check(vcon(critical=["cc", "holograms", "holograms", "smell"]))

    assert report.valid
    assert report.unsupported_critical == ("holograms", "smell")


@pytest.mark.parametrize("version", ["0.3.0", "0.4.0"])
def test_published_schema_is_one_valid_document(schemas: VconSchemas, version: str) -> None:
    schema = schemas.documents[version]

    jsonschema_rs.meta.validate(schema)

    assert schema["$id"] == f"urn:vcontract:vcon:{version}"
    definitions = set(schema["$defs"])
    assert references(schema) == {f"#/$defs/{name}" for name in definitions}


def references(value: JsonValue) -> set[str]:
    own = {str(value["$ref"])} if is_object(value) and "$ref" in value else set[str]()
    inner = [*members(value).values(), *array(value)]
    return own.union(*map(references, inner))
