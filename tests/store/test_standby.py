"""A real streaming standby: a second server reads there, and it takes its primary's place."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import pytest
from pydantic import SecretStr

from tests.conftest import ALL_SCOPES, PATIENCE
from tests.contract.test_examples import CONVERSATION
from tests.own_server import OwnServer
from vcontract.runtime.app import build
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.migrations import migrate


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


def _settings(url: str, folder: Path, **changes: object) -> Settings:
    given = {"database_url": SecretStr(url), "data_dir": folder, "rate_limits": None}
    return Settings.model_validate({**given, "embedding_provider": "none", **changes})


async def _replayed(primary: OwnServer, standby: OwnServer) -> None:
    """Wait until the standby has all that the primary wrote."""
    written = (await asyncio.to_thread(primary.psql, "select pg_current_wal_insert_lsn()")).strip()
    behind = f"select pg_last_wal_replay_lsn() < '{written}'"
    async with asyncio.timeout(PATIENCE):
        while await asyncio.to_thread(standby.psql, behind) != "f\n":
            pass


async def test_a_read_only_server_answers_from_a_standby_what_another_stored_on_the_primary(
    primary: OwnServer, standby: OwnServer, tenant: str, tmp_path: Path
) -> None:
    caller = Caller(tenant, ALL_SCOPES)
    writing = await build(_settings(primary.superuser_url, tmp_path))
    reading = await build(_settings(standby.superuser_url, tmp_path, read_only=True))
    try:
        made = await writing.dispatcher.call("create_vcon", {"vcon_data": CONVERSATION}, caller)
        await _replayed(primary, standby)
        found = await reading.dispatcher.call("vcon_search", {"mode": "metadata"}, caller)
        refused = await reading.dispatcher.call("create_vcon", {"vcon_data": CONVERSATION}, caller)
    finally:
        await reading.close()
        await writing.close()

    assert [each["id"] for each in found.structured["items"]] == [made.structured["uuid"]]
    assert refused.structured["details"]["reason"] == "read_only"


async def _write(database: Database, tenant: str, word: str) -> None:
    async with database.writing(tenant) as connection:
        await connection.execute("insert into vcontract.spelling values ($1, $2)", tenant, word)


async def _seen(database: Database, tenant: str) -> list[str]:
    async with database.reading(tenant) as connection:
        rows = await connection.fetch("select word from vcontract.spelling order by word")
        return [row["word"] for row in rows]


async def test_after_a_failover_the_next_call_is_answered(
    primary: OwnServer, standby: OwnServer, tenant: str, tmp_path: Path
) -> None:
    # given a server with the addresses of both, which has written
    await asyncio.to_thread(primary.psql, "create role admin login superuser")
    await asyncio.to_thread(primary.let_in, "admin")
    both = primary.url("admin", "postgres").replace(
        f"{primary.port}/postgres",
        f"{primary.port},127.0.0.1:{standby.port}/postgres?target_session_attrs=read-write",
    )
    database = await Database.open(_settings(both, tmp_path))
    try:
        await _write(database, tenant, "refund")
        await _replayed(primary, standby)
        # when the first is lost and the other takes its place
        await asyncio.to_thread(primary.stop)
        await asyncio.to_thread(standby.psql, "select pg_promote()")
        # then the very next calls read and write there
        assert await _seen(database, tenant) == ["refund"]
        await _write(database, tenant, "return")
        assert await _seen(database, tenant) == ["refund", "return"]
    finally:
        await database.close()
