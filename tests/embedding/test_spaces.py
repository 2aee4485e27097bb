"""Spaces: another model's vectors are made beside the old ones, and replace them when complete."""

import asyncio
import uuid
import zlib
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from tests.conftest import ALL_SCOPES, Cluster
from tests.embedding.conftest import Store
from tests.embedding.conversations import conversation
from tests.embedding.idle import Idle
from tests.embedding.service import Service, embed_all
from vcontract.runtime.app import build
from vcontract.runtime.cli.main import app
from vcontract.runtime.embedding import probes as probing
from vcontract.runtime.embedding.embedder import LATE, ModelUnavailable
from vcontract.runtime.embedding.minilm import MiniLm
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.embedding.worker import EmbeddingWorker
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.embeddings import EmbeddingStore, Space
from vcontract.runtime.store.postgres.database import Connection, Database
from vcontract.runtime.store.search.filter_conditions import Filters
from vcontract.runtime.store.search.pages import SearchRequest
from vcontract.runtime.store.search.search import Search
from vcontract.runtime.store.search.search_params import InvalidQuery

Open = Callable[..., Embeddings]


# the spaces belong to the whole database: each test has one of its own
@pytest.fixture
async def database_url(cluster: Cluster, template_database: str) -> AsyncIterator[str]:
    name = f"vcontract_test_{uuid.uuid4().hex}"
    await cluster.execute(f"create database {name} template {template_database}")
    yield cluster.url(name)
    await cluster.drop(name)


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    return Settings(database_url=SecretStr(database_url), data_dir=tmp_path)


@pytest.fixture
async def database(settings: Settings) -> AsyncIterator[Database]:
    opened = await Database.open(settings)
    yield opened
    await opened.close()


@pytest.fixture
async def open_embeddings(settings: Settings, database: Database) -> AsyncIterator[Open]:
    """Opens the embeddings as a process with other settings has them."""
    opened: list[Embeddings] = []

    def open_embeddings(**changed: object) -> Embeddings:
        opened.append(Embeddings(settings.model_copy(update=changed), database))
        return opened[-1]

    yield open_embeddings
    for embeddings in opened:
        await embeddings.close()


def of_service(service: Service) -> dict[str, object]:
    return {"embedding_provider": "openai", "embedding_url": service.url, "embedding_model": "small"}


async def spaces(database: Database) -> list[Space]:
    async with database.reading("any") as connection:
        return await EmbeddingStore().spaces(connection)


async def partitions(owner: "asyncpg.Connection[asyncpg.Record]") -> set[str]:
    rows = await owner.fetch(
        "select inhrelid::regclass::text from pg_inherits where inhparent = 'vcontract.embedding'::regclass"
    )
    return {row[0] for row in rows}


async def found_by(embeddings: Embeddings, database: Database, tenant: str, query: str) -> tuple[str, int]:
    """The model that a query is searched by, and how many vCons it finds."""
    vector = await embeddings.query(tenant, query)
    async with database.reading(tenant) as connection:
        page = await Search().find(
            connection, tenant, SearchRequest(Filters(), 100, vector=vector, threshold=0)
        )
    return vector.space.model, len(page.items)


async def test_the_first_space_is_that_of_the_shipped_model(database: Database) -> None:
    (first,) = await spaces(database)

    assert (first.model, first.dimension, first.state) == (MiniLm.id, MiniLm.dim, "active")
    assert list(first.calibration or ()) == MiniLm.calibration.points()
    assert first.recipe == {"provider": "minilm"}


async def test_another_model_is_built_beside_the_old_one_and_replaces_it(
    store: Store,
    database: Database,
    tenant: str,
    open_embeddings: Open,
    service: Service,
    owner: "asyncpg.Connection[asyncpg.Record]",
) -> None:
    await store(*(conversation(f"Text number {number}.") for number in range(5)))
    await EmbeddingWorker(open_embeddings(), database).drain(tenant)
    embeddings = open_embeddings(**of_service(service))
    worker = EmbeddingWorker(embeddings, database)

    # given a new model whose work has begun, and text that came in meanwhile
    async with database.reading(tenant) as connection:
        assert (await EmbeddingStore().waiting(connection, tenant, 2)).passages == 0
    service.answers = [embed_all, embed_all, embed_all, 401]  # the dimension, and probes
    with pytest.raises(ModelUnavailable, match="HTTP 401"):
        await worker.drain(tenant)
    service.answers = [embed_all]
    await store(conversation("One more."))
    half_way = await spaces(database)
    served = await found_by(embeddings, database, tenant, "text")
    # when it is complete
    await worker.drain(tenant)
    after = await spaces(database)
    found = await found_by(embeddings, database, tenant, "text")
    given = await embeddings.given(tenant, [1.0, 2.0, 3.0])

    assert [(space.model, space.state) for space in half_way] == [
        (MiniLm.id, "active"),
        ("openai:small/3/q=''/d=''", "building"),
    ]
    assert served == (MiniLm.id, 5)  # the new text has no old vector
    assert [(space.model, space.state, space.calibration) for space in after] == [
        ("openai:small/3/q=''/d=''", "active", None)
    ]
    assert found == ("openai:small/3/q=''/d=''", 6)
    assert given.space.id == after[0].id
    with pytest.raises(InvalidQuery, match="384 numbers; expected 3"):
        await embeddings.given(tenant, [1.0] * 384)

    # the old vectors go when no search can be reading them any more
    assert await partitions(owner) == {"vcontract.embedding_1", "vcontract.embedding_2"}
    await owner.execute("update vcontract.embedding_space set changed_at = now() - interval '5 minutes'")
    await worker.drain(tenant)
    assert await partitions(owner) == {"vcontract.embedding_2"}

    # back to the shipped model, which embeds everything anew
    await EmbeddingWorker(open_embeddings(), database).drain(tenant)
    (back,) = await spaces(database)
    assert (back.model, back.state) == (MiniLm.id, "active")
    assert await found_by(open_embeddings(), database, tenant, "text") == (MiniLm.id, 6)


