"""get_vcon with version: chains of what was amended and redacted, followed through the store."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from tests.conftest import Ask, Call
from tests.tools.vcon.conftest import Create
from vcontract.runtime.frame.documents.json import JsonObject


def amends(uuid: str) -> JsonObject:
    return {"amended": {"uuid": uuid}}


def redacts(uuid: str) -> JsonObject:
    return {"redacted": {"type": "privacy", "uuid": uuid}}


async def given(call: Call, uuid: str, version: str) -> tuple[str, JsonObject]:
    """The uuid of the vCon that is answered, and what is said of its versions."""
    answer = await call("get_vcon", uuid=uuid, version=version)
    assert answer["versions"]["given"] == answer["vcon"]["uuid"]
    assert answer["versions"]["asked"] == uuid
    return answer["vcon"]["uuid"], answer["versions"]


async def test_each_of_a_chain_leads_to_its_original_and_to_its_latest(call: Call, create: Create) -> None:
    first = await create(created_at="2026-01-01T00:00:00Z")
    second = await create(**amends(first.upper()), created_at="2026-01-01T00:00:00Z")
    third = await create(**amends(second), created_at="2026-01-02T00:00:00Z")

    for uuid in (first, second, third):
        original, reported = await given(call, uuid, "original")
        latest, told_of_latest = await given(call, uuid, "latest")
        assert (original, latest) == (first, third)
        assert reported == {
            "asked": uuid,
            "given": first,
            "chain": [
                {"uuid": first, "relation": "original", "created_at": "2026-01-01T00:00:00Z"},
                {"uuid": second, "relation": "amended", "created_at": "2026-01-01T00:00:00Z"},
                {"uuid": third, "relation": "amended", "created_at": "2026-01-02T00:00:00Z"},
            ],
            "complete": True,
        }
        assert told_of_latest == {**reported, "given": third}


async def test_without_version_the_answer_is_that_of_the_vcon_itself(call: Call, create: Create) -> None:
    first = await create()
    await create(**amends(first))

    answer = await call("get_vcon", uuid=first)

    assert answer["vcon"]["uuid"] == first
    assert answer.keys() == {"success", "vcon", "metadata"}


async def test_what_was_redacted_leads_back_and_is_never_the_latest(call: Call, create: Create) -> None:
    first = await create()
    redacted = await create(**redacts(first))
    amended = await create(**amends(first))
    both = await create(**redacts(first), **amends(first))

    assert (await given(call, first, "latest"))[0] == amended
    assert (await given(call, redacted, "latest"))[0] == redacted
    assert (await given(call, redacted, "original"))[0] == first
    latest, reported = await given(call, both, "latest")
    assert latest == both
    assert [entry["relation"] for entry in reported["chain"]] == ["original", "redacted"]
    assert "forked" not in reported


async def test_of_what_was_amended_twice_the_newest_is_followed_and_the_fork_told(
    call: Call, create: Create
) -> None:
    first = await create(created_at="2026-01-01T00:00:00Z")
    newest = await create(**amends(first), created_at="2026-01-03T00:00:00Z")
    older = await create(**amends(first), created_at="2026-01-02T00:00:00Z")
    among_equals = [await create(**amends(newest), created_at="2026-01-01T00:00:00Z") for _ in range(2)]

    latest, reported = await given(call, first, "latest")

    assert latest == among_equals[-1]
    assert [entry["uuid"] for entry in reported["chain"]] == [first, newest, among_equals[-1]]
    assert (reported["forked"], reported["complete"]) == (True, True)
    alone, reported = await given(call, older, "latest")
    assert alone == older
    assert "forked" not in reported


async def test_a_circle_ends_where_it_began(call: Call, create: Create) -> None:
    one, other, itself = (str(uuid4()) for _ in range(3))
    await create(uuid=one, **amends(other))
    await create(uuid=other, **amends(one))
    await create(uuid=itself, **amends(itself))

    for uuid, uuids in ((one, [other, one]), (itself, [itself])):
        latest, reported = await given(call, uuid, "latest")
        assert latest == uuid
        assert [entry["uuid"] for entry in reported["chain"]] == uuids
        assert reported["complete"] is False


@pytest.mark.parametrize(
    ("member", "relation", "complete"),
    [
        (amends("0190aaaa-0000-8000-8000-000000000001"), "amended", False),
        (redacts("0190aaaa-0000-8000-8000-000000000001"), "redacted", False),
        ({"amended": {"uuid": "not one"}}, "amended", False),
        ({"redacted": {"type": "privacy"}}, "redacted", False),
        ({"redacted": {}, "amended": None}, "original", True),
    ],
    ids=["amends_what_is_gone", "redacts_what_is_gone", "no_uuid", "no_link", "fillers"],
)
async def test_a_chain_whose_beginning_is_not_here_says_so(
    call: Call, create: Create, member: JsonObject, relation: str, complete: bool
) -> None:
    uuid = await create(**member)

    original, reported = await given(call, uuid, "original")

    assert original == uuid
    assert [entry["relation"] for entry in reported["chain"]] == [relation]
    assert reported["complete"] is complete


async def test_a_chain_is_followed_32_steps_each_way(call: Call, create: Create) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    uuids = [await create(created_at=start.isoformat())]
    for step in range(1, 34):
        moment = (start + timedelta(hours=step)).isoformat()
        uuids.append(await create(**amends(uuids[-1]), created_at=moment))

    for asked, version, end, complete in (
        (uuids[0], "latest", uuids[32], False),
        (uuids[1], "latest", uuids[33], True),
        (uuids[33], "original", uuids[1], False),
        (uuids[32], "original", uuids[0], True),
    ):
        uuid, reported = await given(call, asked, version)
        assert uuid == end
        assert reported["complete"] is complete


async def test_a_version_of_another_tenant_is_as_if_it_did_not_exist(
    call: Call, ask: Ask, create: Create, tenant: str
) -> None:
    elsewhere, here = str(uuid4()), await create()
    for member in ({"uuid": elsewhere}, amends(here)):
        vcon = {"parties": [{"name": "Eve"}], **member}
        stored = await ask(
            "create_vcon", as_tenant=f"{tenant}.other", vcon_data=vcon, validate_before_insert=False
        )
        assert stored.structured["success"], stored
    amended = await create(**amends(elsewhere))

    assert (await given(call, here, "latest"))[0] == here
    original, reported = await given(call, amended, "original")
    assert original == amended
    assert (len(reported["chain"]), reported["complete"]) == (1, False)
    missing = await call("get_vcon", uuid=elsewhere, version="original")
    assert missing["error_code"] == "NOT_FOUND"
