"""analyze_query: the plan of one SELECT, and nothing that a query could do beside it."""

import asyncio
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime

import asyncpg
import pytest

from tests.conftest import EXTERNAL_URL, PATIENCE, Ask, Call
from tests.tools.vcon.conftest import Create
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.inspect import analyst, query_analysis
from vcontract.runtime.store.inspect.query_allowlist import FUNCTIONS, TYPES
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.vcons.preparation import PrepareContext, prepare
from vcontract.runtime.store.vcons.store import VconStore

MODES = ["explain", "explain_analyze"]
COSTLY = (
    "select count(*) from jsonb_array_elements('[]') a, jsonb_array_elements('[]') b,"
    " jsonb_array_elements('[]') c, jsonb_array_elements('[]') d, jsonb_array_elements('[]') e,"
    " jsonb_array_elements('[]') f"
)
"""Each function counts as a hundred rows, so the query as many more than it has."""
GROWING = (
    "with a as (select 'TEXT' as s),"
    " b as (select s || s || s || s || s || s || s || s as s from a),"
    " c as (select s || s || s || s || s || s || s || s as s from b),"
    " d as (select s || s || s || s || s || s || s || s as s from c)"
    " select length(s) from d"
).replace("TEXT", "x" * 6000)
"""Three megabytes of text, and all that lead up to it, which are worked out when the query is planned."""
MULTIPLYING = "select length(" + "replace(" * 7 + "'x'" + ", 'x', 'xxxxxxxxxx')" * 7 + ")"
"""Ten megabytes by functions within one another, each of which makes its text ten times as long."""
ENDLESS = "with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) from n"


@pytest.fixture
def call(ask: Ask) -> Call:
    """Calls as the user of this machine, to whom the store belongs."""

    async def call(tool: str, /, **arguments: object) -> JsonObject:
        return (await ask(tool, as_local=True, **arguments)).structured

    return call


async def everything(owner: OwnerConnection) -> dict[str, str]:
    """Checksums of the catalog, of roles, large objects and settings, and of the rows of our tables."""
    tables = await owner.fetch(
        "select oid::regclass::text as name from pg_class"
        " where relnamespace = 'vcontract'::regnamespace and relkind in ('r', 'p')"
    )
    state: dict[str, str] = {}
    for source in (*_CATALOG, *(row["name"] for row in tables)):
        state[source] = await owner.fetchval(_CHECKSUM.format(source=source))
    return state


_CHECKSUM = "select md5(coalesce(string_agg(x::text, '|' order by x::text), '')) from {source} x"
_CATALOG = (
    "(select oid, relname, relnamespace, relkind, relacl, relowner, relrowsecurity from pg_class)",
    "(select oid, proname, pronamespace, prosrc, proacl from pg_proc)",
    "(select oid, typname, typnamespace from pg_type)",
    "(select oid, nspname, nspacl from pg_namespace)",
    "(select extname, extversion from pg_extension)",
    "(select rolname, rolsuper, rolbypassrls, rolcreaterole from pg_roles)",
    "(select roleid, member, admin_option from pg_auth_members)",
    "(select oid from pg_largeobject_metadata)",
    "(select setdatabase, setrole, setconfig from pg_db_role_setting)",
    "(select gid from pg_prepared_xacts)",
    "(select objid, pid from pg_locks where locktype = 'advisory'"
    " and database = (select oid from pg_database where datname = current_database()))",
    "(select polname, polrelid, polroles from pg_policy)",
)


def nested(opening: str, inner: str, closing: str, depth: int) -> str:
    return opening * depth + inner + closing * depth


