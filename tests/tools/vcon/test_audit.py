"""The audit: a row for each change, with names and counts and never a word of a conversation."""

import json

from tests.conftest import Call
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Database


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
