"""What the database gives the server: less than its owner's rights, whatever SQL got in."""

import asyncio
import json
import os
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest
from pydantic import SecretStr

from tests.conftest import ALL_SCOPES, PATIENCE, Cluster
from vcontract.runtime.app import build
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database, savepoint
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.store.postgres.errors import ServerUnsuitable
from vcontract.runtime.store.postgres.migrations import migrate
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

DENIED = asyncpg.InsufficientPrivilegeError
TENANT = "victim"


@pytest.fixture(scope="module")
async def own_cluster(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EmbeddedCluster]:
    """A server as every user has it: with the settings of the program."""
    cluster = EmbeddedCluster(tmp_path_factory.mktemp("least"), linger=0)
    yield cluster
    await asyncio.to_thread(cluster.stop)


@pytest.fixture(scope="module")
async def served(own_cluster: EmbeddedCluster) -> AsyncIterator[Database]:
    """The embedded database as the server has it, with a row of a tenant."""
    settings = Settings(data_dir=own_cluster.folder.parent, database_url=None)
    database = await Database.open(settings, cluster=own_cluster)
    async with database.writing(TENANT) as connection:
        await connection.execute(
            "insert into vcontract.search_document values ($1, 'vcon', $2, now(), $3)",
            *(TENANT, uuid.uuid4(), b"\0\0\0\1refund\0\0\1\0\1"),
        )
    yield database
    await database.close()


@pytest.fixture
async def master(served: Database) -> AsyncIterator[OwnerConnection]:
    """The superuser's connection to the embedded database."""
    connection: OwnerConnection = await asyncpg.connect(served.owner_url)
    yield connection
    await connection.close()


async def test_functions_are_called_by_the_server_only_and_find_nothing_in_a_temporary_schema(
    owner: OwnerConnection,
) -> None:
    functions = await owner.fetch(
        "select p.oid::regprocedure::text as name, p.prosecdef as definer, r.rolsuper as of_superuser,"
        " has_function_privilege('public', p.oid, 'execute') as is_public,"
        " (select c from unnest(p.proconfig) c where c like 'search_path=%') as path"
        " from pg_proc p join pg_roles r on r.oid = p.proowner"
        " where p.pronamespace = 'vcontract'::regnamespace"
    )
    assert sum(row["definer"] for row in functions) > 15
    assert [row["name"] for row in functions if row["is_public"]] == []
    assert [row["name"] for row in functions if row["definer"] and row["path"] is None] == []
    assert [row["name"] for row in functions if row["path"] and not row["path"].endswith(", pg_temp")] == []
    # an ordinary owner keeps what it made; what a superuser made is given away
    assert [row["name"] for row in functions if row["of_superuser"]] == []


async def test_the_server_may_not_call_what_takes_conditions_or_changes_all_tenants(
    owner: OwnerConnection,
) -> None:
    kept = await owner.fetch(
        "select distinct proname from pg_proc where pronamespace = 'vcontract'::regnamespace"
        " and not has_function_privilege('vcontract_server', oid, 'execute')"
    )
    assert {row["proname"] for row in kept} == {
        *("add_role", "bind_to_consent", "bind_to_tenant", "make_embedding_partition", "recount_vocabulary"),
        *("few_matches", "set_quota"),
    }


async def test_everything_of_the_schema_belongs_to_a_role_without_powers(master: OwnerConnection) -> None:
    owners = await master.fetch(
        "select distinct r.* from pg_roles r where r.oid in ("
        " select nspowner from pg_namespace where nspname = 'vcontract'"
        " union select relowner from pg_class where relnamespace = 'vcontract'::regnamespace"
        " union select proowner from pg_proc where pronamespace = 'vcontract'::regnamespace"
        " union select stxowner from pg_statistic_ext where stxnamespace = 'vcontract'::regnamespace)"
    )
    (owner,) = owners
    assert owner["rolname"] == "vcontract_owner"
    powers = ("rolsuper", "rolbypassrls", "rolcreatedb", "rolcreaterole", "rolreplication", "rolcanlogin")
    assert [power for power in powers if owner[power]] == []


