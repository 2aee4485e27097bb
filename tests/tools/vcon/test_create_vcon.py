"""create_vcon: what is stored comes back, what cannot be stored is refused with every reason."""

import json
import math
import re
import uuid
from datetime import datetime
from pathlib import Path

import pytest

from tests.conftest import Call
from tests.tools.vcon.conftest import Create
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, parse_json
from vcontract.runtime.store.vcons import preparation

CORPUS = Path(__file__).parents[4] / "shared" / "data" / "vcons"
ODD: JsonObject = {
    "uuid": "01939C3A-6F00-8ABC-9DEF-0123456789AB",
    "created_at": "2025-10-14T10:30:00.123456789+02:00",
    "unset": None,
    "nobody knows": {"deep": [0, [0], [], {}, None, "", False, "\u2028 \U0001f600 é e\u0301"]},
    "parties": [
        {},
        {"name": "James", "role": "agent", "meta": {"a": None}, "tel": "tel:+15551234567"},
    ],
    "dialog": [
        {"type": "text", "body": "42", "parties": [[0, 1], None, 1], "duration": 0.1 + 0.2},
        {
            "type": "recording",
            "body": None,
            "url": "https://x.example/a",
            "content_hash": ["sha512-a", "sha512-b"],
        },
        {"type": "transfer", "transferee": 0, "transferor": 1, "transfer_target": [0]},
        {"type": "text", "body": [0], "encoding": "json", "session_id": [{"local": "a"}, {}]},
        {"type": "text", "body": [], "party_history": [{"party": 0, "event": "join", "time": "x"}]},
        {"type": "text", "body": 12345678901234567890123456789012345678901234567890, "x": -0.0},
        {"type": "text", "body": 1e308, "y": 5e-324, "z": 1.0, "zz": 1},
    ],
    "analysis": [{"type": "summary", "vendor": "x", "dialog": [0], "body": {"a": {"b": [None]}}}],
    "attachments": [],
    "extensions": [],
    "group": [],
}


def exactly(value: JsonValue) -> str:
    """A text that is equal for equal JSON values only; 1, 1.0 and true differ."""
    return json.dumps(value, sort_keys=True)


def undo_renames(got: JsonObject, given: JsonObject, translated: list[JsonObject]) -> None:
    """Give members their old names back; of a hash, take the two old members and the one they became away."""
    for rename in translated:
        *steps, last = re.findall(r"\w+", rename["path"].removeprefix("$"))
        place: JsonValue = got
        before: JsonValue = given
        for step in (int(step) if step.isdigit() else step for step in steps):
            place, before = place[step], before[step]
        old: str = rename["from"]
        if " + " in old:
            del place[last]
            for name in old.split(" + "):
                del before[name]
        elif last == rename["to"]:
            place[old] = place.pop(last)
        else:
            assert place[last] == rename["to"]
            place[last] = old


@pytest.mark.parametrize("nested", [False, True])
async def test_every_member_comes_back_as_it_was_put_in(call: Call, create: Create, nested: bool) -> None:
    document = {**ODD, "again": ODD} if nested else ODD

    stored = await create(**document)

    assert stored == ODD["uuid"].lower()
    got = await call("get_vcon", uuid=stored)
    assert exactly(got["vcon"]) == exactly(document)
    assert list(got["vcon"]) == list(document)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real files is not here")
