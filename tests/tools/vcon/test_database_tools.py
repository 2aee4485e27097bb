"""get_database_shape and get_database_stats report what PostgreSQL knows of our tables."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import pytest
from pydantic import SecretStr

from tests.conftest import ALL_SCOPES, Ask, Call
from tests.tools.vcon.conftest import Create
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.inspect import shape
from vcontract.runtime.store.postgres import migrations
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

TOOLS = ["get_database_shape", "get_database_stats"]


@pytest.fixture(autouse=True)
def long_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time to count every table, however busy the machine is."""
    monkeypatch.setattr(shape, "COUNTING_SECONDS", 600.0)


@pytest.fixture
def call(ask: Ask) -> Call:
    """Calls as the user of this machine, to whom the store belongs."""

    async def call(tool: str, /, **arguments: object) -> JsonObject:
        return (await ask(tool, as_local=True, **arguments)).structured

    return call


async def tables_of(call: Call, **arguments: object) -> dict[str, JsonObject]:
    answer = await call("get_database_shape", **arguments)
    return {table["name"]: table for table in answer["database_shape"]["tables"]}


async def test_rows_are_counted_at_once_and_of_all_tenants(call: Call, ask: Ask, create: Create) -> None:
    before = await tables_of(call)

    for number in range(10):
        await create(subject=f"Number {number}")
    await ask("create_vcon", as_tenant="somebody.else", vcon_data={"parties": [{}, {}]})
    after = await tables_of(call)

    assert after["vcon"]["row_count"] == before["vcon"]["row_count"] + 11
    assert after["party"]["row_count"] == before["party"]["row_count"] + 12
    assert after["vcon"]["row_count_exact"] is True


async def test_a_tenant_is_told_of_its_own_rows_and_of_no_use_or_size_of_the_store(
    ask: Ask, tenant: str, owner: OwnerConnection
) -> None:
    async def shape() -> JsonObject:
        answer: JsonObject = (
            await ask("get_database_shape", include_columns=True, include_internal=True)
        ).structured
        answer["database_shape"].pop("timestamp")
        return answer

    await ask("create_vcon", vcon_data={"parties": [{}, {}]})
    before = await shape()
    for _ in range(20):
        await ask(
            "create_vcon", as_tenant=f"{tenant}.other", vcon_data={"parties": [{}], "subject": "a word"}
        )
    await owner.execute("analyze")

    tables = {table["name"]: table for table in before["database_shape"]["tables"]}
    assert await shape() == before
    refused = (await ask("get_database_stats")).structured
    assert (tables["vcon"]["row_count"], tables["party"]["row_count"]) == (1, 2)
    assert "row_count" not in tables["migration"]
    assert not any("size" in name for table in tables.values() for name in table)
    assert (refused["error_code"], refused["details"]["reason"]) == ("PERMISSION_DENIED", "local_only")


async def test_only_our_tables_are_listed_and_all_of_them(call: Call, owner: OwnerConnection) -> None:
    await owner.execute("create table public.somebody_elses (id integer)")

    listed = await tables_of(call)

    assert {table["schema"] for table in listed.values()} == {"vcontract"}
    assert {"vcon", "party", "dialog", "vcons_legacy"} <= listed.keys()
    assert not {"audit", "migration"} & listed.keys()
    listed = await tables_of(call, include_internal=True)
    assert {"vcon", "party", "dialog", "audit", "migration"} <= listed.keys()
    assert list(listed) == sorted(listed, key=lambda name: (not listed[name]["analyzable"], name))
    assert "somebody_elses" not in listed


@pytest.mark.parametrize("as_local", [True, False])
async def test_a_table_is_analyzable_where_a_query_on_it_is_analyzed(ask: Ask, as_local: bool) -> None:
    async def call(tool: str, **arguments: object) -> JsonObject:
        return (await ask(tool, as_local=as_local, **arguments)).structured

    listed = await tables_of(call, include_internal=True)
    own = await tables_of(call)

    answers = {name: await call("analyze_query", query=f"select * from {name}") for name in listed}  # noqa: S608

    assert {name: answer["success"] for name, answer in answers.items()} == {
        name: table["analyzable"] for name, table in listed.items()
    }
    assert {name for name, table in listed.items() if table["analyzable"]} == own.keys()
    assert own.keys() < listed.keys()


