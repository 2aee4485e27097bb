"""update_vcon: what each strategy makes of a member, what never changes, and what is refused."""

from typing import Any

import pytest

from tests.conftest import Call
from tests.tools.vcon.conftest import Create
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue

TEXT: JsonObject = {
    "type": "text",
    "start": "2025-01-01T00:00:00Z",
    "parties": 0,
    "mediatype": "text/plain",
    "encoding": "none",
    "body": "hello",
}
STORED: JsonObject = {
    "subject": "Old",
    "extensions": ["cc"],
    "x": {"a": 1, "b": {"c": 2}},
    "list": [1, 2],
    "flag": 1,
    "nothing": None,
}
ABSENT: Any = object()


@pytest.mark.parametrize(
    ("strategy", "name", "value", "expected"),
    [
        ("merge", "subject", "New", "New"),
        ("merge", "subject", None, ABSENT),
        ("merge", "nothing", None, ABSENT),
        ("merge", "x", {"b": {"c": None, "d": 3}}, {"a": 1, "b": {"d": 3}}),
        ("merge", "list", [3], [3]),
        ("merge", "extensions", ["wtf_transcription"], ["wtf_transcription"]),
        ("merge", "x", 5, 5),
        ("merge", "new", {"a": None, "b": {"c": None}}, {"b": {}}),
        ("replace", "x", {"b": 1}, {"b": 1}),
        ("replace", "x", {"b": None}, {"b": None}),
        ("replace", "x", None, ABSENT),
        ("replace", "list", [], []),
        ("append", "extensions", ["cc", "lawful_basis", "lawful_basis"], ["cc", "lawful_basis"]),
        ("append", "list", [2, "a"], [1, 2, 2, "a"]),
        ("append", "x", {"a": None}, {"b": {"c": 2}}),
        ("append", "subject", None, ABSENT),
        ("append", "new", [1], [1]),
    ],
)
async def test_what_a_strategy_makes_of_a_named_member(
    call: Call, create: Create, strategy: str, name: str, value: JsonValue, expected: JsonValue
) -> None:
    uuid = await create(**STORED)

    answer = await call("update_vcon", uuid=uuid, updates={name: value}, merge_strategy=strategy)

    assert answer["changed"] == [name]
    found = (await call("get_vcon", uuid=uuid))["vcon"]
    assert found == answer["updated_vcon"]
    assert found.get(name, ABSENT) == expected
    assert {other: found[other] for other in STORED if other != name} == {
        other: value for other, value in STORED.items() if other != name
    }


@pytest.mark.parametrize(
    ("updates", "changed"),
    [
        ({"flag": True}, ["flag"]),
        ({"flag": 1.0}, []),
        ({"nothing": None}, ["nothing"]),
        ({"x": {"b": {"c": 2}, "a": 1}}, []),
        ({"subject": "Old"}, []),
        ({"missing": None}, []),
        ({"list": [1, 2]}, []),
        ({"list": [True, 2]}, ["list"]),
        ({"list": [1]}, ["list"]),
    ],
)
async def test_changed_names_what_differs_as_a_json_value(
    call: Call, create: Create, updates: JsonObject, changed: list[str]
) -> None:
    uuid = await create(**STORED)

    answer = await call("update_vcon", uuid=uuid, updates=updates)

    assert (answer["success"], answer["changed"]) == (True, changed)


async def test_an_update_that_changes_nothing_leaves_updated_at(call: Call, create: Create) -> None:
    uuid = await create(**STORED)
    before = await call("get_vcon", uuid=uuid)

    answer = await call("update_vcon", uuid=uuid, updates={"subject": "Old"})

    assert answer["updated_at"] == before["metadata"]["updated_at"]
    assert await call("get_vcon", uuid=uuid) == before


