"""The runner of schema changes, and the schema that they add up to."""

import asyncio
import lzma
import subprocess
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import asyncpg
import pytest
from pydantic import SecretStr

from tests.conftest import ALL_SCOPES, Cluster
from tests.house import ROOT
from tests.store.keep_release import RELEASED, UUID
from vcontract.runtime.app import build
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.errors import MigrationError, SchemaOutOfDate
from vcontract.runtime.store.postgres.installation import find_installation
from vcontract.runtime.store.postgres.migrations import migrate
from vcontract.runtime.store.postgres.schema_files import SchemaFiles, load_schema_files
from vcontract.runtime.store.postgres.schema_status import OwnerConnection, SchemaStatus, schema_status
from vcontract.runtime.store.vcons.preparation import PrepareContext, prepare
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.vcon.times import format_time

MakeDatabase = Callable[[], Awaitable[str]]


@pytest.fixture
async def connection(make_empty_database: MakeDatabase) -> AsyncIterator[OwnerConnection]:
    opened: OwnerConnection = await asyncpg.connect(await make_empty_database())
    yield opened
    await opened.close()


def _folder(place: Path, **files: str) -> SchemaFiles:
    """Schema files, named without their ending: an `m` in front of a number, an `f` in front of functions."""
    (place / "functions").mkdir(parents=True, exist_ok=True)
    for name, sql in files.items():
        path = f"functions/{name[1:]}.sql" if name.startswith("f_") else f"{name.removeprefix('m')}.sql"
        (place / path.replace("/_", "/")).write_text(sql, encoding="utf-8")
    return load_schema_files(place)


def _function(name: str, body: str, *, arguments: str = "", result: str = "integer") -> str:
    head = f"create or replace function vcontract.{name}({arguments}) returns {result}"
    return f"{head} language sql as $$ {body} $$;"


ONE_A = _function("a", "select 1")


async def _tables(connection: OwnerConnection) -> list[str]:
    rows = await connection.fetch("select tablename from pg_tables where schemaname = 'public' order by 1")
    return [row[0] for row in rows]


async def test_files_are_applied_in_order_and_once(connection: OwnerConnection, tmp_path: Path) -> None:
    known = _folder(
        tmp_path,
        m0001_first="create table a (id int); create table b (id int);",
        m0002_second="insert into a values (1); alter table b rename to c;",
    )
    assert (await migrate(connection, known)).lacking == ("0001_first.sql", "0002_second.sql")
    assert (await migrate(connection, known)).lacking == ()
    assert await _tables(connection) == ["a", "c"]
    assert await connection.fetchval("select count(*) from a") == 1


async def test_status_tells_what_is_there_and_what_is_missing(
    connection: OwnerConnection, tmp_path: Path
) -> None:
    first = _folder(tmp_path, m0001_first="create table a (id int);")
    before = await schema_status(connection, first)
    assert (before.applied, before.pending) == ((), first.numbered)
    with pytest.raises(SchemaOutOfDate, match=r"lacks 0001_first\.sql; run: vcontract db migrate"):
        before.check()
    await migrate(connection, first)
    both = _folder(tmp_path, m0002_second="create table b (id int);")
    after = await schema_status(connection, both)
    assert [(row.version, row.name, row.checksum) for row in after.applied] == [
        (1, "first", first.numbered[0].checksum)
    ]
    assert after.pending == both.numbered[1:]
    assert not after.is_current
    await migrate(connection, both)
    current = await schema_status(connection, both)
    assert current.is_current
    current.check()


async def test_status_changes_nothing(connection: OwnerConnection, tmp_path: Path) -> None:
    await schema_status(connection, _folder(tmp_path, m0001_first="create table a (id int);"))
    assert await connection.fetchval("select count(*) from pg_namespace where nspname = 'vcontract'") == 0


async def test_a_file_changed_after_it_was_applied_is_refused(
    connection: OwnerConnection, tmp_path: Path
) -> None:
    await migrate(connection, _folder(tmp_path, m0001_first="create table a (id int);"))
    changed = _folder(tmp_path, m0001_first="create table a (id bigint);", m0002_next="create table b ();")
    with pytest.raises(MigrationError, match=r"0001_first\.sql was changed after it was applied on \d{4}-"):
        await migrate(connection, changed)
    assert await _tables(connection) == ["a"]
    assert not (await schema_status(connection, changed)).is_current


