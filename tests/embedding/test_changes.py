"""A vCon that changes: text that stays keeps its vectors, and the worker makes those that are missing."""

from collections.abc import Callable, Sequence
from uuid import UUID, uuid4

import numpy as np
import numpy.typing as npt
import pytest

from tests.embedding.conftest import Store
from tests.embedding.conversations import conversation, vectors_of_turns
from vcontract.runtime.embedding.embedder import Turn
from vcontract.runtime.embedding.minilm import MiniLm
from vcontract.runtime.embedding.model import EmbeddingModel
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.embedding.vectors import half_vectors
from vcontract.runtime.embedding.windows import Window
from vcontract.runtime.embedding.worker import EmbeddingWorker
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.embeddings import EmbeddingStore, Waiting
from vcontract.runtime.store.postgres.database import Database

Place = tuple[str, int, int]

TURNS = ("Is the bicycle ready?", "Yes.", "The brakes work again.", "Yes.", "I come tomorrow, then.")


async def vectors(database: Database, tenant: str, uuid: UUID) -> dict[Place, bytes]:
    """The vectors of a vCon by part, element and chunk."""
    async with database.reading(tenant) as connection:
        rows = await connection.fetch(
            "select part, element, chunk, vector from vcontract.embedding where id = $1", uuid
        )
    return {(row["part"], row["element"], row["chunk"]): row["vector"] for row in rows}


async def pending(database: Database, tenant: str) -> tuple[int, int]:
    """How many tasks there are, and how many passages of them have no vector."""
    async with database.reading(tenant) as connection:
        tasks: int = await connection.fetchval("select count(*) from vcontract.embedding_task")
        return tasks, (await EmbeddingStore().coverage(connection, tenant)).pending


def turns(vcon: JsonObject, *order: int) -> JsonObject:
    """The vCon with these of its turns, in this order."""
    return {**vcon, "dialog": [vcon["dialog"][place] for place in order]}


def with_turn(vcon: JsonObject, place: int, **members: object) -> JsonObject:
    dialog = [{**turn, **members} if at == place else turn for at, turn in enumerate(vcon["dialog"])]
    return {**vcon, "dialog": dialog}


def grown(vcon: JsonObject) -> JsonObject:
    return {**vcon, "dialog": [*vcon["dialog"], {**vcon["dialog"][1], "body": "Until then."}]}