CANDIDATES = (
    "select * from vcontract.search_candidates($1, $2, $3, $4::tsquery[], $5, $6::tsquery, 10, 10, $7, null,"
    " null, $8, $9::text::halfvec, 10, false)"
)
GIVEN = ("{}", "vcon", None, ["refund"], [16], "refund", None, 1, f"[{', '.join(['0.1'] * 384)}]")


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, '{"subject": "\' or true or \'"}'),
        (0, '{"required": [[{"words": "\'refund\') or true or (\'"}]]}'),
        (1, "vcon' or true --"),
        (1, "%L"),
        (3, ["refund'::tsquery then 1 else 0 end, 'x'"]),
        (3, ["refund", "'%s' | '%1$s'"]),
        (5, "refund' or true --"),
        (5, "'%s'"),
    ],
)
async def test_no_argument_of_candidates_becomes_sql(
    served: Database, place: int, value: str | list[str]
) -> None:
    arguments: list[object] = [*GIVEN]
    arguments[place] = value
    if isinstance(value, list):
        arguments[4] = [16] * len(value)
    refused = ""

    async with served.reading(TENANT) as connection:
        assert await connection.fetch(CANDIDATES, *GIVEN) == []
        try:
            assert await connection.fetch(CANDIDATES, *arguments) == []
        except asyncpg.PostgresSyntaxError as error:
            refused = str(error)

    # what is no tsquery is refused as that, and not as a statement
    assert "in tsquery" in (refused or "in tsquery")


@pytest.mark.parametrize(
    "statement",
    [
        "create temporary table mine (a int)",
        "create domain pg_temp.tsquery as text",
        "create table vcontract.mine (a int)",
        "create table public.mine (a int)",
        "create schema mine",
        "create extension pg_stat_statements",
        "set role postgres",
        "set role vcontract_owner",
        "set session authorization postgres",
        "set role none; select * from vcontract.vcon",
        "reset role; select * from vcontract.shared_secret",
        "reset session authorization; select pg_read_file('PG_VERSION')",
        "select pg_read_file('PG_VERSION')",
        "copy vcontract.vcon to program 'true'",
        "select set_config('log_statement', 'none', false)",
        "alter role vcontract_server superuser",
        "grant vcontract_owner to vcontract_server",
        "alter table vcontract.vcon disable row level security",
        "alter function vcontract.current_tenant() owner to vcontract_server",
    ],
)
async def test_the_server_is_refused(served: Database, statement: str) -> None:
    with pytest.raises(DENIED):
        async with served.writing(TENANT) as connection:
            await connection.execute(statement)


async def test_a_temporary_type_does_not_stand_for_ours_in_a_function_of_the_owner(
    served: Database, master: OwnerConnection
) -> None:
    # given a database that allows the server temporary objects after all, and types made to be called
    await master.execute("grant temporary on database vcontract to vcontract_server")
    try:
        async with served.writing(TENANT) as connection:
            await connection.execute(
                """
                create function pg_temp.evil(value text) returns boolean language sql as
                    $$ select set_config('evil.ran_as', current_user, false) is not null $$;
                create domain pg_temp.tsquery as text check (pg_temp.evil(value));
                create domain pg_temp.uuid as text check (pg_temp.evil(value));
                create function pg_temp.similarity(text, text) returns real language sql as
                    $$ select length(set_config('evil.ran_as', current_user, false))::real $$;
                """
            )
            # when functions that run with their owner's rights use types and functions of these names
            spec = {"required": [[{"words": "'refund'"}]]}
            found = await connection.fetchval(
                "select vcontract.search_count($1, 'vcon', 10)", json.dumps(spec)
            )
            await connection.fetch("select * from vcontract.near_spellings('refnd', 0.1, 5)")
            await connection.fetch("select vcontract.count_things('{vcon}', '{refund}', 10)")
            # then they find PostgreSQL's
            assert await connection.fetchval("select current_setting('evil.ran_as', true)") in (None, "")
        assert found == 1
    finally:
        await master.execute("revoke temporary on database vcontract from vcontract_server")


