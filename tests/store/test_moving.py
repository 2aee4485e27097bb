"""Tenants that move to another store: with everything, read-only meanwhile, and never in two at once."""

import asyncio
import contextlib
import json
import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any, cast

import asyncpg
import pytest
from pydantic import SecretStr, ValidationError
from typer.testing import CliRunner, Result

from tests.conftest import Call, Cluster
from tests.own_server import free_port
from tests.waiting import until_one_waits
from vcontract.runtime.cli.main import app as command
from vcontract.runtime.settings import HOME_STORE, Settings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.errors import TenantElsewhere
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.postgres.tenant_moves import OF_HOME, Immovable, Store, move_tenant, place_of
from vcontract.runtime.store.postgres.tenants import rows_of

Rows = dict[str, int]


@pytest.fixture
async def east(east_url: str) -> AsyncIterator[OwnerConnection]:
    connection: OwnerConnection = await asyncpg.connect(east_url)
    yield connection
    await connection.close()


@pytest.fixture
async def in_east(settings: Settings, east_url: str) -> AsyncIterator[Database]:
    """The other store as a server uses it."""
    opened = await Database.open(settings.model_copy(update={"database_url": SecretStr(east_url)}))
    yield opened
    await opened.close()


@pytest.fixture
async def stored(call: Call, owner: OwnerConnection, tenant: str) -> Rows:
    """What the tenant of the test has in the home store, but for what stays there."""
    tagged = {"vcon_data": {"parties": [{"name": "Ann"}]}, "metadata": {"tags": {"a": "b"}}}
    for _ in range(2):
        assert (await call("create_vcon", **tagged))["success"]
    return await moving_rows(owner, tenant)


async def moving_rows(connection: OwnerConnection, tenant: str) -> Rows:
    return {
        table: count for table, count in (await rows_of(connection, tenant)).items() if table not in OF_HOME
    }


async def run(settings: Settings, east_url: str | None, *arguments: str) -> Result:
    assert settings.database_url is not None
    env = {
        "VCONTRACT_DATABASE_URL": settings.database_url.get_secret_value(),
        "VCONTRACT_DATABASE_URLS": "" if east_url is None else f"east={east_url}",
        "VCONTRACT_DATA_DIR": str(settings.data_dir),
    }
    return await asyncio.to_thread(CliRunner().invoke, command, [*arguments], env=env)


async def test_a_tenant_is_moved_there_and_back_with_everything(
    settings: Settings,
    east_url: str,
    east: OwnerConnection,
    owner: OwnerConnection,
    tenant: str,
    stored: Rows,
) -> None:
    there = await run(settings, east_url, "tenant", "move", tenant, "--to", "east")
    assert there.exit_code == 0, there.output
    assert (await moving_rows(east, tenant), await moving_rows(owner, tenant)) == (stored, {})
    assert (await place_of(owner, tenant), await place_of(east, tenant)) == ("east", None)

    again = await run(settings, east_url, "tenant", "move", tenant, "--to", "east")
    assert again.stdout == f"{tenant} is in east already.\n"

    back = await run(settings, east_url, "tenant", "move", tenant, "--to", HOME_STORE)
    assert f"Moved {tenant} from east to home" in back.stdout
    assert (await moving_rows(owner, tenant), await moving_rows(east, tenant)) == (stored, {})
    assert (await place_of(owner, tenant), await place_of(east, tenant)) == (None, HOME_STORE)


async def test_who_comes_to_the_store_that_a_tenant_left_is_told_where_it_is(
    settings: Settings,
    east_url: str,
    in_east: Database,
    database: Database,
    owner: OwnerConnection,
    call: Call,
    tenant: str,
    stored: Rows,
) -> None:
    await run(settings, east_url, "tenant", "move", tenant, "--to", "east")

    for begin in (database.reading, database.writing):
        with pytest.raises(TenantElsewhere, match=f"the tenant {tenant} is in the store east"):
            async with begin(tenant):
                pytest.fail("it is in another store")
    refused = await call("vcon_search", mode="keyword", query="Ann")
    details = refused["error"]["details"]
    assert (details["reason"], details["retryable"]) == ("unavailable", True)
    async with in_east.writing(tenant) as connection:
        assert await connection.fetchval("select count(*) from vcontract.vcon") == stored["vcon"]
    said = await run(settings, None, "export", "--tenant", tenant)
    assert "is in the store east" in said.stderr
    assert await moving_rows(owner, tenant) == {}


