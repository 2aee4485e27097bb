"""delete_vcon: only when confirmed, and then without a trace."""

import pytest

from tests.conftest import Call
from tests.tools.vcon.conftest import Create
from vcontract.runtime.app import App
from vcontract.runtime.store.postgres.database import Database

TABLES = (
    *("vcon", "party", "dialog", "analysis", "attachment", "tag", "dealer"),
    *("search_document", "passage", "embedding", "embedding_task"),
)


async def test_without_confirmation_nothing_is_deleted(call: Call, create: Create) -> None:
    uuid = await create()

    refused = await call("delete_vcon", uuid=uuid, confirm=False)

    assert (refused["error_code"], refused["details"]["reason"]) == ("VALIDATION_ERROR", "not_confirmed")
    assert (await call("get_vcon", uuid=uuid))["success"] is True


@pytest.mark.parametrize("array", ["dialog", "analysis", "attachments"])
async def test_without_cascade_a_component_is_in_the_way(call: Call, create: Create, array: str) -> None:
    uuid = await create(**{array: [{}]})

    refused = await call("delete_vcon", uuid=uuid, confirm=True, cascade_delete=False)

    assert (refused["error_code"], refused["details"]["reason"]) == ("CONFLICT", "has_components")
    assert refused["details"]["counts"][array] == 1
    assert (await call("get_vcon", uuid=uuid))["success"] is True


async def test_without_cascade_parties_and_tags_are_not_in_the_way(call: Call, create: Create) -> None:
    uuid = await create({"tags": {"a": "b"}}, parties=[{}, {}])

    before = await call("get_vcon", uuid=uuid)
    answer = await call("delete_vcon", uuid=uuid, confirm=True, cascade_delete=False)

    assert answer["deleted"] == before["metadata"]["counts"]
    assert answer["deleted"] == {"parties": 2, "dialog": 0, "analysis": 0, "attachments": 1}


async def test_after_deletion_no_row_and_no_hit_is_left(
    call: Call, create: Create, database: Database, app: App, tenant: str
) -> None:
    dealer = {
        "type": "bria_call_ended",
        "encoding": "json",
        "body": {"dealerId": "815", "dealerName": "Zebra"},
    }
    uuid = await create(
        {"tags": {"a": "b"}},
        subject="Zebra",
        dialog=[{"type": "text", "body": "zebra"}],
        analysis=[{"type": "summary", "vendor": "x", "body": "zebra"}],
        attachments=[dealer],
    )

    await app.worker.drain(tenant)

    answer = await call("delete_vcon", uuid=uuid, confirm=True)

    assert answer["deleted_uuid"] == uuid
    assert answer["deleted"] == {"parties": 1, "dialog": 1, "analysis": 1, "attachments": 2}
    async with database.reading(tenant) as connection:
        left = {
            table: await connection.fetchval(f"select count(*) from vcontract.{table}")  # noqa: S608
            for table in TABLES
        }
    assert left == dict.fromkeys(TABLES, 0)
    for arguments in ({"mode": "metadata"}, {"mode": "keyword", "query": "zebra"}):
        assert (await call("vcon_search", **arguments))["page"]["total"] == 0
    for mode in ("semantic", "hybrid"):
        assert (await call("vcon_search", mode=mode, query="zebra", threshold=0))["items"] == []
    for tool in ("search_vcons_content", "search_vcons_semantic", "search_vcons_hybrid"):
        assert (await call(tool, query="zebra"))["results"] == []
    assert (await call("search_by_tags", tags={"a": "b"}))["vcon_uuids"] == []
    assert (await call("get_unique_tags"))["unique_keys"] == []
    taxonomy = (await call("vcon_taxonomy"))["item"]
    assert (taxonomy["common_tag_keys"], taxonomy["corpus"]["vcons"]) == ([], 0)
    assert (await call("get_vcon", uuid=uuid))["error_code"] == "NOT_FOUND"
    assert (await call("vcon_fetch", id=uuid))["error"]["code"] == "NOT_FOUND"


async def test_a_second_deletion_finds_nothing(call: Call, create: Create) -> None:
    uuid = await create()
    await call("delete_vcon", uuid=uuid, confirm=True)

    again = await call("delete_vcon", uuid=uuid, confirm=True)

    assert (again["error_code"], again["details"]) == ("NOT_FOUND", {"uuid": uuid})


async def test_a_deleted_uuid_may_be_used_again(call: Call, create: Create) -> None:
    uuid = await create(subject="First")
    await call("delete_vcon", uuid=uuid, confirm=True)

    assert await create(uuid=uuid, subject="Second") == uuid
    assert (await call("get_vcon", uuid=uuid))["vcon"]["subject"] == "Second"