async def test_a_change_moves_updated_at_forward_everywhere_and_nothing_else(
    call: Call, create: Create
) -> None:
    uuid = await create({"note": {"a": 1}}, **STORED)
    before = await call("get_vcon", uuid=uuid)

    answer = await call("update_vcon", uuid=uuid, updates={"subject": "New"})

    after = await call("get_vcon", uuid=uuid)
    assert answer["updated_at"] > before["metadata"]["updated_at"]
    assert after["metadata"]["updated_at"] == after["vcon"]["updated_at"] == answer["updated_at"]
    unchanged = {**after["metadata"], "updated_at": before["metadata"]["updated_at"]}
    assert unchanged == before["metadata"]
    assert after["vcon"]["created_at"] == before["vcon"]["created_at"]


NOT_ALLOWED: list[tuple[JsonObject, str, str]] = [
    ({"uuid": "123e4567-e89b-12d3-a456-426614174000"}, "merge", "updates.uuid"),
    ({"uuid": None}, "merge", "updates.uuid"),
    ({"created_at": "2025-01-01T00:00:00Z"}, "replace", "updates.created_at"),
    ({"updated_at": "2025-01-01T00:00:00Z"}, "merge", "updates.updated_at"),
    ({"tags": {"a": "b"}}, "merge", "updates.tags"),
    ({"dialog": []}, "merge", "updates.dialog"),
    ({"parties": [{}]}, "merge", "updates.parties"),
    ({"attachments": None}, "merge", "updates.attachments"),
    ({"attachments": [{"purpose": "tags", "body": ["a:b"]}]}, "append", "updates.attachments"),
]


@pytest.mark.parametrize(
    ("updates", "strategy", "parameter"),
    NOT_ALLOWED,
)
async def test_what_update_vcon_may_not_change(
    call: Call, create: Create, updates: JsonObject, strategy: str, parameter: str
) -> None:
    uuid = await create(dialog=[TEXT])
    before = await call("get_vcon", uuid=uuid)

    refused = await call(
        "update_vcon", uuid=uuid, updates=updates, merge_strategy=strategy, validate_after_update=False
    )

    assert refused["error_code"] == "VALIDATION_ERROR"
    assert refused["details"]["parameter"] == parameter
    assert await call("get_vcon", uuid=uuid) == before


async def test_uuid_and_created_at_may_be_sent_along_as_they_are(call: Call, create: Create) -> None:
    uuid = await create()
    created_at = (await call("get_vcon", uuid=uuid))["vcon"]["created_at"]

    answer = await call(
        "update_vcon", uuid=uuid, updates={"uuid": uuid, "created_at": created_at, "subject": "x"}
    )

    assert answer["changed"] == ["subject"]


@pytest.mark.parametrize("validate", [True, False])
@pytest.mark.parametrize(
    ("array", "element", "path"),
    [
        ("dialog", {"type": "song"}, "$.updates.dialog[0].type"),
        ("dialog", {}, "$.updates.dialog[0].type"),
        ("dialog", "text", "$.updates.dialog[0]"),
        ("dialog", {**TEXT, "duration": -1}, "$.updates.dialog[0].duration"),
        ("dialog", {**TEXT, "body": 42}, "$.updates.dialog[0].body"),
        ("dialog", {**TEXT, "encoding": "rot13"}, "$.updates.dialog[0].encoding"),
        ("dialog", {**TEXT, "encoding": "base64url", "body": "a b"}, "$.updates.dialog[0].body"),
        ("dialog", {**TEXT, "url": "file:///etc/passwd"}, "$.updates.dialog[0].url"),
        ("dialog", {**TEXT, "body": "a\0"}, "$.updates.dialog[0].body"),
        ("analysis", {"type": "summary"}, "$.updates.analysis[0].vendor"),
        ("analysis", {"type": "summary", "vendor": ""}, "$.updates.analysis[0].vendor"),
        ("attachments", {"body": "x"}, "$.updates.attachments[0].purpose"),
    ],
)
async def test_an_element_that_does_not_fit_is_refused_with_its_path(
    call: Call, create: Create, array: str, element: JsonValue, path: str, validate: bool
) -> None:
    uuid = await create(dialog=[TEXT])
    before = await call("get_vcon", uuid=uuid)

    refused = await call(
        "update_vcon",
        uuid=uuid,
        updates={array: [element]},
        merge_strategy="append",
        validate_after_update=validate,
    )

    assert refused["error_code"] == "VALIDATION_ERROR"
    assert path in {violation["path"] for violation in refused["details"]["violations"]}
    assert await call("get_vcon", uuid=uuid) == before