async def test_a_tenant_on_its_way_is_read_and_not_written(
    database: Database,
    in_east: Database,
    owner: OwnerConnection,
    east: OwnerConnection,
    tenant: str,
    stored: Rows,
) -> None:
    seen: list[str] = []

    class Copying:
        """The connection to the source, which looks around while rows are read from it."""

        def __getattr__(self, name: str) -> Any:
            return getattr(owner, name)

        async def copy_from_query(self, query: str, *arguments: object, **how: Any) -> str:
            if "vcontract.vcon " in query:
                async with database.reading(tenant) as connection:
                    assert await connection.fetchval("select count(*) from vcontract.vcon") == stored["vcon"]
                    seen.append("read")
                for begin in (database.writing, in_east.writing, in_east.reading):
                    with pytest.raises(TenantElsewhere):
                        async with begin(tenant):
                            pytest.fail("it is being moved")
                    seen.append("refused")
            return await owner.copy_from_query(query, *arguments, **how)

    source = Store(HOME_STORE, cast("OwnerConnection", Copying()))
    await move_tenant(tenant, source, source, Store("east", east))

    assert seen == ["read", "refused", "refused", "refused"]


@contextlib.asynccontextmanager
async def watching_connection(database: Database) -> AsyncGenerator[OwnerConnection]:
    connection: OwnerConnection = await asyncpg.connect(database.owner_url)
    yield connection
    await connection.close()


async def test_a_move_waits_for_who_writes_and_takes_along_what_they_wrote(
    database: Database, owner: OwnerConnection, east: OwnerConnection, tenant: str, stored: Rows
) -> None:
    home = Store(HOME_STORE, owner)
    async with watching_connection(database) as watching, database.writing(tenant) as connection:
        moving = asyncio.create_task(move_tenant(tenant, home, home, Store("east", east)))
        await until_one_waits(watching)
        await connection.execute(
            "insert into vcontract.vcon_tombstone values ($1, gen_random_uuid(), now())", tenant
        )
    await moving

    assert (await moving_rows(east, tenant)) == {**stored, "vcon_tombstone": 1}


class _Broken(Exception):
    """A connection is lost."""


class _Breaking:
    """A connection that is lost before the so-manieth statement of those of a move."""

    def __init__(self, connection: OwnerConnection, left: list[int]) -> None:
        self._connection = connection
        self._left = left

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def execute(self, statement: str, *arguments: object) -> str:
        if not statement.endswith(" where tenant = $1"):  # one of many in a transaction
            self._left[0] -= 1
        if self._left[0] == 0:
            raise _Broken
        return await self._connection.execute(statement, *arguments)


async def test_a_move_that_is_broken_off_anywhere_is_finished_by_another(
    database: Database,
    in_east: Database,
    owner: OwnerConnection,
    east: OwnerConnection,
    call: Call,
    tenant: str,
    stored: Rows,
) -> None:
    async def refusing() -> list[bool]:
        """Of the two stores: whether each refuses to be written to."""
        found: list[bool] = []
        for opened in (database, in_east):
            try:
                async with opened.writing(tenant):
                    found.append(False)
            except TenantElsewhere:
                found.append(True)
        return found

    broken, at = 0, 0
    places = [Store(HOME_STORE, owner), Store("east", east)]
    while True:
        at += 1
        left = [at]
        home, target = (
            Store(place.name, cast("OwnerConnection", _Breaking(place.connection, left))) for place in places
        )
        try:
            await move_tenant(tenant, home, home, target)
        except _Broken:
            broken += 1
            assert True in await refusing() or (left == [0] and at <= 2), "only one store may be written to"
        else:
            break
        await move_tenant(tenant, places[0], places[0], places[1])
        assert (await moving_rows(east, tenant), await moving_rows(owner, tenant)) == (stored, {})
        assert await refusing() == [True, False]
        await move_tenant(tenant, places[0], places[1], places[0])
        assert (await moving_rows(owner, tenant), await moving_rows(east, tenant)) == (stored, {})
        assert await refusing() == [False, True]
    assert broken > 5


async def test_a_tenant_of_another_store_is_shown_and_deleted_there(
    settings: Settings,
    east_url: str,
    east: OwnerConnection,
    owner: OwnerConnection,
    tenant: str,
    stored: Rows,
) -> None:
    await run(settings, east_url, "tenant", "move", tenant, "--to", "east")
    shown = await run(settings, east_url, "tenant", "show", tenant, "--json")
    assert json.loads(shown.stdout)["rows"] == stored

    gone = await run(settings, east_url, "tenant", "delete", tenant, "--yes", "--json")

    assert json.loads(gone.stdout)["rows"] == stored
    assert await rows_of(east, tenant) == await rows_of(owner, tenant) == {}