ATTACKS: list[tuple[str, str]] = [
    # the table of the specification
    ("select 1; delete from vcon", "multiple_statements"),
    ("with d as (delete from vcon returning uuid) select * from d", "data_modifying"),
    ("select * into stolen from vcon", "into"),
    ("select * from vcon for update", "locking"),
    ("select lo_create(4711)", "function_not_allowed"),
    ("select pg_sleep(10)", "function_not_allowed"),
    ("select pg_read_file('/etc/passwd')", "function_not_allowed"),
    ("select * from public.vcon", "relation_not_allowed"),
    ("select * from pg_catalog.pg_class", "relation_not_allowed"),
    ("select * from information_schema.tables", "relation_not_allowed"),
    # more statements than one, or another one
    ("select 1;; select 2", "multiple_statements"),
    ("select 1; commit; drop table vcon", "multiple_statements"),
    ("", "wrong_length"),
    (";", "syntax"),
    ("-- nothing", "syntax"),
    ("delete from vcon", "not_select"),
    ("insert into vcon select * from vcon", "not_select"),
    ("update vcon set subject_folded = ''", "not_select"),
    ("merge into vcon v using vcon w on v.uuid = w.uuid when matched then delete", "not_select"),
    ("truncate vcon", "not_select"),
    ("drop table vcon", "not_select"),
    ("copy vcon to stdout", "not_select"),
    ("copy vcon to program 'id'", "not_select"),
    ("copy (select 1) to '/tmp/x'", "not_select"),
    ("do $$ begin delete from vcontract.vcon; end $$", "not_select"),
    ("explain select 1", "not_select"),
    ("explain analyze delete from vcon", "not_select"),
    ("create table t as select 1", "not_select"),
    ("call f()", "not_select"),
    ("prepare p as select 1", "not_select"),
    ("execute p", "not_select"),
    ("declare c cursor with hold for select 1", "not_select"),
    ("set role postgres", "not_select"),
    ("reset role", "not_select"),
    ("commit", "not_select"),
    ("rollback", "not_select"),
    ("vacuum", "not_select"),
    ("listen x", "not_select"),
    ("notify x, 'y'", "not_select"),
    ("lock table vcon", "not_select"),
    ("load 'x'", "not_select"),
    ("grant select on vcon to public", "not_select"),
    ("alter role vcontract_analyst superuser", "not_select"),
    # writes inside a SELECT
    ("with i as (insert into vcon select * from vcon returning uuid) select 1", "data_modifying"),
    ("with u as (update vcon set subject_folded = '') select 1", "data_modifying"),
    (
        "with m as (merge into vcon v using vcon w on false when not matched then do nothing) select 1",
        "data_modifying",
    ),
    ("select (with d as (delete from vcon returning 1) select 1)", "data_modifying"),
    ("select * from (with d as (delete from vcon returning 1) select 1) x", "data_modifying"),
    ("select 1 into t", "into"),
    ("select 1 into temp t", "into"),
    ("select 1 into unlogged t union select 2", "into"),
    ("select * from (select * from vcon for share) x", "locking"),
    ("select * from vcon for no key update nowait", "locking"),
    ("with x as (select * from vcon for update) select 1", "locking"),
    ("select $1", "parameter"),
    ("select * from vcon where uuid = $1::uuid limit $2", "parameter"),
    # functions, wherever one can stand
    ("select lower((select pg_read_file('/etc/passwd')))", "function_not_allowed"),
    ("select count(*) from vcon where pg_sleep(1) is null", "function_not_allowed"),
    ("select 1 from vcon order by pg_sleep(1)", "function_not_allowed"),
    ("select 1 from vcon group by pg_sleep(1)", "function_not_allowed"),
    ("select 1 from vcon having pg_sleep(1) is null", "function_not_allowed"),
    ("select 1 limit length(pg_sleep(1)::text)", "function_not_allowed"),
    ("select 1 offset (select 1 from pg_sleep(1))", "function_not_allowed"),
    ("select count(*) filter (where pg_sleep(1) is null) from vcon", "function_not_allowed"),
    ("select count(*) over (order by pg_sleep(1)) from vcon", "function_not_allowed"),
    ("select count(*) over w from vcon window w as (partition by pg_sleep(1))", "function_not_allowed"),
    ("select string_agg('x', ',' order by pg_sleep(1))", "function_not_allowed"),
    ("select percentile_cont(0.5) within group (order by length(pg_sleep(1)::text))", "function_not_allowed"),
    ("select case when pg_sleep(1) is null then 1 end", "function_not_allowed"),
    ("select coalesce(1, length(pg_sleep(1)::text))", "function_not_allowed"),
    ("select array[pg_sleep(1)]", "function_not_allowed"),
    ("select row(pg_sleep(1))", "function_not_allowed"),
    ("select distinct on (pg_sleep(1)) 1", "function_not_allowed"),
    ("values (pg_sleep(1))", "function_not_allowed"),
    ("select * from pg_sleep(1)", "function_not_allowed"),
    ("select * from vcon, lateral pg_sleep(1)", "function_not_allowed"),
    ("select * from rows from (unnest(array[1]), pg_sleep(1)) x", "function_not_allowed"),
    ("select * from vcon v join party p on pg_sleep(1) is null", "function_not_allowed"),
    ("select pg_catalog.pg_sleep(1)", "function_not_allowed"),
    ('select "pg_sleep"(1)', "function_not_allowed"),
    ("select PG_SLEEP(1)", "function_not_allowed"),
    ("select pg_sleep/* */(1)", "function_not_allowed"),
    ("select pg_sleep -- comment\n (1)", "function_not_allowed"),
    ('select U&"pg\\005fsleep"(1)', "function_not_allowed"),
    ("select U&\"pg!005fsleep\" uescape '!' (1)", "function_not_allowed"),
    ("/* select 1 */ select pg_sleep(1) -- 1", "function_not_allowed"),
    ("select $$a$$ || $x$b$x$ || pg_sleep(1)::text", "function_not_allowed"),
    ("select lo_import('/etc/passwd')", "function_not_allowed"),
    ("select lo_export(1, '/tmp/x')", "function_not_allowed"),
    ("select lo_from_bytea(0, 'x')", "function_not_allowed"),
    ("select lo_unlink(1)", "function_not_allowed"),
    ("select set_config('vcontract.tenant', 'other', false)", "function_not_allowed"),
    ("select current_setting('data_directory')", "function_not_allowed"),
    ("select * from dblink('', 'delete from vcon') as t (a int)", "function_not_allowed"),
    ("select pg_advisory_lock(1)", "function_not_allowed"),
    ("select pg_try_advisory_xact_lock(1)", "function_not_allowed"),
    ("select pg_notify('x', 'y')", "function_not_allowed"),
    ("select pg_terminate_backend(1)", "function_not_allowed"),
    ("select pg_reload_conf()", "function_not_allowed"),
    ("select pg_ls_dir('.')", "function_not_allowed"),
    ("select pg_stat_reset()", "function_not_allowed"),
    ("select nextval('x')", "function_not_allowed"),
    ("select query_to_xml('delete from vcon', true, true, '')", "function_not_allowed"),
    ("select table_to_xml('vcon', true, true, '')", "function_not_allowed"),
    ("select database_to_xml(true, true, '')", "function_not_allowed"),
    ("select ts_stat('select words from vcon')", "function_not_allowed"),
    ("select txid_current()", "function_not_allowed"),
    ("select pg_export_snapshot()", "function_not_allowed"),
    ("select repeat('x', 1000000000)", "function_not_allowed"),
    ("select generate_series(1, 1000000000)", "function_not_allowed"),
    ("select vcontract.refresh_statistics()", "function_not_allowed"),
    ("select refresh_statistics()", "function_not_allowed"),
    ("select vcontract.count_rows('vcon')", "function_not_allowed"),
    ("select * from vcontract.search_newest('{}', 'vcon', 1)", "function_not_allowed"),
    ("select public.similarity('a', 'b')", "function_not_allowed"),
    ("select nobody.lower('X')", "function_not_allowed"),
    # a function behind a point is called with what stands before it
    ("select v.refresh_statistics from vcon v", "function_not_allowed"),
    ("select (v).pg_typeof from vcon v", "function_not_allowed"),
    ("select v.row_security_active from vcon v", "function_not_allowed"),
    ("select (row(1)).pg_sleep", "function_not_allowed"),
    # operators and types
    ("select 1 operator(public.%) 2", "function_not_allowed"),
    ("select 1 = any (select 1), 1 operator(vcontract.+) all (select 2)", "function_not_allowed"),
    ("select 1 from vcon order by uuid using operator(public.<)", "function_not_allowed"),
    ("select 'pg_authid'::regclass", "type_not_allowed"),
    ("select cast('postgres' as regrole)", "type_not_allowed"),
    ("select regclass 'pg_authid'", "type_not_allowed"),
    ("select '<a/>'::xml", "type_not_allowed"),
    ("select 'x'::vcontract.vcon", "type_not_allowed"),
    ("select 'x'::public.vector", "type_not_allowed"),
    ("select '{}'::regproc[]", "type_not_allowed"),
    ("select * from json_to_record('{}') as x (a regclass)", "type_not_allowed"),
    # relations
    ("select * from audit", "relation_not_allowed"),
    ("select * from vcontract.audit", "relation_not_allowed"),
    ("select * from shared_secret", "relation_not_allowed"),
    ("select * from vcontract.shared_secret", "relation_not_allowed"),
    ("select * from migration", "relation_not_allowed"),
    ("table shared_secret", "relation_not_allowed"),
    ("select * from pg_authid", "relation_not_allowed"),
    ("select * from pg_stat_activity", "relation_not_allowed"),
    ("select * from pg_settings", "relation_not_allowed"),
    ("select * from pg_temp.x", "relation_not_allowed"),
    ("select * from otherdb.vcontract.vcon", "relation_not_allowed"),
    ("select (select value from shared_secret limit 1)", "relation_not_allowed"),
    ("select 1 where exists (select 1 from shared_secret)", "relation_not_allowed"),
    ("select * from vcon union select * from shared_secret", "relation_not_allowed"),
    ("with s as (select * from shared_secret) select * from s", "relation_not_allowed"),
    ("with pg_authid as (select 1) select * from pg_authid", "relation_not_allowed"),
    ("select * from (with shared_secret as (select 1) select 1) x, shared_secret", "relation_not_allowed"),
    ('select * from U&"shared\\005fsecret"', "relation_not_allowed"),
    # constructs that are not needed
    ("select * from vcon tablesample system (1)", "not_allowed"),
    ("select xmlelement(name a)", "not_allowed"),
    ("select * from json_table('{}', '$' columns (a int path '$.a')) x", "not_allowed"),
    ("select * from xmltable('/a' passing '<a/>' columns b text)", "not_allowed"),
    # names that are not there
    ("select * from nope", "unknown_name"),
    ("select nope from vcon", "unknown_name"),
    ("select v.nope from vcon v", "unknown_name"),
    ("select lower(1, 2)", "unknown_name"),
    ("select uuid + 1 from vcon", "unknown_name"),
    ("select * from unnest(array[1]) as x (a) where b", "unknown_name"),
    # texts that are no SQL
    ("selec 1", "syntax"),
    ("select 1 /* never closed", "syntax"),
    ("select 'never closed", "syntax"),
    ("select $x$ never closed", "syntax"),
    ("select 1\0; delete from vcon", "syntax"),
    ("select '\ud800'", "syntax"),
    ("select 1 from vcon having", "syntax"),
    ("select uuid, count(*) from vcon", "syntax"),
    ("select sum(count(*)) from vcon", "syntax"),
    ("\\! id", "syntax"),
    # texts that are too much
    ("select " + nested("lower(", "'x'", ")", 1400), "too_deep"),
    ("select " + nested("(select ", "1", ")", 1000), "too_deep"),
    ("select " + "not " * 2400 + "true", "too_deep"),
    ("select " + nested("array[", "1", "]", 1400), "too_deep"),
    ("select 1" + "+1" * 4900, "too_deep"),
    ("select 1" + " union select 1" * 600, "too_deep"),
    ("select 1" + " " * 9993, "wrong_length"),
    # failures on values
    ("select 'x'::int", "failed"),
    ("select '[1]'::json -> (9999999999 * 9999999999 * 9999999999)::int", "failed"),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("local", [True, False])
async def test_no_attack_is_run_or_leaves_anything_behind(
    ask: Ask, create: Create, owner: OwnerConnection, mode: str, local: bool
) -> None:
    await create({"tags": {"a": "b"}}, subject="To be kept")
    await owner.execute("insert into vcontract.shared_secret values ('s', 'x') on conflict do nothing")
    before = await everything(owner)

    answers = {
        query: (await ask("analyze_query", as_local=local, query=query, analyze_mode=mode)).structured
        for query, _ in ATTACKS
    }

    reasons = {query: answer.get("details", {}).get("reason") for query, answer in answers.items()}
    assert reasons == dict(ATTACKS)
    assert {answer["error_code"] for answer in answers.values()} == {"VALIDATION_ERROR"}
    assert await everything(owner) == before


@pytest.mark.parametrize(
    ("query", "name", "position"),
    [
        ("select 1; delete from vcon", None, 11),
        ("select lower('é'), pg_sleep(1)", "pg_sleep", 20),
        ("select * from\n  shared_secret", "shared_secret", 17),
        ("select 'x'::regclass", "regclass", 13),
        ("selec 1", None, 1),
        ("select 'é', nope from vcon", "nope", 13),
        ("select * from vocn", "vocn", 15),
        ("delete from vcon", "DELETE", None),
    ],
)
async def test_a_refusal_names_what_and_where(
    call: Call, query: str, name: str | None, position: int | None
) -> None:
    details = (await call("analyze_query", query=query))["details"]

    assert details["parameter"] == "query"
    assert details.get("name") == name
    assert details.get("position") == position


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ("select creatd_at from vcon", "(did you mean vcon.created_at?)"),
        ("select p.email_fold from party p", "(did you mean party.email_folded?)"),
        ("select count(*) from tag t where t.vle = 'x'", "(did you mean tag.value?)"),
        ("select t.quagmire from tag t", "; tag has tenant, vcon, key, value, type."),
        ("select creatd_at from vcons_legacy", "(did you mean vcons_legacy.created_at"),
    ],
)
@pytest.mark.parametrize("as_local", [True, False])
async def test_a_misspelled_column_names_the_nearest_or_all_there_are(
    ask: Ask, query: str, hint: str, as_local: bool
) -> None:
    refused = (await ask("analyze_query", query=query, as_local=as_local)).structured

    assert hint in refused["error"]
    assert all(name in hint for name in refused["details"].get("nearest", [])[:1])


