"""The store of vCons: batches, conflicts, and the wall between tenants in the database itself."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from uuid import UUID, uuid4

import asyncpg
import pytest

from tests.sweep import sweep
from tests.waiting import until_one_waits
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.vcons.deletion import delete_vcon
from vcontract.runtime.store.vcons.preparation import ARRAYS, PrepareContext, PreparedVcon, prepare
from vcontract.runtime.store.vcons.store import Action, OnConflict, VconStore
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon

NOW = datetime(2025, 1, 1, tzinfo=UTC)

Prepare = Callable[..., PreparedVcon]


@pytest.fixture(scope="module")
def prepared() -> Prepare:
    """Prepares a vCon with these members."""
    prepare_context = PrepareContext.load()

    def prepared(uuid: UUID | None = None, /, **members: object) -> PreparedVcon:
        document = {"uuid": str(uuid or uuid4()), "parties": [{"name": "James"}], **members}
        return prepare(document, prepare_context, now=NOW)

    return prepared


@pytest.fixture
def store(database: Database) -> VconStore:
    return VconStore(database)


@pytest.mark.parametrize(
    ("on_conflict", "changed", "actions", "subject"),
    [
        ("skip", True, ["skipped", "created"], "first"),
        ("replace", True, ["replaced", "created"], "second"),
        ("fail", True, ["failed", "created"], "first"),
        ("skip", False, ["identical", "created"], "first"),
        ("replace", False, ["identical", "created"], "first"),
        ("fail", False, ["identical", "created"], "first"),
    ],
)
async def test_what_becomes_of_a_vcon_that_is_there_already(
    store: VconStore,
    prepared: Prepare,
    tenant: str,
    on_conflict: OnConflict,
    changed: bool,
    actions: list[Action],
    subject: str,
) -> None:
    uuid = uuid4()
    await store.insert_batch(tenant, [prepared(uuid, subject="first", dialog=[{}], attachments=[{}])])

    again = (
        prepared(uuid, subject="second")
        if changed
        else prepared(uuid, subject="first", attachments=[{}], dialog=[{}])
    )
    outcomes = await store.insert_batch(tenant, [again, prepared()], on_conflict)

    assert [outcome.action for outcome in outcomes] == actions
    stored = await store.get(tenant, uuid)
    assert stored is not None
    assert stored.document()["subject"] == subject
    assert len(stored.arrays["dialog"]) == (0 if subject == "second" else 1)


async def test_of_one_uuid_in_a_batch_the_first_counts(
    store: VconStore, prepared: Prepare, tenant: str
) -> None:
    uuid = uuid4()
    batch = [
        prepared(uuid, subject="first"),
        prepared(uuid, subject="second"),
        prepared(uuid, subject="first"),
    ]

    outcomes = await store.insert_batch(tenant, batch)

    assert [outcome.action for outcome in outcomes] == ["created", "failed", "identical"]


async def test_a_replaced_vcon_is_found_by_its_new_words_only(
    store: VconStore, database: Database, prepared: Prepare, tenant: str
) -> None:
    uuid = uuid4()
    await store.insert_batch(tenant, [prepared(uuid, subject="zebra", tags={"a": "b"})])

    await store.insert_batch(tenant, [prepared(uuid, subject="lion")], "replace")

    async with database.reading(tenant) as connection:
        passages = await connection.fetch("select content from vcontract.passage where part = 'subject'")
        words = await connection.fetchval("select tsvector_to_array(words) from vcontract.search_document")
        tags = await connection.fetchval("select count(*) from vcontract.tag")
    assert [row["content"] for row in passages] == ["lion"]
    assert words == ["jame", "lion"]
    assert tags == 0


async def test_a_replacement_that_was_prepared_before_the_last_change_counts_as_the_later_one(
    store: VconStore, prepared: Prepare, tenant: str
) -> None:
    uuid = uuid4()
    early, late = prepared(uuid, subject="early"), prepared(uuid, subject="late")
    await store.insert_batch(tenant, [replace(late, stored_at=NOW + timedelta(seconds=1))])
    before = await store.get(tenant, uuid)

    await store.insert_batch(tenant, [early], "replace")

    after = await store.get(tenant, uuid)
    assert before is not None
    assert after is not None
    assert after.head["subject"] == "early"
    assert after.updated_at > before.updated_at


async def test_two_writers_of_the_same_vcons_in_other_orders_do_not_block_each_other(
    store: VconStore, prepared: Prepare, tenant: str
) -> None:
    batch = [prepared(subject=f"s{number}") for number in range(150)]

    both = await asyncio.gather(store.insert_batch(tenant, batch), store.insert_batch(tenant, batch[::-1]))

    for outcomes in zip(both[0], both[1][::-1], strict=True):
        assert sorted(outcome.action for outcome in outcomes) == ["created", "identical"]


async def test_a_vcon_that_was_deleted_while_its_lock_was_awaited_is_gone_though_another_has_come(
    store: VconStore, database: Database, owner: OwnerConnection, prepared: Prepare, tenant: str
) -> None:
    uuid = uuid4()
    await store.insert_batch(tenant, [prepared(uuid, subject="first")])

    async def lock() -> StoredVcon | None:
        async with database.writing(tenant) as connection:
            return await store.lock(connection, tenant, uuid)

    async with database.writing(tenant) as connection:
        await delete_vcon(connection, tenant, uuid)
        await store.create(connection, tenant, prepared(uuid, subject="second"))
        locking = asyncio.create_task(lock())
        await until_one_waits(owner)

    assert await locking is None


async def test_a_vcon_that_comes_while_another_is_to_replace_it_is_replaced(
    store: VconStore, database: Database, owner: OwnerConnection, prepared: Prepare, tenant: str
) -> None:
    uuid = uuid4()

    async with database.writing(tenant) as connection:
        await store.create(connection, tenant, prepared(uuid, subject="first"))
        second = prepared(uuid, subject="second")
        replacing = asyncio.create_task(store.insert_batch(tenant, [second, prepared()], "replace"))
        await until_one_waits(owner)

    assert [outcome.action for outcome in await replacing] == ["replaced", "created"]
    stored = await store.get(tenant, uuid)
    assert stored is not None
    assert stored.head["subject"] == "second"


async def test_a_batch_larger_than_a_statement_comes_in_whole(
    store: VconStore, prepared: Prepare, tenant: str
) -> None:
    batch = [prepared(dialog=[{"type": "text", "body": f"turn {number}"}]) for number in range(200)]

    outcomes = await store.insert_batch(tenant, batch)

    assert {outcome.action for outcome in outcomes} == {"created"}
    exported = [stored.document() async for stored in store.iterate(tenant)]
    assert sorted(map(json.dumps, exported)) == sorted(json.dumps(vcon.document) for vcon in batch)


async def test_iteration_gives_the_oldest_first(store: VconStore, prepared: Prepare, tenant: str) -> None:
    days = [3, 1, 2]
    await store.insert_batch(tenant, [prepared(created_at=f"2025-01-0{day}T00:00:00Z") for day in days])

    exported = [stored.created_at.day async for stored in store.iterate(tenant)]

    assert exported == [1, 2, 3]


TABLES = (
    "vcon",
    "party",
    "dialog",
    "analysis",
    "attachment",
    "tag",
    "dealer",
    "search_document",
    "passage",
    "spelling",
    "audit",
)
FULL: JsonObject = {
    "subject": "xylophone",
    "dialog": [{"type": "text", "body": "xylophone"}],
    "analysis": [{"type": "summary", "vendor": "x", "body": "xylophone"}],
    "attachments": [
        {"type": "bria_call_ended", "encoding": "json", "body": {"dealerId": "1", "dealerName": "X"}}
    ],
    "tags": {"a": "b"},
}


@pytest.fixture
async def theirs(store: VconStore, database: Database, prepared: Prepare, tenant: str) -> tuple[str, UUID]:
    """Another tenant with a vCon that has a row in every table, and the vCon's uuid."""
    other = f"{tenant}.other"
    vcon = prepared(**FULL)
    await store.insert_batch(other, [vcon])
    async with database.writing(other) as connection:
        await connection.execute(
            "insert into vcontract.audit (tenant, id, at, caller, action) values ($1, $2, now(), 'x', 'x')",
            other,
            uuid4(),
        )
        for table in TABLES:
            assert await connection.fetchval(f"select count(*) from vcontract.{table}") > 0  # noqa: S608
    return other, vcon.uuid