CHANGES: dict[str, Callable[[JsonObject], JsonObject]] = {
    "nothing that is embedded": lambda vcon: {**vcon, "extensions": ["x"]},
    "another subject": lambda vcon: {**vcon, "subject": "A repair"},
    "a turn more": grown,
    "a summary": lambda vcon: {**vcon, "analysis": [{"type": "summary", "vendor": "x", "body": "Repaired."}]},
    "the first turn gone": lambda vcon: turns(vcon, 1, 2, 3, 4),
    "a turn in the middle gone": lambda vcon: turns(vcon, 0, 1, 3, 4),
    "the last turn gone": lambda vcon: turns(vcon, 0, 1, 2, 3),
    "turns the other way round": lambda vcon: turns(vcon, 4, 3, 2, 1, 0),
    "a turn twice": lambda vcon: turns(vcon, 0, 0, 1, 2, 3, 4),
    "another text": lambda vcon: with_turn(vcon, 2, body="The gears work again."),
    "another speaker": lambda vcon: with_turn(vcon, 2, parties=[1, 0]),
    "another name": lambda vcon: {**vcon, "parties": [{"name": "Ada Lang"}, {"name": "Vera Young"}]},
    "another time": lambda vcon: with_turn(vcon, 2, start="2025-10-11T10:00:00Z"),
    "all turns gone": turns,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
async def test_after_any_change_the_vectors_are_those_of_the_same_vcon_stored_at_once(
    store: Store,
    worker: EmbeddingWorker,
    database: Database,
    tenant: str,
    change: Callable[[JsonObject], JsonObject],
) -> None:
    vcon = conversation(*TURNS, subject="Bicycle", uuid=str(uuid4()))
    (uuid,) = await store(vcon)
    await worker.drain(tenant)

    await store(change(vcon), replace=True)
    left = await worker.drain(tenant)

    (fresh,) = await store({**change(vcon), "uuid": str(uuid4())})
    await worker.drain(tenant)
    assert await vectors(database, tenant, uuid) == await vectors(database, tenant, fresh)
    assert left == Waiting(0, 0)
    assert await pending(database, tenant) == (0, 0)


@pytest.mark.parametrize(
    ("change", "kept", "missing"),
    [
        ("nothing that is embedded", {0: 0, 1: 1, 2: 2, 3: 3, 4: 4}, 0),
        ("another subject", {0: 0, 1: 1, 2: 2, 3: 3, 4: 4}, 1),
        ("a turn more", {0: 0, 1: 1, 2: 2, 3: 3, 4: 4}, 1),
        ("a summary", {0: 0, 1: 1, 2: 2, 3: 3, 4: 4}, 1),
        ("the first turn gone", {0: 1, 1: 2, 2: 3, 3: 4}, 0),
        ("a turn in the middle gone", {0: 0, 1: 1, 2: 3, 3: 4}, 0),
        ("turns the other way round", {0: 4, 1: 1, 2: 2, 3: 3, 4: 0}, 0),
        ("a turn twice", {0: 0, 2: 1, 3: 2, 4: 3, 5: 4}, 1),
        ("another text", {0: 0, 1: 1, 3: 3, 4: 4}, 1),
    ],
)
async def test_text_that_stays_keeps_its_vector_even_at_another_place(
    store: Store,
    worker: EmbeddingWorker,
    database: Database,
    tenant: str,
    change: str,
    kept: dict[int, int],
    missing: int,
) -> None:
    vcon = conversation(*TURNS, subject="Bicycle", uuid=str(uuid4()))
    (uuid,) = await store(vcon)
    await worker.drain(tenant)
    before = await vectors(database, tenant, uuid)

    await store(CHANGES[change](vcon), replace=True)

    after = await vectors(database, tenant, uuid)
    assert {element: vector for (part, element, _), vector in after.items() if part == "dialog"} == {
        now: before["dialog", then, 0] for now, then in kept.items()
    }
    assert await pending(database, tenant) == (1, missing)


async def test_text_that_changed_has_no_vector_until_it_gets_its_own(
    store: Store, worker: EmbeddingWorker, database: Database, tenant: str, minilm: MiniLm
) -> None:
    vcon = conversation("First.", uuid=str(uuid4()), subject="Old")
    (uuid,) = await store(vcon)
    await worker.drain(tenant)

    await store({**with_turn(vcon, 0, body="Second."), "subject": "New"}, replace=True)
    between = await vectors(database, tenant, uuid)
    await worker.drain(tenant)

    assert between == {}
    after = await vectors(database, tenant, uuid)
    assert [after["dialog", 0, 0]] == vectors_of_turns(minilm, [Turn("Ada Lang", "Second.")])
    assert after["subject", 0, 0] == half_vectors(minilm.embed(["New"]))[0]


def said_by_ada(*turns: str, uuid: str) -> JsonObject:
    vcon = conversation(*turns, uuid=uuid)
    return {**vcon, "dialog": [{**turn, "parties": [0, 1]} for turn in vcon["dialog"]]}


LONG = [f"Point {n}: {'the brakes and the gears ' * (n % 5)}of bicycle {n} are done." for n in range(400)]
"""The turns of a talk of some sixty windows."""


@pytest.mark.parametrize(
    ("turns", "most_windows"),
    [
        ([*LONG, "One more."], 2),
        ([*LONG[:200], "[redacted]", *LONG[201:]], 5),
        ([*LONG[:200], *LONG[201:]], 5),
        ([*LONG[:200], "Put in between.", *LONG[200:]], 5),
    ],
    ids=["a turn at the end", "a turn redacted", "a turn gone", "a turn in between"],
)
async def test_only_the_windows_around_a_change_are_read_again(
    store: Store,
    embeddings: Embeddings,
    database: Database,
    tenant: str,
    minilm: MiniLm,
    turns: list[str],
    most_windows: int,
) -> None:
    (uuid,) = await store(said_by_ada(*LONG, uuid=str(uuid4())))
    read: list[Window] = []

    class Watched(EmbeddingModel):
        async def embed_windows(self, windows: Sequence[Window]) -> list[npt.NDArray[np.float32]]:
            read.extend(windows)
            return [np.ones((len(window.turns), self.dim), np.float32) for window in windows]

        dim = minilm.dim

    embeddings.model = Watched(lambda: minilm, 1)
    await EmbeddingWorker(embeddings, database).drain(tenant)
    at_first = len(read)
    read.clear()

    await store(said_by_ada(*turns, uuid=str(uuid)), replace=True)
    await EmbeddingWorker(embeddings, database).drain(tenant)

    assert at_first > 50
    assert 0 < len(read) <= most_windows
    assert len(await vectors(database, tenant, uuid)) == len(turns)


async def test_a_vector_made_meanwhile_of_text_that_is_gone_is_not_stored(
    store: Store,
    worker: EmbeddingWorker,
    embeddings: Embeddings,
    database: Database,
    tenant: str,
    minilm: MiniLm,
) -> None:
    vcon = conversation("First.", uuid=str(uuid4()))
    (uuid,) = await store(vcon)
    await worker.drain(tenant)
    await store({**vcon, "subject": "Goes again"}, replace=True)

    class ChangesMeanwhile(EmbeddingModel):
        async def embed_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            await store(vcon, replace=True)
            return await super().embed_documents(texts)

    embeddings.model = ChangesMeanwhile(lambda: minilm, 1)
    await EmbeddingWorker(embeddings, database).drain(tenant)

    assert set(await vectors(database, tenant, uuid)) == {("dialog", 0, 0)}


async def test_a_change_touches_no_vector_of_another_tenant(
    store: Store, worker: EmbeddingWorker, database: Database, tenant: str
) -> None:
    other = f"{tenant}-other"
    vcon = conversation(*TURNS, uuid=str(uuid4()))
    (uuid,) = await store(vcon)
    await store(vcon, as_tenant=other)
    await worker.drain(tenant)
    await worker.drain(other)
    before = await vectors(database, other, uuid)

    await store(turns(vcon, 1, 2), replace=True)

    assert len(await vectors(database, tenant, uuid)) == 2
    assert await vectors(database, other, uuid) == before
    assert len(before) == len(TURNS)
    assert await pending(database, other) == (0, 0)