async def test_the_login_of_the_server_may_become_the_servers_role_and_nothing_else(
    served: Database, master: OwnerConnection
) -> None:
    async with served.reading(TENANT) as connection:
        who = await connection.fetchrow("select session_user::text, current_user::text")
    assert tuple(who or ()) == ("vcontract_login", "vcontract_server")
    login = await master.fetchrow("select * from pg_roles where rolname = 'vcontract_login'")
    assert login is not None
    assert not any(
        login[power]
        for power in ("rolsuper", "rolbypassrls", "rolcreatedb", "rolcreaterole", "rolreplication")
    )
    reachable = await master.fetch(
        "select rolname::text from pg_roles where pg_has_role('vcontract_login', oid, 'set') order by 1"
    )
    assert [row[0] for row in reachable] == ["vcontract_analyst", "vcontract_login", "vcontract_server"]


async def test_the_embedded_server_survives_a_power_cut_and_finds_damage(master: OwnerConnection) -> None:
    names = ("fsync", "full_page_writes", "synchronous_commit", "data_checksums", "ignore_checksum_failure")
    settings = [await master.fetchval(f"show {name}") for name in names]
    assert settings == ["on", "on", "on", "on", "off"]


async def test_the_embedded_server_logs_no_statement_and_no_row(
    served: Database, own_cluster: EmbeddedCluster
) -> None:
    secret = f"w{uuid.uuid4().hex}"
    async with served.reading(TENANT) as connection:
        with pytest.raises(asyncpg.InvalidTextRepresentationError):
            async with savepoint(connection):
                await connection.execute(f"select '{secret}'::integer")

    assert secret not in own_cluster.log_file.read_text(encoding="utf-8", errors="replace")


async def test_the_embedded_server_listens_on_no_address(master: OwnerConnection) -> None:
    assert await master.fetchval("show listen_addresses") == ""
    assert await master.fetchval("show unix_socket_permissions") == "0700"


@pytest.mark.parametrize(
    ("power", "cure", "said"),
    [
        (
            "alter role vcontract_server bypassrls",
            "alter role vcontract_server nobypassrls",
            "passes row level",
        ),
        (
            "alter role vcontract_server superuser",
            "alter role vcontract_server nosuperuser",
            "is a superuser",
        ),
        (
            "grant vcontract_owner to vcontract_server",
            "revoke vcontract_owner from vcontract_server",
            "owns the schema",
        ),
    ],
)
async def test_a_server_that_would_see_every_tenant_does_not_serve(
    served: Database, master: OwnerConnection, own_cluster: EmbeddedCluster, power: str, cure: str, said: str
) -> None:
    embedded = Settings(data_dir=own_cluster.folder.parent, database_url=None)
    external = embedded.model_copy(update={"database_url": SecretStr(served.owner_url)})
    await master.execute(power)
    try:
        for settings in (embedded, external):
            with pytest.raises(ServerUnsuitable, match=f"does not serve as vcontract_server here: .*{said}"):
                await Database.open(settings)
    finally:
        await master.execute(cure)
    await (await Database.open(external)).close()


# A database of one's own, which may be anywhere: the tests' server stands for it.


@pytest.fixture
async def member_url(
    database_url: str, owner: OwnerConnection
) -> AsyncIterator[Callable[[str], Awaitable[str]]]:
    """A function that makes a login, with a grant, and gives its URL."""
    names: list[str] = []

    async def make(grant: str) -> str:
        name = f"vcontract_test_{uuid.uuid4().hex}"
        names.append(name)
        await owner.execute(f"create role {name} login password 'secret'; {grant.format(name=name)}")
        return _as_login(database_url, name)

    yield make
    for name in names:
        await owner.execute(f"drop role {name}")


async def test_a_login_that_is_only_a_member_serves(
    member_url: Callable[[str], Awaitable[str]], settings: Settings, tenant: str
) -> None:
    url = await member_url("grant vcontract_server to {name}")
    app = await build(settings.model_copy(update={"database_url": SecretStr(url)}))
    try:
        caller = Caller(tenant, ALL_SCOPES, local=True)
        outcomes = [
            await app.dispatcher.call(tool, arguments, caller)
            for tool, arguments in (
                ("create_vcon", {"vcon_data": {"parties": [{"name": "Ann"}], "subject": "refund"}}),
                ("vcon_search", {"mode": "keyword", "query": "refund"}),
                ("get_database_stats", {}),
                ("analyze_query", {"query": "select uuid from vcon", "analyze_mode": "explain_analyze"}),
            )
        ]
    finally:
        await app.close()
    assert [outcome.text for outcome in outcomes if outcome.is_error] == []