@pytest.mark.parametrize("table", TABLES)
async def test_plain_sql_of_the_server_sees_no_row_of_another_tenant(
    database: Database, tenant: str, theirs: tuple[str, UUID], table: str
) -> None:
    async with database.reading(tenant) as connection:
        visible = await connection.fetch(f"select * from vcontract.{table} where tenant = $1", theirs[0])  # noqa: S608

    assert visible == []


@pytest.mark.parametrize("table", [table for table in TABLES if table != "audit"])
async def test_plain_sql_of_the_server_changes_no_row_of_another_tenant(
    database: Database, tenant: str, theirs: tuple[str, UUID], table: str
) -> None:
    async with database.writing(tenant) as connection:
        updated = await connection.execute(
            f"update vcontract.{table} set tenant = tenant where tenant = $1",  # noqa: S608
            theirs[0],
        )
        deleted = await connection.execute(f"delete from vcontract.{table} where tenant = $1", theirs[0])  # noqa: S608

    assert (updated, deleted) == ("UPDATE 0", "DELETE 0")


@pytest.mark.parametrize("table", TABLES)
async def test_plain_sql_of_the_server_puts_no_row_under_another_tenant(
    database: Database, tenant: str, theirs: tuple[str, UUID], table: str
) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
        async with database.writing(tenant) as connection:
            await connection.execute(
                f"insert into vcontract.{table} select * from jsonb_populate_record(null::vcontract.{table},"  # noqa: S608
                " jsonb_build_object('tenant', $1::text))",
                theirs[0],
            )


