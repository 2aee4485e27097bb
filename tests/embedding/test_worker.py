"""The worker: embeds what is stored, goes on after breaks, shares with others, and forgets what is gone."""

import asyncio
import itertools
from collections import Counter
from collections.abc import Sequence
from uuid import UUID, uuid4

import asyncpg
import numpy as np
import numpy.typing as npt
import pytest

from tests.conftest import PATIENCE
from tests.embedding.conftest import Store
from tests.embedding.conversations import conversation, vectors_of_turns
from tests.waiting import until_told
from vcontract.runtime.embedding.embedder import EmbeddingFailed, Turn
from vcontract.runtime.embedding.minilm import MiniLm
from vcontract.runtime.embedding.model import EmbeddingModel
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.embedding.vectors import half_vectors
from vcontract.runtime.embedding.windows import Window
from vcontract.runtime.embedding.worker import LOOKS_EVERY, EmbeddingWorker
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.embeddings import Coverage, EmbeddingStore, Reach, Waiting
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.deletion import delete_vcon


async def vectors(database: Database, tenant: str) -> dict[tuple[UUID, str, int], bytes]:
    """The tenant's vectors by vCon, part and element."""
    async with database.reading(tenant) as connection:
        rows = await connection.fetch("select id, part, element, vector from vcontract.embedding")
    return {(row["id"], row["part"], row["element"]): row["vector"] for row in rows}


def texts_of(windows: Sequence[Window]) -> list[str]:
    return [turn.text for window in windows for turn in window.turns]


async def coverage(database: Database, tenant: str) -> Coverage:
    async with database.reading(tenant) as connection:
        return await EmbeddingStore().coverage(connection, tenant)


async def test_every_passage_but_those_of_parties_gets_its_vector(
    store: Store, worker: EmbeddingWorker, database: Database, tenant: str
) -> None:
    (one,) = await store(conversation("Hello.", "Hi.", subject="Greetings"))
    (two,) = await store(conversation("My bicycle is broken."))
    before = await coverage(database, tenant)

    left = await worker.drain(tenant)

    assert (before.passages, before.embedded, before.pending, before.share) == (4, 0, 4, 0.0)
    assert left == Waiting(0, 0)
    assert set(await vectors(database, tenant)) == {
        (one, "subject", 0),
        (one, "dialog", 0),
        (one, "dialog", 1),
        (two, "dialog", 0),
    }
    after = await coverage(database, tenant)
    assert (after.passages, after.embedded, after.pending, after.share) == (4, 4, 0, 1.0)
    assert (after.model, after.dimension) == (MiniLm.id, 384)


async def test_what_a_search_is_told_of_its_reach_is_what_was_counted(
    store: Store, worker: EmbeddingWorker, database: Database, tenant: str
) -> None:
    async def reach() -> Reach:
        async with database.reading(tenant) as connection:
            return await EmbeddingStore().reach(connection, tenant)

    empty = await reach()
    await store(conversation("Hello."))
    await worker.drain(tenant)
    whole = await reach()
    await store(conversation("Hello again.", "Hi.", "How are you?"))

    assert (empty, whole, await reach()) == (Reach(1.0, 0), Reach(1.0, 0), Reach(0.25, 3))


async def test_a_turn_is_read_among_its_neighbours_with_who_speaks_and_a_subject_alone(
    store: Store, worker: EmbeddingWorker, database: Database, tenant: str, minilm: MiniLm
) -> None:
    (uuid,) = await store(conversation("Is it covered?", "Yes, for five years.", subject="Warranty"))

    await worker.drain(tenant)

    talk = [Turn("Ada Lang", "Is it covered?"), Turn("Omar Quist", "Yes, for five years.")]
    stored = await vectors(database, tenant)
    assert stored[uuid, "dialog", 1] == vectors_of_turns(minilm, talk)[1]
    assert stored[uuid, "subject", 0] == half_vectors(minilm.embed(["Warranty"]))[0]