async def test_a_table_has_the_size_of_its_partitions(
    call: Call, create: Create, app: App, tenant: str, owner: OwnerConnection
) -> None:
    await create(dialog=[{"type": "text", "body": "A late parcel.", "parties": [0]}])
    await app.worker.drain(tenant)
    names = await owner.fetch(
        "select inhrelid::regclass::text as name from pg_inherits"
        " where inhparent = 'vcontract.embedding'::regclass"
    )

    listed = await tables_of(call, include_internal=True)

    parts = [listed[row["name"].removeprefix("vcontract.")] for row in names]
    assert parts
    for size in ("total_size_bytes", "table_size_bytes", "indexes_size_bytes"):
        assert listed["embedding"][size] == sum(part[size] for part in parts) > 0
    key = next(index for index in listed["embedding"]["indexes"] if index["is_primary"])
    assert key["index_size_bytes"] > 0


async def test_sizes_are_told_as_text_and_as_numbers(
    call: Call, create: Create, owner: OwnerConnection
) -> None:
    await create()

    vcon = (await tables_of(call))["vcon"]

    assert vcon["total_size_bytes"] == await owner.fetchval("select pg_total_relation_size('vcontract.vcon')")
    assert vcon["total_size_bytes"] == vcon["table_size_bytes"] + vcon["indexes_size_bytes"]
    for name in ("total_size", "table_size", "indexes_size"):
        assert vcon[name] == await owner.fetchval("select pg_size_pretty($1::bigint)", vcon[f"{name}_bytes"])


async def test_indexes_tell_their_access_method(call: Call) -> None:
    indexes = {index["indexname"]: index for index in (await tables_of(call))["vcon"]["indexes"]}

    assert indexes["vcon_newest"]["index_type"] == "btree"
    assert indexes["vcon_subject"]["index_type"] == "gin"
    assert (indexes["vcon_pkey"]["is_primary"], indexes["vcon_subject"]["is_unique"]) == (True, False)
    assert indexes["vcon_pkey"]["index_size_bytes"] > 0
    assert indexes["vcon_pkey"]["index_size"].endswith(("bytes", "kB"))


async def test_columns_are_told_when_they_are_asked_for(call: Call) -> None:
    columns = (await tables_of(call, include_columns=True))["tag"]["columns"]

    assert columns == [
        {"column_name": "tenant", "data_type": "text", "is_nullable": "NO"},
        {"column_name": "vcon", "data_type": "uuid", "is_nullable": "NO"},
        {"column_name": "key", "data_type": "text", "is_nullable": "NO"},
        {"column_name": "value", "data_type": "text", "is_nullable": "NO"},
        {"column_name": "type", "data_type": "text", "is_nullable": "NO"},
    ]


async def test_relationships_come_from_foreign_keys_column_by_column(call: Call) -> None:
    relationships = (await call("get_database_shape"))["database_shape"]["relationships"]

    assert [r for r in relationships if r["from_table"] == "dialog"] == [
        {"from_table": "dialog", "from_column": "tenant", "to_table": "vcon", "to_column": "tenant"},
        {"from_table": "dialog", "from_column": "vcon", "to_table": "vcon", "to_column": "uuid"},
    ]


@pytest.mark.parametrize(
    ("parameter", "members"),
    [
        ("include_counts", {"row_count", "row_count_exact"}),
        (
            "include_sizes",
            {
                *("total_size", "total_size_bytes", "table_size", "table_size_bytes"),
                *("indexes_size", "indexes_size_bytes"),
            },
        ),
        ("include_indexes", {"indexes"}),
        ("include_columns", {"columns"}),
    ],
)
async def test_a_part_that_is_switched_off_is_absent(call: Call, parameter: str, members: set[str]) -> None:
    everything: JsonObject = {"include_columns": True}

    with_part = await tables_of(call, **everything)
    without = await tables_of(call, **{**everything, parameter: False})

    assert with_part["vcon"].keys() - without["vcon"].keys() == members
    assert without["vcon"].keys() <= with_part["vcon"].keys()


async def test_sizes_that_are_switched_off_are_absent_from_indexes_too(call: Call) -> None:
    vcon = (await tables_of(call, include_sizes=False))["vcon"]

    assert not [name for index in vcon["indexes"] for name in index if "size" in name]


@pytest.mark.parametrize(("limit", "value"), [("COUNTED_ROWS", -1), ("COUNTING_SECONDS", 0.0)])
async def test_what_is_too_much_to_count_is_estimated(
    call: Call,
    create: Create,
    owner: OwnerConnection,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    value: float,
) -> None:
    await create()
    await owner.execute("analyze vcontract.vcon")
    rows = await owner.fetchval("select count(*) from vcontract.vcon")
    monkeypatch.setattr(shape, limit, value)

    vcon = (await tables_of(call))["vcon"]

    assert (vcon["row_count"], vcon["row_count_exact"]) == (rows, False)


