"""Fixtures of the tests of embedding: the shipped model, and stores with text in them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from ruamel.yaml import YAML

from tests.embedding.service import Service, running_service
from vcontract.runtime.embedding.minilm import MiniLm
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.embedding.worker import EmbeddingWorker
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Connection, Database
from vcontract.runtime.store.search.filter_conditions import Filters
from vcontract.runtime.store.search.hits import QueryVector
from vcontract.runtime.store.search.pages import Page, SearchRequest
from vcontract.runtime.store.search.search import Search
from vcontract.runtime.store.vcons.preparation import PrepareContext, prepare
from vcontract.runtime.store.vcons.store import VconStore

EXAMPLES = Path(__file__).parents[2] / "spec" / "examples"

Store = Callable[..., Awaitable[list[UUID]]]
NO_FILTERS = Filters()


async def by_meaning(
    connection: Connection,
    tenant: str,
    vector: QueryVector,
    filters: Filters = NO_FILTERS,
    *,
    threshold: float,
    limit: int,
    start: JsonObject | None = None,
) -> Page:
    """A page of a search by meaning alone."""
    request = SearchRequest(filters, limit, vector=vector, threshold=threshold, start=start)
    return await Search().find(connection, tenant, request)


@pytest.fixture(scope="session")
def minilm() -> Iterator[MiniLm]:
    """The shipped model, loaded once."""
    model = MiniLm()
    yield model
    model.close()


@pytest.fixture(scope="session")
def prepare_context() -> PrepareContext:
    return PrepareContext.load()


@pytest.fixture(scope="session")
def examples() -> dict[str, JsonObject]:
    """The example conversations by name."""
    found: dict[str, JsonObject] = {}
    for path in sorted(EXAMPLES.glob("*.yaml")):
        document: JsonObject = YAML(typ="safe").load(path)  # pyright: ignore[reportUnknownMemberType]
        found[document["name"]] = document["vcon"]
    return found


@pytest.fixture
async def embeddings(settings: Settings, database: Database) -> AsyncIterator[Embeddings]:
    """The embeddings as the server has them."""
    opened = Embeddings(settings, database)
    yield opened
    await opened.close()


@pytest.fixture
def worker(embeddings: Embeddings, database: Database) -> EmbeddingWorker:
    """A worker that does nothing by itself."""
    return EmbeddingWorker(embeddings, database)


@pytest.fixture
def store(database: Database, tenant: str, prepare_context: PrepareContext) -> Store:
    """Stores vCons for this test's tenant, or another, and gives their uuids."""

    async def store(*vcons: JsonObject, as_tenant: str = tenant, replace: bool = False) -> list[UUID]:
        now = datetime.now(UTC)
        prepared = [prepare(vcon, prepare_context, now=now) for vcon in vcons]
        outcomes = await VconStore(database).insert_batch(
            as_tenant, prepared, "replace" if replace else "fail"
        )
        assert all(outcome.action in ("created", "replaced") for outcome in outcomes)
        return [vcon.uuid for vcon in prepared]

    return store


@pytest.fixture
def service() -> Iterator[Service]:
    """An embedding service of the test's own."""
    with running_service() as running:
        yield running