async def test_every_vcon_of_the_corpus_comes_back_but_for_the_reported_renames(call: Call) -> None:
    files = sorted(CORPUS.rglob("*.json")) + sorted(CORPUS.rglob("*.vcon"))
    stored = 0
    for file in files[:: max(1, len(files) // 60)]:
        document = parse_json(file.read_bytes())
        answer = await call("create_vcon", vcon_data=document, validate_before_insert=False, return_vcon=True)
        if not answer["success"]:
            assert answer["error_code"] == "VALIDATION_ERROR"
            continue
        stored += 1
        filled = {name: answer["vcon"][name] for name in ("uuid", "created_at") if not document.get(name)}
        got = await call("get_vcon", uuid=answer["uuid"], include_metadata=False)
        expected = {**document, **filled}
        undo_renames(got["vcon"], expected, answer["translated"])
        assert exactly(got["vcon"]) == exactly(expected)
    assert stored > 50


FAULTS: JsonObject = {
    "vcon": "0.4.0",
    "uuid": "01939c3a-6f00-8abc-9def-0123456789ab",
    "created_at": "2025-10-14T10:30:00Z",
    "parties": [{"tel": 5}],
    "dialog": [{"type": "no such type", "start": "2025-10-14T10:30:00Z", "parties": 0}],
    "analysis": [{"type": "summary", "vendor": "x", "dialog": 7}],
}
FAULTY_PATHS = {"$.parties[0].tel", "$.dialog[0].type", "$.analysis[0].dialog"}


async def test_three_faults_are_all_listed_and_nothing_is_stored(call: Call) -> None:
    refused = await call("create_vcon", vcon_data=FAULTS)

    assert refused["error_code"] == "VALIDATION_ERROR"
    paths = {violation["path"].replace("$.vcon_data", "$") for violation in refused["details"]["violations"]}
    assert paths == FAULTY_PATHS
    assert (await call("get_vcon", uuid=FAULTS["uuid"]))["error_code"] == "NOT_FOUND"


async def test_without_validation_the_same_faults_are_reported_and_the_vcon_is_stored(call: Call) -> None:
    answer = await call("create_vcon", vcon_data=FAULTS, validate_before_insert=False)

    conformance = answer["conformance"]
    assert (conformance["valid"], conformance["violation_count"]) == (False, 3)
    assert {violation["path"] for violation in conformance["violations"]} == FAULTY_PATHS
    got = await call("get_vcon", uuid=FAULTS["uuid"])
    assert exactly(got["vcon"]) == exactly(FAULTS)
    assert got["metadata"]["conformance"] == {"version": "0.4.0", "valid": False, "violation_count": 3}


UNSTORABLE: list[tuple[JsonObject, str]] = [
    ({"parties": []}, "$.vcon_data.parties"),
    ({}, "$.vcon_data.parties"),
    ({"parties": [{}] * 1001}, "$.vcon_data.parties"),
    ({"parties": ["James"]}, "$.vcon_data.parties[0]"),
    ({"parties": [{}], "dialog": [None]}, "$.vcon_data.dialog[0]"),
    ({"parties": [{}], "subject": 5}, "$.vcon_data.subject"),
    ({"parties": [{}], "uuid": "5"}, "$.vcon_data.uuid"),
    ({"parties": [{}], "uuid": "{01939c3a-6f00-8abc-9def-0123456789ab}"}, "$.vcon_data.uuid"),
    ({"parties": [{"name": "a\0"}]}, "$.vcon_data.parties[0].name"),
    ({"parties": [{}], "x": [{"a\0": 1}]}, "$.vcon_data.x[0]['a\\u0000']"),
    ({"parties": [{}], "x": [math.inf]}, "$.vcon_data.x[0]"),
    ({"parties": [{}], "x": math.nan}, "$.vcon_data.x"),
    ({"parties": [{}], "x": "\ud800"}, "$.vcon_data.x"),
]


@pytest.mark.parametrize("validate", [True, False])
@pytest.mark.parametrize(
    ("vcon_data", "path"),
    UNSTORABLE,
)
async def test_what_cannot_be_stored_is_refused_in_both_modes(
    call: Call, vcon_data: JsonObject, path: str, validate: bool
) -> None:
    refused = await call("create_vcon", vcon_data=vcon_data, validate_before_insert=validate)

    assert refused["error_code"] == "VALIDATION_ERROR"
    assert path in {violation["path"] for violation in refused["details"]["violations"]}
    assert (await call("vcon_search", mode="metadata"))["page"]["total"] == 0


@pytest.mark.parametrize(("depth", "stored"), [(100, True), (101, False)])
async def test_a_vcon_is_nested_at_most_100_levels(call: Call, depth: int, stored: bool) -> None:
    inner: JsonValue = []
    for _ in range(depth - 2):
        inner = [inner]

    answer = await call("create_vcon", vcon_data={"parties": [{}], "x": inner}, return_vcon=True)

    assert answer["success"] is stored
    if stored:
        assert answer["vcon"]["x"] == inner
    else:
        assert answer["details"]["reason"] == "too_deep"


@pytest.mark.parametrize(
    ("metadata", "path"),
    [
        ({"note": {"a": ["x\0"]}}, "$.metadata.note.a[0]"),
        ({"note": {"x": [{"y": math.inf}]}}, "$.metadata.note.x[0].y"),
        ({"tags": {"a:b": "c"}}, "$.metadata.tags['a:b']"),
        ({"tags": {" a": "c"}}, "$.metadata.tags[' a']"),
        ({"tags": {"a": "c\0"}}, "$.metadata.tags.a"),
        ({"tags": {"a": "c" * 1025}}, "$.metadata.tags.a"),
        ({"tags": {"a": ["c"]}}, "$.metadata.tags.a"),
        ({"tags": {str(n): n for n in range(257)}}, "$.metadata.tags"),
        ({"filename": "x" * 256}, "$.metadata.filename"),
    ],
)
async def test_metadata_that_cannot_be_kept_is_refused_with_its_own_path(
    call: Call, metadata: JsonObject, path: str
) -> None:
    refused = await call("create_vcon", vcon_data={"parties": [{}]}, metadata=metadata)

    assert refused["error_code"] == "VALIDATION_ERROR"
    assert {violation["path"] for violation in refused["details"]["violations"]} == {path}


async def test_metadata_comes_back_beside_the_vcon(call: Call, create: Create) -> None:
    metadata = {
        "basename": "b",
        "filename": "b.json",
        "origin": {"batch": [{"n": 1}]},
        "labels": ["a", 1, None, ["b"]],
        "owner": None,
        "tags": {"a": 1},
    }

    got = await call("get_vcon", uuid=await create(metadata))

    found = {name: got["metadata"][name] for name in metadata}
    assert found == metadata


async def test_what_the_store_says_of_a_vcon_is_not_taken_from_a_client(call: Call) -> None:
    given: JsonObject = {"signed": True, "counts": 7, "conformance": {}, "stored_at": "x", "updated_at": "x"}

    answer = await call("create_vcon", vcon_data={"parties": [{}]}, metadata={**given, "mine": 1})

    assert [(each["code"], each["path"]) for each in answer["warnings"]] == [
        ("metadata_ignored", f"$.metadata.{name}")
        for name in ("counts", "conformance", "stored_at", "updated_at", "signed")
    ]
    metadata = (await call("get_vcon", uuid=answer["uuid"]))["metadata"]
    assert "signed" not in metadata
    assert metadata["counts"]["parties"] == metadata["mine"] == 1


async def test_of_very_many_warnings_the_kinds_are_counted(call: Call) -> None:
    document: JsonObject = {
        "parties": [{}],
        "created_at": "soon",
        "dialog": [{"type": "text", "mimetype": "text/plain"}] * 150,
        "tags": {f"k{number}": 1 for number in range(270)},
    }

    answer = await call("create_vcon", vcon_data=document, validate_before_insert=False)

    *listed, last = answer["warnings"]
    assert len(listed) == 100
    assert last == {
        "code": "more_warnings",
        "message": "Further warnings, not listed: "
        "50 legacy_name, 1 conversation_date_missing, 14 tag_ignored.",
    }
    assert len(answer["translated"]) == 150


async def test_the_most_tags_fit(call: Call, create: Create) -> None:
    tags = {f"key {n}": "x" * 1024 for n in range(256)}

    got = await call("get_vcon", uuid=await create({"tags": tags}))

    assert got["metadata"]["tags"] == tags


async def test_legacy_names_are_translated_and_each_is_reported(call: Call) -> None:
    answer = await call(
        "create_vcon",
        vcon_data={
            "parties": [{}],
            "must_support": ["cc"],
            "appended": {"uuid": "01939c3a-6f00-8abc-9def-0123456789ab"},
            "dialog": [{"type": "text", "mimetype": "text/plain"}],
        },
        validate_before_insert=False,
        return_vcon=True,
    )

    assert sorted(answer["translated"], key=lambda rename: str(rename["path"])) == [
        {"path": "$.amended", "from": "appended", "to": "amended"},
        {"path": "$.critical", "from": "must_support", "to": "critical"},
        {"path": "$.dialog[0].mediatype", "from": "mimetype", "to": "mediatype"},
    ]
    assert [warning["code"] for warning in answer["warnings"]] == ["legacy_name"] * 3
    assert answer["vcon"]["critical"] == ["cc"]
    assert answer["vcon"]["amended"] == {"uuid": "01939c3a-6f00-8abc-9def-0123456789ab"}
    assert answer["vcon"]["dialog"] == [{"type": "text", "mediatype": "text/plain"}]


async def test_of_both_names_both_come_back(call: Call, create: Create) -> None:
    uuid_ = await create(must_support=["a"], critical=["b"])

    got = await call("get_vcon", uuid=uuid_)

    assert (got["vcon"]["must_support"], got["vcon"]["critical"]) == (["a"], ["b"])


DATED = {"start": "2025-02-01"}
UUID = "01939c3a-6f00-8abc-9def-0123456789ab"


@pytest.mark.parametrize(
    ("again", "identical"),
    [
        ({"parties": [{"name": "James", "n": 1}], "uuid": UUID}, True),
        ({"uuid": UUID, "parties": [{"n": 1, "name": "James"}]}, True),
        ({"parties": [{"name": "James", "n": 2}], "uuid": UUID}, False),
        ({"parties": [{"name": "James", "n": True}], "uuid": UUID}, False),
        ({"parties": [{"name": "James", "n": 1}], "uuid": UUID, "x": None}, False),
    ],
)
async def test_a_uuid_that_exists_is_a_conflict_that_compares_the_content(
    call: Call, again: JsonObject, identical: bool
) -> None:
    first = await call("create_vcon", vcon_data={"parties": [{"name": "James", "n": 1}], "uuid": UUID})

    second = await call("create_vcon", vcon_data=again)

    assert second["error_code"] == "CONFLICT"
    assert second["details"] == {
        "reason": "exists",
        "uuid": UUID,
        "existing_updated_at": first["updated_at"],
        "identical": identical,
    }


async def test_after_a_change_the_first_content_is_no_longer_identical(call: Call) -> None:
    document: JsonObject = {"parties": [{}], "uuid": UUID}
    await call("create_vcon", vcon_data=document)
    await call("update_vcon", uuid=UUID, updates={"subject": "Changed"})

    again = await call("create_vcon", vcon_data=document)

    assert again["details"]["identical"] is False


async def test_a_missing_created_at_is_now_in_milliseconds_and_a_missing_vcon_stays_missing(
    call: Call,
) -> None:
    answer = await call("create_vcon", vcon_data={"parties": [{}]}, return_vcon=True)

    assert answer["vcon"] == {"parties": [{}], "uuid": answer["uuid"], "created_at": answer["created_at"]}
    seconds, _, fraction = answer["created_at"].removesuffix("Z").partition(".")
    assert fraction.removesuffix("000") == fraction[:3]
    assert seconds[:19] <= answer["updated_at"][:19]


@pytest.mark.parametrize(
    ("members", "created_at", "warned"),
    [
        ({"created_at": "2025-01-02"}, "2025-01-02T00:00:00Z", False),
        ({"created_at": "2025-01-02T10:00+02:00"}, "2025-01-02T08:00:00Z", False),
        ({"created_at": "soon", "dialog": [{"start": "2025-03-01"}, DATED]}, "2025-02-01T00:00:00Z", False),
        ({"created_at": "9999-12-31T23:59:59.999999Z"}, "9999-12-31T23:59:59.999999Z", False),
        ({"created_at": "0001-01-01T00:00:00Z"}, "0001-01-01T00:00:00Z", False),
        ({"created_at": "soon"}, None, True),
        ({"created_at": ""}, None, True),
    ],
)  # fmt: skip
async def test_the_time_of_the_conversation_is_read_and_the_member_left_alone(
    call: Call, members: JsonObject, created_at: str | None, warned: bool
) -> None:
    answer = await call(
        "create_vcon", vcon_data={"parties": [{}], **members}, validate_before_insert=False, return_vcon=True
    )

    codes = [warning["code"] for warning in answer.get("warnings", [])]
    assert ("conversation_date_missing" in codes) is warned
    assert answer["created_at"] == (created_at or answer["updated_at"])
    assert answer["vcon"]["created_at"] == members["created_at"]


async def test_a_made_uuid_that_is_taken_is_drawn_again_and_a_given_one_is_not(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = uuid.uuid4(), uuid.uuid4()
    drawn = iter([first, first, second])

    def draw(_now: datetime) -> uuid.UUID:
        return next(drawn)

    monkeypatch.setattr(preparation, "new_uuid", draw)

    answers = [await call("create_vcon", vcon_data={"parties": [{}]}) for _ in range(2)]
    given = await call("create_vcon", vcon_data={"parties": [{}], "uuid": str(first)})

    assert [answer["uuid"] for answer in answers] == [str(first), str(second)]
    assert given["error_code"] == "CONFLICT"


JWS: JsonObject = {"payload": "e30", "signatures": [{"protected": "e30", "signature": "x"}]}
JWE: JsonObject = {"ciphertext": "x", "recipients": [{}], "unprotected": {"cty": "application/vcon+json"}}
BESIDE_FORM: list[JsonObject] = [{}, {"parties": [{}]}, {"parties": "none", "subject": 1}]


@pytest.mark.parametrize("validate", [True, False])
@pytest.mark.parametrize("beside", BESIDE_FORM)
@pytest.mark.parametrize(("form", "document"), [("signed", JWS), ("encrypted", JWE)])
async def test_a_signed_or_encrypted_form_is_refused_as_what_it_is(
    call: Call, form: str, document: JsonObject, beside: JsonObject, validate: bool
) -> None:
    refused = await call("create_vcon", vcon_data={**beside, **document}, validate_before_insert=validate)

    assert refused["error_code"] == "VALIDATION_ERROR"
    assert f"the {form} form of a vCon" in refused["error"]
    assert refused["details"] == {"parameter": "vcon_data", "reason": "not_unsigned", "form": form}
    assert "import" in refused["suggestions"][0]


async def test_a_vcon_that_needs_an_unknown_extension_is_kept_but_its_text_is_not_searched(
    call: Call,
) -> None:
    answer = await call(
        "create_vcon",
        vcon_data={"parties": [{"name": "Zebediah"}], "subject": "Quarantined", "critical": ["quantum"]},
        metadata={"tags": {"a": "b"}},
    )

    assert answer["success"] is True
    assert answer["conformance"]["unsupported_critical"] == ["quantum"]
    assert "unsupported_critical" in [warning["code"] for warning in answer["warnings"]]
    assert (await call("vcon_search", mode="keyword", query="Quarantined"))["page"]["total"] == 0
    for filters in ({"subject": "quarant"}, {"party_name": "zebed*"}, {"tags": {"a": "b"}}):
        found = await call("vcon_search", mode="metadata", filters=filters)
        assert [item["id"] for item in found["items"]] == [answer["uuid"]]
    assert (await call("get_vcon", uuid=answer["uuid"]))["vcon"]["subject"] == "Quarantined"


async def test_more_distinct_words_than_an_index_entry_holds_are_stored_with_a_warning(call: Call) -> None:
    vocabulary = " ".join(f"w{n:06}" for n in range(76_000))
    document: JsonObject = {
        "parties": [{}],
        "subject": "first",
        "dialog": [{"type": "text", "body": vocabulary}] * 2,
    }

    answer = await call("create_vcon", vcon_data=document, validate_before_insert=False)

    assert [warning["code"] for warning in answer["warnings"]] == ["text_not_indexed"]
    found = await call("vcon_search", mode="keyword", query="first w000001")
    assert [item["id"] for item in found["items"]] == [answer["uuid"]]


async def test_a_dealer_id_too_long_for_an_index_is_ignored_with_a_warning(call: Call) -> None:
    body = {"dealerId": "".join(chr(0x4E00 + n) for n in range(3000)), "dealerName": "Long"}
    attachment = {"type": "bria_call_ended", "encoding": "json", "body": body}

    answer = await call(
        "create_vcon", vcon_data={"parties": [{}], "attachments": [attachment]}, validate_before_insert=False
    )

    assert "dealer_ignored" in [warning["code"] for warning in answer["warnings"]]


async def test_a_text_that_cannot_be_read_is_stored_with_a_warning(call: Call) -> None:
    mail = "Content-Type: multipart/mixed; boundary=b\n" * 3_000
    dialog = [
        {"type": "text", "body": "<p>hello <![foo bar</p>", "mediatype": "text/html"},
        {"type": "text", "body": mail, "mediatype": "message/rfc822"},
        {"type": "text", "body": "Marmalade."},
    ]

    answer = await call(
        "create_vcon",
        vcon_data={"parties": [{}], "dialog": dialog},
        validate_before_insert=False,
    )

    assert [(each["code"], each["path"]) for each in answer["warnings"]] == [("text_not_read", "$.dialog[1]")]
    found = await call("vcon_search", mode="keyword", query="hello marmalade")
    assert [item["id"] for item in found["items"]] == [answer["uuid"]]
    stored = (await call("get_vcon", uuid=answer["uuid"]))["vcon"]["dialog"]
    assert [each["body"] for each in stored] == [each["body"] for each in dialog]


async def test_of_very_many_violations_the_first_are_listed_and_all_are_counted(call: Call) -> None:
    dialog = [{"type": "text", "parties": [7]} for _ in range(2_000)]

    answer = await call("create_vcon", vcon_data={"parties": [{}], "dialog": dialog})

    details = answer["details"]
    assert len(details["violations"]) == 50
    assert details["violation_count"] >= 2_000


async def test_an_unknown_version_is_refused_with_all_that_are_known(call: Call) -> None:
    refused = await call("create_vcon", vcon_data={"vcon": "0.9.9", "parties": [{"name": "Ada"}]})

    (message,) = [
        each["message"] for each in refused["details"]["violations"] if each["path"].endswith(".vcon")
    ]
    assert "0.3.0, 0.4.0" in message


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ({}, {"mediatype": "text/plain", "encoding": "none"}),
        ({"mediatype": "text/html"}, {"mediatype": "text/html", "encoding": "none"}),
        ({"mediatype": "text/plain", "encoding": "base64url"}, {"encoding": "base64url"}),
    ],
)
async def test_a_body_is_plain_text_unless_it_says_otherwise(
    call: Call, given: JsonObject, stored: JsonObject
) -> None:
    said = {"type": "text", "start": "2025-03-01T10:00:00Z", "parties": [0], "body": "SGVsbG8"}

    made = await call(
        "create_vcon",
        vcon_data={"parties": [{"name": "Ann"}], "dialog": [{**said, **given}]},
        return_vcon=True,
    )

    (dialog,) = made["vcon"]["dialog"]
    assert dialog == {**said, **given, **stored}
    assert made["conformance"]["valid"]