async def test_a_misspelled_table_names_the_nearest(call: Call) -> None:
    assert "did you mean dialog?" in (await call("analyze_query", query="select * from dialogs"))["error"]


QUERIES = [
    "select 1",
    "select uuid from vcon order by created_at desc limit 5;",
    "select uuid from vcontract.vcon /* a comment; with a semicolon */ -- and another",
    "table vcon",
    "values (1, 'a'), (2, 'b')",
    "select count(*), max(created_at)::date from vcon v join party p on p.vcon = v.uuid"
    " group by v.spec_version having count(*) > 1",
    "with recent as (select * from vcon where created_at > now() - interval '7 days')"
    " select r.uuid, t.value from recent r left join tag t on t.vcon = r.uuid and t.key = 'department'",
    "with recursive n as (select 1 as i union all select i + 1 from n where i < 10) select i from n",
    "select id, ts_rank(words, to_tsquery('simple', 'refund')) from search_document"
    " where words @@ to_tsquery('simple', 'refund') order by 2 desc",
    "select doc ->> 'name', row_number() over (partition by vcon order by index) from party"
    " where name_folded like '%ada%'",
    "select x.key, x.value from vcon, json_each(head) as x where x.value is not null",
    "select extract(year from created_at), created_at at time zone 'UTC',"
    " substring(subject_folded from 1 for 3) from vcon",
    "select case when signed_form is null then 'plain' else 'signed' end, coalesce(subject_folded, ''),"
    " greatest(parties, dialogs) from vcon",
    "select array_agg(distinct type order by type) filter (where type <> 'text') from dialog",
    "select percentile_cont(0.5) within group (order by dialogs) from vcon",
    "select 'it''s; delete from vcon', $$; drop table vcon$$, U&'\\0061'",
    "select * from vcon where exists (select 1 from tag where tag.vcon = vcon.uuid)"
    " and uuid in (select vcon from party)",
    "select (v.parties + v.dialogs)::numeric(10, 2), current_date, null::text from vcon v",
    "select a from unnest(array[1, 2]) with ordinality as x (a, n)",
    "select created_at::date as day, count(*) from vcon group by rollup (1) order by day nulls last",
    "select replace(replace(subject_folded, '-', ''), 'ab', 'c'), replace('x', 'x', 'yy') from vcon",
    "select regexp_replace(regexp_replace(subject_folded, '[^a-z]', '', 'g'), '^x', ' ') from vcon",
    "select json_agg(json_build_object('subject', replace(subject_folded, 'x', 'yy'))) from vcon",
]


