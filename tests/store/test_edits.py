"""Edits: whatever is changed in a vCon, its rows are those of the same vCon stored at once."""

import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID, uuid4

import numpy as np
import pytest

from tests.conftest import Call
from vcontract.runtime.embedding.vectors import half_vectors
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.vcons.preparation import PrepareContext, prepare
from vcontract.runtime.store.vcons.store import VconStore

ENGLISH = (
    "Is the bicycle ready?",
    "Yes.",
    "The brakes work again, for $40 or so.",
    "Call me at 555 0100 200, please.",
)
GERMAN = (
    "Die Rechnung ist noch nicht bezahlt, und wir warten auf das Geld.",
    "Das ist nicht schlimm.",
    "Rechnungen, Rechnungen!",
)
NAMES = ("Ada Lang", "Omar Quist", "Vera Young")
TABLES = {
    "vcon": "uuid",
    "party": "vcon",
    "dialog": "vcon",
    "analysis": "vcon",
    "attachment": "vcon",
    "tag": "vcon",
    "dealer": "vcon",
    "passage": "id",
    "search_document": "id",
}
OF_THE_MOMENT = ["tenant", "stored_at", "updated_at", "created_at", "occurred_at"]


@dataclass(frozen=True, slots=True)
class Material:
    """What vCons and edits are made of, at random."""

    chance: random.Random
    lines: Sequence[str]

    @property
    def line(self) -> str:
        return self.chance.choice(self.lines)


Edit = Callable[[Material, UUID], Awaitable[JsonObject]]


def turn(given: Material) -> JsonObject:
    return {
        "type": "text",
        "start": f"2025-10-{given.chance.randint(10, 28)}T10:00:00Z",
        "parties": [given.chance.randint(0, 1), 0],
        "mediatype": "text/plain",
        "encoding": "none",
        "body": given.line,
    }


def transcript(given: Material) -> JsonObject:
    """Speakers stand in it by their index."""
    body = [{"party": given.chance.randint(0, 1), "text": given.line} for _ in range(3)]
    return {**turn(given), "mediatype": "application/json", "encoding": "json", "body": body}


def analysis(given: Material) -> JsonObject:
    return {
        "type": given.chance.choice(("summary", "sentiment")),
        "vendor": "x",
        "dialog": [0],
        "mediatype": "text/plain",
        "encoding": "none",
        "body": given.line,
    }


def edits(call: Call) -> list[Edit]:
    def update(make: Callable[[Material], JsonObject], strategy: str = "replace") -> Edit:
        return lambda given, uuid: call(
            "update_vcon",
            uuid=str(uuid),
            updates=make(given),
            merge_strategy=strategy,
            validate_after_update=False,
        )

    def parties(given: Material) -> JsonObject:
        return {"parties": [{"name": given.chance.choice(NAMES)}, {"name": given.chance.choice(NAMES)}]}

    def turns(given: Material) -> JsonObject:
        return {"dialog": [turn(given) for _ in range(given.chance.randint(1, 6))]}

    return [
        lambda given, uuid: call("add_dialog", vcon_uuid=str(uuid), dialog=turn(given)),
        lambda given, uuid: call("add_dialog", vcon_uuid=str(uuid), dialog=transcript(given)),
        lambda given, uuid: call("add_analysis", vcon_uuid=str(uuid), analysis=analysis(given)),
        update(lambda given: {"subject": given.line}),
        update(parties),
        update(turns),
        update(turns, "append"),
        update(
            lambda given: {"critical": given.chance.choice(([], ["nobody_knows_it"])), "extensions": ["cc"]}
        ),
        update(lambda _: {"analysis": []}),
    ]


MADE: JsonObject = {
    "vcon": "0.4.0",
    "created_at": "2025-10-10T10:00:00Z",
    "parties": [{"name": "Ada Lang"}, {"name": "Omar Quist"}],
}


@pytest.mark.parametrize("lines", [ENGLISH, (*ENGLISH, *GERMAN)], ids=["english", "mixed"])
async def test_after_any_edits_the_rows_are_those_of_the_same_vcon_stored_at_once(
    call: Call, database: Database, owner: OwnerConnection, tenant: str, lines: Sequence[str]
) -> None:
    given, uuid, store = Material(random.Random(1), lines), uuid4(), VconStore(database)  # noqa: S311
    dialog = [transcript(given), *(turn(given) for _ in range(4))]
    await call("create_vcon", vcon_data={**MADE, "uuid": str(uuid), "dialog": dialog})
    await embed(owner, tenant, uuid)
    possible = edits(call)

    for number, edit in enumerate([*possible[:5], *given.chance.choices(possible, k=5)]):
        done = await edit(given, uuid)

        assert done["success"], done
        await check_rows(owner, store, tenant, uuid, f"{tenant}{number}")


