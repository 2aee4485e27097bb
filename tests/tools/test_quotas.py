"""Quotas: what a tenant may store, whatever it stores it with, and however many write at once."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.conftest import Ask, Call
from tests.tools.test_request_keys import CASES, feeling, nothing, of_a_source, to_a_vcon
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

WRITES = {
    **{
        tool: (arrange, arguments)
        for tool, (arrange, arguments, _) in CASES.items()
        if not tool.startswith("remove_")
    },
    "update_party": (to_a_vcon, {"index": 0, "party": {"name": "Somebody whose name is longer"}}),
    "bridge_enrich": (of_a_source, {"updates": {"content": "More than there was."}}),
    "session_store_reflection": (nothing, {"content": "Ask for the quota."}),
}
"""Tools that store more than there was: what they need, and what they are asked."""


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    built = await build(settings.model_copy(update={"rate_limits": None, "toolsets": ("all",)}))
    yield built
    await built.close()


async def allow(
    owner: OwnerConnection, tenant: str, *, vcons: int | None = None, size: int | None = None
) -> None:
    await owner.execute("select vcontract.set_quota($1, $2, $3)", tenant, vcons, size)


async def usage(database: Database, tenant: str) -> tuple[int, int]:
    """How many vCons and bytes are counted."""
    async with database.reading(tenant) as connection:
        row = await connection.fetchrow("select vcons, bytes from vcontract.usage($1)", tenant)
    assert row is not None
    return row["vcons"], row["bytes"]


async def everything(owner: OwnerConnection, tenant: str) -> dict[str, int]:
    """How many rows the tenant has in each table, but for lines of the audit."""
    rows = await owner.fetch(
        "select c.oid::regclass::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid"
        " where c.relnamespace = 'vcontract'::regnamespace and c.relkind in ('r', 'p')"
        " and not c.relispartition and a.attname = 'tenant' and c.relname <> 'audit'"
    )
    return {
        row["name"]: await owner.fetchval(f"select count(*) from {row['name']} where tenant = $1", tenant)  # noqa: S608
        for row in rows
    }


@pytest.mark.parametrize("tool", WRITES)
async def test_a_tool_stores_nothing_beyond_the_quota_and_says_what_is_used_and_allowed(
    tool: str, ask: Ask, call: Call, database: Database, owner: OwnerConnection, tenant: str
) -> None:
    arrange, arguments = WRITES[tool]
    arguments = {**(await arrange(call)), **arguments}
    _, used = await usage(database, tenant)
    await allow(owner, tenant, size=used)
    before = await everything(owner, tenant)

    outcome = await ask(tool, **arguments)

    assert outcome.is_error
    details: JsonObject = outcome.structured["details"]
    assert (details["reason"], details["quota"], details["used"]) == ("quota_exceeded", "bytes", used)
    assert (details["allowed"], details["adds"] > 0) == (used, True)
    assert f"{used:,} bytes may be stored here" in outcome.text
    assert await everything(owner, tenant) == before
    assert await usage(database, tenant) == (before["vcontract.vcon"], used)
    await allow(owner, tenant, size=used + details["adds"])
    assert not (await ask(tool, **arguments)).is_error


async def test_tags_count_as_bytes(
    call: Call, database: Database, owner: OwnerConnection, tenant: str
) -> None:
    uuid = (await call("create_vcon", vcon_data={"parties": [{}]}))["uuid"]
    _, used = await usage(database, tenant)
    await allow(owner, tenant, size=used + 10)

    refused = await call("update_tags", vcon_uuid=uuid, tags={"note": "a long value"})
    stored = await call("update_tags", vcon_uuid=uuid, tags={"note": "short"})

    assert (refused["success"], stored["success"]) == (False, True)
    assert await usage(database, tenant) == (1, used + len("note" + "short"))


async def test_what_takes_away_is_done_however_much_is_stored(
    call: Call, database: Database, owner: OwnerConnection, tenant: str
) -> None:
    uuid = (await call("create_vcon", vcon_data={"parties": [{}], "subject": 99 * "long "}))["uuid"]
    source = (await call("bridge_capture", content="Rain.", **feeling("Ann")))["record"]["id"]
    await allow(owner, tenant, vcons=0, size=0)

    shorter = await call("update_vcon", uuid=uuid, updates={"subject": "short"})
    gone = [
        await call("delete_vcon", uuid=uuid, confirm=True),
        await call("bridge_release", id=source),
    ]

    assert [answer["success"] for answer in (shorter, *gone)] == [True] * 3
    assert await usage(database, tenant) == (0, 0)


async def test_writers_at_once_do_not_pass_the_quota_together(
    ask: Ask, database: Database, owner: OwnerConnection, tenant: str
) -> None:
    await allow(owner, tenant, vcons=5)

    outcomes = await asyncio.gather(
        *(ask("create_vcon", vcon_data={"parties": [{"name": str(number)}]}) for number in range(24))
    )

    assert [outcome.is_error for outcome in outcomes].count(False) == 5
    assert (await usage(database, tenant))[0] == 5
    kept = await owner.fetchval(
        "select array[used_vcons, used_bytes] from vcontract.quota where tenant = $1", tenant
    )
    assert tuple(kept) == await usage(database, tenant)


async def test_a_quota_is_of_one_tenant(ask: Ask, owner: OwnerConnection, tenant: str) -> None:
    await allow(owner, tenant, vcons=0)

    mine = await ask("create_vcon", vcon_data={"parties": [{}]})
    theirs = await ask("create_vcon", vcon_data={"parties": [{}]}, as_tenant=f"{tenant}.other")

    assert (mine.is_error, theirs.is_error) == (True, False)


async def test_what_is_counted_bit_by_bit_is_what_is_counted_at_once(
    call: Call, database: Database, owner: OwnerConnection, tenant: str
) -> None:
    for tool, (arrange, arguments) in WRITES.items():
        answer = await call(tool, **{**(await arrange(call)), **arguments})
        assert answer["success"], tool
    first = (await call("session_store_reflection", content="What was said first."))["reflection_id"]
    await call("session_store_reflection", content="What is said now.", replaces=first)
    vcon = (await call("create_vcon", vcon_data={"parties": [{}], "tags": {"a": "b"}}))["uuid"]
    await call("update_tags", vcon_uuid=vcon, tags={"a": "longer", "c": "d"})
    await call("remove_tag", vcon_uuid=vcon, key="c")
    counted = await usage(database, tenant)

    await owner.execute("select vcontract.recount_vocabulary()")

    assert counted[1] > 1_000
    assert await usage(database, tenant) == counted
