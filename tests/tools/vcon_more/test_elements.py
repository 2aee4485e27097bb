"""One element at a time: changed in its place, or refused with what stands against it."""

import asyncio

import pytest

from tests.conftest import Call
from tests.tools.vcon_more.conftest import Create
from vcontract.runtime.documents.json import JsonObject

TEXT: JsonObject = {
    "type": "text",
    "start": "2025-01-01T00:00:00Z",
    "parties": [0, 1],
    "mediatype": "text/plain",
    "encoding": "none",
    "body": "hello",
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