@pytest.mark.parametrize(
    ("array", "element", "place", "member"),
    [
        ("dialog", {"type": "text", "parties": [0, 7]}, 1, "parties[1]"),
        ("dialog", {"type": "text", "originator": 1}, 1, "originator"),
        ("analysis", {"type": "summary", "vendor": "x", "dialog": [7]}, 0, "dialog[0]"),
        ("attachments", {"purpose": "x", "party": 1}, 0, "party"),
    ],
)
async def test_an_index_out_of_range_is_refused_unless_the_update_is_not_validated(
    call: Call, create: Create, array: str, element: JsonValue, place: int, member: str
) -> None:
    uuid = await create(dialog=[TEXT])
    before = await call("get_vcon", uuid=uuid)
    arguments = {"uuid": uuid, "updates": {array: [element]}, "merge_strategy": "append"}

    refused = await call("update_vcon", **arguments)
    after_refusal = await call("get_vcon", uuid=uuid)
    stored = await call("update_vcon", **arguments, validate_after_update=False)

    found = {violation["path"]: violation["rule"] for violation in refused["details"]["violations"]}
    assert found[f"$.updates.{array}[0].{member}"] == "index_out_of_range"
    assert after_refusal == before
    assert (stored["success"], stored["changed"]) == (True, [array])
    assert {"code": "would_violate", "path": f"$.{array}[{place}].{member}"}.items() <= stored["warnings"][
        0
    ].items()


async def test_appending_to_a_text_is_refused_and_does_not_replace_it(call: Call, create: Create) -> None:
    uuid = await create(subject="Refund")

    refused = await call("update_vcon", uuid=uuid, updates={"subject": "late"}, merge_strategy="append")
    same = await call("update_vcon", uuid=uuid, updates={"subject": "Refund"}, merge_strategy="append")

    assert refused["error_code"] == "VALIDATION_ERROR"
    assert refused["details"] == {
        "parameter": "updates.subject",
        "reason": "append_to_text",
        "accepted": ["merge", "replace"],
    }
    assert same["changed"] == []
    assert (await call("get_vcon", uuid=uuid))["vcon"]["subject"] == "Refund"


async def test_appending_null_does_not_wipe_an_array(call: Call, create: Create) -> None:
    uuid = await create(dialog=[TEXT])

    refused = await call("update_vcon", uuid=uuid, updates={"dialog": None}, merge_strategy="append")

    assert refused["error_code"] == "VALIDATION_ERROR"
    assert (await call("get_vcon", uuid=uuid))["vcon"]["dialog"] == [TEXT]


@pytest.mark.parametrize("body", ["42", '{"a": 1}', 42, [0], [], {"a": None}, None, True])
async def test_a_json_body_may_be_any_value_or_text(call: Call, create: Create, body: JsonValue) -> None:
    uuid = await create()
    dialog = {**TEXT, "encoding": "json", "body": body, "mediatype": "application/json"}

    answer = await call("update_vcon", uuid=uuid, updates={"dialog": [dialog]}, merge_strategy="append")

    assert answer["success"] is True
    assert (await call("get_vcon", uuid=uuid))["vcon"]["dialog"] == [dialog]


async def test_the_standard_alphabet_of_base64_passes_with_a_warning(call: Call, create: Create) -> None:
    uuid = await create()
    dialog = {**TEXT, "encoding": "base64url", "body": "a+/b=="}

    answer = await call(
        "update_vcon",
        uuid=uuid,
        updates={"dialog": [dialog]},
        merge_strategy="append",
        validate_after_update=False,
    )

    assert answer["success"] is True
    assert ("standard_base64", "$.updates.dialog[0].body") in {
        (warning["code"], warning["path"]) for warning in answer["warnings"]
    }


