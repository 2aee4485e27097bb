"""The runner of schema changes, and the schema that they add up to."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import asyncpg
import pytest

from vcontract.runtime.store import migrations, schema
from vcontract.runtime.store.errors import MigrationError, SchemaOutOfDate
from vcontract.runtime.store.migrations import Migration, OwnerConnection, load_migrations, migrate, status
from vcontract.runtime.store.schema import SCHEMA_COMMAND, SCHEMA_FILE, describe_schema

MakeDatabase = Callable[[], Awaitable[str]]


@pytest.fixture
async def connection(make_empty_database: MakeDatabase) -> AsyncIterator[OwnerConnection]:
    opened: OwnerConnection = await asyncpg.connect(await make_empty_database())
    yield opened
    await opened.close()


@pytest.fixture
async def described(make_empty_database: MakeDatabase) -> AsyncIterator[OwnerConnection]:
    """A database with one of everything."""
    opened: OwnerConnection = await asyncpg.connect(await make_empty_database())
    await opened.execute(
        """
        create schema vcontract;
        create table vcontract.thing (id int primary key, body text, extra text);
        alter table vcontract.thing enable row level security;
        create policy own on vcontract.thing using (body = 'mine');
        create function vcontract.double(value int) returns int language sql return 2 * value;
        create view vcontract.things as select id, body from vcontract.thing;
        """
    )
    yield opened
    await opened.close()


def _folder(place: Path, **files: str) -> tuple[Migration, ...]:
    """Migrations from files named without their ending, an `m` in front of the number."""
    place.mkdir(exist_ok=True)
    for name, sql in files.items():
        (place / f"{name.removeprefix('m')}.sql").write_text(sql, encoding="utf-8")
    return load_migrations(place)


async def _tables(connection: OwnerConnection) -> list[str]:
    rows = await connection.fetch("select tablename from pg_tables where schemaname = 'public' order by 1")
    return [row[0] for row in rows]


async def test_files_are_applied_in_order_and_once(connection: OwnerConnection, tmp_path: Path) -> None:
    known = _folder(
        tmp_path,
        m0001_first="create table a (id int); create table b (id int);",
        m0002_second="insert into a values (1); alter table b rename to c;",
    )
    assert [step.file_name for step in await migrate(connection, known)] == [
        "0001_first.sql",
        "0002_second.sql",
    ]
    assert await migrate(connection, known) == ()
    assert await _tables(connection) == ["a", "c"]
    assert await connection.fetchval("select count(*) from a") == 1


async def test_status_tells_what_is_there_and_what_is_missing(
    connection: OwnerConnection, tmp_path: Path
) -> None:
    first = _folder(tmp_path, m0001_first="create table a (id int);")
    before = await status(connection, first)
    assert (before.applied, before.pending) == ((), first)
    with pytest.raises(SchemaOutOfDate, match=r"lacks 0001_first\.sql; run: vcontract db migrate"):
        before.check()
    await migrate(connection, first)
    both = _folder(tmp_path, m0002_second="create table b (id int);")
    after = await status(connection, both)
    assert [(row.version, row.name, row.checksum) for row in after.applied] == [
        (1, "first", first[0].checksum)
    ]
    assert after.pending == both[1:]
    assert not after.is_current
    await migrate(connection, both)
    current = await status(connection, both)
    assert current.is_current
    current.check()


async def test_status_changes_nothing(connection: OwnerConnection, tmp_path: Path) -> None:
    await status(connection, _folder(tmp_path, m0001_first="create table a (id int);"))
    assert await connection.fetchval("select count(*) from pg_namespace where nspname = 'vcontract'") == 0


async def test_a_file_changed_after_it_was_applied_is_refused(
    connection: OwnerConnection, tmp_path: Path
) -> None:
    await migrate(connection, _folder(tmp_path, m0001_first="create table a (id int);"))
    changed = _folder(tmp_path, m0001_first="create table a (id bigint);", m0002_next="create table b ();")
    with pytest.raises(MigrationError, match=r"0001_first\.sql was changed after it was applied on \d{4}-"):
        await migrate(connection, changed)
    assert await _tables(connection) == ["a"]
    assert not (await status(connection, changed)).is_current


async def test_a_database_from_a_newer_version_is_refused(
    connection: OwnerConnection, tmp_path: Path
) -> None:
    newer = _folder(tmp_path, m0001_first="create table a ();", m0002_second="create table b ();")
    await migrate(connection, newer)
    with pytest.raises(MigrationError, match="has migration 0002_second, which this program does not know"):
        await migrate(connection, newer[:1])


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
    assert (await status(connection, known)).pending == known[1:]
    # and the runner can go on with the same connection when the file is mended
    mended = _folder(tmp_path, m0002_bad="create table b ();")
    await migrate(connection, mended)
    assert await _tables(connection) == ["a", "b", "c"]


async def test_runners_that_race_on_one_database_apply_each_file_once(
    make_empty_database: MakeDatabase, tmp_path: Path
) -> None:
    known = _folder(tmp_path, m0001_first="create table a ();", m0002_second="create table b ();")
    url = await make_empty_database()

    async def run() -> tuple[Migration, ...]:
        connection: OwnerConnection = await asyncpg.connect(url)
        try:
            return await migrate(connection, known)
        finally:
            await connection.close()

    done = await asyncio.gather(*(run() for _ in range(8)))
    assert sorted(len(steps) for steps in done) == [0, 0, 0, 0, 0, 0, 0, 2]


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
        assert [len(steps) for steps in done] == [1] * 6
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
        load_migrations(tmp_path)


def test_line_ends_of_a_checkout_do_not_count_as_a_change(tmp_path: Path) -> None:
    (tmp_path / "0001_a.sql").write_bytes(b"select 1;\nselect 2;\n")
    unix = load_migrations(tmp_path)
    (tmp_path / "0001_a.sql").write_bytes(b"select 1;\r\nselect 2;\r\n")
    assert load_migrations(tmp_path) == unix


async def test_our_migrations_add_up_to_schema_sql(connection: OwnerConnection) -> None:
    await migrate(connection)
    file = migrations.migrations_folder() / SCHEMA_FILE
    written = file.read_text(encoding="utf-8") if file.exists() else ""
    assert await describe_schema(connection) == written, (
        f"{SCHEMA_FILE} is not what the migrations add up to; run: {SCHEMA_COMMAND}"
    )


def test_the_command_writes_what_the_migrations_of_a_folder_add_up_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _folder(tmp_path, m0001_first="create table vcontract.thing (id int primary key);")
    monkeypatch.setattr(migrations, "migrations_folder", lambda: tmp_path)
    assert schema.main() == 0
    assert "create table vcontract.thing (" in (tmp_path / SCHEMA_FILE).read_text(encoding="utf-8")
    assert str(tmp_path / SCHEMA_FILE) in capsys.readouterr().out
    # and the file is not taken for a migration afterwards
    assert len(load_migrations(tmp_path)) == 1


def test_the_command_reports_a_failing_migration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _folder(tmp_path, m0001_good="create table x ();")
    (tmp_path / "0003_gap.sql").touch()
    monkeypatch.setattr(migrations, "migrations_folder", lambda: tmp_path)
    assert schema.main() == 1
    assert "0003_gap.sql stands where number 0002 should" in capsys.readouterr().err
    assert not (tmp_path / SCHEMA_FILE).exists()


@pytest.mark.parametrize(
    "change",
    [
        "create table vcontract.more (id int)",
        "alter table vcontract.thing add column more text",
        "alter table vcontract.thing drop column extra",
        "alter table vcontract.thing alter column extra type varchar(10)",
        "alter table vcontract.thing alter column body set not null",
        "alter table vcontract.thing alter column body set default 'x'",
        "alter table vcontract.thing alter column body set statistics 400",
        "alter table vcontract.thing alter column body set storage external",
        "alter table vcontract.thing alter column body set compression pglz",
        'alter table vcontract.thing alter column extra type text collate "C"',
        "alter table vcontract.thing add column sum int generated always as (id + 1) stored",
        "alter table vcontract.thing alter column id add generated always as identity",
        "alter table vcontract.thing add check (id > 0)",
        "alter table vcontract.thing add unique (body)",
        "alter table vcontract.thing add foreign key (id) references vcontract.thing",
        "alter table vcontract.thing set (fillfactor = 70)",
        "create index more on vcontract.thing (body) where id > 7",
        "alter table vcontract.thing disable row level security",
        "alter table vcontract.thing force row level security",
        "alter policy own on vcontract.thing using (body = 'other')",
        "create policy other on vcontract.thing as restrictive for insert to public with check (id > 0)",
        "grant update on vcontract.thing to public",
        "grant update (body) on vcontract.thing to public",
        "revoke execute on function vcontract.double(int) from public",
        "grant usage on schema vcontract to public",
        "create or replace function vcontract.double(value int) returns int language sql return 3 * value",
        "alter function vcontract.double(int) immutable",
        "create or replace view vcontract.things as select id, body, 1 as one from vcontract.thing",
        "create materialized view vcontract.more as select 1 as one",
        "create sequence vcontract.more",
        "create type vcontract.mood as enum ('good', 'bad')",
        "create domain vcontract.word as text check (value <> '')",
        "create extension btree_gist",
        "create trigger more before update on vcontract.thing"
        " for each row execute function suppress_redundant_updates_trigger()",
    ],
)
async def test_the_schema_text_tells_every_change(described: OwnerConnection, change: str) -> None:
    before = await describe_schema(described)
    transaction = described.transaction()
    await transaction.start()
    await described.execute(change)
    assert await describe_schema(described) != before
    await transaction.rollback()
    assert await describe_schema(described) == before