@pytest.mark.parametrize("query", QUERIES)
async def test_an_honest_query_is_explained(call: Call, create: Create, query: str) -> None:
    await create(subject="A subject")

    planned = (await call("analyze_query", query=query))["query_analysis"]
    ran = (await call("analyze_query", query=query, analyze_mode="explain_analyze"))["query_analysis"]

    assert planned["mode"] == "explain"
    assert planned["total_cost"] == planned["plan"]["Total Cost"]
    assert planned["plan_rows"] == planned["plan"]["Plan Rows"]
    assert not planned.keys() & {"execution_time_ms", "actual_rows"}
    assert "Actual Rows" not in planned["plan"]
    assert ran["mode"] == "explain_analyze"
    assert ran["execution_time_ms"] >= 0
    assert ran["planning_time_ms"] >= 0
    assert ran["actual_rows"] == ran["plan"]["Actual Rows"]


async def test_explain_runs_nothing_and_explain_analyze_stops_in_time(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert analyst.STATEMENT_TIMEOUT_MS == 5000
    monkeypatch.setattr(analyst, "STATEMENT_TIMEOUT_MS", 200)

    planned = await call("analyze_query", query=ENDLESS)
    # nothing else would stop it
    async with asyncio.timeout(PATIENCE):
        ran = await call("analyze_query", query=ENDLESS, analyze_mode="explain_analyze")

    assert planned["success"] is True
    assert ran["error_code"] == "DATABASE_ERROR"
    assert (ran["details"]["reason"], ran["details"]["retryable"]) == ("timeout", True)
    assert (await call("analyze_query", query="select 1"))["success"] is True


async def test_what_would_surely_take_too_long_is_only_planned(call: Call) -> None:
    planned = await call("analyze_query", query=COSTLY)
    refused = await call("analyze_query", query=COSTLY, analyze_mode="explain_analyze")

    assert planned["query_analysis"]["total_cost"] > query_analysis.MAX_COST
    assert planned["query_analysis"]["notes"][-1].startswith("Would take minutes")
    assert (refused["error_code"], refused["details"]["reason"]) == ("VALIDATION_ERROR", "too_costly")


@pytest.mark.skipif(sys.platform != "linux", reason="no other system bounds the memory of another process")
@pytest.mark.skipif(EXTERNAL_URL is not None, reason="only processes of our own server can be bounded")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("query", [GROWING, MULTIPLYING])
async def test_a_query_has_no_more_memory_than_it_may(
    call: Call, monkeypatch: pytest.MonkeyPatch, mode: str, query: str
) -> None:
    monkeypatch.setattr(Database, "is_embedded", True)

    allowed = await call("analyze_query", query=query, analyze_mode=mode)
    monkeypatch.setattr(analyst, "MEMORY_BYTES", 16 * 1024 * 1024)
    refused = await call("analyze_query", query=query, analyze_mode=mode)

    assert allowed["success"] is True
    assert (refused["error_code"], refused["details"]["reason"]) == ("VALIDATION_ERROR", "too_much_memory")
    assert (await call("analyze_query", query="select 1"))["success"] is True


@pytest.mark.usefixtures("superuser")
async def test_a_query_has_no_larger_temporary_files_than_it_may(
    call: Call, owner: OwnerConnection, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await owner.execute(
        "insert into vcontract.spelling select $1, 'w' || i from generate_series(1, 10000) i", tenant
    )
    query = "select a.word || b.word as x from spelling a, spelling b where b.word < 'w102' order by x"

    allowed = await call("analyze_query", query=query, analyze_mode="explain_analyze")
    monkeypatch.setattr(analyst, "TEMPORARY_FILES_KB", 100)
    refused = await call("analyze_query", query=query, analyze_mode="explain_analyze")

    assert allowed["success"] is True
    assert (refused["error_code"], refused["details"]["reason"]) == ("VALIDATION_ERROR", "too_large_files")


async def test_a_locked_table_is_not_waited_for(call: Call, owner: OwnerConnection) -> None:
    async with owner.transaction():
        await owner.execute("lock table vcontract.spelling in access exclusive mode")
        refused = await call("analyze_query", query="select * from spelling")

    assert refused["error_code"] == "DATABASE_ERROR"
    assert refused["details"]["reason"] == "timeout"


async def test_a_query_finds_only_the_rows_of_its_tenant(
    call: Call, call_as: Callable[..., Call], tenant: str
) -> None:
    for number in range(3):
        await call("create_vcon", vcon_data={"parties": [{}], "subject": f"Mine {number}"})
    query = "select * from vcon"

    async def rows(caller: Call) -> object:
        answer = await caller("analyze_query", query=query, analyze_mode="explain_analyze")
        return answer["query_analysis"]["actual_rows"]

    assert await rows(call) == 3
    assert await rows(call_as(f"{tenant}.other")) == 0


GUESSES = [
    "select * from party where email_folded = 'ann@example.com'",
    "select * from party where email_folded < 'm' and vcontract.party.name_folded like '%ann%'",
    "select vcontract.party.email_folded, p.* from vcontract.party, vcontract.party p"
    " where vcontract.party.vcon = p.vcon and p.email_folded > 'b'",
    "select * from tag where key = 'department' and value = 'sales' order by vcon",
    "select count(*) from vcon v join tag t on t.vcon = v.uuid join dialog d on d.vcon = v.uuid"
    " where t.value = 'sales' and v.created_at > now() - interval '1 day'",
    "select word from spelling where word like 'ann%' order by word limit 3",
    "select * from spelling a, spelling b, spelling c, spelling d where a.word <> b.word",
    "select type, count(*) from dialog group by type",
    "with vcon as (select * from vcontract.vcon) select * from vcon where parties > 1",
]


async def test_no_analysis_tells_what_another_tenant_stores(
    call_as: Callable[..., Call], app: App, owner: OwnerConnection, tenant: str
) -> None:
    mine, operators = call_as(f"{tenant}.b"), call_as(f"{tenant}.b", as_local=True)
    await mine("create_vcon", vcon_data={"parties": [{"name": "Bo"}], "tags": {"department": "support"}})

    async def analyses(caller: Call) -> list[JsonObject]:
        answers = [
            await caller("analyze_query", query=query, analyze_mode=mode)
            for query in [*QUERIES, *GUESSES]
            for mode in MODES
        ]
        for answer in answers:
            if answer["success"]:
                answer["query_analysis"].pop("planning_time_ms")
                answer["query_analysis"].pop("execution_time_ms", None)
        return answers

    async def store(number_of_vcons: int) -> None:
        for start in range(0, number_of_vcons, 100):
            documents = [
                {
                    "parties": [{"name": f"Ann {number}", "mailto": f"ann{number}@example.com"}] * 3,
                    "dialog": [{"type": "text", "body": "hello", "encoding": "none"}],
                    "subject": f"Subject {start + number}",
                }
                for number in range(100)
            ]
            prepared = [
                prepare(
                    each,
                    PrepareContext.load(),
                    now=datetime.now(UTC),
                    metadata={"tags": {"department": "sales"}},
                )
                for each in documents
            ]
            await VconStore(app.database).insert_batch(f"{tenant}.a", prepared)
        await owner.execute("analyze")

    await owner.execute("analyze")
    before, seen_by_operator = await analyses(mine), await analyses(operators)
    await store(300)

    assert await analyses(mine) == before
    assert await analyses(operators) != seen_by_operator
    assert {answer["success"] for answer in before} == {True}


@pytest.mark.parametrize("counted", [False, True])
async def test_a_tenant_learns_of_its_query_which_index_fits_and_what_it_found(
    call_as: Callable[..., Call], tenant: str, owner: OwnerConnection, counted: bool
) -> None:
    mine = call_as(tenant)
    if counted:
        await owner.execute("vacuum analyze vcontract_blank.tag, vcontract_blank.party")
    await mine("create_vcon", vcon_data={"parties": [{"name": "Bo"}, {"name": "Al"}]})

    async def analysis(query: str) -> JsonObject:
        found: JsonObject = await mine("analyze_query", query=query, analyze_mode="explain_analyze")
        return dict(found["query_analysis"])

    tagged = await analysis("select vcon from tag where key = 'team' and value = 'x'")
    whole = await analysis("select doc from party where name_folded > 'a' order by doc ->> 'name'")

    def starting(start: str, analysis: JsonObject) -> list[str]:
        return [note for note in analysis["notes"] if note.startswith(start)]

    assert tagged["notes"][0].startswith("The plan is for empty tables")
    assert starting("Uses the index tag_", tagged)
    assert starting("Uses the index party_pkey where (tenant = ", whole)
    assert starting("Sorts all that it found by ", whole)
    assert starting("Tests each row of party that it reads: (name_folded > 'a'::text).", whole)
    assert not starting("Reads the whole table", whole)
    assert (tagged["actual_rows"], whole["actual_rows"]) == (0, 2)
    assert whole["execution_time_ms"] >= 0
    assert "Actual Rows" not in whole["plan"]


async def test_what_a_tenant_may_run_does_not_depend_on_what_others_store(
    call_as: Callable[..., Call], tenant: str
) -> None:
    refused = await call_as(tenant)("analyze_query", query=COSTLY, analyze_mode="explain_analyze")

    assert refused["details"]["reason"] == "too_costly"


@pytest.fixture
def call_as(ask: Ask) -> Callable[..., Call]:
    """Calls as a tenant among others, or as the user of this machine for it."""

    def as_tenant(name: str, *, as_local: bool = False) -> Call:
        async def call(tool: str, /, **arguments: object) -> JsonObject:
            outcome = await ask(tool, as_tenant=name, as_local=as_local, **arguments)
            return outcome.structured

        return call

    return as_tenant


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("delete from vcontract.vcon", asyncpg.ReadOnlySQLTransactionError),
        ("select lo_create(0)", asyncpg.ReadOnlySQLTransactionError),
        ("create table vcontract.x (id int)", asyncpg.ReadOnlySQLTransactionError),
        ("create temp table x (id int)", asyncpg.ReadOnlySQLTransactionError),
        ("select * from vcontract.shared_secret", asyncpg.InsufficientPrivilegeError),
        ("select * from vcontract.audit", asyncpg.InsufficientPrivilegeError),
        ("select * from vcontract.migration", asyncpg.InsufficientPrivilegeError),
        ("select vcontract.count_rows('vcon')", asyncpg.InsufficientPrivilegeError),
        ("select pg_read_file('/etc/passwd')", asyncpg.InsufficientPrivilegeError),
        ("copy vcontract.vcon to program 'id'", asyncpg.InsufficientPrivilegeError),
        ("select 1; select 2", asyncpg.PostgresSyntaxError),
    ],
)
async def test_what_the_check_would_let_through_fails_all_the_same(
    database: Database, tenant: str, statement: str, error: type[asyncpg.PostgresError]
) -> None:
    async def run() -> None:
        async with analyst.analyst_connection(database, tenant) as connection:
            await connection.fetchval(statement)

    with pytest.raises(error):
        await run()


