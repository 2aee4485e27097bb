"""Search by meaning over the example conversations, with the shipped model."""

import itertools
import json
from collections.abc import AsyncIterator
from typing import NamedTuple
from uuid import UUID

import pytest

from tests.embedding.conftest import by_meaning
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
from vcontract.runtime.text.query import parse_query
from vcontract.runtime.vcon.times import earliest_start, read_time

TENANT = "examples"
NO_FILTERS = Filters()
POINTS = [(0.0, 0.0), (0.072, 0.2), (0.348, 0.5), (0.415, 0.8), (1.0, 1.0)]
"""The shipped calibration."""


class Stored(NamedTuple):
    """The examples, embedded, and what is needed to search them."""

    embeddings: Embeddings
    names: dict[UUID, str]


@pytest.fixture(scope="module")
async def stored(
    settings: Settings, database: Database, examples: dict[str, JsonObject], prepare_context: PrepareContext
) -> AsyncIterator[Stored]:
    now = read_time("2025-12-01T00:00:00Z")
    assert now is not None
    prepared = {name: prepare(vcon, prepare_context, now=now) for name, vcon in examples.items()}
    await VconStore(database).insert_batch(TENANT, list(prepared.values()))
    embeddings = Embeddings(settings, database)
    await EmbeddingWorker(embeddings, database).drain(TENANT)
    yield Stored(embeddings, {vcon.uuid: name for name, vcon in prepared.items()})
    await embeddings.close()


@pytest.fixture
async def connection(stored: Stored, database: Database) -> AsyncIterator[Connection]:
    async with database.reading(TENANT) as opened:
        yield opened


@pytest.mark.parametrize(
    ("query", "name", "part"),
    [
        ("the customer wants his money back", "refund_dispute", "analysis"),
        ("the patient feels unsteady when getting up", "telehealth", "analysis"),
        ("someone crashed into my vehicle", "insurance_claim", "analysis"),
        ("small bicycle for a child", "chat", "dialog"),
        ("damage near the head tube", "email", "dialog"),
        ("customer threatens to leave his internet provider", "call_transfer", "analysis"),
        ("prolong the rental contract of our premises", "minimal", "dialog"),
        ("dates in an exported spreadsheet are misread", "agent_session", "dialog"),
    ],
)
async def test_a_paraphrase_finds_its_conversation_first(
    stored: Stored, connection: Connection, query: str, name: str, part: str
) -> None:
    vector = await stored.embeddings.query(TENANT, query)

    page = await by_meaning(connection, TENANT, vector, threshold=0.3, limit=3)

    assert stored.names[page.items[0].id] == name
    found = page.items[0].hits
    assert found[0].similarity == pytest.approx(page.items[0].similarity, abs=1e-12)
    assert part in {hit.part for hit in found}
    places = [(hit.part, hit.element) for hit in found]
    assert len(places) == len(set(places))
    assert max(sum(place[0] == one for place in places) for one in ("subject", "dialog", "analysis")) <= 3
    assert [hit.similarity for hit in found] == sorted((hit.similarity for hit in found), reverse=True)


def similarity(cosine: float, shift: float) -> float:
    """The published definition: linear between the points, of which a query may shift two."""
    if cosine <= 0:
        return 0.0
    points = [(at + shift if value in (0.5, 0.8) else at, value) for at, value in POINTS]
    low, high = next((low, high) for low, high in itertools.pairwise(points) if cosine <= high[0])
    return low[1] + (high[1] - low[1]) * (cosine - low[0]) / (high[0] - low[0])


async def test_similarity_is_the_calibrated_cosine_and_falls(stored: Stored, connection: Connection) -> None:
    vector = await stored.embeddings.query(TENANT, "is it covered by the warranty")

    page = await by_meaning(connection, TENANT, vector, threshold=0, limit=100)

    assert len(page.items) == len(stored.names)
    for item in page.items:
        assert item.similarity == pytest.approx(similarity(item.cosine or 0.0, vector.shift), abs=1e-9)
        assert 0 <= item.similarity <= 1
    order = [(item.similarity, item.id) for item in page.items]
    assert order == sorted(order, reverse=True)


async def test_a_filter_holds_before_the_limit(
    stored: Stored, connection: Connection, examples: dict[str, JsonObject]
) -> None:
    vector = await stored.embeddings.query(TENANT, "the customer wants his money back")
    moments = {name: earliest_start(vcon) or read_time(vcon["created_at"]) for name, vcon in examples.items()}
    begin = moments["email"]

    page = await by_meaning(connection, TENANT, vector, Filters(created_from=begin), threshold=0, limit=100)
    one = await by_meaning(connection, TENANT, vector, Filters(party_name="ingrid"), threshold=0, limit=5)
    none = await by_meaning(connection, TENANT, vector, Filters(subject="nowhere"), threshold=0, limit=5)

    assert begin is not None
    assert {stored.names[item.id] for item in page.items} == {
        name for name, moment in moments.items() if moment is not None and moment >= begin
    }
    assert [stored.names[item.id] for item in one.items] == ["chat"]
    assert (none.items, none.best_below_threshold) == ([], None)


async def test_pages_of_two_hold_each_conversation_once(stored: Stored, database: Database) -> None:
    vector = await stored.embeddings.query(TENANT, "a bicycle")
    query = parse_query("bicycle order price", any_word=True)
    semantic_ids: list[UUID] = []
    hybrid_ids: list[UUID] = []
    start: JsonObject | None = None
    while start is not None or not semantic_ids:
        async with database.reading(TENANT) as connection:
            page = await by_meaning(connection, TENANT, vector, threshold=0, limit=2, start=start)
        semantic_ids += [item.id for item in page.items]
        start = json.loads(json.dumps(page.following))
    whole = await blend(stored, database, vector, query_text="bicycle order price", weight=0.6)
    start = None
    while start is not None or not hybrid_ids:
        async with database.reading(TENANT) as connection:
            request = SearchRequest(NO_FILTERS, 2, query, vector, weight=0.6, start=start)
            blended = await Search().find(connection, TENANT, request)
        hybrid_ids += [item.id for item in blended.items]
        start = json.loads(json.dumps(blended.following))

    assert sorted(semantic_ids) == sorted(stored.names)
    assert hybrid_ids == [item.id for item in whole.items]


async def blend(
    stored: Stored,
    database: Database,
    vector: QueryVector,
    *,
    query_text: str,
    weight: float,
    threshold: float | None = None,
) -> Page:
    query = parse_query(query_text, any_word=True)
    async with database.reading(TENANT) as connection:
        request = SearchRequest(NO_FILTERS, 100, query, vector, threshold, weight)
        return await Search().find(connection, TENANT, request)


@pytest.mark.parametrize(
    ("text", "demands", "optional", "excluded"),
    [
        ("where is my refund", [], ["refund"], []),
        ('refund "three weeks" late -angry', [["three weeks"]], ["refund", "late"], ["angry"]),
        ('"one way" OR "other way" refund', [["one way", "other way"]], ["refund"], []),
        ('"one way" OR refund', [], ["one way", "refund"], []),
    ],
)
def test_with_any_word_only_phrases_and_exclusions_bind(
    text: str, demands: list[list[str]], optional: list[str], excluded: list[str]
) -> None:
    query = parse_query(text, any_word=True)

    assert [[term.text for term in demand] for demand in query.demands] == demands
    assert [term.text for term in query.optional] == optional
    assert [term.text for term in query.excluded] == excluded
    assert {term.text for term in query.terms} == {*optional, *(t for demand in demands for t in demand)}