@pytest.mark.usefixtures("superuser")
async def test_an_ordinary_owner_migrates_and_serves(
    cluster: Cluster, settings: Settings, tenant: str, template_database: str
) -> None:
    # given a login that owns a database and is no superuser, and what a superuser did for it: pgvector, and
    # the right to give the roles that another database has made
    name = f"vcontract_test_{uuid.uuid4().hex}"
    await cluster.execute(f"create role {name} login createrole password 'secret'")
    await cluster.execute(f"grant vcontract_server, vcontract_analyst to {name} with admin option")
    await cluster.execute(f"create database {name} owner {name}")
    url = _as_login(cluster.url(name), name)
    try:
        superuser: OwnerConnection = await asyncpg.connect(cluster.url(name))
        await superuser.execute("create extension if not exists vector")
        await superuser.close()
        # when it migrates and serves
        connection: OwnerConnection = await asyncpg.connect(url)
        await migrate(connection)
        assert await connection.fetchval(
            "select nspowner = $1::text::regrole from pg_namespace n where nspname = 'vcontract'", name
        )
        await connection.close()
        database = await Database.open(settings.model_copy(update={"database_url": SecretStr(url)}))
        # then its transactions are the server's, not the owner's
        async with database.reading(tenant) as opened:
            assert await opened.fetchval("select current_user") == "vcontract_server"
            assert await opened.fetchval("select vcontract.search_count('{}', 'vcon', 10)") == 0
        await database.close()
    finally:
        await cluster.drop(name)
        await cluster.execute(f"drop owned by {name}")
        await cluster.execute(f"drop role {name}")


async def test_the_doctor_looks_for_rows_of_other_tenants(
    make_empty_database: Callable[[], Awaitable[str]], tmp_path: Path
) -> None:
    url = await make_empty_database()
    connection: OwnerConnection = await asyncpg.connect(url)
    await migrate(connection)
    await connection.execute("insert into vcontract.spelling values ('someone', 'word')")
    kept = await _doctor(url, tmp_path)
    await connection.execute("alter table vcontract.spelling disable row level security")
    open_ = await _doctor(url, tmp_path)
    await connection.close()

    assert (kept["state"], open_["state"]) == ("warning", "failed")
    assert "sees no row of another tenant" in kept["detail"]
    assert "create role NAME login; grant vcontract_server to NAME" in kept["cure"]
    assert "vcontract_server sees rows of other tenants in spelling" in open_["detail"]


async def test_the_doctor_is_content_with_a_login_that_is_only_a_member(
    member_url: Callable[[str], Awaitable[str]], tmp_path: Path
) -> None:
    check = await _doctor(await member_url("grant vcontract_server to {name}"), tmp_path)
    assert check["state"] == "ok"


async def _doctor(url: str, folder: Path) -> dict[str, str]:
    """What the doctor says of the server's role."""
    done = await _vcontract(url, folder, "doctor", "--json")
    (check,) = [check for check in json.loads(done.stdout)["checks"] if check["name"] == "server role"]
    found: dict[str, str] = check
    return found


async def _vcontract(url: str, folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return await asyncio.to_thread(
        subprocess.run,
        [str(Path(sys.executable).with_name("vcontract")), *arguments],
        env={**os.environ, "VCONTRACT_DATABASE_URL": url, "VCONTRACT_DATA_DIR": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def _as_login(url: str, name: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{name}:secret@{parts.netloc.rpartition('@')[2]}"))


@pytest.mark.parametrize(
    ("command", "grant"),
    [
        ("serve", ""),
        ("doctor", ""),
        ("serve", "grant vcontract_server to {name} with inherit true, set false"),
    ],
)
async def test_a_login_that_may_not_become_the_server_is_told_so(
    member_url: Callable[[str], Awaitable[str]], command: str, grant: str, tmp_path: Path
) -> None:
    url = await member_url(grant)
    done = await _vcontract(url, tmp_path, command)
    name = urlsplit(url).username
    said = done.stdout + done.stderr
    assert done.returncode == 3
    assert f"login {name} may not work as vcontract_server" in said
    assert f'grant vcontract_server to "{name}"' in said
    assert "Traceback" not in said
    assert "secret" not in said
