"""Writes at the same time: one wins where one can, none is lost where all can."""

import asyncio
from collections import Counter

from tests.conftest import Call
from tests.tools.vcon.conftest import Create
from vcontract.runtime.frame.documents.json import JsonObject

MANY = 50


async def test_of_many_creations_of_one_uuid_one_succeeds_and_the_others_conflict(call: Call) -> None:
    document = {"uuid": "01939c3a-6f00-8abc-9def-0123456789ab", "parties": [{"name": "James"}]}

    answers = await asyncio.gather(*(call("create_vcon", vcon_data=document) for _ in range(MANY)))

    assert Counter(answer.get("error_code", "created") for answer in answers) == {
        "created": 1,
        "CONFLICT": MANY - 1,
    }
    assert all(answer["details"]["identical"] for answer in answers if not answer["success"])
    assert (await call("vcon_search", mode="keyword", query="James"))["page"]["total"] == 1


async def test_many_appends_to_one_vcon_all_succeed_at_gapless_indices(call: Call, create: Create) -> None:
    uuid = await create()

    async def append(number: int) -> JsonObject:
        dialog = {
            "type": "text",
            "start": "2025-01-01T00:00:00Z",
            "parties": 0,
            "mediatype": "text/plain",
            "encoding": "none",
            "body": f"turn number{number}",
        }
        return await call("update_vcon", uuid=uuid, updates={"dialog": [dialog]}, merge_strategy="append")

    answers = await asyncio.gather(*map(append, range(MANY)))

    assert all(answer["success"] for answer in answers)
    lengths = sorted(len(answer["updated_vcon"]["dialog"]) for answer in answers)
    assert lengths == list(range(1, MANY + 1))
    assert len({answer["updated_at"] for answer in answers}) == MANY
    dialog = (await call("get_vcon", uuid=uuid))["vcon"]["dialog"]
    assert {turn["body"] for turn in dialog} == {f"turn number{number}" for number in range(MANY)}
    found = await call("vcon_search", mode="keyword", query="number0 number24 number49")
    assert [item["id"] for item in found["items"]] == [uuid]


async def test_of_many_changes_based_on_one_state_one_succeeds(call: Call, create: Create) -> None:
    uuid = await create()
    seen = (await call("get_vcon", uuid=uuid))["metadata"]["updated_at"]

    answers = await asyncio.gather(
        *(
            call("update_vcon", uuid=uuid, updates={"subject": f"s{n}"}, expected_updated_at=seen)
            for n in range(10)
        )
    )

    assert Counter(answer.get("error_code", "changed") for answer in answers) == {"changed": 1, "CONFLICT": 9}


async def test_changes_and_a_deletion_at_once_leave_nothing_half_done(call: Call, create: Create) -> None:
    uuid = await create(subject="Zebra")

    answers = await asyncio.gather(
        *(call("update_vcon", uuid=uuid, updates={"subject": f"zebra s{n}"}) for n in range(10)),
        call("delete_vcon", uuid=uuid, confirm=True),
        *(call("update_vcon", uuid=uuid, updates={"subject": f"zebra t{n}"}) for n in range(10)),
    )

    assert {answer.get("error_code", "done") for answer in answers} <= {"done", "NOT_FOUND"}
    assert (await call("get_vcon", uuid=uuid))["error_code"] == "NOT_FOUND"
    assert (await call("vcon_search", mode="keyword", query="zebra"))["page"]["total"] == 0