@pytest.mark.parametrize(
    ("dialog", "speaker"),
    [
        ({"parties": [1, 0], "originator": 0}, "Ada Lang"),
        ({"parties": 1}, "Omar Quist"),
        ({"parties": [[0], 1]}, None),
        ({"parties": []}, None),
        ({"parties": [7]}, None),
        ({"type": "recording", "parties": [0, 1]}, None),
    ],
)
async def test_the_speaker_is_the_originator_or_the_first_party_of_a_text(
    store: Store,
    worker: EmbeddingWorker,
    database: Database,
    tenant: str,
    minilm: MiniLm,
    dialog: dict[str, object],
    speaker: str | None,
) -> None:
    vcon = conversation("The bell rings.", "Who is it?")
    vcon["dialog"][0] = {**vcon["dialog"][0], **dialog}
    (uuid,) = await store(vcon)

    await worker.drain(tenant)

    talk = [Turn(speaker, "The bell rings."), Turn("Omar Quist", "Who is it?")]
    stored = await vectors(database, tenant)
    assert stored[uuid, "dialog", 0] == vectors_of_turns(minilm, talk)[0]


async def test_a_deleted_vcon_leaves_no_vector_and_no_task(
    store: Store, worker: EmbeddingWorker, database: Database, tenant: str
) -> None:
    embedded, waiting = await store(conversation("First."), conversation("Second."))
    await worker.drain(tenant)
    async with database.writing(tenant) as connection:
        await connection.execute(
            "insert into vcontract.embedding_task (tenant, kind, id, space, passages, due_at)"
            " values ($1, 'vcon', $2, 1, 1, now())",
            tenant,
            waiting,
        )
        for uuid in (embedded, waiting):
            await delete_vcon(connection, tenant, uuid)

    async with database.reading(tenant) as connection:
        assert await connection.fetchval("select count(*) from vcontract.embedding") == 0
        assert await connection.fetchval("select count(*) from vcontract.embedding_task") == 0


async def test_vectors_of_text_that_changed_meanwhile_are_not_stored(
    store: Store, embeddings: Embeddings, database: Database, tenant: str, minilm: MiniLm
) -> None:
    vcon = conversation("Before.", uuid=str(uuid4()))
    await store(vcon)
    changed = {**vcon, "dialog": [{**vcon["dialog"][0], "body": "After."}]}

    class ChangesMeanwhile(EmbeddingModel):
        async def embed_windows(self, windows: Sequence[Window]) -> list[npt.NDArray[np.float32]]:
            if "Before." in texts_of(windows):
                await store(changed, replace=True)
            return await super().embed_windows(windows)

    embeddings.model = ChangesMeanwhile(lambda: minilm, 1)
    await EmbeddingWorker(embeddings, database).drain(tenant)

    (vector,) = (await vectors(database, tenant)).values()
    assert [vector] == vectors_of_turns(minilm, [Turn("Ada Lang", "After.")])


async def test_a_worker_that_is_stopped_gives_its_tasks_back(
    store: Store, embeddings: Embeddings, database: Database, tenant: str, minilm: MiniLm
) -> None:
    await store(conversation("Text."))
    reached = asyncio.Event()

    class Hangs(EmbeddingModel):
        async def embed_windows(self, windows: Sequence[Window]) -> list[npt.NDArray[np.float32]]:
            reached.set()
            await asyncio.Event().wait()
            return await super().embed_windows(windows)

    embeddings.model = Hangs(lambda: minilm, 1)
    stopped = EmbeddingWorker(embeddings, database)
    stopped.start()
    await asyncio.wait_for(reached.wait(), PATIENCE)
    await stopped.stop()

    async with database.reading(tenant) as connection:
        rows = await connection.fetch(
            "select claim, attempts, due_at <= now() as due from vcontract.embedding_task"
        )
    assert [tuple(row) for row in rows] == [(None, 0, True)]