async def test_the_role_may_write_nothing_even_where_writing_is_possible(owner: OwnerConnection) -> None:
    rights = await owner.fetch(
        "select distinct privilege_type from pg_class c cross join lateral aclexplode(c.relacl) a"
        " where a.grantee = 'vcontract_analyst'::regrole"
    )
    (role,) = await owner.fetch("select * from pg_roles where rolname = 'vcontract_analyst'")

    assert {row["privilege_type"] for row in rights} == {"SELECT"}
    assert not any(role[name] for name in ("rolsuper", "rolbypassrls", "rolcreaterole", "rolcanlogin"))


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("role", "vcontract_analyst"),
        ("transaction_read_only", "on"),
        ("statement_timeout", "5s"),
        ("lock_timeout", "100ms"),
        # their memory would be beside that of the process that is bounded
        ("max_parallel_workers_per_gather", "0"),
    ],
)
async def test_a_query_runs_within_bounds(database: Database, tenant: str, setting: str, value: str) -> None:
    async with analyst.analyst_connection(database, tenant) as connection:
        assert await connection.fetchval(f"show {setting}") == value


async def test_no_query_is_analyzed_until_the_process_of_the_former_has_ended(
    call: Call, database: Database, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analyst, "TURN_TIMEOUT_MS", 1)

    # as that of another worker, or one that goes on after its caller got an answer
    async with analyst.analyst_connection(database, tenant):
        refused = await call("analyze_query", query="select 1")
    analyzed = await call("analyze_query", query="select 1")

    assert refused["error_code"] == "DATABASE_ERROR"
    assert (refused["details"]["reason"], refused["details"]["retryable"]) == ("timeout", True)
    assert analyzed["success"] is True


