"""A real streaming replica: what only reads is read there, and everybody finds what they wrote."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryFile

import asyncpg
import httpx2
import pytest
from pydantic import SecretStr, ValidationError

from tests.conftest import ALL_SCOPES, PATIENCE
from tests.contract.test_examples import CONVERSATION
from tests.e2e.conftest import environment, serve_http, started_by
from tests.own_server import OwnServer
from tests.waiting import until
from tests.web import post
from vcontract.runtime.app import build
from vcontract.runtime.context import Caller
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres import replica
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.errors import ServerUnsuitable
from vcontract.runtime.store.postgres.migrations import migrate
from vcontract.runtime.store.postgres.positions import Positions
from vcontract.runtime.store.postgres.replica import reads_may_lag
from vcontract.runtime.store.postgres.schema_status import OwnerConnection


@pytest.fixture(scope="module")
async def primary(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OwnServer]:
    server = OwnServer(tmp_path_factory.mktemp("primary"))
    await asyncio.to_thread(server.start)
    connection = await asyncpg.connect(server.superuser_url)
    await migrate(connection)
    await connection.close()
    yield server
    await asyncio.to_thread(server.stop)


@pytest.fixture(scope="module")
def standby(primary: OwnServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnServer]:
    server = OwnServer.standby_of(primary, tmp_path_factory.mktemp("standby"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def replicated(primary: OwnServer, standby: OwnServer, tmp_path: Path) -> Settings:
    return Settings(
        database_url=SecretStr(primary.superuser_url),
        replica_url=SecretStr(standby.superuser_url),
        data_dir=tmp_path,
        embedding_provider="none",
        rate_limits=None,
    )


@pytest.fixture
def shared() -> Iterator[int]:
    """The descriptor of what two processes tell each other."""
    with TemporaryFile() as file:
        file.truncate(Positions.size(2))
        yield file.fileno()


@pytest.fixture
async def database(replicated: Settings, shared: int) -> AsyncIterator[Database]:
    opened = await Database.open(replicated, positions=Positions(shared, 0))
    yield opened
    await opened.close()


@pytest.fixture
async def beside(replicated: Settings, shared: int) -> AsyncIterator[Database]:
    """As another process of the same server has it."""
    opened = await Database.open(replicated, positions=Positions(shared, 1))
    yield opened
    await opened.close()


async def _write(database: Database, tenant: str, word: str) -> None:
    async with database.writing(tenant) as connection:
        await connection.execute("insert into vcontract.spelling values ($1, $2)", tenant, word)


async def _seen(database: Database, tenant: str) -> tuple[bool, list[str]]:
    """Whether a standby was read, and the words of the tenant that were found there."""
    with reads_may_lag():
        async with database.reading(tenant) as connection:
            rows = await connection.fetch("select word from vcontract.spelling order by word")
            return await connection.fetchval("select pg_is_in_recovery()"), [row["word"] for row in rows]


async def _until_seen_on_standby(database: Database, tenant: str) -> list[str]:
    async with asyncio.timeout(PATIENCE):
        while True:
            is_standby, words = await _seen(database, tenant)
            if is_standby:
                return words


async def test_a_tenant_finds_what_it_wrote_wherever_it_reads(
    database: Database, beside: Database, standby: OwnServer, tenant: str
) -> None:
    # given a replica that stands still
    assert (await _seen(database, tenant)) == (True, [])
    await asyncio.to_thread(standby.psql, "select pg_wal_replay_pause()")
    try:
        # when a tenant writes, then it reads the primary, in each process, and others the replica
        await _write(database, tenant, "refund")
        assert await _seen(database, tenant) == (False, ["refund"])
        assert await _seen(beside, tenant) == (False, ["refund"])
        # once in a while a busy standby is left alone for a moment
        assert await _until_seen_on_standby(database, f"{tenant}.other") == []
    finally:
        await asyncio.to_thread(standby.psql, "select pg_wal_replay_resume()")
    # and when the replica has got there, it is read again
    assert await _until_seen_on_standby(database, tenant) == ["refund"]
    assert await _until_seen_on_standby(beside, tenant) == ["refund"]
    # what does not only read never reads it
    async with database.reading(tenant) as connection:
        assert not await connection.fetchval("select pg_is_in_recovery()")


async def test_tools_that_only_read_are_answered_from_the_replica(
    replicated: Settings, standby: OwnServer, tenant: str
) -> None:
    app = await build(replicated)
    caller = Caller(tenant, ALL_SCOPES, local=True)
    begun = "select xact_commit + xact_rollback from pg_stat_database where datname = 'postgres'"
    try:
        stored = await app.dispatcher.call("create_vcon", {"vcon_data": CONVERSATION}, caller)
        assert not stored.is_error, stored.text
        found = await app.dispatcher.call("vcon_search", {"mode": "keyword", "query": "refund"}, caller)
        assert len(found.structured["items"]) == 1
        await _until_seen_on_standby(app.database, tenant)
        before = int(await asyncio.to_thread(standby.psql, begun))
        await app.dispatcher.call("vcon_search", {"mode": "keyword", "query": "refund"}, caller)
    finally:
        await app.close()
    # a session tells of its transactions when it ends, at the latest
    async with asyncio.timeout(PATIENCE):
        while int(await asyncio.to_thread(standby.psql, begun)) <= before + 1:
            pass


async def test_without_its_replica_the_primary_is_read(
    database: Database, standby: OwnServer, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _write(database, tenant, "refund")
    assert await _until_seen_on_standby(database, tenant) == ["refund"]
    await asyncio.to_thread(standby.stop)
    assert await _seen(database, tenant) == (False, ["refund"])
    await asyncio.to_thread(standby.start)
    monkeypatch.setattr(replica, "_RESTING_SECONDS", 0)
    database._replica._rests_until = 0  # type: ignore[union-attr]  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]
    assert await _until_seen_on_standby(database, tenant) == ["refund"]


async def test_a_server_that_is_no_standby_is_not_read(replicated: Settings, tenant: str) -> None:
    assert replicated.replica_url is not None
    assert replicated.database_url is not None
    assert "its primary" in await replica.examine(replicated, replicated.replica_url.get_secret_value())
    with pytest.raises(ServerUnsuitable, match="is no standby"):
        await replica.examine(replicated, replicated.database_url.get_secret_value())
    wrong = replicated.model_copy(update={"replica_url": replicated.database_url})
    database = await Database.open(wrong)
    try:
        assert await _seen(database, tenant) == (False, [])
    finally:
        await database.close()


async def test_every_worker_of_a_server_finds_what_another_one_wrote(
    replicated: Settings, standby: OwnServer, tmp_path: Path
) -> None:
    # given a server of two workers whose replica stands still
    assert replicated.database_url is not None
    assert replicated.replica_url is not None
    (tmp_path / "data").mkdir()
    urls = {
        "database_url": replicated.database_url.get_secret_value(),
        "replica_url": replicated.replica_url.get_secret_value(),
    }
    given = environment(tmp_path / "data", {**urls, "embedding_provider": "none"})
    await asyncio.to_thread(standby.psql, "select pg_wal_replay_pause()")
    try:
        async with serve_http(given, "--workers", "2") as (process, _, port):
            await until(lambda: len(started_by(process.pid, "serve_process")) == 2)
            # when one of them stores, then each finds it
            once = {"connection": "close"}
            async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=once) as client:
                await post(client, "create_vcon", vcon_data=CONVERSATION)
                for _ in range(8):
                    found = await post(client, "vcon_search", mode="keyword", query="refund")
                    assert len(found["items"]) == 1
    finally:
        await asyncio.to_thread(standby.psql, "select pg_wal_replay_resume()")


async def test_each_of_several_stores_has_its_replica(
    replicated: Settings, settings: Settings, owner: OwnerConnection, standby: OwnServer, tenant: str
) -> None:
    assert replicated.database_url is not None
    assert replicated.replica_url is not None
    for name in (tenant, f"{tenant}.other"):
        await owner.execute("insert into vcontract.elsewhere values ($1, 'east', false)", name)
    app = await build(
        settings.model_copy(
            update={
                "database_urls": SecretStr(f"east={replicated.database_url.get_secret_value()}"),
                "replica_urls": SecretStr(f"east={replicated.replica_url.get_secret_value()}"),
                "embedding_provider": "none",
            }
        )
    )
    await asyncio.to_thread(standby.psql, "select pg_wal_replay_pause()")
    search: JsonObject = {"mode": "keyword", "query": "refund"}
    try:
        # a tenant reads the replica of its store, unless it wrote there
        caller = Caller(tenant, ALL_SCOPES, local=True)
        await app.dispatcher.call("create_vcon", {"vcon_data": CONVERSATION}, caller)
        outcome = await app.dispatcher.call("vcon_search", search, caller)
        assert len(outcome.structured["items"]) == 1, outcome.text
        in_east = app.others["east"].database
        assert await _seen(in_east, f"{tenant}.other") == (True, [])
        assert (await _seen(in_east, tenant))[0] is False
    finally:
        await asyncio.to_thread(standby.psql, "select pg_wal_replay_resume()")
        await app.close()


def test_a_replica_of_a_store_that_is_not_named_is_refused() -> None:
    with pytest.raises(ValidationError, match="names a replica of west, which VCONTRACT_DATABASE_URLS does"):
        Settings.model_validate(
            {
                "database_url": "postgresql://db1/calls",
                "database_urls": "east=postgresql://db2/calls",
                "replica_urls": "east=postgresql://db3/calls west=postgresql://db4/calls",
            }
        )


def test_a_replica_of_the_embedded_database_is_refused() -> None:
    with pytest.raises(ValidationError, match="names a replica of the server of VCONTRACT_DATABASE_URL"):
        Settings.model_validate({"replica_url": "postgresql://localhost/calls"})


async def test_after_a_failover_the_next_call_is_answered(
    primary: OwnServer, standby: OwnServer, replicated: Settings, tenant: str
) -> None:
    # given a server that was told of both, and has written
    await asyncio.to_thread(primary.psql, "create role admin login superuser")
    await asyncio.to_thread(primary.let_in, "admin")
    both = primary.url("admin", "postgres").replace(
        f"{primary.port}/postgres",
        f"{primary.port},127.0.0.1:{standby.port}/postgres?target_session_attrs=read-write",
    )
    database = await Database.open(
        replicated.model_copy(update={"database_url": SecretStr(both), "replica_url": None})
    )
    try:
        await _write(database, tenant, "refund")
        written = (await asyncio.to_thread(primary.psql, "select pg_current_wal_insert_lsn()")).strip()
        async with asyncio.timeout(PATIENCE):
            while (
                await asyncio.to_thread(standby.psql, f"select pg_last_wal_replay_lsn() < '{written}'")
                != "f\n"
            ):
                pass
        # when the first is lost and the other takes its place
        await asyncio.to_thread(primary.stop)
        await asyncio.to_thread(standby.psql, "select pg_promote()")
        # then the very next calls read and write there
        assert await _seen(database, tenant) == (False, ["refund"])
        await _write(database, tenant, "return")
        assert await _seen(database, tenant) == (False, ["refund", "return"])
    finally:
        await database.close()