async def test_tasks_of_a_worker_that_died_become_due_again(
    store: Store, worker: EmbeddingWorker, database: Database, database_url: str, tenant: str
) -> None:
    await store(conversation("Text."))
    async with database.writing(tenant) as connection:
        claimed = await EmbeddingStore().claim(connection, 1, uuid4(), tenant)
    assert len(claimed) == 1
    assert await worker.work_once(tenant) == 0

    owner = await asyncpg.connect(database_url)
    await owner.execute("update vcontract.embedding_task set due_at = due_at - interval '2 minutes'")
    await owner.close()

    assert await worker.work_once(tenant) == 1


async def test_two_workers_share_the_work(
    store: Store, settings: Settings, database: Database, tenant: str, minilm: MiniLm
) -> None:
    seen: list[str] = []

    class Counts(EmbeddingModel):
        async def embed_windows(self, windows: Sequence[Window]) -> list[npt.NDArray[np.float32]]:
            seen.extend(texts_of(windows))
            return await super().embed_windows(windows)

    await store(*(conversation(f"Text number {number}.") for number in range(150)))
    both: list[Embeddings] = []
    for _ in range(2):
        embeddings = Embeddings(settings, database)
        embeddings.model = Counts(lambda: minilm, 1)
        both.append(embeddings)

    await asyncio.gather(*(EmbeddingWorker(embeddings, database).drain(tenant) for embeddings in both))

    assert len(await vectors(database, tenant)) == 150
    assert sorted(seen) == sorted(f"Text number {number}." for number in range(150))
    for embeddings in both:
        await embeddings.close()


async def test_a_text_that_cannot_be_embedded_holds_up_no_other(
    store: Store, embeddings: Embeddings, database: Database, tenant: str, minilm: MiniLm
) -> None:
    class Refuses(EmbeddingModel):
        async def embed_windows(self, windows: Sequence[Window]) -> list[npt.NDArray[np.float32]]:
            if any("poison" in text for text in texts_of(windows)):
                raise EmbeddingFailed("refused")
            return await super().embed_windows(windows)

    embeddings.model = Refuses(lambda: minilm, 1)
    good, bad, other = await store(*(conversation(text) for text in ("Good.", "poison", "Fine.")))
    worker = EmbeddingWorker(embeddings, database)

    left = await worker.drain(tenant)

    assert left == Waiting(passages=1, failed=1)
    assert {uuid for uuid, _, _ in await vectors(database, tenant)} == {good, other}
    async with database.reading(tenant) as connection:
        row = await connection.fetchrow(
            "select id, attempts, due_at > now() as later from vcontract.embedding_task"
        )
    assert row is not None
    assert tuple(row) == (bad, 1, True)
    assert await worker.work_once(tenant) == 0


async def test_a_worker_of_the_server_serves_every_tenant_and_survives_lost_connections(
    store: Store, worker: EmbeddingWorker, database: Database, database_url: str, tenant: str
) -> None:
    async def all_embedded(of: str) -> None:
        while (await coverage(database, of)).pending:  # noqa: ASYNC110  (the worker is another process's)
            await asyncio.sleep(0.02)

    other = f"{tenant}-other"
    await store(conversation("One."))
    await store(conversation("Two."), as_tenant=other)
    worker.start()
    try:
        async with asyncio.timeout(PATIENCE):
            await all_embedded(tenant)
            await all_embedded(other)
        owner = await asyncpg.connect(database_url)
        await owner.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )
        await owner.close()
        await store(conversation("Three."))
        async with asyncio.timeout(PATIENCE):
            await all_embedded(tenant)
    finally:
        await worker.stop()

    assert len(await vectors(database, tenant)) == 2
    assert len(await vectors(database, other)) == 1


async def test_text_is_embedded_as_soon_as_it_is_written_by_a_worker_that_looks_once_an_hour(
    store: Store, embeddings: Embeddings, database: Database, tenant: str
) -> None:
    worker = EmbeddingWorker(embeddings, database, looks_every=3_600)
    database.when_written(worker.wake)
    await worker.drain(tenant)
    worker.start()
    try:
        for text in ("Here at last.", "And here again."):
            await store(conversation(text))
            await until_embedded(database, tenant)
    finally:
        await worker.stop()

    assert len(await vectors(database, tenant)) == 2