@pytest.mark.skipif(EXTERNAL_URL is not None, reason="only processes of our own server can be reached")
async def test_a_query_takes_what_others_leave_of_the_processors(
    database: Database, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Database, "is_embedded", True)

    async with analyst.analyst_connection(database, tenant) as connection:
        assert os.getpriority(os.PRIO_PROCESS, connection.get_server_pid()) == 19


async def test_one_query_is_analyzed_at_a_time(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    under_way, most = 0, 0

    async def analyze(*_: object, **__: object) -> query_analysis.QueryAnalysis:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        return query_analysis.QueryAnalysis({"Total Cost": 0, "Plan Rows": 0}, [], None)

    monkeypatch.setattr("vcontract.handlers.vcon.database.analyze_query", analyze)

    await asyncio.gather(*(call("analyze_query", query="select 1") for _ in range(5)))

    assert most == 1


async def test_a_query_runs_on_a_connection_that_ends_with_it(
    database: Database, tenant: str, owner: OwnerConnection
) -> None:
    async with analyst.analyst_connection(database, tenant) as connection:
        process = connection.get_server_pid()

    await wait_until_gone(owner, process)


async def wait_until_gone(owner: OwnerConnection, process: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            if not await owner.fetchval("select count(*) from pg_stat_activity where pid = $1", process):
                return
            await asyncio.sleep(0.002)


async def test_rows_that_were_not_expected_are_noted(call: Call, owner: OwnerConnection, tenant: str) -> None:
    await owner.execute(
        "insert into vcontract.spelling select $1, 'w' || i from generate_series(1, 20000) i", tenant
    )
    await owner.execute("analyze vcontract.spelling")

    query = "select word from spelling where word || 'x' = word || 'x'"
    analysis = (await call("analyze_query", query=query, analyze_mode="explain_analyze"))["query_analysis"]

    assert analysis["actual_rows"] == 20_000
    assert any("rows expected, 20000 found" in note for note in analysis["notes"])


@pytest.mark.parametrize(
    ("node", "notes"),
    [
        ({"Node Type": "Seq Scan", "Relation Name": "tag", "Plan Rows": 9_999}, []),
        (
            {"Node Type": "Seq Scan", "Relation Name": "tag", "Plan Rows": 10_000},
            ["Reads the whole table tag."],
        ),
        (
            {"Node Type": "Sort", "Plan Rows": 5, "Sort Space Type": "Disk", "Sort Space Used": 2048},
            ["Sorts 2048 kB on disk."],
        ),
        ({"Node Type": "Sort", "Plan Rows": 5, "Sort Space Type": "Memory", "Sort Space Used": 20}, []),
        ({"Node Type": "Hash", "Plan Rows": 10, "Actual Rows": 99.0}, []),
        ({"Node Type": "Hash", "Plan Rows": 10, "Actual Rows": 100.0}, ["Hash: 10 rows expected, 100 found"]),
        ({"Node Type": "Hash", "Plan Rows": 10, "Actual Rows": 0.0}, ["Hash: 10 rows expected, 0 found"]),
        ({"Node Type": "Hash", "Plan Rows": 1, "Actual Rows": 0.0}, []),
    ],
)
def test_what_is_worth_a_look_in_a_plan_is_noted(node: JsonObject, notes: list[str]) -> None:
    found = query_analysis.notes_on({"Node Type": "Limit", "Plan Rows": 1, "Plans": [node]})

    assert found[0].startswith("Expected rows and costs are of all tenants")
    assert len(found[1:]) == len(notes)
    assert all(note.startswith(start) for note, start in zip(found[1:], notes, strict=True))


async def test_every_allowed_function_and_type_exists_and_none_of_them_writes(owner: OwnerConnection) -> None:
    functions = await owner.fetch(
        "select proname, bool_or(provolatile = 'v') as is_volatile from pg_proc"
        " where pronamespace = 'pg_catalog'::regnamespace and proname = any($1) group by proname",
        sorted(FUNCTIONS),
    )
    types = await owner.fetch(
        "select typname from pg_type where typnamespace = 'pg_catalog'::regnamespace and typname = any($1)",
        sorted(TYPES),
    )

    assert {row["proname"] for row in functions} == FUNCTIONS
    assert {row["proname"] for row in functions if row["is_volatile"]} <= {"clock_timestamp"}
    assert {row["typname"] for row in types} == TYPES
