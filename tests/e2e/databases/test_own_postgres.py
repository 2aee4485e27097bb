"""A PostgreSQL of one's own with least privilege: set up as docs/postgresql.md says, and served."""

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest

from tests.conftest import ALL_SCOPES
from tests.contract.test_examples import CONVERSATION
from tests.e2e.conftest import Environment, command
from tests.e2e.databases.conftest import LOGIN, OWNER, as_, serving, works
from tests.own_server import OwnServer
from tests.store.test_certificates import certificate
from tests.watch import Watch
from vcontract.runtime.app import App
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.store.postgres import pool


@pytest.fixture
async def app(migrated: OwnServer, tmp_path: Path) -> AsyncIterator[App]:
    """The application as a login that owns nothing runs it."""
    async with serving(migrated.url(LOGIN, "calls"), tmp_path) as built:
        yield built


async def test_the_owner_of_the_store_is_no_superuser_and_its_roles_have_no_powers(
    migrated: OwnServer,
) -> None:
    rows = await asyncio.to_thread(
        migrated.psql,
        "select rolname from pg_roles where rolname like 'acme%' and not (rolsuper or rolbypassrls"
        " or rolcreaterole or rolcreatedb or rolreplication) order by 1;"
        "select distinct pg_get_userbyid(relowner) from pg_class"
        " where relnamespace = 'vcontract'::regnamespace;"
        "select count(*) from pg_roles where rolname like 'vcontract%'",
        database="calls",
    )
    assert rows.split() == ["acme_analyst", "acme_login", "acme_owner", "acme_server", "acme_owner", "0"]


async def test_every_tool_works_for_a_login_that_owns_nothing(app: App, tenant: str, watch: Watch) -> None:
    await works(app, tenant, watch)