SEARCHES = (
    "select count(*) from vcontract.search_newest('{}', 'vcon', 10)",
    "select vcontract.search_count('{}', 'vcon', 10)",
    "select vcontract.search_count('{\"subject\": \"xylo\"}', 'vcon', 10)",
    "select count(*) from vcontract.near_spellings('xylophane', 0.3, 10)",
)


@pytest.mark.parametrize("search", SEARCHES)
async def test_functions_that_run_with_their_owners_rights_see_the_sessions_tenant_only(
    database: Database, tenant: str, theirs: tuple[str, UUID], search: str
) -> None:
    async with database.reading(theirs[0]) as connection:
        by_them = await connection.fetchval(search)
    async with database.reading(tenant) as connection:
        by_us = await connection.fetchval(search)

    assert by_them > 0
    assert by_us == 0


@pytest.mark.parametrize("kind", ["vcon", "exchange", "reflection", "bridge"])
@pytest.mark.parametrize("cut", [(None, None, None), (0, None, UUID(int=0))], ids=["all", "up to the cut"])
@pytest.mark.parametrize("filters", [{}, {"subject": "xylo"}], ids=["no filter", "filter"])
async def test_no_passage_of_another_tenant_is_a_candidate_though_it_is_asked_for_by_its_id(
    database: Database,
    tenant: str,
    theirs: tuple[str, UUID],
    kind: str,
    cut: tuple[int | None, None, UUID | None],
    filters: JsonObject,
) -> None:
    async def found(whose: str, among: list[UUID] | None) -> set[UUID]:
        async with database.reading(whose) as connection:
            rows = await connection.fetch(
                "select id from vcontract.search_candidates($1, $2, $3, '{xylophon}', '{16}', 'xylophon', 10,"
                " 10, $4, $5, $6, null, null, 0, false)",
                *(json.dumps(filters), kind, among, *cut),
            )
        return {row["id"] for row in rows}

    other, uuid = theirs
    for among in (None, [uuid]):
        assert await found(other, among) == ({uuid} if kind == "vcon" else set())
        assert await found(tenant, among) == set()


MEMBERS = ["subject", "party_name", "dealer_id", "dealer_name", "tags", "words"]
TEXTS_OF_SQL = [
    *("x' or true --", "x'; delete from vcontract.vcon; --", "%' or d.tenant <> '"),
    *("$1", "%L", "\\", "\\'", "'"),
]


