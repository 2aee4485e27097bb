"""Answers that are read on are kept for a while, and not without end."""

from datetime import UTC, datetime, timedelta

from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.sessions import result_cache
from vcontract.runtime.store.sessions.result_cache import MAX_ENTRIES, Entry

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def entry(number: int) -> Entry:
    at = NOON + timedelta(seconds=number)
    return Entry(f"key {number}", "reflect_on_past", b"same", {"chunks": [number]}, at, at + HOUR)


async def test_the_oldest_of_a_caller_goes_first_and_nobody_elses(database: Database, tenant: str) -> None:
    async with database.writing(tenant) as connection:
        await result_cache.put(connection, tenant, "bob", entry(-1))
        for number in range(MAX_ENTRIES + 1):
            await result_cache.put(connection, tenant, "ann", entry(number))

        kept = await result_cache.newest(connection, tenant, "ann", "reflect_on_past", b"same", NOON)
        bobs = await result_cache.get(connection, tenant, "bob", "key -1", NOON)

    assert [each.key for each in kept] == [f"key {number}" for number in range(MAX_ENTRIES, 0, -1)]
    assert bobs == entry(-1)


async def test_what_one_caller_asked_for_is_not_given_to_another(database: Database, tenant: str) -> None:
    async with database.writing(tenant) as connection:
        await result_cache.put(connection, tenant, "bob", entry(0))

        anns = await result_cache.get(connection, tenant, "ann", "key 0", NOON)
        elsewhere = await result_cache.get(connection, f"{tenant}.other", "bob", "key 0", NOON)

    assert (anns, elsewhere) == (None, None)


async def test_what_has_expired_is_not_given_and_goes_with_the_next_one(
    database: Database, tenant: str
) -> None:
    async with database.writing(tenant) as connection:
        await result_cache.put(connection, tenant, "ann", entry(0))
        late = await result_cache.get(connection, tenant, "ann", "key 0", NOON + HOUR)
        await result_cache.put(connection, tenant, "ann", entry(3600))
        left = await result_cache.remove_expired(connection, tenant, NOON + HOUR)

    assert late is None
    assert left == 0
