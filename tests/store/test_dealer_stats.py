"""What SQL readers have: counts by dealer, and the view with the older names."""

from collections.abc import Sequence
from datetime import UTC, datetime

import asyncpg
import pytest

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.vcons.preparation import PrepareContext, prepare
from vcontract.runtime.store.vcons.store import VconStore

NOW = datetime(2025, 7, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def prepare_context() -> PrepareContext:
    return PrepareContext.load()


def dealer(body: object, purpose: str = "strolid_dealer") -> JsonObject:
    return {"purpose": purpose, "encoding": "json", "body": body}


def conversation(day: int, *attachments: JsonObject, **members: object) -> JsonObject:
    created = f"2025-06-{day:02}T00:00:00Z"
    return {"parties": [{"name": "A"}], "created_at": created, "attachments": list(attachments), **members}


async def store(
    database: Database, prepare_context: PrepareContext, tenant: str, documents: Sequence[JsonObject]
) -> None:
    prepared = [prepare(document, prepare_context, now=NOW) for document in documents]
    await VconStore(database).insert_batch(tenant, prepared)


async def stats(database: Database, tenant: str, arguments: str = "") -> list[tuple[object, ...]]:
    async with database.reading(tenant) as connection:
        rows = await connection.fetch(
            f"select * from vcontract.aggregate_vcons_by_dealer_stats({arguments})"  # noqa: S608
        )
    return [tuple(row) for row in rows]


async def test_vcons_are_counted_by_dealer_and_not_attachments(
    database: Database, prepare_context: PrepareContext, tenant: str
) -> None:
    west = {"id": 4, "name": "West"}
    await store(
        database,
        prepare_context,
        tenant,
        [
            conversation(1, dealer({"id": 815, "name": "Old"}), tags={"mood": "calm"}),
            conversation(2, dealer('{"id": "815", "name": "Iron Horse", "team": {"id": 4, "name": "West"}}')),
            conversation(3, dealer({"id": 815, "team": west}), dealer({"id": 815}), tags={"mood": "calm"}),
            conversation(4, dealer("{broken")),
            conversation(
                5, dealer({"dealerId": 9, "dealerName": "Nine"}, "bria_call_ended"), tags={"mood": 1}
            ),
        ],
    )

    assert await stats(database, tenant) == [
        ("815", "Iron Horse (1), Old (1)", "4", "West", 3, 3),
        ("9", "Nine", None, None, 1, 1),
    ]
    assert await stats(database, tenant, """'{"mood": "calm"}'""") == [
        ("815", "Iron Horse (1), Old (1)", "4", "West", 2, 3),
        ("9", "Nine", None, None, 0, 1),
    ]
    assert [row[-2:] for row in await stats(database, tenant, """'{"mood": 1.0}'""")] == [(1, 1), (0, 3)]
    assert [row[-2:] for row in await stats(database, tenant, """'{"mood": "calm", "x": "y"}'""")] == [
        (0, 3),
        (0, 1),
    ]


async def test_a_number_is_the_same_in_every_spelling(
    database: Database, prepare_context: PrepareContext, tenant: str
) -> None:
    numbers = [0.00001, 1e20, 1e308, 0.1, 12]
    await store(
        database,
        prepare_context,
        tenant,
        [conversation(1, dealer({"id": str(number)}), tags={"n": number}) for number in numbers],
    )

    async def with_tag(number: str) -> set[object]:
        rows = await stats(database, tenant, f"""'{{"n": {number}}}'""")
        return {row[0] for row in rows if row[-2]}

    assert await with_tag("0.00001") == await with_tag("1e-5") == {"1e-05"}
    assert await with_tag("100000000000000000000") == {"1e+20"}
    assert await with_tag("1e308") == {"1e+308"}
    assert await with_tag("0.10") == {"0.1"}
    assert await with_tag("1.2e1") == {"12"}
    assert await with_tag('"12"') == {"12"}


async def test_a_window_is_half_open_and_bounds_hold(
    database: Database, prepare_context: PrepareContext, tenant: str
) -> None:
    await store(
        database,
        prepare_context,
        tenant,
        [conversation(day, dealer({"id": f"d{day % 3}"})) for day in range(1, 8)],
    )

    window = "created_from => '2025-06-02T00:00:00Z', created_to => '2025-06-07T00:00:00Z'"

    assert {row[0]: row[-1] for row in await stats(database, tenant)} == {"d0": 2, "d1": 3, "d2": 2}
    assert {row[0]: row[-1] for row in await stats(database, tenant, window)} == {"d0": 2, "d1": 1, "d2": 2}
    assert [row[0] for row in await stats(database, tenant, "min_baseline => 3")] == ["d1"]
    assert [row[0] for row in await stats(database, tenant, "max_results => 2")] == ["d1", "d0"]
    assert await stats(database, tenant, "max_results => -1") == []


async def test_the_largest_share_comes_first_then_the_larger_counts(
    database: Database, prepare_context: PrepareContext, tenant: str
) -> None:
    counts = {"half": (1, 2), "more": (2, 2), "one": (1, 1), "two": (1, 1), "none": (0, 3), "few": (0, 1)}
    vcons = [
        conversation(1, dealer({"id": name}), tags={"x": 1} if n < filtered else {})
        for name, (filtered, baseline) in counts.items()
        for n in range(baseline)
    ]
    await store(database, prepare_context, tenant, vcons)

    rows = await stats(database, tenant, """'{"x": 1}'""")

    assert [row[0] for row in rows] == ["more", "one", "two", "half", "none", "few"]
    assert {row[0]: row[-2:] for row in rows} == counts


async def test_no_more_than_500_dealers_are_told(
    database: Database, prepare_context: PrepareContext, tenant: str
) -> None:
    await store(database, prepare_context, tenant, [conversation(1, dealer({"id": n})) for n in range(501)])

    assert len(await stats(database, tenant, "max_results => 10000")) == 500
    assert len(await stats(database, tenant)) == 20


async def test_another_tenant_has_other_counts(
    database: Database, prepare_context: PrepareContext, tenant: str
) -> None:
    for name in (f"{tenant}_a", f"{tenant}_b"):
        await store(database, prepare_context, name, [conversation(1, dealer({"id": 815}))])

    await store(
        database, prepare_context, f"{tenant}_b", [conversation(1, dealer({"id": 815}), tags={"x": 1})]
    )

    assert [row[-1] for row in await stats(database, f"{tenant}_a")] == [1]
    assert [row[-1] for row in await stats(database, f"{tenant}_b")] == [2]
    assert await stats(database, tenant) == []


async def test_older_names_are_read_through_the_view_by_their_tenant_alone(
    database: Database, prepare_context: PrepareContext, tenant: str
) -> None:
    document = conversation(1, must_support=["cc"], appended={"uuid": "01939c3a-6f00-8abc-9def-0123456789ab"})
    await store(database, prepare_context, tenant, [document, conversation(2)])
    question = "select must_support::text, appended ->> 'uuid', subject_folded from vcontract.vcons_legacy"

    async with database.reading(tenant) as connection:
        rows = await connection.fetch(f"{question} order by created_at")
        columns = await connection.fetch(
            "select attname from pg_attribute where attrelid = 'vcontract.vcon'::regclass and attnum > 0"
            " and not attisdropped and attname not in ('bytes', 'began_at') except"  # derived
            " select attname from pg_attribute where attrelid = 'vcontract.vcons_legacy'::regclass"
        )
    async with database.reading(f"{tenant}_other") as connection:
        others = await connection.fetch(question)

    assert [tuple(row)[:2] for row in rows] == [
        ('["cc"]', "01939c3a-6f00-8abc-9def-0123456789ab"),
        (None, None),
    ]
    assert columns == []
    assert others == []


@pytest.mark.parametrize(
    "statement",
    [
        "update vcontract.vcons_legacy set subject_folded = 'x'",
        "delete from vcontract.vcons_legacy",
        "insert into vcontract.vcons_legacy (uuid) values (gen_random_uuid())",
    ],
)
async def test_nobody_writes_through_the_view(
    database: Database, owner: OwnerConnection, tenant: str, statement: str
) -> None:
    with pytest.raises(asyncpg.ObjectNotInPrerequisiteStateError):
        async with database.writing(tenant) as connection:
            await connection.execute(statement)
    with pytest.raises(asyncpg.ObjectNotInPrerequisiteStateError):
        await owner.execute(statement)