TOPICS = (("refund", "Geld", "remboursement"), ("weather", "Wetter", "temps"))
"""What a model of several languages takes for the same."""


def embed_topics(body: JsonObject) -> JsonValue:
    """Vectors as such models give them: all near to one another, those of one topic nearer."""
    probes = (Path(probing.__file__).with_name("probes.txt")).read_text(encoding="utf-8").splitlines()
    topics = [*TOPICS, *(line.split("\t") for line in probes)]
    rows: list[JsonObject] = []
    for place, text in enumerate(body["input"]):
        chance = zlib.crc32(text.encode()) % 100 / 100
        vector = [1.8 + chance / 2, *[0.0] * len(topics), chance]
        for number, words in enumerate(topics, start=1):
            vector[number] = float(any(word in text for word in words))
        rows.append({"index": place, "embedding": vector})
    return {"data": rows}


async def test_a_multilingual_model_is_one_setting_away_and_its_similarities_mean_the_same(
    store: Store, database: Database, tenant: str, open_embeddings: Open, service: Service
) -> None:
    refund, weather = await store(conversation("A refund, please."), conversation("Fine weather today."))
    await EmbeddingWorker(open_embeddings(), database).drain(tenant)
    service.answers = [embed_topics]

    embeddings = open_embeddings(**of_service(service))
    await EmbeddingWorker(embeddings, database).drain(tenant)
    vector = await embeddings.query(tenant, "Geld")
    async with database.reading(tenant) as connection:
        page = await Search().find(
            connection, tenant, SearchRequest(Filters(), 10, vector=vector, threshold=None)
        )

    # unrelated cosines of such models are far above those of the shipped one
    assert vector.space.calibration is not None
    assert vector.space.calibration[0] > 0.7
    assert [(item.id, item.strength) for item in page.items] == [(refund, "fair"), (weather, "weak")]
    asked = len(service.requests)
    await EmbeddingWorker(open_embeddings(**of_service(service)), database).drain(tenant)
    assert len(service.requests) - asked == 1  # its dimension: what was measured is kept


async def test_probes_measure_the_shipped_model_about_as_the_example_conversations_do(minilm: MiniLm) -> None:
    measured = probing.measured(minilm)

    assert measured.points() == pytest.approx(MiniLm.calibration.points(), abs=0.06)


async def test_the_key_goes_to_the_service_of_the_settings_only(
    store: Store, database: Database, tenant: str, open_embeddings: Open, service: Service
) -> None:
    await store(conversation("Text."))
    old = open_embeddings(**of_service(service), embedding_api_key=SecretStr("old-key"))
    await EmbeddingWorker(old, database).drain(tenant)
    service.keys.clear()

    new = open_embeddings(embedding_api_key=SecretStr("new-key"))
    await new.query(tenant, "text")

    assert set(service.keys) == {None}


async def test_without_a_model_a_given_vector_still_searches(
    store: Store, database: Database, tenant: str, open_embeddings: Open
) -> None:
    await store(conversation("Text."))
    ready = open_embeddings()
    await EmbeddingWorker(ready, database).drain(tenant)
    without = open_embeddings(embedding_provider="none")

    with pytest.raises(ModelUnavailable) as unavailable:
        await without.query(tenant, "text")
    vector = await without.given(tenant, [1.0] + [0.0] * 383)
    async with database.reading(tenant) as connection:
        page = await Search().find(
            connection, tenant, SearchRequest(Filters(), 5, vector=vector, threshold=0)
        )
        status = await without.status(connection, tenant)

    assert unavailable.value.reason == "not_configured"
    assert len(page.items) == 1
    assert (status.model.status, status.coverage.embedded, status.building) == ("not_configured", 1, None)


@pytest.mark.parametrize(
    "numbers", [[1.0] * 383, [0.0] * 384, [float("nan")] + [0.0] * 383, [float("inf")] * 384, []]
)
async def test_a_given_vector_that_is_no_direction_is_refused(
    open_embeddings: Open, tenant: str, numbers: list[float]
) -> None:
    with pytest.raises(InvalidQuery, match="expected 384") as refused:
        await open_embeddings().given(tenant, numbers)

    assert refused.value.facts["expected"] == 384


