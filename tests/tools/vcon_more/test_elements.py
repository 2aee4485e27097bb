"""One element at a time: added, changed in its place, or refused with what stands against it."""

import asyncio

import pytest

from tests.conftest import Call
from tests.tools.vcon_more.conftest import Create
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

TEXT: JsonObject = {
    "type": "text",
    "start": "2025-01-01T00:00:00Z",
    "parties": [0, 1],
    "mediatype": "text/plain",
    "encoding": "none",
    "body": "hello",
}
SUMMARY: JsonObject = {
    "type": "summary",
    "vendor": "acme",
    "dialog": 0,
    "encoding": "none",
    "body": "Greeted.",
}
NOTE: JsonObject = {
    "purpose": "note",
    "start": "2025-01-01T00:00:00Z",
    "party": 0,
    "dialog": 0,
    "x": {"y": 1},
}
PARTIES: list[JsonObject] = [{"name": "Ann", "role": "agent", "x": {"y": 1, "z": [2]}}, {"name": "Bob"}]


async def test_an_update_merges_members_and_null_removes_one(call: Call, create: Create) -> None:
    uuid = await create(parties=PARTIES, dialog=[TEXT])
    before = await call("get_vcon", uuid=uuid)

    answer = await call(
        "update_party", vcon_uuid=uuid, index=0, party={"x": {"y": None, "w": 3}, "role": None, "tel": "1"}
    )

    after = await call("get_vcon", uuid=uuid)
    assert answer["message"] == "Changed party 0: x, tel, role."
    assert (answer["index"], answer["changed"]) == (0, ["x", "tel", "role"])
    assert answer["previous"] == {"x": {"y": 1, "z": [2]}, "role": "agent"}
    assert answer["counts"] == before["metadata"]["counts"]
    assert "warnings" not in answer
    assert after["vcon"] == {
        **before["vcon"],
        "parties": [{"name": "Ann", "x": {"z": [2], "w": 3}, "tel": "1"}, {"name": "Bob"}],
        "updated_at": answer["updated_at"],
    }
    assert after["metadata"]["updated_at"] == answer["updated_at"] > before["metadata"]["updated_at"]


async def test_a_replacement_is_all_of_the_element(call: Call, create: Create) -> None:
    uuid = await create(parties=PARTIES)

    answer = await call(
        "update_party", vcon_uuid=uuid, index=0, party={"name": "Eve"}, merge_strategy="replace"
    )

    assert answer["changed"] == ["name", "role", "x"]
    assert answer["previous"] == PARTIES[0]
    assert (await call("get_vcon", uuid=uuid))["vcon"]["parties"] == [{"name": "Eve"}, {"name": "Bob"}]


async def test_what_is_so_already_is_not_written(call: Call, create: Create) -> None:
    uuid = await create(parties=PARTIES)
    before = await call("get_vcon", uuid=uuid)

    answer = await call("update_party", vcon_uuid=uuid, index=1, party={"name": "Bob", "role": None})

    assert (answer["success"], answer["changed"]) == (True, [])
    assert answer["updated_at"] == before["metadata"]["updated_at"]
    assert await call("get_vcon", uuid=uuid) == before


@pytest.mark.parametrize(("index", "message"), [(2, "allowed: 0 to 1"), (10**12, "There is no party 10")])
async def test_an_index_that_is_not_there_is_told_with_how_many_there_are(
    call: Call, create: Create, index: int, message: str
) -> None:
    uuid = await create(parties=PARTIES)

    refused = await call("update_party", vcon_uuid=uuid, index=index, party={"name": "Eve"})

    assert refused["error_code"] == "VALIDATION_ERROR"
    assert refused["details"] == {
        "parameter": "index",
        "reason": "index_out_of_range",
        "value": index,
        "count": 2,
    }
    assert message in refused["error"]


async def test_of_callers_who_saw_the_same_state_one_wins_and_the_others_are_told_the_present_one(
    call: Call, create: Create
) -> None:
    uuid = await create(parties=PARTIES)
    seen = (await call("get_vcon", uuid=uuid))["metadata"]["updated_at"]

    answers = await asyncio.gather(
        *(
            call("update_party", vcon_uuid=uuid, index=1, party={"name": name}, expected_updated_at=seen)
            for name in ("Cid", "Dan", "Eve")
        )
    )

    (won,) = (answer for answer in answers if answer["success"])
    lost = [answer for answer in answers if not answer["success"]]
    assert [answer["error_code"] for answer in lost] == ["CONFLICT"] * 2
    assert [answer["details"] for answer in lost] == [
        {"reason": "stale", "expected": seen, "actual": won["updated_at"]}
    ] * 2