async def test_counting_that_takes_too_long_is_given_up_for_an_estimate(
    call: Call, create: Create, owner: OwnerConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    await create()
    monkeypatch.setattr(shape, "COUNTING_SECONDS", 0.2)
    real = await owner.fetchval("select pg_get_functiondef('vcontract.count_rows'::regproc)")
    await owner.execute(_ENDLESS)

    try:
        listed = await tables_of(call)
    finally:
        await owner.execute(real)

    assert [table["row_count_exact"] for table in listed.values()] == [False] * len(listed)


_ENDLESS = """
create or replace function vcontract.count_rows(table_name text) returns bigint language plpgsql stable as $$
begin
    perform pg_sleep(60);
    return 0;
end
$$
"""


async def stats_of(call: Call, **arguments: object) -> JsonObject:
    answer = await call("get_database_stats", **arguments)
    stats: JsonObject = answer["database_stats"]
    return stats


async def flush(owner: OwnerConnection) -> None:
    """What this connection did shows in the statistics from now on."""
    await owner.execute("select pg_stat_force_next_flush()")


@pytest.fixture
async def untouched(owner: OwnerConnection) -> AsyncIterator[str]:
    """A table that no server writes: what another connection did may show in the statistics much later."""
    await owner.execute("create table vcontract.untouched (id integer primary key, name text)")
    await owner.execute("create index untouched_id on vcontract.untouched (id)")
    await owner.execute("create index untouched_name on vcontract.untouched (name)")
    yield "untouched"
    await owner.execute("drop table vcontract.untouched")


async def test_statistics_count_what_happens_to_a_table(
    call: Call, owner: OwnerConnection, untouched: str
) -> None:
    before = await stats_of(call, table_name=untouched)

    await owner.execute("insert into vcontract.untouched values (1, ''), (2, '')")
    await owner.execute("update vcontract.untouched set name = 'one' where id = 1")
    await owner.execute("delete from vcontract.untouched")
    await flush(owner)
    after = await stats_of(call, table_name=untouched)

    (was,), (now,) = before["table_stats"], after["table_stats"]
    assert was["table_name"] == now["table_name"] == untouched
    assert (was["inserts"], was["updates"], was["deletes"]) == (0, 0, 0)
    assert (now["inserts"], now["updates"], now["deletes"]) == (2, 1, 2)


async def test_an_index_is_unused_until_it_is_used(
    call: Call, owner: OwnerConnection, untouched: str
) -> None:
    def unused(stats: JsonObject) -> set[str]:
        return {index["index_name"] for index in stats["unused_indexes"]}

    before = await stats_of(call, table_name=untouched)
    await owner.execute("set enable_seqscan = off; set enable_bitmapscan = off")
    await owner.execute("select id from vcontract.untouched where name = 'x'")
    await flush(owner)
    after = await stats_of(call, table_name=untouched)

    assert unused(before) == {"untouched_id", "untouched_name"}
    assert unused(after) == {"untouched_id"}
    (used,) = [index for index in after["index_usage"] if index["index_name"] == "untouched_name"]
    assert used["scans"] > 0
    assert "untouched_id" in {index["index_name"] for index in after["index_usage"]}


async def test_the_hit_ratio_is_a_percentage_of_what_was_read(call: Call, create: Create) -> None:
    await create()

    cache = (await stats_of(call))["cache_stats"]

    hit, read = cache["heap_blocks_hit"], cache["heap_blocks_read"]
    assert cache["hit_ratio"] == (f"{100 * hit / (hit + read):.2f}%" if hit + read else "n/a")


async def test_before_any_read_there_is_no_hit_ratio(call: Call, owner: OwnerConnection) -> None:
    await owner.execute("create table vcontract.never_read (id integer)")
    try:
        cache = (await stats_of(call, table_name="never_read"))["cache_stats"]
    finally:
        await owner.execute("drop table vcontract.never_read")

    assert cache == {"hit_ratio": "n/a", "heap_blocks_hit": 0, "heap_blocks_read": 0}


@pytest.mark.parametrize(
    ("parameter", "members"),
    [
        ("include_query_stats", {"table_stats", "query_stats_available"}),
        ("include_index_usage", {"index_usage", "unused_indexes"}),
        ("include_cache_stats", {"cache_stats"}),
    ],
)
async def test_statistics_that_are_switched_off_are_absent(
    call: Call, parameter: str, members: set[str]
) -> None:
    everything = await stats_of(call)
    without = await stats_of(call, **{parameter: False})

    assert everything.keys() - without.keys() == members


async def test_one_table_is_told_of_alone(call: Call) -> None:
    stats = await stats_of(call, table_name="vcon")

    for part in ("table_stats", "index_usage", "unused_indexes"):
        assert {entry["table_name"] for entry in stats[part]} <= {"vcon"}
    assert len(stats["table_stats"]) == 1


@pytest.mark.parametrize("name", ["nope", "pg_class", "vcontract.vcon", "VCON", "vcon'; drop table x; --"])
async def test_an_unknown_table_names_the_known_ones(call: Call, name: str) -> None:
    refused = await call("get_database_stats", table_name=name)

    assert refused["error_code"] == "NOT_FOUND"
    assert refused["details"]["table_name"] == name
    assert {"vcon", "party", "dialog"} <= set(refused["details"]["known"])


@pytest.mark.usefixtures("superuser")
async def test_since_when_is_counted_is_told_once_it_is_known(call: Call, owner: OwnerConnection) -> None:
    await owner.execute("select pg_stat_reset()")
    since = await owner.fetchval(
        "select stats_reset from pg_stat_database where datname = current_database()"
    )

    reset: str = (await stats_of(call))["stats_reset"]

    assert reset.startswith(since.strftime("%Y-%m-%dT%H:%M:%S"))


@pytest.mark.usefixtures("superuser")
async def test_an_extension_that_is_not_loaded_counts_as_not_there(
    call: Call, owner: OwnerConnection
) -> None:
    await owner.execute("create extension pg_stat_statements")
    try:
        stats = await stats_of(call)
    finally:
        await owner.execute("drop extension pg_stat_statements")

    assert stats["query_stats_available"] is False
    assert "query_stats" not in stats
    assert stats["table_stats"]


@pytest.fixture
def counting_cluster(tmp_path: Path) -> Iterator[EmbeddedCluster]:
    """A server that counts statements, as an operator may set one up."""
    cluster = EmbeddedCluster(
        tmp_path, linger=0, options={"shared_preload_libraries": "pg_stat_statements", "fsync": "off"}
    )
    cluster.start()
    yield cluster
    cluster.stop()


async def test_where_statements_are_counted_the_most_expensive_are_told(
    counting_cluster: EmbeddedCluster, tmp_path: Path
) -> None:
    url = counting_cluster.url("postgres")
    connection = await asyncpg.connect(url)
    await migrations.migrate(connection)
    await connection.execute("create extension pg_stat_statements")
    await connection.close()
    settings = Settings(database_url=SecretStr(url), data_dir=tmp_path)
    app = await build(settings)
    try:
        caller = Caller("secret-tenant", ALL_SCOPES, local=True)
        arguments: JsonObject = {"vcon_data": {"parties": [{}], "subject": "confidential"}}
        created = await app.dispatcher.call("create_vcon", arguments, caller)
        answer = await app.dispatcher.call("get_database_stats", {}, caller)
    finally:
        await app.close()

    stats = answer.structured["database_stats"]
    assert created.is_error is False
    assert stats["query_stats_available"] is True
    assert 0 < len(stats["query_stats"]) <= 10
    assert all("vcontract." in entry["query"] for entry in stats["query_stats"])
    assert "secret-tenant" not in answer.text
    assert "confidential" not in answer.text
    totals = [entry["total_ms"] for entry in stats["query_stats"]]
    assert totals == sorted(totals, reverse=True)


@pytest.mark.parametrize("tool", TOOLS)
async def test_without_scope_admin_the_tool_is_refused(settings: Settings, tenant: str, tool: str) -> None:
    app = await build(settings)
    try:
        outcome = await app.dispatcher.call(tool, {}, Caller(tenant, frozenset({"read", "write"})))
    finally:
        await app.close()

    assert outcome.structured["error_code"] == "PERMISSION_DENIED"
    assert outcome.structured["details"]["required_scope"] == "admin"


async def test_many_calls_at_once_are_all_answered(call: Call) -> None:
    answers = await asyncio.gather(*(call(tool) for tool in TOOLS * 4))

    assert [answer["success"] for answer in answers] == [True] * 8