async def test_a_database_from_a_newer_version_is_refused(
    connection: OwnerConnection, tmp_path: Path
) -> None:
    older = _folder(tmp_path, m0001_first="create table a ();")
    newer = _folder(tmp_path, m0002_second="create table b ();")
    await migrate(connection, newer)
    with pytest.raises(MigrationError, match="has migration 0002_second, which this program does not know"):
        await migrate(connection, older)


async def test_a_failing_file_leaves_nothing_of_itself_and_names_its_line(
    connection: OwnerConnection, tmp_path: Path
) -> None:
    known = _folder(
        tmp_path,
        m0001_good="create table a ();",
        m0002_bad="create table b ();\n\nselect *\nfrom nowhere;\n",
        m0003_never="create table c ();",
    )
    with pytest.raises(MigrationError, match=r'0002_bad\.sql, line 4: relation "nowhere" does not exist'):
        await migrate(connection, known)
    assert await _tables(connection) == ["a"]
    assert (await schema_status(connection, known)).pending == known.numbered[1:]
    # and the runner can go on with the same connection when the file is mended
    mended = _folder(tmp_path, m0002_bad="create table b ();")
    await migrate(connection, mended)
    assert await _tables(connection) == ["a", "b", "c"]


async def test_runners_that_race_on_one_database_apply_each_file_once(
    make_empty_database: MakeDatabase, tmp_path: Path
) -> None:
    known = _folder(
        tmp_path,
        m0001_first="create table a ();",
        m0002_second="create table b ();",
        f_one=_function("one", "select 1"),
    )
    url = await make_empty_database()

    async def run() -> SchemaStatus:
        connection: OwnerConnection = await asyncpg.connect(url)
        try:
            return await migrate(connection, known)
        finally:
            await connection.close()

    done = await asyncio.gather(*(run() for _ in range(8)))
    assert sorted(len(found.lacking) for found in done) == [0, 0, 0, 0, 0, 0, 0, 3]


@pytest.mark.usefixtures("superuser")
async def test_databases_of_one_server_are_migrated_at_once_though_they_share_roles(
    make_empty_database: MakeDatabase, tmp_path: Path
) -> None:
    # given migrations that touch a role, which belongs to the whole server, and several databases
    role = f"vcontract_test_{uuid.uuid4().hex}"
    known = _folder(
        tmp_path,
        m0001_role=f"""
            do $$ begin
                create role {role};
            exception when duplicate_object or unique_violation then
                null;
            end $$;
            create table a ();
            grant select on a to {role};
            alter role {role} set jit = off;
        """,
    )
    urls = [await make_empty_database() for _ in range(6)]
    connections: list[OwnerConnection] = [await asyncpg.connect(url) for url in urls]
    # when all are migrated at the same time
    try:
        done = await asyncio.gather(*(migrate(connection, known) for connection in connections))
        # then nobody stumbles over the others
        assert [len(found.pending) for found in done] == [1] * 6
    finally:
        for connection in connections:
            await connection.execute(f"drop owned by {role}")
        await connections[0].execute(f"drop role {role}")
        for connection in connections:
            await connection.close()


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["0001_a", "0003_c"], r"0003_c\.sql stands where number 0002 should"),
        (["0002_b"], r"0002_b\.sql stands where number 0001 should"),
        (["0001_a", "0001_b"], r"0001_b\.sql stands where number 0002 should"),
        (["1_a"], r"1_a\.sql is not named like 0001_name\.sql"),
        (["0001-a"], r"0001-a\.sql is not named like"),
        (["0001_A"], r"0001_A\.sql is not named like"),
    ],
)
def test_misnamed_files_are_refused(tmp_path: Path, names: list[str], message: str) -> None:
    for name in names:
        (tmp_path / f"{name}.sql").write_text("select 1;", encoding="utf-8")
    with pytest.raises(MigrationError, match=message):
        load_schema_files(tmp_path)