async def test_a_worker_that_nobody_wakes_looks_for_new_text_by_itself(
    store: Store, embeddings: Embeddings, database: Database, tenant: str
) -> None:
    worker = EmbeddingWorker(embeddings, database, looks_every=0.01)
    await worker.drain(tenant)
    worker.start()
    try:
        await store(conversation("Here at last."))
        await until_embedded(database, tenant)
    finally:
        await worker.stop()

    assert LOOKS_EVERY == 1


async def test_one_worker_at_a_time_works_in_the_background_and_the_next_takes_its_place(
    store: Store, settings: Settings, database: Database, tenant: str, minilm: MiniLm
) -> None:
    async def worker_of(seen: list[str]) -> EmbeddingWorker:
        class Counts(EmbeddingModel):
            async def embed_windows(self, windows: Sequence[Window]) -> list[npt.NDArray[np.float32]]:
                seen.extend(texts_of(windows))
                return await super().embed_windows(windows)

        embeddings = Embeddings(settings, database)
        embeddings.model = Counts(lambda: minilm, 1)
        return EmbeddingWorker(embeddings, database, looks_every=0.01, asks_every=0.01)

    by_first: list[str] = []
    by_second: list[str] = []
    first, second = await worker_of(by_first), await worker_of(by_second)
    first.start()
    await store(conversation("One."))
    await until_embedded(database, tenant)
    second.start()
    try:
        for text in ("Two.", "Three.", "Four."):
            await store(conversation(text))
            await until_embedded(database, tenant)
        await first.stop()
        await store(conversation("Five."))
        await until_embedded(database, tenant)
    finally:
        await first.stop()
        await second.stop()

    assert by_first == ["One.", "Two.", "Three.", "Four."]
    assert by_second == ["Five."]


async def until_embedded(database: Database, tenant: str) -> None:
    async def nothing_waits() -> bool:
        return not (await coverage(database, tenant)).pending

    await until_told(nothing_waits)


async def test_a_long_conversation_is_embedded_whole(
    store: Store,
    worker: EmbeddingWorker,
    embeddings: Embeddings,
    database: Database,
    tenant: str,
    minilm: MiniLm,
) -> None:
    turns = [f"yes {number}" for number in range(1_100)]
    await store(conversation(*turns))
    left: list[int] = []
    read: Counter[bytes] = Counter()

    class Counts(EmbeddingModel):
        async def embed_windows(self, windows: Sequence[Window]) -> list[npt.NDArray[np.float32]]:
            read.update(window.content for window in windows)
            return await super().embed_windows(windows)

    embeddings.model = Counts(lambda: minilm, 2)
    await worker.drain(tenant, lambda waiting: left.append(waiting.passages))

    assert len(await vectors(database, tenant)) == len(turns)
    # piece by piece: what is stopped goes on from there, and no window is read for two pieces
    steps = [before - after for before, after in itertools.pairwise(left)]
    assert sum(steps) == len(turns)
    assert all(256 <= step < 300 for step in steps[:-1])
    assert max(read.values()) == 1


async def test_a_long_conversation_that_a_dead_worker_had_is_taken_up_in_minutes(
    store: Store, database: Database, tenant: str
) -> None:
    await store(conversation(*(f"yes {number % 7}" for number in range(1_100))))

    async with database.writing(tenant) as connection:
        await EmbeddingStore().claim(connection, 1, uuid4(), tenant)
        waiting = await EmbeddingStore().waiting(connection, tenant, 1)
        soon = await connection.fetchval(
            "select due_at < now() + interval '6 minutes' from vcontract.embedding_task"
        )

    assert waiting == Waiting(1_100, 0, is_over=False, taken=1_100)
    assert soon