async def test_what_the_schema_would_not_allow_is_stored_and_told_once(call: Call, create: Create) -> None:
    uuid = await create(parties=[*PARTIES, {"validation": 1}])

    first = await call("update_party", vcon_uuid=uuid, index=1, party={"validation": 7})
    second = await call("update_party", vcon_uuid=uuid, index=1, party={"name": "Cid"})

    assert [(w["code"], w["path"]) for w in first["warnings"]] == [
        ("would_violate", "$.parties[1].validation")
    ]
    assert "warnings" not in second


async def test_what_cannot_be_stored_changes_nothing(call: Call, create: Create) -> None:
    uuid = await create(parties=PARTIES)
    before = await call("get_vcon", uuid=uuid)

    refused = await call("update_party", vcon_uuid=uuid, index=1, party={"name": "a\0b"})

    assert refused["error_code"] == "VALIDATION_ERROR"
    assert await call("get_vcon", uuid=uuid) == before


async def test_a_signed_vcon_cannot_change(call: Call, create_signed: Create) -> None:
    uuid = await create_signed(
        {
            "payload": "eyJwYXJ0aWVzIjpbe31dLCJzdWJqZWN0IjoiU2lnbmVkIn0",
            "signatures": [{"protected": "e30", "signature": "x"}],
        }
    )

    refused = await call("update_party", vcon_uuid=uuid, index=0, party={"name": "Eve"})

    assert (refused["error_code"], refused["details"]["reason"]) == ("CONFLICT", "signed")


@pytest.mark.parametrize(
    ("tool", "array", "given", "changed", "now"),
    [
        ("update_dialog", "dialog", {"body": "bye", "x": 1}, ["body", "x"], {**TEXT, "body": "bye", "x": 1}),
        ("update_analysis", "analysis", {"vendor": "b"}, ["vendor"], {**SUMMARY, "vendor": "b"}),
        ("update_attachment", "attachments", {"x": {"z": 2}}, ["x"], {**NOTE, "x": {"y": 1, "z": 2}}),
    ],
)
async def test_each_kind_of_element_is_changed_in_its_place(
    call: Call, create: Create, tool: str, array: str, given: JsonObject, changed: list[str], now: JsonObject
) -> None:
    arrays = {"dialog": [TEXT] * 3, "analysis": [SUMMARY] * 3, "attachments": [NOTE] * 3}
    uuid = await create(parties=PARTIES, **arrays)
    before = (await call("get_vcon", uuid=uuid))["vcon"]

    answer = await call(tool, vcon_uuid=uuid, index=1, **{tool.removeprefix("update_"): given})

    first, _, last = before[array]
    assert answer["changed"] == changed
    after = (await call("get_vcon", uuid=uuid))["vcon"]
    assert after == {**before, array: [first, now, last], "updated_at": answer["updated_at"]}


async def test_a_party_goes_to_the_end(call: Call, create: Create) -> None:
    uuid = await create(parties=PARTIES)

    answer = await call("add_party", vcon_uuid=uuid, party={"name": "Cid", "validation": 7})

    assert (answer["message"], answer["party_index"]) == ("Added party 2.", 2)
    assert [(w["code"], w["path"]) for w in answer["warnings"]] == [
        ("would_violate", "$.parties[2].validation")
    ]
    assert (await call("get_vcon", uuid=uuid))["vcon"]["parties"][2] == {"name": "Cid", "validation": 7}


async def test_a_changed_text_is_found_by_its_new_words_only(call: Call, create: Create) -> None:
    uuid = await create(parties=PARTIES, dialog=[TEXT])

    await call("update_dialog", vcon_uuid=uuid, index=0, dialog={"body": "rhubarb"})

    found = [await call("vcon_search", mode="keyword", query=word) for word in ("rhubarb", "hello")]
    assert [answer["page"]["total"] for answer in found] == [1, 0]