async def test_turns_at_the_end_of_a_long_vcon_leave_the_rows_of_the_same_vcon_stored_at_once(
    call: Call, database: Database, owner: OwnerConnection, tenant: str
) -> None:
    given, uuid, store = Material(random.Random(2), ENGLISH), uuid4(), VconStore(database)  # noqa: S311
    said = {"dialog": [turn(given) for _ in range(600)], "analysis": [analysis(given)]}
    await call("create_vcon", vcon_data={**MADE, "uuid": str(uuid), "subject": "A bicycle", **said})
    await embed(owner, tenant, uuid)
    earliest = {**turn(given), "start": "2025-09-01T10:00:00Z", "body": "A bicycle from the saddler."}
    added = [
        earliest,
        turn(given),
        transcript(given),
        {**turn(given), "body": "Rechnungen!"},
        {**turn(given), "body": GERMAN[0]},
        turn(given),
    ]

    for number, each in enumerate(added):
        done = await call("add_dialog", vcon_uuid=str(uuid), dialog=each)

        assert done["dialog_index"] == 600 + number
        await check_rows(owner, store, tenant, uuid, f"{tenant}{number}")


async def test_words_that_no_language_claims_are_read_in_that_which_an_edit_makes_the_vcons(
    call: Call, database: Database, owner: OwnerConnection, tenant: str
) -> None:
    uuid, store = uuid4(), VconStore(database)
    undecided = {**turn(Material(random.Random(1), ENGLISH)), "body": "Rechnungen, Rechnungen!"}  # noqa: S311
    made = {"uuid": str(uuid), "vcon": "0.4.0", "parties": [{"name": "Ada"}, {}], "dialog": [undecided]}
    await call("create_vcon", vcon_data={**made, "created_at": "2025-10-10T10:00:00Z"})
    in_english = await rows(owner, tenant, uuid)

    german = {"type": "summary", "vendor": "x", "dialog": [0], "encoding": "none", "body": GERMAN[0]}
    await call("add_analysis", vcon_uuid=str(uuid), analysis={**german, "mediatype": "text/plain"})

    other = f"{tenant}0"
    await store_afresh(store, tenant, uuid, other)
    now = await rows(owner, tenant, uuid)
    assert now == await rows(owner, other, uuid)
    assert not set(in_english["passage"]) <= set(now["passage"])


async def check_rows(owner: OwnerConnection, store: VconStore, tenant: str, uuid: UUID, other: str) -> None:
    """The rows of a vCon are those of the same one stored at once for another tenant."""
    await store_afresh(store, tenant, uuid, other)
    assert await rows(owner, tenant, uuid) == await rows(owner, other, uuid)
    assert await counted(owner, tenant) == await counted(owner, other)
    assert await owner.fetchval(WRONG_TASKS, tenant, uuid) == 0


async def store_afresh(store: VconStore, tenant: str, uuid: UUID, other: str) -> None:
    """Store the vCon as it is now for another tenant, too, at once."""
    stored = await store.get(tenant, uuid)
    assert stored is not None
    fresh = prepare(stored.raw(), PrepareContext.load(), now=datetime.now(UTC), tags=stored.tags)
    await store.insert_batch(other, [fresh])


WRONG_TASKS = """
select count(*)
from vcontract.embedding_task t
where t.tenant = $1 and t.id = $2 and t.passages <> (
    select count(*)
    from vcontract.passage p
    left join vcontract.embedding e using (tenant, kind, id, part, element, chunk)
    where p.tenant = t.tenant and p.id = t.id and vcontract.is_embedded(p.part) and e.space is null
)
"""


async def embed(owner: OwnerConnection, tenant: str, uuid: UUID) -> None:
    """Give every passage some vector."""
    vector = half_vectors(np.full((1, 384), 384**-0.5, np.float32))[0]
    await owner.execute(
        "insert into vcontract.embedding (tenant, kind, id, part, element, chunk, space, vector)"
        " select tenant, kind, id, part, element, chunk, 1, $3::text::halfvec from vcontract.passage"
        " where tenant = $1 and id = $2 and vcontract.is_embedded(part)",
        tenant,
        uuid,
        str(vector.to_list()),
    )


async def rows(owner: OwnerConnection, tenant: str, uuid: UUID) -> dict[str, list[str]]:
    """Every row of a vCon, by table."""
    return {
        table: [
            record["row"]
            for record in await owner.fetch(
                f"select (to_jsonb(t) - $3::text[])::text as row from vcontract.{table} t"  # noqa: S608
                f" where tenant = $1 and {key} = $2 order by 1",
                tenant,
                uuid,
                OF_THE_MOMENT,
            )
        ]
        for table, key in TABLES.items()
    }


async def counted(owner: OwnerConnection, tenant: str) -> list[str]:
    """What the tenant's vCons count as."""
    found = await owner.fetch(
        "select about, name, detail, sum(n)::text as n from ("
        "  select about, name, detail, difference as n from vcontract.vocabulary_change where tenant = $1"
        "  union all select about, name, detail, vcons from vcontract.vocabulary where tenant = $1"
        ") c where about <> 'bytes' group by 1, 2, 3 having sum(n) <> 0 order by 1, 2, 3",
        tenant,
    )
    return ["\t".join(record) for record in found]