async def test_what_the_other_store_has_of_the_tenant_is_never_overwritten(
    settings: Settings,
    east_url: str,
    owner: OwnerConnection,
    east: OwnerConnection,
    tenant: str,
    stored: Rows,
) -> None:
    await east.execute("insert into vcontract.vcon_tombstone values ($1, gen_random_uuid(), now())", tenant)

    refused = await run(settings, east_url, "tenant", "move", tenant, "--to", "east")

    assert refused.exit_code == 1
    assert f"the store east has rows of the tenant {tenant} already, in vcon_tombstone" in refused.stderr
    assert await moving_rows(owner, tenant) == stored
    assert await owner.fetchval("select count(*) from vcontract.elsewhere where name = $1", tenant) == 0


async def test_vectors_go_to_the_space_of_their_model_or_not_at_all(
    owner: OwnerConnection, east: OwnerConnection, tenant: str, stored: Rows
) -> None:
    number = await owner.fetchval("select vcontract.open_embedding_space('m-' || $1, 2, '{}', null)", tenant)
    await owner.execute(
        "insert into vcontract.embedding values ($1, 'vcon', gen_random_uuid(), 'dialog', 0, 0, $2, '[1,0]')",
        tenant,
        number,
    )
    home, target = Store(HOME_STORE, owner), Store("east", east)
    with pytest.raises(Immovable, match=f"has vectors of m-{tenant}, of which the store east has none"):
        await move_tenant(tenant, home, home, target)
    for other in ("another", f"m-{tenant}"):
        there = await east.fetchval("select vcontract.open_embedding_space($1, 2, '{}', null)", other)
    assert there != number

    await move_tenant(tenant, home, home, target)

    assert await east.fetchval("select space from vcontract.embedding where tenant = $1", tenant) == there


async def test_a_store_that_is_not_named_is_refused_with_those_that_are(
    settings: Settings, east_url: str
) -> None:
    refused = await run(settings, east_url, "tenant", "move", "acme", "--to", "west")

    assert refused.exit_code == 2
    assert "VCONTRACT_DATABASE_URLS name home, east" in refused.stderr


async def test_commands_work_on_the_store_that_a_tenant_is_in(
    settings: Settings, east_url: str, east: OwnerConnection, tenant: str, stored: Rows, tmp_path: Path
) -> None:
    await run(settings, east_url, "tenant", "move", tenant, "--to", "east")
    file = tmp_path / "calls.jsonl"

    for arguments in (
        ("export", "--output", str(file)),
        ("import", str(file), "--on-conflict", "replace"),
        ("retain", "--days", "30", "--dry-run"),
        ("stats",),
        ("webhook", "list"),
    ):
        done = await run(settings, east_url, *arguments, "--tenant", tenant)
        assert done.exit_code == 0, done.output
    assert len(file.read_text().splitlines()) == stored["vcon"]
    assert (await moving_rows(east, tenant))["vcon"] == stored["vcon"]


async def test_tenants_are_listed_with_their_stores_and_a_store_that_is_away_is_named(
    settings: Settings, east_url: str, tenant: str, stored: Rows, call: Call
) -> None:
    await run(settings, east_url, "token", "create", "laptop of " + tenant, "--tenant", tenant)
    await run(settings, east_url, "tenant", "move", tenant, "--to", "east")

    listed = await run(settings, east_url, "tenant", "list", "--json")
    found = [each for each in json.loads(listed.stdout)["tenants"] if each["tenant"] == tenant]
    assert [(each["store"], each["vcons"]) for each in found] == [("east", stored["vcon"])]

    away = await run(settings, f"postgresql://nobody@127.0.0.1:{free_port()}/none", "tenant", "list")
    assert away.exit_code == 3
    assert "the store east cannot be used" in away.stderr
    assert tenant not in away.stdout
    alone = await run(settings, None, "tenant", "list")
    assert "there are tenants in the store east, which VCONTRACT_DATABASE_URLS does not name" in alone.stderr