@pytest.mark.parametrize(
    ("tool", "given", "rule", "path"),
    [
        ("update_dialog", {"parties": [0, 7]}, "index_out_of_range", "$.dialog.parties[1]"),
        ("update_dialog", {"originator": -1}, "index_out_of_range", "$.dialog.originator"),
        ("update_dialog", {"type": "video"}, "enum", "$.dialog.type"),
        ("update_dialog", {"body": {"a": 1}}, "type", "$.dialog.body"),
        ("update_analysis", {"vendor": None}, "required", "$.analysis.vendor"),
        ("update_attachment", {"dialog": 9}, "index_out_of_range", "$.attachment.dialog"),
        ("update_dialog", {"subject": "\0"}, "nul_character", "$.dialog.subject"),
    ],
)
async def test_what_does_not_fit_is_refused_with_its_place_in_the_arguments(
    call: Call, create: Create, tool: str, given: JsonObject, rule: str, path: str
) -> None:
    uuid = await create(parties=PARTIES, dialog=[TEXT], analysis=[SUMMARY], attachments=[NOTE])
    before = await call("get_vcon", uuid=uuid)

    refused = await call(tool, vcon_uuid=uuid, index=0, **{tool.removeprefix("update_"): given})

    assert refused["error_code"] == "VALIDATION_ERROR"
    assert refused["details"]["reason"] == rule
    if "violations" in refused["details"]:
        assert [(each["path"], each["rule"]) for each in refused["details"]["violations"]] == [(path, rule)]
    assert await call("get_vcon", uuid=uuid) == before


async def test_what_did_not_fit_before_does_not_hinder_a_change_of_something_else(
    call: Call, create: Create
) -> None:
    odd: JsonObject = {"type": "video", "parties": 9, "url": "ftp://x"}
    uuid = await create(dialog=[odd])

    answer = await call("update_dialog", vcon_uuid=uuid, index=0, dialog={"filename": "a.mp4"})

    assert answer["changed"] == ["filename"]
    assert "warnings" not in answer


async def test_a_change_that_would_break_what_points_there_is_refused(call: Call, create: Create) -> None:
    recordings = [{"type": "recording"}, {"type": "recording-set", "recordings": [0]}]
    uuid = await create(dialog=recordings)

    refused = await call("update_dialog", vcon_uuid=uuid, index=0, dialog={"type": "text"})

    (violation,) = refused["details"]["violations"]
    assert (violation["path"], violation["rule"]) == ("$.dialog[1].recordings[0]", "wrong_target_type")
    assert violation["message"].startswith("In the stored vCon: ")


async def test_legacy_names_are_translated_and_told(call: Call, create: Create) -> None:
    uuid = await create(parties=PARTIES, dialog=[TEXT])

    answer = await call("update_dialog", vcon_uuid=uuid, index=0, dialog={"mimetype": "text/markdown"})

    assert (answer["changed"], answer["warnings"][0]["code"]) == (["mediatype"], "legacy_name")
    assert answer["warnings"][0]["path"] == "$.dialog[0].mediatype"


async def test_tags_do_not_change_through_attachments(call: Call, create: Create) -> None:
    tags = {"purpose": "tags", "encoding": "json", "body": {"a": "b"}}
    stored = await create(attachments=[tags, NOTE])
    appended = await create({"tags": {"a": "b"}}, dialog=[TEXT], parties=PARTIES, attachments=[NOTE])
    calls: list[tuple[str, JsonObject]] = [
        ("update_attachment", {"vcon_uuid": stored, "index": 0, "attachment": {"body": {}}}),
        ("update_attachment", {"vcon_uuid": stored, "index": 1, "attachment": {"purpose": "tags"}}),
        ("remove_attachment", {"vcon_uuid": stored, "index": 0, "when_referenced": "placeholder"}),
        ("remove_attachment", {"vcon_uuid": appended, "index": 1}),
    ]

    answers = [await call(tool, **arguments) for tool, arguments in calls]

    assert [answer["details"]["reason"] for answer in answers] == ["tags_not_here"] * 4
    assert (await call("get_all_tags", vcon_uuid=stored))["tags"] == {"a": "b"}


async def test_a_change_leaves_the_rows_of_all_other_elements_alone(
    call: Call, create: Create, owner: OwnerConnection, tenant: str
) -> None:
    turns = [{**TEXT, "body": f"turn number{n}"} for n in range(40)]
    uuid = await create(parties=PARTIES, dialog=turns)
    rows = (
        "select 'dialog' as kind, index as place, xmin::text from vcontract.dialog where tenant = $1"
        " union all select 'passage', element, xmin::text from vcontract.passage"
        " where tenant = $1 and part = 'dialog'"
    )
    before = {(row[0], row[1]): row[2] for row in await owner.fetch(rows, tenant)}

    await call("update_dialog", vcon_uuid=uuid, index=20, dialog={"body": "something else"})

    after = {(row[0], row[1]): row[2] for row in await owner.fetch(rows, tenant)}
    written = {place for place, transaction in after.items() if before[place] != transaction}
    assert len(after) == 80
    assert ("dialog", 20) in written
    assert {place for kind, place in written if kind == "dialog"} == {20}
    assert {place for kind, place in written if kind == "passage"} <= {19, 20, 21}