def test_line_ends_of_a_checkout_do_not_count_as_a_change(tmp_path: Path) -> None:
    (tmp_path / "0001_a.sql").write_bytes(b"select 1;\nselect 2;\n")
    unix = load_schema_files(tmp_path)
    (tmp_path / "0001_a.sql").write_bytes(b"select 1;\r\nselect 2;\r\n")
    assert load_schema_files(tmp_path) == unix


async def _functions(connection: OwnerConnection) -> list[str]:
    rows = await connection.fetch(
        "select oid::regprocedure::text from pg_proc"
        " where pronamespace = 'vcontract'::regnamespace order by 1"
    )
    return [row[0].removeprefix("vcontract.") for row in rows]


async def test_functions_follow_the_tables_and_are_replaced_when_their_file_changes(
    connection: OwnerConnection, tmp_path: Path
) -> None:
    # given a function that reads a table, which only a later file makes
    first = _folder(
        tmp_path,
        m0001_first="create table a (id int);",
        f_count=_function("count", "select count(*)::integer from a"),
    )
    assert (await migrate(connection, first)).lacking == ("0001_first.sql", "functions/count.sql")
    made = await connection.fetchval("select 'vcontract.count'::regproc::oid")
    # when its text changes
    changed = _folder(tmp_path, f_count=_function("count", "select -count(*)::integer - 1 from a"))
    with pytest.raises(SchemaOutOfDate, match=r"lacks functions/count\.sql; run: vcontract db migrate"):
        (await schema_status(connection, changed)).check()
    assert (await migrate(connection, changed)).lacking == ("functions/count.sql",)
    # then the new one stands in the place of the old one, for statements that know that place
    assert await connection.fetchval("select vcontract.count()") == -1
    assert await connection.fetchval("select 'vcontract.count'::regproc::oid") == made
    assert (await migrate(connection, changed)).lacking == ()


@pytest.mark.parametrize(
    ("changed", "call", "answer"),
    [
        (_function("f", "select 'x'", arguments="a integer", result="text"), "vcontract.f(1)", "x"),
        (_function("f", "select 7 * b", arguments="b integer"), "vcontract.f(1)", 7),
        (_function("f", "select 2", arguments="a integer, b integer default 1"), "vcontract.f(1)", 2),
        (_function("f", "select 3", arguments="a text"), "vcontract.f('1')", 3),
        (_function("g", "select 4", arguments="a integer"), "vcontract.g(1)", 4),
    ],
    ids=["result", "parameter's name", "more parameters", "parameter's type", "name"],
)
async def test_of_a_function_whose_signature_changes_only_the_new_one_is_left(
    connection: OwnerConnection, tmp_path: Path, changed: str, call: str, answer: object
) -> None:
    # given two functions that hold each other by more than their names
    user = "create or replace function vcontract.user_of() returns text language sql return {}::text;"
    old = _function("f", "select a", arguments="a integer")
    await migrate(connection, _folder(tmp_path, f_f=old, f_user=user.format("vcontract.f(1)")))
    # when the one that is used changes
    await migrate(connection, _folder(tmp_path, f_f=changed, f_user=user.format(call)))
    # then the other one uses the new one, and the old one is gone
    assert await connection.fetchval("select vcontract.user_of()") == str(answer)
    assert len(await _functions(connection)) == 2


async def test_a_function_that_no_file_makes_any_more_is_dropped(
    connection: OwnerConnection, tmp_path: Path
) -> None:
    await migrate(connection, _folder(tmp_path, f_a=ONE_A, f_b=_function("b", "select 1")))
    (tmp_path / "functions" / "b.sql").unlink()
    assert (await migrate(connection, load_schema_files(tmp_path))).lacking == ("functions/b.sql",)
    assert await _functions(connection) == ["a()"]