async def test_legacy_names_in_updates_are_translated_and_reported(call: Call, create: Create) -> None:
    uuid = await create()
    legacy = {name: value for name, value in TEXT.items() if name != "mediatype"} | {"mimetype": "text/plain"}

    answer = await call(
        "update_vcon",
        uuid=uuid,
        updates={"must_support": ["cc"], "dialog": [legacy]},
        merge_strategy="append",
    )

    assert {(rename["from"], rename["to"]) for rename in answer["translated"]} == {
        ("must_support", "critical"),
        ("mimetype", "mediatype"),
    }
    assert set(answer["changed"]) == {"critical", "dialog"}
    assert answer["updated_vcon"]["critical"] == ["cc"]
    assert answer["updated_vcon"]["dialog"] == [TEXT]


async def test_replacing_an_array_checks_every_reference_that_is_left(call: Call, create: Create) -> None:
    uuid = await create(parties=[{}, {}], dialog=[{**TEXT, "parties": [0, 1]}])

    refused = await call("update_vcon", uuid=uuid, updates={"parties": [{}]}, merge_strategy="replace")
    both = await call(
        "update_vcon", uuid=uuid, updates={"parties": [{}], "dialog": [TEXT]}, merge_strategy="replace"
    )

    assert refused["error_code"] == "VALIDATION_ERROR"
    (violation,) = refused["details"]["violations"]
    assert violation["path"] == "$.dialog[0].parties[1]"
    assert violation["message"].startswith("In the stored vCon: ")
    assert "validate_after_update: false" in refused["suggestions"][0]
    assert both["updated_vcon"]["parties"] == [{}]


async def test_an_old_violation_does_not_block_another_change(call: Call, create: Create) -> None:
    uuid = await create(dialog=[{"type": "song", "parties": 9}])

    answer = await call("update_vcon", uuid=uuid, updates={"subject": "New"})

    assert answer["changed"] == ["subject"]
    assert answer["conformance"]["valid"] is False


async def test_a_new_violation_of_the_schema_is_refused_unless_validation_is_off(
    call: Call, create: Create
) -> None:
    uuid = await create()
    updates = {"redacted": {"uuid": 5}}

    refused = await call("update_vcon", uuid=uuid, updates=updates)
    kept = await call("update_vcon", uuid=uuid, updates=updates, validate_after_update=False)

    assert refused["error_code"] == "VALIDATION_ERROR"
    assert kept["conformance"]["valid"] is False
    assert kept["updated_vcon"]["redacted"] == {"uuid": 5}


@pytest.mark.parametrize("strategy", ["append", "replace"])
async def test_tags_are_the_same_after_any_change_of_attachments(
    call: Call, create: Create, strategy: str
) -> None:
    note = {"purpose": "note", "start": "2025-01-01T00:00:00Z", "party": 0, "dialog": 0}
    carrier = {
        **note,
        "purpose": "tags",
        "encoding": "json",
        "mediatype": "application/json",
        "body": ["a:b"],
    }
    uuid = await create(dialog=[TEXT], attachments=[carrier])

    answer = await call("update_vcon", uuid=uuid, updates={"attachments": [note]}, merge_strategy=strategy)

    got = await call("get_vcon", uuid=uuid)
    assert answer["success"] is True
    assert got["metadata"]["tags"] == {"a": "b"}
    bodies = [attachment.get("body") for attachment in got["vcon"]["attachments"]]
    assert bodies == ([["a:b"], None] if strategy == "append" else [None, ["a:b"]])
    found = await call("vcon_search", mode="metadata", filters={"tags": {"a": "b"}})
    assert [item["id"] for item in found["items"]] == [uuid]


async def test_a_tags_attachment_keeps_its_index_and_text_while_other_members_change(
    call: Call, create: Create
) -> None:
    attachments = [{"purpose": "tags", "body": '[ "a:b" ]', "encoding": "json"}, {"purpose": "note"}]
    uuid = await create(dialog=[TEXT], attachments=attachments)

    await call("update_vcon", uuid=uuid, updates={"subject": "New"})
    await call("update_vcon", uuid=uuid, updates={"dialog": [TEXT]}, merge_strategy="append")

    assert (await call("get_vcon", uuid=uuid))["vcon"]["attachments"] == attachments