async def test_a_tenant_sees_neither_vectors_nor_tasks_of_another(
    store: Store, database: Database, tenant: str, open_embeddings: Open
) -> None:
    await store(conversation("Embedded."))
    await EmbeddingWorker(open_embeddings(), database).drain(tenant)
    await store(conversation("Waiting."))

    async def seen(connection: Connection, table: str) -> int:
        count: int = await connection.fetchval(f"select count(*) from vcontract.{table}")  # noqa: S608
        return count

    async with database.reading(tenant) as connection:
        assert (await seen(connection, "embedding"), await seen(connection, "embedding_task")) == (1, 1)
    async with database.reading(f"{tenant}-other") as connection:
        assert (await seen(connection, "embedding"), await seen(connection, "embedding_task")) == (0, 0)


async def test_vectors_of_the_release_before_are_searched_until_late_ones_are_complete(
    store: Store,
    database: Database,
    tenant: str,
    open_embeddings: Open,
    owner: "asyncpg.Connection[asyncpg.Record]",
    database_url: str,
    tmp_path: Path,
) -> None:
    def said(*command: str) -> str:
        environment = {"VCONTRACT_DATABASE_URL": database_url, "VCONTRACT_DATA_DIR": str(tmp_path / "data")}
        outcome = CliRunner().invoke(app, command, env={**environment, "COLUMNS": "200"})
        assert outcome.exit_code == 0, outcome.output
        return outcome.stdout

    # given vectors of the release before, and a worker that has begun to make new ones
    await store(*(conversation(f"Text number {number}.") for number in range(70)), as_tenant="default")
    worker = EmbeddingWorker(open_embeddings(), database)
    await worker.drain("default")
    before = MiniLm.id.removesuffix(LATE)
    await owner.execute("update vcontract.embedding_space set model = $1", before)
    worker = EmbeddingWorker(open_embeddings(), database)
    await worker.work_once("default")

    # then the old ones are searched, and commands say how far the new ones are
    assert await found_by(open_embeddings(), database, "default", "text") == (before, 70)
    done = f"64 of 70 by {MiniLm.id}, which is searched when it has all"
    assert done in await asyncio.to_thread(said, "doctor")
    assert "70 of 70 passages; 64 by the next model" in await asyncio.to_thread(said, "stats")
    # and with the rest, the new ones are searched
    await worker.drain("default")
    assert await found_by(open_embeddings(), database, "default", "text") == (MiniLm.id, 70)
    assert [(space.model, space.state) for space in await spaces(database)] == [(MiniLm.id, "active")]
    assert "next model" not in await asyncio.to_thread(said, "stats")


async def test_text_that_moves_takes_its_vectors_of_every_space_along(
    store: Store, open_embeddings: Open, database: Database, tenant: str
) -> None:
    vcon = conversation("First.", "Second.", uuid=str(uuid.uuid4()))
    await store(vcon)
    await EmbeddingWorker(open_embeddings(), database).drain(tenant)
    async with database.writing(tenant) as connection:
        other = await EmbeddingStore().open_space(connection, "another", 384, {}, None)
        await connection.execute(
            "insert into vcontract.embedding (tenant, kind, id, part, element, chunk, space, vector)"
            " select tenant, kind, id, part, element, chunk, $1, vector from vcontract.embedding",
            other,
        )

    await store({**vcon, "dialog": vcon["dialog"][1:]}, replace=True)

    async with database.reading(tenant) as connection:
        left = await connection.fetch("select space, element from vcontract.embedding order by space")
        tasks = await connection.fetch("select space, passages from vcontract.embedding_task order by space")
    assert [tuple(row) for row in left] == [(1, 0), (other, 0)]
    assert [tuple(row) for row in tasks] == [(1, 0), (other, 0)]


async def test_every_space_links_its_vectors_as_carefully(database: Database, tenant: str) -> None:
    async with database.writing(tenant) as connection:
        other = await EmbeddingStore().open_space(connection, "one more", 384, {}, None)
        first, further = [
            await connection.fetchval(
                "select reloptions from pg_class where oid = $1::text::regclass",
                f"vcontract.embedding_{space}_near",
            )
            for space in (1, other)
        ]
    assert sorted(first) == sorted(further)


async def test_a_remote_service_is_not_called_within_a_write(
    settings: Settings, tenant: str, service: Service
) -> None:
    app = await build(settings.model_copy(update=of_service(service)))
    caller = Caller(tenant, ALL_SCOPES)
    await app.dispatcher.call("create_vcon", {"vcon_data": conversation("Good morning.")}, caller)
    await app.worker.drain(tenant)
    requests = len(service.requests)
    started = replace(app, worker=Idle(app.embeddings, app.database))
    started.start()

    await app.dispatcher.call("create_vcon", {"vcon_data": conversation("Good evening.")}, caller)

    assert len(service.requests) == requests
    assert await app.worker.work_once(tenant) == 1
    await started.close()