async def test_a_function_that_a_policy_calls_is_replaced_where_it_stands(
    connection: OwnerConnection, tmp_path: Path
) -> None:
    (tmp_path / "before.sql").write_text(_function("may", "select 1"), encoding="utf-8")
    tables = "create table a (id int); create policy own on a using (id = vcontract.may());"
    await migrate(
        connection, _folder(tmp_path, m0001_first=tables, f_f=_function("f", "select 1", result="integer"))
    )
    (tmp_path / "before.sql").write_text(_function("may", "select 2"), encoding="utf-8")
    await migrate(connection, _folder(tmp_path, f_f=_function("f", "select 'x'", result="text")))
    assert await connection.fetchval("select vcontract.may()") == 2
    assert await connection.fetchval("select vcontract.f()") == "x"


async def test_a_function_that_a_numbered_file_dropped_is_made_again(
    connection: OwnerConnection, tmp_path: Path
) -> None:
    await migrate(connection, _folder(tmp_path, f_a=ONE_A))
    await migrate(connection, _folder(tmp_path, m0001_first="drop function vcontract.a();"))
    assert await _functions(connection) == ["a()"]


async def test_a_failing_file_of_functions_leaves_all_functions_as_they_were(
    connection: OwnerConnection, tmp_path: Path
) -> None:
    await migrate(connection, _folder(tmp_path, f_a=ONE_A, f_b=_function("b", "select 1")))
    wrong = _folder(tmp_path, f_a=_function("a", "select 2"), f_b=_function("b", "\nselect id from nowhere"))
    with pytest.raises(MigrationError, match=r'functions/b\.sql, line 2: relation "nowhere" does not exist'):
        await migrate(connection, wrong)
    assert await connection.fetchval("select vcontract.a()") == 1
    assert (await schema_status(connection, wrong)).lacking == ("functions/a.sql", "functions/b.sql")


async def test_functions_of_a_newer_program_are_refused_and_left_alone(
    connection: OwnerConnection, tmp_path: Path
) -> None:
    await migrate(connection, _folder(tmp_path, f_a=ONE_A))
    await connection.execute("update vcontract.function_file set program = '10.0.0rc1'")
    # the same functions serve this program as well
    assert (await schema_status(connection, load_schema_files(tmp_path))).is_current
    other = _folder(tmp_path, f_a=_function("a", "select 2"))
    with pytest.raises(
        MigrationError, match=r"functions of the database were made by vcontract 10\.0\.0rc1, this"
    ):
        await migrate(connection, other)
    assert await connection.fetchval("select vcontract.a()") == 1


async def test_functions_of_an_older_program_are_replaced(
    connection: OwnerConnection, tmp_path: Path
) -> None:
    await migrate(connection, _folder(tmp_path, f_a=ONE_A))
    await connection.execute("update vcontract.function_file set program = '0.0.9'")
    await migrate(connection, _folder(tmp_path, f_a=_function("a", "select 2")))
    assert await connection.fetchval("select vcontract.a()") == 2
    assert not await connection.fetchval("select program = '0.0.9' from vcontract.function_file")


async def test_rights_that_were_given_by_hand_end_with_the_next_change(connection: OwnerConnection) -> None:
    await migrate(connection)
    await connection.execute("grant execute on function vcontract.few_matches to public")
    await connection.execute(
        "update vcontract.function_file set checksum = '' where name = 'functions/search.sql'"
    )
    await migrate(connection)
    assert not await connection.fetchval(
        "select has_function_privilege('vcontract_server', 'vcontract.few_matches(text,integer)', 'execute')"
    )


