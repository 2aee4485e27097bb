"""Commits whose answer is lost: reported as committed, as aborted, or as unknown."""

from collections.abc import AsyncIterator

import asyncpg
import pytest
from pydantic import SecretStr

from tests.broken_ways import Proxy
from vcontract.runtime.frame.errors import StoreFault
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres import commit_status
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.error_mapping import classify
from vcontract.runtime.store.postgres.errors import OutcomeUnknown
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

COUNT = "select count(*) from vcontract.spelling where tenant = $1"


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
    assert isinstance(fault, StoreFault)
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
    monkeypatch.setattr(commit_status, "_SETTLING_SECONDS", 0.2)
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
        written = await commit_status.write_token(connection)
    assert written is not None
    before_the_crash = commit_status.WriteToken(written.transaction, None)
    never = commit_status.WriteToken(str(int(written.transaction) + 1_000_000), written.run)

    async with database.reading(tenant) as connection:
        assert await commit_status.commit_status(connection, written) == "committed"
        assert await commit_status.commit_status(connection, before_the_crash) == "unknown"
    async with database.reading(tenant) as connection:
        assert await commit_status.commit_status(connection, never) == "aborted"


async def test_a_transaction_that_wrote_nothing_has_no_fate(database: Database, tenant: str) -> None:
    async with database.writing(tenant) as connection:
        assert await commit_status.write_token(connection) is None
