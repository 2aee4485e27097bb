"""Maintenance in the background: it folds counts, and nothing but stopping ends it."""

import asyncio

import pytest

from vcontract.runtime.store import maintenance
from vcontract.runtime.store.database import Database
from vcontract.runtime.store.maintenance import Maintenance


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]  # used by pytest
    monkeypatch.setattr(maintenance, "_PAUSE", 0)


async def unfolded(database: Database, tenant: str) -> int:
    async with database.reading(tenant) as connection:
        count: int = await connection.fetchval(
            "select count(*) from vcontract.vocabulary_change where tenant = $1", tenant
        )
    return count


async def test_what_was_noted_is_folded_in_the_background(database: Database, tenant: str) -> None:
    async with database.writing(tenant) as connection:
        await connection.execute(
            "insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)"
            " values ($1, 'tag', 'team', '', 2), ($1, 'tag', 'team', '', 1)",
            tenant,
        )
    working = Maintenance(database, "default")
    working.start()
    try:
        async with asyncio.timeout(30):
            while await unfolded(database, tenant):
                pass
    finally:
        await working.stop()

    async with database.reading(tenant) as connection:
        rows = await connection.fetch(
            "select name, vcons from vcontract.vocabulary where tenant = $1", tenant
        )
    assert [tuple(row) for row in rows] == [("team", 3)]


async def test_a_failure_is_logged_once_and_does_not_end_it(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rounds = 0
    enough = asyncio.Event()

    async def fail(_: Database, __: str) -> None:
        nonlocal rounds
        rounds += 1
        if rounds == 3:
            enough.set()
        raise ConnectionError("the database went away")

    monkeypatch.setattr(maintenance, "fold_all", fail)
    working = Maintenance(database, "default")
    working.start()
    await asyncio.wait_for(enough.wait(), 30)
    await working.stop()
    await working.stop()

    assert [record.message for record in caplog.records].count("counts are not folded for now") == 1
