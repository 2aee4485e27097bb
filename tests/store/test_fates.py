"""Commits whose answer is lost: told as done, as not done, or as what nobody knows."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Literal
from urllib.parse import parse_qs, urlsplit, urlunsplit

import asyncpg
import pytest
from pydantic import SecretStr

from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres import database as database_module
from vcontract.runtime.store.postgres import fates
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.errors import OutcomeUnknown
from vcontract.runtime.store.postgres.faults import Fault, classify
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

COMMIT = b"Q\0\0\0\x0bcommit\0"
COUNT = "select count(*) from vcontract.spelling where tenant = $1"


class Proxy:
    """A way to the server that breaks at the first commit after a write, as `breaks` says."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.breaks: Literal["never", "before", "after"] = "never"
        self.stays_broken = False
        self._is_broken = False
        self._server: asyncio.Server | None = None
        self._serving: list[asyncio.Task[None]] = []

    async def start(self) -> str:
        """The URL that leads through it."""
        self._server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        port: int = self._server.sockets[0].getsockname()[1]
        parts = urlsplit(self._url)
        user = parts.netloc.partition("@")[0]
        return urlunsplit(parts._replace(netloc=f"{user}@127.0.0.1:{port}", query="sslmode=disable"))

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        await asyncio.gather(*self._serving)

    def _take(self, client_in: asyncio.StreamReader, client_out: asyncio.StreamWriter) -> None:
        self._serving.append(asyncio.create_task(self._serve(client_in, client_out)))

    async def _serve(self, client_in: asyncio.StreamReader, client_out: asyncio.StreamWriter) -> None:
        if self._is_broken and self.stays_broken:
            await _close(client_out)
            return
        server_in, server_out = await self._open()
        answering = asyncio.create_task(_pass_on(server_in, client_out))
        with suppress(ConnectionError):
            while data := await client_in.read(1 << 16):
                if data == COMMIT and self.breaks != "never":
                    answering.cancel()
                    await asyncio.wait([answering])
                    if self.breaks == "after":
                        server_out.write(data)
                        await server_in.readuntil(b"COMMIT\0")
                    self.breaks, self._is_broken = "never", True
                    break
                server_out.write(data)
        await _close(server_out)
        await asyncio.wait([answering])
        await _close(client_out)

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        parts = urlsplit(self._url)
        query = parse_qs(parts.query)
        if "host" in query:
            return await asyncio.open_unix_connection(f"{query['host'][0]}/.s.PGSQL.{query['port'][0]}")
        return await asyncio.open_connection(parts.hostname, parts.port or 5432)


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(1 << 16):
            writer.write(data)
    writer.close()


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


@pytest.fixture
async def proxy(database_url: str) -> AsyncIterator[Proxy]:
    made = Proxy(database_url)
    yield made
    await made.stop()


@pytest.fixture
async def through(proxy: Proxy, settings: Settings) -> AsyncIterator[Database]:
    """The module's database through the proxy."""
    url = await proxy.start()
    opened = await Database.open(settings.model_copy(update={"database_url": SecretStr(url)}))
    yield opened
    await opened.close()


async def write(database: Database, tenant: str) -> None:
    async with database.writing(tenant) as connection:
        await connection.execute("insert into vcontract.spelling (tenant, word) values ($1, 'x')", tenant)


def reason(error: BaseException) -> tuple[str, bool]:
    fault = classify(error)
    assert isinstance(fault, Fault)
    return fault.reason, fault.retryable


async def test_a_commit_that_was_done_is_told_as_done_though_its_answer_was_lost(
    proxy: Proxy, through: Database, owner: OwnerConnection, tenant: str
) -> None:
    proxy.breaks = "after"

    await write(through, tenant)

    assert await owner.fetchval(COUNT, tenant) == 1


async def test_a_commit_that_was_not_done_may_be_tried_again(
    proxy: Proxy, through: Database, owner: OwnerConnection, tenant: str
) -> None:
    proxy.breaks = "before"

    with pytest.raises(asyncpg.ConnectionDoesNotExistError) as caught:
        await write(through, tenant)

    assert reason(caught.value) == ("unavailable", True)
    assert await owner.fetchval(COUNT, tenant) == 0
    await write(through, tenant)


async def test_when_the_server_does_not_come_back_nobody_says_that_nothing_was_done(
    proxy: Proxy,
    through: Database,
    owner: OwnerConnection,
    tenant: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(database_module, "_SETTLING_SECONDS", 0.2)
    proxy.breaks, proxy.stays_broken = "after", True

    with pytest.raises(OutcomeUnknown) as caught:
        await write(through, tenant)

    assert reason(caught.value) == ("outcome_unknown", False)
    assert await owner.fetchval(COUNT, tenant) == 1


async def test_after_a_crash_a_number_may_be_that_of_another_transaction(
    database: Database, tenant: str
) -> None:
    async with database.writing(tenant) as connection:
        await connection.execute("insert into vcontract.spelling (tenant, word) values ($1, 'x')", tenant)
        written = await fates.written_by(connection)
    assert written is not None
    before_the_crash = fates.Written(written.transaction, None)
    never = fates.Written(str(int(written.transaction) + 1_000_000), written.run)

    async with database.reading(tenant) as connection:
        assert await fates.fate_of(connection, written) == "committed"
        assert await fates.fate_of(connection, before_the_crash) == "unknown"
    async with database.reading(tenant) as connection:
        assert await fates.fate_of(connection, never) == "aborted"


async def test_a_transaction_that_wrote_nothing_has_no_fate(database: Database, tenant: str) -> None:
    async with database.writing(tenant) as connection:
        assert await fates.written_by(connection) is None
