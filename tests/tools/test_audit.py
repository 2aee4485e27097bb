"""The audit: a row for each change, with names and counts and never a word of a conversation."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from tests.conftest import Call
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.schema_status import OwnerConnection


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    """The application with all toolsets."""
    built = await build(settings.model_copy(update={"rate_limits": None, "toolsets": ("all",)}))
    yield built
    await built.close()


async def audit_of(database: Database, tenant: str) -> list[JsonObject]:
    async with database.reading(tenant) as connection:
        rows = await connection.fetch("select * from vcontract.audit order by at, id")
    return [dict(row) for row in rows]


async def test_each_write_leaves_a_row_without_text(call: Call, database: Database, tenant: str) -> None:
    document = {"subject": "Secretive", "parties": [{"name": "Secretive"}]}
    uuid = (await call("create_vcon", vcon_data=document, metadata={"tags": {"a": "Secretive"}}))["uuid"]
    await call("update_vcon", uuid=uuid, updates={"subject": "Secretive again"})
    await call("delete_vcon", uuid=uuid, confirm=True)

    rows = await audit_of(database, tenant)

    assert [(row["action"], str(row["vcon"]), row["caller"]) for row in rows] == [
        (action, uuid, "local") for action in ("create_vcon", "update_vcon", "delete_vcon")
    ]
    assert [row["detail"] and json.loads(row["detail"]) for row in rows] == [
        None,
        {"changed": ["subject"]},
        None,
    ]
    assert "ecretive" not in str(rows)


async def test_what_changes_nothing_leaves_no_row(call: Call, database: Database, tenant: str) -> None:
    uuid = (await call("create_vcon", vcon_data={"parties": [{}], "subject": "a"}))["uuid"]
    before = await audit_of(database, tenant)

    await call("create_vcon", vcon_data={"parties": [{}], "uuid": uuid})
    await call("create_vcon", vcon_data={"parties": []})
    await call("update_vcon", uuid=uuid, updates={"subject": "a"})
    await call("update_vcon", uuid=uuid, updates={"uuid": "x"})
    await call("delete_vcon", uuid=uuid, confirm=False)
    await call("get_vcon", uuid=uuid)
    await call("vcon_search", mode="metadata")

    assert await audit_of(database, tenant) == before


async def test_a_journal_and_reflections_leave_rows_too(call: Call, database: Database, tenant: str) -> None:
    whose: JsonObject = {"experiencer": "Ann", "perspective": "I", "processing": "during"}
    source = (await call("bridge_capture", content="Secretive", **whose))["record"]["id"]
    await call("bridge_enrich", id=source, updates={"content": "Secretive still"})
    await call("bridge_release", id=source)
    reflection = (await call("session_store_reflection", content="Secretive"))["reflection_id"]

    rows = await audit_of(database, tenant)

    assert [(row["action"], json.loads(row["detail"])) for row in rows] == [
        ("bridge_capture", {"ids": [source]}),
        ("bridge_enrich", {"ids": [source]}),
        ("bridge_release", {"ids": [source]}),
        ("session_store_reflection", {"id": reflection, "replaced": False}),
    ]
    assert "ecretive" not in str(rows)


async def test_what_a_caller_may_not_do_leaves_one_row_a_minute(
    app: App, database: Database, tenant: str
) -> None:
    reader = Caller(tenant, frozenset({"read"}), name="token:Ann")
    for _ in range(3):
        await app.dispatcher.call("delete_vcon", {"uuid": "Secretive", "confirm": True}, reader)
    await app.dispatcher.call("delete_vcon", {}, Caller(tenant, frozenset({"read"}), name="token:Ben"))
    await app.dispatcher.call("get_vcon", {"uuid": "Secretive"}, reader)

    rows = await audit_of(database, tenant)

    assert [(row["caller"], row["action"], row["outcome"], row["detail"]) for row in rows] == [
        (caller, "delete_vcon", "refused", '{"reason" : "needs scope write"}')
        for caller in ("token:Ann", "token:Ben")
    ]


@pytest.mark.parametrize(("age", "kept"), [(399, True), (401, False)])
async def test_rows_go_after_the_days_that_the_owner_said_and_not_when_the_server_wishes(
    age: int, kept: bool, call: Call, database: Database, owner: OwnerConnection, tenant: str
) -> None:
    await call("create_vcon", vcon_data={"parties": [{}]})
    await owner.execute(
        "update vcontract.audit set at = at - $1::interval where tenant = $2", timedelta(age), tenant
    )
    async with database.writing(tenant) as connection:
        await connection.execute("select vcontract.remove_expired()")

    assert bool(await audit_of(database, tenant)) is kept