async def test_every_tool_works_where_nothing_outlives_a_transaction(
    migrated: OwnServer, tmp_path: Path, tenant: str, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given connections that forget everything at the end of a transaction, as if each were another one
    async def forget(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        await connection.execute("discard all")

    monkeypatch.setattr(pool, "_keep_session", forget)
    async with serving(migrated.url(LOGIN, "calls"), tmp_path, database_pooled=True, embeds=False) as app:
        await works(app, tenant, watch)
        async with app.database.reading(tenant) as connection:
            shown = await connection.fetchrow(
                "select current_user, current_setting('plan_cache_mode'),"
                " current_setting('statement_timeout'), current_setting('jit')"
            )
    assert tuple(shown or ()) == ("acme_server", "force_custom_plan", "30s", "off")


async def test_a_login_that_owns_nothing_can_change_nothing_but_rows(migrated: OwnServer) -> None:
    connection = await asyncpg.connect(migrated.url(LOGIN, "calls"))
    for statement in (
        "create table mine (a integer)",
        "create temporary table mine (a integer)",
        "drop table vcontract.vcon",
        "alter table vcontract.vcon disable row level security",
        "set role acme_owner",
        "create extension pg_stat_statements",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(statement)
    assert await connection.fetchval("select count(*) from vcontract.migration") > 10
    await connection.close()


async def test_the_doctor_finds_it_healthy_and_counts_each_tenant(
    app: App, migrated: OwnServer, tmp_path: Path
) -> None:
    for tenant in ("acme", "other"):
        outcome = await app.dispatcher.call(
            "create_vcon",
            {"vcon_data": {**CONVERSATION, "uuid": str(uuid4())}},
            Caller(tenant, ALL_SCOPES, local=True),
        )
        assert not outcome.is_error, outcome.text
    for login in (LOGIN, OWNER):
        code, out, _ = await command(as_(migrated, login, tmp_path), "doctor", "--json")
        assert code == 0, out
        checks = {check["name"]: check for check in json.loads(out)["checks"]}
        assert checks["server role"]["state"] == ("ok" if login == LOGIN else "warning")
        # whose they are is for the owner to know
        counted = checks["content"]["detail"]
        assert [f"{tenant} 1" in counted for tenant in ("acme", "other")] == [login == OWNER] * 2


@pytest.mark.parametrize(
    ("login", "more", "arguments", "status", "reported"),
    [
        (LOGIN, {}, ("db", "migrate"), 0, "up to date"),
        (LOGIN, {}, ("db", "status"), 0, "up to date"),
        (LOGIN, {"role_prefix": "vcontract"}, ("doctor",), 3, "set VCONTRACT_ROLE_PREFIX to acme"),
        (OWNER, {"role_prefix": "other"}, ("db", "migrate"), 3, "set VCONTRACT_ROLE_PREFIX to acme"),
        (
            OWNER,
            {"role_prefix": "No-good"},
            ("db", "migrate"),
            2,
            "'No-good' cannot begin the name of a role",
        ),
        (OWNER, {}, ("db", "plan", "--login", 'x"; drop'), 2, "cannot be the login"),
        (OWNER, {}, ("token", "create", "Ann"), 0, ""),
        (LOGIN, {}, ("token", "create", "Ann"), 1, "name the owner's login in VCONTRACT_DATABASE_URL"),
        (LOGIN, {}, ("tenant", "list"), 1, "name the owner's login in VCONTRACT_DATABASE_URL"),
        (LOGIN, {}, ("audit",), 1, "name the owner's login in VCONTRACT_DATABASE_URL"),
    ],
)
async def test_each_command_says_what_it_needs(
    migrated: OwnServer,
    tmp_path: Path,
    login: str,
    more: dict[str, str],
    arguments: tuple[str, ...],
    status: int,
    reported: str,
) -> None:
    code, out, said = await command(as_(migrated, login, tmp_path, **more), *arguments)

    assert code == status, (out, said)
    assert reported in out + said
    assert "Traceback" not in said


async def test_a_backup_goes_into_a_store_with_roles_of_other_names(
    migrated: OwnServer, app: App, tmp_path: Path
) -> None:
    said = "acme_server and acme_owner are two roles"
    vcon = {**CONVERSATION, "uuid": str(uuid4()), "subject": said}
    stored = await app.dispatcher.call("create_vcon", {"vcon_data": vcon}, Caller("kept", ALL_SCOPES))
    assert not stored.is_error, stored.text
    file, other = tmp_path / "calls.backup", {"role_prefix": "other"}
    owner = as_(
        migrated, "other_owner", tmp_path / "o", database_url=migrated.url("other_owner", "others"), **other
    )
    login = {**owner, "VCONTRACT_DATABASE_URL": migrated.url("other_login", "others")}
    code, plan, _ = await command(owner, "db", "plan", "--database", "others")
    await asyncio.to_thread(migrated.psql, plan)
    await asyncio.to_thread(migrated.let_in, "other_owner", "other_login")

    for whose, *arguments in (
        (as_(migrated, OWNER, tmp_path / "a"), "backup", str(file)),
        (owner, "db", "migrate"),
        (owner, "restore", str(file)),
    ):
        code, out, reported = await command(whose, *arguments)
        assert code == 0, (arguments, out, reported)
    code, shown, _ = await command(login, "show", str(vcon["uuid"]), "--tenant", "kept", "--json")
    roles = await asyncio.to_thread(
        migrated.psql,
        "select distinct pg_get_userbyid(relowner) from pg_class"
        " where relnamespace = 'vcontract'::regnamespace;"
        "select distinct unnest(roles) from pg_policies where schemaname like 'vcontract%' order by 1",
        database="others",
    )

    assert (code, said in shown) == (0, True)
    # consent binds every role
    assert roles.split() == ["other_owner", "other_analyst", "other_server", "public"]


@asynccontextmanager
async def encrypted(port: int, certified: Path) -> AsyncGenerator[int]:
    """Where the server at `port` is reached by TLS alone, and offers to log in bound to it."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certified)

    async def carry(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with closing(target):
            while piece := await source.read(1 << 16):
                target.write(piece)

    async def offer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert (await reader.readexactly(8))[4:] == b"\x04\xd2\x16\x2f"  # an SSLRequest
        writer.write(b"S")
        await writer.start_tls(context)
        there, back = await asyncio.open_connection("127.0.0.1", port)
        back.write(await reader.read(1 << 16))
        offered = (await there.read(1 << 16))[9:]
        offered = b"\0\0\0\x0aSCRAM-SHA-256-PLUS\0" + offered
        writer.write(b"R" + (len(offered) + 4).to_bytes(4) + offered)
        await asyncio.gather(carry(reader, back), carry(there, writer))

    async with await asyncio.start_server(offer, "127.0.0.1", 0) as front:
        yield front.sockets[0].getsockname()[1]


async def test_a_backup_goes_and_comes_where_every_connection_is_encrypted(
    server: OwnServer, plan: str, migrated: OwnServer, tmp_path: Path
) -> None:
    certified, file = certificate(tmp_path, "localhost"), tmp_path / "calls.backup"
    await asyncio.to_thread(server.psql, plan.replace("calls", "locked"))
    async with encrypted(server.port, certified) as port:

        def owner(database: str) -> Environment:
            plain = server.url(OWNER, database).replace(f"127.0.0.1:{server.port}", f"localhost:{port}")
            url = f"{plain}?sslmode=verify-full&sslrootcert={certified}"
            return as_(server, OWNER, tmp_path / database, database_url=url)

        for whose, *arguments in (
            (owner("calls"), "backup", str(file)),
            (owner("locked"), "db", "migrate"),
            (owner("locked"), "restore", str(file)),
        ):
            code, out, reported = await command(whose, *arguments)
            assert code == 0, (arguments, out, reported)

    counted = "select count(*) from vcontract.vcon"
    stored, restored = [
        await asyncio.to_thread(server.psql, counted, database=database) for database in ("calls", "locked")
    ]
    assert stored == restored


async def test_without_the_plan_the_owner_is_told_of_it(server: OwnServer, plan: str, tmp_path: Path) -> None:
    await asyncio.to_thread(server.psql, f"create database bare owner {OWNER}")
    url = server.url(OWNER, "bare")
    code, _, said = await command(as_(server, OWNER, tmp_path, database_url=url), "db", "migrate")

    assert code == 3
    assert 'permission denied to create extension "vector"' in said
    assert "`vcontract db plan` prints what a superuser has to run once" in said


async def test_a_purge_takes_the_store_and_leaves_the_database(
    server: OwnServer, plan: str, tmp_path: Path
) -> None:
    await asyncio.to_thread(server.psql, plan.replace("calls", "spare"))
    spare = as_(server, OWNER, tmp_path, database_url=server.url(OWNER, "spare"))
    assert (await command(spare, "db", "migrate"))[0] == 0

    code, out, said = await command(spare, "purge", "--yes")

    assert (code, said) == (0, "")
    assert "removed: the database schemas: 0 vCons" in out
    assert "left: the roles and the database" in out
    schemas = "select count(*) from pg_namespace where nspname like 'vcontract%'"
    assert (await asyncio.to_thread(server.psql, schemas, database="spare")).strip() == "0"