@sweep(("member", "text"), product(MEMBERS, TEXTS_OF_SQL))
async def test_no_text_of_a_specification_becomes_sql(
    database: Database, tenant: str, theirs: tuple[str, UUID], member: str, text: str
) -> None:
    specification: JsonObject = {member: text}
    if member == "tags":
        specification = {"tags": [{"key": text, "value": text}]}
    if member == "words":
        quoted = "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
        specification = {"required": [[{"words": quoted, "sequence": f"{quoted} <-> {quoted}"}]]}

    async with database.writing(tenant) as connection:
        found = await connection.fetchval(
            "select vcontract.search_count($1, 'vcon', 10)", json.dumps(specification)
        )

    async with database.reading(theirs[0]) as connection:
        left = await connection.fetchval("select count(*) from vcontract.vcon")
    assert (found, left) == (0, 1)


async def test_without_a_tenant_nothing_is_visible(database_url: str, theirs: tuple[str, UUID]) -> None:
    connection = await asyncpg.connect(database_url)
    try:
        await connection.execute("set role vcontract_server")
        with pytest.raises(asyncpg.UndefinedObjectError):
            await connection.fetch("select * from vcontract.vcon")
        with pytest.raises(asyncpg.UndefinedObjectError):
            await connection.fetch("select * from vcontract.search_newest('{}', 'vcon', 10)")
    finally:
        await connection.close()


async def test_the_servers_role_owns_nothing_and_passes_no_wall(database: Database, tenant: str) -> None:
    async with database.reading(tenant) as connection:
        role = await connection.fetchrow("select * from pg_roles where rolname = current_user")
        owned = await connection.fetchval(
            "select count(*) from pg_class where relowner = current_user::regrole"
        ) + await connection.fetchval("select count(*) from pg_proc where proowner = current_user::regrole")
        unguarded = await connection.fetch(
            "select relname from pg_class c where relnamespace = 'vcontract'::regnamespace and relkind = 'r'"
            " and not relrowsecurity and has_table_privilege(c.oid, 'select')"
            " and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant')"
        )
        open_to_all = await connection.fetch(
            "select proname from pg_proc where pronamespace = 'vcontract'::regnamespace"
            " and has_function_privilege('public', oid, 'execute')"
        )
    assert role is not None
    assert role["rolname"] == "vcontract_server"
    assert not any(
        role[power]
        for power in ("rolsuper", "rolbypassrls", "rolcreatedb", "rolcreaterole", "rolreplication")
    )
    assert (owned, unguarded, open_to_all) == (0, [], [])


@pytest.mark.parametrize(
    "statement",
    [
        "drop table vcontract.audit",
        "alter table vcontract.vcon disable row level security",
        "update vcontract.audit set caller = 'x'",
        "delete from vcontract.audit",
        "update vcontract.retention set days = 1",
        "insert into vcontract.audit (tenant, id, at, caller, action)"
        " values ('', gen_random_uuid(), now(), 'x', 'x')",
        "truncate vcontract.vcon",
        "create table vcontract.mine (a int)",
        "drop policy own_tenant on vcontract.vcon",
        "create or replace function vcontract.current_tenant() returns text language sql return 'x'",
        "update vcontract.shared_secret set value = ''",
        "select vcontract.bind_to_tenant('shared_secret')",
        "select vcontract.recount_vocabulary()",
        "select vcontract.add_role('mine')",
    ],
)
async def test_the_servers_role_may_not(database: Database, tenant: str, statement: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with database.writing(tenant) as connection:
            await connection.execute(statement)


@pytest.mark.parametrize("arrays", [(), ("dialog",), ("attachments",), ARRAYS])
async def test_a_part_of_a_vcon_equals_that_part_of_the_whole(
    store: VconStore, prepared: Prepare, tenant: str, arrays: tuple[str, ...]
) -> None:
    vcon = prepared(**{**FULL, "tags": None})
    await store.insert_batch(
        tenant, [prepare({**vcon.document}, PrepareContext.load(), now=NOW, tags={"n": 1})]
    )
    whole, part = await store.get(tenant, vcon.uuid), await store.get(tenant, vcon.uuid, arrays)

    assert whole is not None
    assert part is not None
    expected = {
        name: value for name, value in whole.document().items() if name not in ARRAYS or name in arrays
    }
    assert part.document(arrays) == expected
    assert part.counts == {array: len(whole.document().get(array, [])) for array in ARRAYS}
