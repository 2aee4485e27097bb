"""Maintenance in the background: it folds counts, removes what has expired, and only stopping ends it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from tests.conftest import PATIENCE, Call
from vcontract.runtime.store.bridge.status import ProcessingError, note_error
from vcontract.runtime.store.inspect import maintenance
from vcontract.runtime.store.inspect.maintenance import Maintenance
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.idempotency import Requests
from vcontract.runtime.store.sessions import result_cache
from vcontract.runtime.store.sessions.result_cache import Entry
from vcontract.runtime.store.vcons.retention import count_expired
from vcontract.runtime.text.words import lexeme, stemmed


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]  # used by pytest
    monkeypatch.setattr(maintenance, "_PAUSE", 0)


@asynccontextmanager
async def working(database: Database, retention_days: int | None = None) -> AsyncGenerator[Maintenance]:
    """Maintenance in the background, for 30 seconds at most."""
    made = Maintenance(database, retention_days=retention_days)
    made.start()
    try:
        async with asyncio.timeout(PATIENCE):
            yield made
    finally:
        await made.stop()


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
    async with working(database):
        while await unfolded(database, tenant):
            pass

    async with database.reading(tenant) as connection:
        rows = await connection.fetch(
            "select name, vcons from vcontract.vocabulary where tenant = $1", tenant
        )
    assert [tuple(row) for row in rows] == [("team", 3)]


async def test_what_has_expired_is_removed_in_the_background_for_every_tenant(
    database: Database, tenant: str
) -> None:
    at = datetime.now(UTC)
    other = f"{tenant}x"
    for owner in (tenant, other):
        await note_errors(database, owner, at - timedelta(days=91), at - timedelta(days=89))
        await keep_results(database, owner, at - timedelta(seconds=1), at + timedelta(hours=1))
        await keep_answers(database, owner, at - timedelta(seconds=2), at + timedelta(hours=2))

    async with working(database):
        while any([len(await kept(database, owner)) > 3 for owner in (tenant, other)]):
            pass

    for owner in (tenant, other):
        assert await kept(database, owner) == {
            at - timedelta(days=89),
            at + timedelta(hours=1),
            at + timedelta(hours=2),
        }


async def note_errors(database: Database, tenant: str, *times: datetime) -> None:
    error = ProcessingError("framing", "LLM_FAILED", "timeout", ("S1",), 1, "m")
    async with database.writing(tenant) as connection:
        for at in times:
            await note_error(connection, tenant, error, at)


async def keep_results(database: Database, tenant: str, *expiring: datetime) -> None:
    async with database.writing(tenant) as connection:
        for at in expiring:
            # made before either expires, so that keeping one removes none
            entry = Entry(at.isoformat(), "list", None, {}, at - timedelta(days=1), at)
            await result_cache.put(connection, tenant, "ada", entry)


async def keep_answers(database: Database, tenant: str, *expiring: datetime) -> None:
    for at in expiring:
        async with Requests(database).open(tenant, "capture", at.isoformat(), b"") as request:
            await request.keep("{}", "{}", None)
            await request.connection.execute(
                "update vcontract.request set expires_at = $2 where key = $1", at.isoformat(), at
            )


async def kept(database: Database, tenant: str) -> set[datetime]:
    """When the errors that are left occurred, and when the results and answers that are left expire."""
    async with database.reading(tenant) as connection:
        rows = await connection.fetch(
            "select occurred_at as at from vcontract.bridge_processing_error where tenant = $1"
            " union all select expires_at from vcontract.result_cache where tenant = $1"
            " union all select expires_at from vcontract.request where tenant = $1",
            tenant,
        )
    return {row["at"] for row in rows}


async def test_a_failure_is_logged_once_and_does_not_end_it(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rounds = 0
    enough = asyncio.Event()

    async def fail(_: Database) -> None:
        nonlocal rounds
        rounds += 1
        if rounds == 3:
            enough.set()
        raise ConnectionError("the database went away")

    monkeypatch.setattr(maintenance, "fold_all", fail)
    async with working(database) as upkeep:
        await enough.wait()
        await upkeep.stop()

    assert [record.message for record in caplog.records].count("counts are not folded for now") == 1


async def test_vcons_older_than_they_are_kept_are_deleted_in_the_background(
    database: Database, call: Call, tenant: str
) -> None:
    old = {"created_at": "2020-01-01T00:00:00Z", "parties": [{"name": "Ann"}]}
    uuid = (await call("create_vcon", vcon_data=old))["uuid"]
    before = datetime.now(UTC) - timedelta(days=365)

    async with working(database, retention_days=365):
        while (await count_expired(database, tenant, before)).due:
            pass

    assert (await call("get_vcon", uuid=uuid))["error_code"] == "NOT_FOUND"


@pytest.mark.parametrize(
    ("said", "asked"),
    [("Łódź and Bjørn", "lodz"), ("Ankara'da", "ankara"), ("İşçiler geldi ve bu çok iyi, ama", "işçi")],
)
async def test_what_was_stored_before_words_had_these_forms_is_indexed_again(
    database: Database, call: Call, tenant: str, said: str, asked: str
) -> None:
    at = "2026-01-01T00:00:00Z"
    turn = {"type": "text", "body": said, "start": at, "parties": [0], "encoding": "none"}
    vcon = {
        "created_at": at,
        "parties": [{"name": "Ann"}],
        "dialog": [{**turn, "mediatype": "text/plain"}],
    }
    uuid = (await call("create_vcon", vcon_data=vcon))["uuid"]

    async with database.writing(tenant) as connection:
        for table in ("passage", "search_document"):
            await connection.execute(
                f"update vcontract.{table} set words = ts_delete(words, $2::text) where id = $1",  # noqa: S608
                UUID(uuid),
                lexeme(asked),
            )
            await connection.execute(
                f"update vcontract.{table} set words = ts_delete(words, $2::text) where id = $1",  # noqa: S608
                UUID(uuid),
                stemmed(asked, "tr"),
            )
        await connection.execute(
            "insert into vcontract.word_task values ($1, 'vcon', $2)", tenant, UUID(uuid)
        )
    assert not await _found(call, asked)

    async with working(database):
        while not (found := await _found(call, asked)):
            pass

    assert found == [uuid]


async def _found(call: Call, asked: str) -> list[str]:
    answer = await call("vcon_search", query=asked, mode="keyword")
    return [each["id"] for each in answer["items"]]