def _program(name: str, url: str, *arguments: str, given: bytes = b"") -> str:
    done = subprocess.run(  # noqa: S603 - PostgreSQL's own program
        [find_installation().program(name), "-d", url, *arguments],
        input=given,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()


def _schema_of(url: str) -> list[str]:
    """The schema as pg_dump prints it, without what differs from run to run."""
    dumped = _program("pg_dump", url, "--schema-only", "--schema=vcontract", "--no-comments")
    return [line for line in dumped.splitlines() if not line.startswith("\\")]


@pytest.mark.usefixtures("superuser")
@pytest.mark.parametrize("version", sorted(file.name.removesuffix(".sql.xz") for file in RELEASED.iterdir()))
async def test_a_store_of_each_release_becomes_as_a_new_one(
    make_empty_database: MakeDatabase,
    template_database: str,
    cluster: Cluster,
    settings: Settings,
    version: str,
) -> None:
    # given a store as that version made it; at 0.0.0, before the first, numbered files held functions
    url = await make_empty_database()
    kept = lzma.decompress((RELEASED / f"{version}.sql.xz").read_bytes())
    _program("psql", url, "-q", "-v", "ON_ERROR_STOP=1", given=kept)
    connection: OwnerConnection = await asyncpg.connect(url)
    # when it is brought up to date
    await migrate(connection)
    assert (await schema_status(connection)).is_current
    await connection.close()
    # then it has the schema of a new one, and its vCon is found
    assert _schema_of(url) == _schema_of(cluster.url(template_database))
    app = await build(settings.model_copy(update={"database_url": SecretStr(url)}))

    async def found(query: str) -> list[JsonObject]:
        arguments: JsonObject = {"mode": "keyword", "query": query}
        answer = await app.dispatcher.call("vcon_search", arguments, Caller("default", ALL_SCOPES))
        items: list[JsonObject] = answer.structured["items"]
        return items

    try:
        of_words = await found("workshop lease")
        # the turn is also found by who says it
        speaks = {"0.0.0": "Nadia"}.get(version, "Ann")
        (of_speaker, *_) = await found(f"{speaks} workshop")
    finally:
        await app.close()
    assert [item["uuid"] for item in of_words] == [UUID]
    assert of_speaker["uuid"] == UUID
    because = {hit["content_type"]: hit["because"] for hit in of_speaker["match"]["hits"]}
    assert "speaker" in because["dialog"]


STARTS: list[list[object]] = [
    [],
    ["2024-03-02T10:00:00Z", "2024-03-01T23:30:00-05:00"],
    ["2024-03-02", "soon", 7, None, "2024-02-30T10:00:00Z"],
    ["1970-01-01T00:00:00Z", "2024-03-02 10:00"],
    ["0001-01-01T00:00:00Z"],
    ["2024-03-02t10:00:00.123456z", "2024-03-02T24:00:00Z"],
    ["2024-12-31T23:59:60Z", "2025-03-02T10:00:00+0530"],
    ["1969-12-31T23:59:59Z", "2024-03-02T10:00:00Z"],
]


async def test_stores_of_before_learn_when_their_conversations_began(
    owner: OwnerConnection, database: Database
) -> None:
    # given vCons of a store as it was before
    made = datetime(2026, 1, 1, tzinfo=UTC)
    context = PrepareContext.load()
    dialogs = [[{"type": "text", "start": start} for start in starts] for starts in STARTS]
    vcons = [{"created_at": format_time(made), "parties": [], "dialog": dialog} for dialog in dialogs]
    prepared = [prepare(vcon, context, now=made) for vcon in vcons]
    await VconStore(database).insert_batch("before", prepared)
    file = next(each for each in load_schema_files().numbered if "began" in each.name)
    async with owner.transaction():
        await owner.execute(
            "alter table vcontract.vcon drop column began_at; drop index vcontract.vcon_created"
        )
        await owner.execute("create index vcon_newest on vcontract.vcon (tenant, created_at desc, uuid desc)")
        await owner.execute(
            "update vcontract.search_document set occurred_at = now() where tenant = 'before'"
        )
        # when the store is brought up to date
        await owner.execute(file.sql)
    # then it has what is stored of new ones
    rows = await owner.fetch(
        "select v.uuid, v.began_at, d.occurred_at from vcontract.vcon v"
        " join vcontract.search_document d on d.tenant = v.tenant and d.id = v.uuid where v.tenant = 'before'"
    )
    found = {row["uuid"]: (row["began_at"], row["occurred_at"]) for row in rows}
    assert found == {each.uuid: (each.began_at, each.began_at) for each in prepared}


def test_a_store_of_each_release_is_kept() -> None:
    now = metadata.version("vcontract")
    released = {file.stem for file in (ROOT / "spec" / "released").iterdir()} - {now}
    kept = {file.name.removesuffix(".sql.xz") for file in RELEASED.iterdir()}
    assert released <= kept, f"run `make keep-store` at the tag of {', '.join(sorted(released - kept))}"