async def test_a_change_is_searchable_at_once_and_the_old_text_is_not(call: Call, create: Create) -> None:
    uuid = await create(subject="Zanzibar", dialog=[TEXT])

    await call("update_vcon", uuid=uuid, updates={"subject": "Timbuktu"})

    old = await call("vcon_search", mode="keyword", query='"zanzibar"')
    new = await call("vcon_search", mode="keyword", query='"timbuktu" hello')
    by_subject = await call("vcon_search", mode="metadata", filters={"subject": "zanz"})
    assert (old["page"]["total"], new["page"]["total"], by_subject["page"]["total"]) == (0, 1, 0)


async def test_a_stale_expected_updated_at_is_a_conflict(call: Call, create: Create) -> None:
    uuid = await create()
    first = (await call("get_vcon", uuid=uuid))["metadata"]["updated_at"]
    fresh = await call("update_vcon", uuid=uuid, updates={"subject": "a"}, expected_updated_at=first)

    stale = await call("update_vcon", uuid=uuid, updates={"subject": "b"}, expected_updated_at=first)

    assert fresh["success"] is True
    assert stale["error_code"] == "CONFLICT"
    assert stale["details"] == {"reason": "stale", "expected": first, "actual": fresh["updated_at"]}


async def test_expected_updated_at_must_be_a_date(call: Call, create: Create) -> None:
    refused = await call(
        "update_vcon", uuid=await create(), updates={"a": 1}, expected_updated_at="yesterday"
    )

    assert (refused["error_code"], refused["details"]["reason"]) == ("VALIDATION_ERROR", "bad_date")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"uuid": "123e4567-e89b-12d3-a456-426614174000", "updates": {"a": 1}}, "NOT_FOUND"),
        ({"uuid": "5", "updates": {"a": 1}}, "VALIDATION_ERROR"),
        ({"uuid": "123e4567-e89b-12d3-a456-426614174000", "updates": {}}, "VALIDATION_ERROR"),
    ],
)
async def test_a_call_that_names_nothing(call: Call, arguments: JsonObject, code: str) -> None:
    assert (await call("update_vcon", **arguments))["error_code"] == code


async def test_a_vcon_of_a_signed_file_does_not_change(call: Call, create_signed: Create) -> None:
    payload = "eyJwYXJ0aWVzIjpbe31dLCJzdWJqZWN0IjoiU2lnbmVkIn0"
    uuid = await create_signed({"payload": payload, "signatures": [{"protected": "e30", "signature": "x"}]})
    before = await call("get_vcon", uuid=uuid)

    refused = await call("update_vcon", uuid=uuid, updates={"subject": "Forged"})
    unchanged = await call("update_vcon", uuid=uuid, updates={"subject": "Signed"})

    assert (refused["error_code"], refused["details"]["reason"]) == ("CONFLICT", "signed")
    assert unchanged["changed"] == []
    assert await call("get_vcon", uuid=uuid) == before
    assert before["metadata"]["signed"] is True


@pytest.mark.parametrize(
    "updates",
    [{"payload": "x", "signatures": []}, {"ciphertext": "x", "recipients": []}],
    ids=["signed", "encrypted"],
)
async def test_no_vcon_becomes_what_only_looks_signed_or_encrypted(
    call: Call, create: Create, updates: JsonObject
) -> None:
    uuid = await create()

    refused = await call("update_vcon", uuid=uuid, updates=updates, validate_after_update=False)

    assert (refused["error_code"], refused["details"]["reason"]) == ("VALIDATION_ERROR", "not_unsigned")


async def test_elements_that_were_there_are_checked_again_when_the_schema_asks_something_else_of_them(
    call: Call, create: Create
) -> None:
    session = {**TEXT, "type": "mcp_session"}
    uuid = await create(
        vcon="0.4.0", created_at="2025-01-01T00:00:00Z", extensions=["mcp_session"], dialog=[session]
    )

    grown = await call("add_dialog", vcon_uuid=uuid, dialog=session)
    without = await call("update_vcon", uuid=uuid, updates={"extensions": []}, merge_strategy="replace")

    assert "warnings" not in grown
    assert not without["success"]
    assert [each["path"] for each in without["details"]["violations"]] == [
        "$.dialog[0].type",
        "$.dialog[1].type",
    ]