async def test_a_store_that_lacks_migrations_is_named_with_what_to_run(
    settings: Settings, cluster: Cluster, tenant: str, stored: Rows, owner: OwnerConnection
) -> None:
    name = f"vcontract_test_{uuid.uuid4().hex}"
    await cluster.execute(f"create database {name}")
    reported = "run, with the address of east as VCONTRACT_DATABASE_URL: vcontract db migrate"
    try:
        moved = await run(settings, cluster.url(name), "tenant", "move", tenant, "--to", "east")
        looked = await run(settings, cluster.url(name), "doctor")
        await owner.execute("insert into vcontract.elsewhere values ('away.' || $1, 'east', false)", tenant)
        searched = await run(settings, cluster.url(name), "search", "boat", "--tenant", f"away.{tenant}")
    finally:
        await owner.execute("delete from vcontract.elsewhere where name = 'away.' || $1", tenant)
        await cluster.drop(name)

    for refused in (moved, searched):
        assert refused.exit_code == 3
        assert "the store east cannot be used" in refused.stderr
        assert reported in refused.stderr
    assert await moving_rows(owner, tenant) == stored
    assert looked.exit_code == 3
    assert reported in looked.stdout
    # and nothing else is called wrong with it
    assert [line for line in looked.stdout.splitlines() if line.startswith("failed   east")] == [
        line for line in looked.stdout.splitlines() if "lacks 0001_store.sql" in line
    ]


async def test_the_doctor_names_a_tenant_of_which_two_stores_have_rows_and_how_to_decide(
    settings: Settings, east_url: str, east: OwnerConnection, tenant: str, stored: Rows
) -> None:
    await run(settings, east_url, "tenant", "move", tenant, "--to", "east")
    await run(settings, east_url, "tenant", "move", tenant, "--to", HOME_STORE)
    reported = f"{tenant} is in home, and rows of it are in east, too"

    async def looked() -> str:
        return (await run(settings, east_url, "doctor")).stdout

    assert reported not in await looked()
    # as in a backup that was made before the tenant left
    await east.execute("delete from vcontract.elsewhere where name = $1", tenant)
    await east.execute("insert into vcontract.vcon_tombstone values ($1, gen_random_uuid(), now())", tenant)
    assert reported in await looked()
    # when it is decided as the doctor says
    await east.execute("insert into vcontract.elsewhere values ($1, 'home', false)", tenant)
    assert reported not in await looked()
    # then the tenant can be moved again
    moved = await run(settings, east_url, "tenant", "move", tenant, "--to", "east")
    assert moved.exit_code == 0, moved.output
    assert await moving_rows(east, tenant) == stored


async def test_a_backup_says_which_stores_it_does_not_contain(
    settings: Settings, east_url: str, tmp_path: Path
) -> None:
    made = await run(settings, east_url, "backup", str(tmp_path / "home.backup"))

    assert "It contains the home store only; back up east, too." in made.stderr


async def test_what_was_done_for_a_tenant_is_found_wherever_it_was_done_also_after_moves(
    settings: Settings, east_url: str, tenant: str, stored: Rows
) -> None:
    async def actions() -> list[str]:
        reported = await run(settings, east_url, "audit", "--tenant", tenant, "--json")
        return [line["what"] for line in json.loads(reported.stdout)["lines"]]

    created = ["create_vcon"] * stored["vcon"]
    await run(settings, east_url, "tenant", "move", tenant, "--to", "east")
    # tokens are made in the home store, quotas in that of the tenant
    await run(settings, east_url, "token", "create", "of " + tenant, "--tenant", tenant)
    await run(settings, east_url, "tenant", "quota", tenant, "--vcons", "9")
    reported = [*created, "tenant move", "token create", "tenant quota"]
    assert await actions() == reported

    for place in (HOME_STORE, "east", HOME_STORE):
        await run(settings, east_url, "tenant", "move", tenant, "--to", place)
        reported.append("tenant move")
        assert await actions() == reported


async def test_the_doctor_looks_at_each_store_and_names_the_one_that_is_away(
    settings: Settings, east_url: str
) -> None:
    async def states(url: str) -> dict[str, str]:
        reported = await run(settings, url, "doctor", "--json")
        return {check["name"]: check["state"] for check in json.loads(reported.stdout)["checks"]}

    here = await states(east_url)
    assert {here[f"{store} {name}"] for store in (HOME_STORE, "east") for name in ("database", "schema")} == {
        "ok"
    }

    away = await states(f"postgresql://nobody@127.0.0.1:{free_port()}/none")
    assert (away["home schema"], away["east server"]) == ("ok", "failed")


@pytest.mark.parametrize(
    "urls",
    ["postgresql://db/a", "home=postgresql://db/a", "a=postgresql://db/a a=postgresql://db/b", "a= "],
)
def test_stores_that_are_not_understood_are_refused_and_no_address_is_told(urls: str, tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="is not understood; write NAME=ADDRESS") as refused:
        Settings(
            database_url=SecretStr("postgresql://db/home"), database_urls=SecretStr(urls), data_dir=tmp_path
        )
    assert "db/a" not in str(refused.value)
