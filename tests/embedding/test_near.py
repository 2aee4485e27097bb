"""Search over thousands of vectors: near the exact answer, within filters and tenants, by the index."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import NamedTuple
from uuid import UUID

import asyncpg
import numpy as np
import numpy.typing as npt
import pytest
from pgvector.asyncpg import register_vector

from tests.plans import PlansOf, explaining, indexes_of, rows_read_by, rows_taken_by, sequential_scans_of
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.embedding.vectors import half_vectors
from vcontract.runtime.store.embeddings import EmbeddingStore, Space
from vcontract.runtime.store.postgres.database import Connection, Database
from vcontract.runtime.store.search.hits import QueryVector
from vcontract.runtime.store.search.matching import Filters
from vcontract.runtime.store.search.ranked import VconSearch
from vcontract.runtime.store.search.semantic import ModelChanged, SemanticPage, SemanticSearch
from vcontract.runtime.text.query import parse_query

TENANT, OTHER_TENANT, TALKATIVE_TENANT = "near", "near-other", "near-talkative"
THINGS = 3_300
"""More than are all compared, so that the index answers."""
OF_THE_OTHER = 200
PASSAGES = 2
START = datetime(2025, 1, 1, tzinfo=UTC)
NO_FILTERS = Filters()

Vectors = npt.NDArray[np.float32]
chance = np.random.default_rng(7)


class Corpus(NamedTuple):
    """Vectors by thing and passage, and queries like them."""

    vectors: Vectors
    queries: Vectors

    def exact(self, query: Vectors, among: list[int]) -> list[int]:
        """The things of `among`, the most similar first."""
        best = (self.vectors[among] @ query).max(axis=1)
        return [among[place] for place in np.argsort(-best, kind="stable")]


def unit(matrix: npt.NDArray[np.floating]) -> Vectors:
    rows: Vectors = (matrix / np.linalg.norm(matrix, axis=-1, keepdims=True)).astype(np.float32)
    return rows


def uuid_of(number: int) -> UUID:
    return UUID(int=(8 << 76) + (2 << 62) + number)


def number_of(uuid: UUID) -> int:
    return uuid.int & 0xFFFF_FFFF


def tag_of(number: int) -> str:
    """A tag that 1 in 330 things have, one that a third have, and one of the rest."""
    return "rare" if number % 330 == 5 else "third" if number % 3 == 0 else "other"


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """Passages around forty topics, as text has them, rounded as the database rounds."""
    topics = unit(chance.standard_normal((40, 384)))
    of_thing = topics[chance.integers(0, 40, THINGS)]
    noise = chance.standard_normal((THINGS, PASSAGES, 384)) / np.sqrt(384)
    vectors = unit(of_thing[:, None] + 0.9 * noise).astype(np.float16).astype(np.float32)
    queries = unit(topics[:20] + 0.7 * chance.standard_normal((20, 384)) / np.sqrt(384))
    return Corpus(vectors, queries.astype(np.float16).astype(np.float32))


@pytest.fixture(scope="module", autouse=True)
async def stored(database_url: str, corpus: Corpus) -> None:
    """The corpus as one tenant's, and its beginning as another's too."""
    connection = await asyncpg.connect(database_url)
    await register_vector(connection)
    # an index is built sooner than it grows
    index = await connection.fetchval("select pg_get_indexdef('vcontract.embedding_1_near'::regclass)")
    await connection.execute("drop index vcontract.embedding_1_near")
    await connection.execute("alter table vcontract.tag drop constraint tag_tenant_vcon_fkey")  # no vCons
    for tenant, things in ((TENANT, THINGS), (OTHER_TENANT, OF_THE_OTHER)):
        ids = [uuid_of(number) for number in range(things)]
        await connection.execute(
            "insert into vcontract.search_document (tenant, kind, id, occurred_at, words)"
            " select $1, 'vcon', id, at, case when rare then 'common:1 rare:1'::tsvector else 'common:1' end"
            " from unnest($2::uuid[], $3::timestamptz[], $4::boolean[]) as x (id, at, rare)",
            tenant,
            ids,
            [START + timedelta(minutes=number) for number in range(things)],
            [number % 500 == 9 for number in range(things)],
        )
        await connection.execute(
            "insert into vcontract.embedding (tenant, kind, id, part, element, chunk, space, vector)"
            " select $1, 'vcon', id, 'dialog', element, 0, 1, vector"
            " from unnest($2::uuid[], $3::integer[], $4::halfvec[]) as x (id, element, vector)",
            tenant,
            [id_ for id_ in ids for _ in range(PASSAGES)],
            list(range(PASSAGES)) * things,
            half_vectors(corpus.vectors[:things].reshape(-1, 384)),
        )
        await connection.execute(
            "insert into vcontract.tag (tenant, vcon, key, value, type)"
            " select $1, id, 'rarity', value, 'string' from unnest($2::uuid[], $3::text[]) as x (id, value)",
            tenant,
            ids,
            [tag_of(number) for number in range(things)],
        )
    await connection.execute(index)
    await connection.execute("analyze")
    await connection.close()


@pytest.fixture
async def connection(database: Database) -> AsyncIterator[Connection]:
    async with database.reading(TENANT) as opened:
        yield opened


@pytest.fixture
def semantic() -> SemanticSearch:
    return SemanticSearch(VconSearch())


@pytest.fixture
async def space(connection: Connection) -> Space:
    """The active space, with plain cosines as scores."""
    spaces = await EmbeddingStore().spaces(connection)
    return Space(
        spaces[0].id, spaces[0].model, spaces[0].dimension, "active", spaces[0].recipe, None, is_filled=True
    )


def vector_of(query: Vectors, space: Space) -> QueryVector:
    return QueryVector(space, half_vectors(query[None])[0])


def numbers(page: SemanticPage) -> list[int]:
    return [number_of(item.id) for item in page.items]


@pytest.mark.parametrize(
    ("filters", "tag"),
    [
        (NO_FILTERS, None),
        (Filters(tags=(("rarity", "third"),)), "third"),
        (Filters(tags=(("rarity", "rare"),)), "rare"),
        (Filters(created_from=START + timedelta(minutes=20)), None),
    ],
)
async def test_the_nearest_are_found_within_filters(
    connection: Connection,
    semantic: SemanticSearch,
    space: Space,
    corpus: Corpus,
    filters: Filters,
    tag: str | None,
) -> None:
    after = 20 if filters.created_from else 0
    among = [number for number in range(after, THINGS) if tag in (None, tag_of(number))]
    hits = 0
    for query in corpus.queries:
        page = await semantic.semantic(connection, vector_of(query, space), filters, threshold=0, limit=10)
        assert len(page.items) == 10
        hits += len(set(numbers(page)) & set(corpus.exact(query, among)[:10]))

    assert hits / (10 * len(corpus.queries)) >= 0.95


async def test_a_score_is_that_of_the_best_passage(
    connection: Connection, semantic: SemanticSearch, space: Space, corpus: Corpus
) -> None:
    query = corpus.queries[0]

    page = await semantic.semantic(connection, vector_of(query, space), NO_FILTERS, threshold=0, limit=20)

    for item in page.items:
        best = float((corpus.vectors[number_of(item.id)] @ query).max())
        assert item.cosine == pytest.approx(best, abs=1e-5)
        assert item.similarity == item.cosine


async def test_pages_hold_each_thing_once_and_go_on_past_what_the_index_yields(
    connection: Connection, semantic: SemanticSearch, space: Space, corpus: Corpus
) -> None:
    query = vector_of(corpus.queries[1], space)
    found: list[tuple[float, UUID]] = []
    start: JsonObject | None = None
    for _ in range(9):
        page = await semantic.semantic(connection, query, NO_FILTERS, threshold=0, limit=60, start=start)
        assert len(page.items) == 60
        found += [(item.similarity, item.id) for item in page.items]
        start = json.loads(json.dumps(page.following))

    assert len({id_ for _, id_ in found}) == len(found)
    assert found == sorted(found, reverse=True)
    exact = corpus.exact(corpus.queries[1], list(range(THINGS)))[: len(found)]
    assert len({number_of(id_) for _, id_ in found} & set(exact)) >= 0.98 * len(found)


async def test_a_filter_that_lets_few_near_ones_pass_still_fills_the_page(
    connection: Connection, semantic: SemanticSearch, space: Space, corpus: Corpus
) -> None:
    # all but the nearest 260 things: the index yields none of them until it has gone far
    query = corpus.queries[2]
    order = corpus.exact(query, list(range(THINGS)))
    threshold = float((corpus.vectors[order[260]] @ query).max())
    start = {"model": space.model, "after": {"score": threshold, "id": str(UUID(int=0))}, "seen": 0}

    page = await semantic.semantic(
        connection, vector_of(query, space), NO_FILTERS, threshold=0, limit=50, start=start
    )

    assert len(page.items) == 50
    assert set(numbers(page)) <= set(order[255:330])


async def test_a_threshold_ends_the_list_and_an_empty_one_tells_the_best(
    connection: Connection, semantic: SemanticSearch, space: Space, corpus: Corpus
) -> None:
    query = corpus.queries[4]
    scores = sorted((corpus.vectors @ query).max(axis=1).tolist(), reverse=True)
    between = (scores[6] + scores[7]) / 2

    seven = await semantic.semantic(
        connection, vector_of(query, space), NO_FILTERS, threshold=between, limit=10
    )
    none = await semantic.semantic(connection, vector_of(query, space), NO_FILTERS, threshold=0.99, limit=10)

    assert len(seven.items) == 7
    assert (seven.following, seven.best_below_threshold) == (None, None)
    assert none.items == []
    assert none.best_below_threshold == pytest.approx(scores[0], abs=1e-5)


async def test_another_tenant_has_its_own_answers(
    database: Database, semantic: SemanticSearch, space: Space, corpus: Corpus
) -> None:
    query = corpus.queries[5]
    async with database.reading(OTHER_TENANT) as other:
        theirs = await semantic.semantic(other, vector_of(query, space), NO_FILTERS, threshold=0, limit=10)
    async with database.reading("near-nobody") as nobody:
        nothing = await semantic.semantic(nobody, vector_of(query, space), NO_FILTERS, threshold=0, limit=10)

    assert numbers(theirs) == corpus.exact(query, list(range(OF_THE_OTHER)))[:10]
    assert (nothing.items, nothing.best_below_threshold) == ([], None)


async def test_a_page_of_another_model_is_refused(
    connection: Connection, semantic: SemanticSearch, space: Space, corpus: Corpus
) -> None:
    start: JsonObject = {"model": "another", "after": {"score": 1, "id": str(UUID(int=0))}, "seen": 1}
    with pytest.raises(ModelChanged):
        await semantic.semantic(
            connection, vector_of(corpus.queries[0], space), NO_FILTERS, threshold=0, limit=1, start=start
        )


async def test_hybrid_search_of_many_finds_what_has_a_rare_word_and_what_is_near(
    connection: Connection, semantic: SemanticSearch, space: Space, corpus: Corpus
) -> None:
    query = corpus.queries[6]
    words = parse_query("rare common", any_word=True)
    rare = {number for number in range(THINGS) if number % 500 == 9}

    async def top(weight: float, limit: int) -> list[int]:
        page = await semantic.hybrid(
            connection,
            TENANT,
            vector_of(query, space),
            words,
            NO_FILTERS,
            weight=weight,
            limit=limit,
            threshold=0,
        )
        for item in page.items:
            keyword = item.keyword_score**3 if weight else item.keyword_score
            assert item.score == pytest.approx(weight * item.meaning_score + (1 - weight) * keyword, abs=1e-9)
        assert len({item.id for item in page.items}) == len(page.items)
        return [number_of(item.id) for item in page.items]

    assert set(await top(0, len(rare))) == rare
    nearest = [
        number
        for number in corpus.exact(query, list(range(THINGS)))[:10]
        if (corpus.vectors[number] @ query).max() >= 0.5
    ]
    assert nearest
    assert len(set(await top(1, len(nearest))) & set(nearest)) >= 0.9 * len(nearest)


async def test_hybrid_pages_go_on_past_the_newest_with_a_common_word(
    connection: Connection, semantic: SemanticSearch, space: Space, corpus: Corpus
) -> None:
    query, words = vector_of(corpus.queries[7], space), parse_query("rare common", any_word=True)
    found: list[int] = []
    start: JsonObject | None = None
    while not found or start:
        page = await semantic.hybrid(
            connection, TENANT, query, words, NO_FILTERS, weight=0, limit=700, threshold=0, start=start
        )
        found += [number_of(item.id) for item in page.items]
        start = page.following

    rare = [number for number in range(THINGS) if number % 500 == 9]
    others = [number for number in range(THINGS) if number % 500 != 9]
    assert found == [*reversed(rare), *reversed(others)]


@pytest.fixture(scope="module")
async def talkative(database_url: str, stored: None, corpus: Corpus) -> list[UUID]:
    """Of a tenant with many things, 40 that are similar to a query; eight of them in many passages each."""
    passages = [(number, element) for number in range(40) for element in range(30 if number < 8 else 1)]
    likeness = [0.95 - 0.0001 * element if number < 8 else 0.9 for number, element in passages]
    near = [
        blend(corpus.queries[8], number, share) for (number, _), share in zip(passages, likeness, strict=True)
    ]
    connection = await asyncpg.connect(database_url)
    await register_vector(connection)
    await connection.execute(
        "insert into vcontract.search_document (tenant, kind, id, occurred_at, words)"
        " select $1, 'vcon', id, $3, case when noisy then 'noise:1'::tsvector else '' end"
        " from unnest($2::uuid[], $4::boolean[]) as x (id, noisy)",
        TALKATIVE_TENANT,
        [uuid_of(number) for number in range(THINGS)],
        START,
        [number >= 40 for number in range(THINGS)],
    )
    await connection.execute(
        "insert into vcontract.embedding (tenant, kind, id, part, element, chunk, space, vector)"
        " select $1, 'vcon', id, 'dialog', element, 0, 1, vector"
        " from unnest($2::uuid[], $3::integer[], $4::halfvec[]) as x (id, element, vector)",
        TALKATIVE_TENANT,
        [uuid_of(number) for number, _ in passages],
        [element for _, element in passages],
        half_vectors(np.stack(near)),
    )
    await connection.close()
    return [uuid_of(number) for number in range(40)]


def blend(query: Vectors, seed: int, cosine: float) -> Vectors:
    """A unit vector of this cosine to the query."""
    other = np.random.default_rng(seed).standard_normal(384)
    aside = unit(other - (other @ query) * query)
    return unit(cosine * unit(query) + np.sqrt(1 - cosine**2) * aside)


@pytest.mark.parametrize(("text", "weight"), [("nothing else", 0.6), ("nothing else", 1), ("noise", 0.6)])
async def test_a_hybrid_page_is_filled_though_few_things_have_most_of_the_near_passages(
    database: Database,
    semantic: SemanticSearch,
    space: Space,
    corpus: Corpus,
    talkative: list[UUID],
    text: str,
    weight: float,
) -> None:
    words = parse_query(text, any_word=True)

    async with database.reading(TALKATIVE_TENANT) as connection:
        page = await semantic.hybrid(
            connection,
            TALKATIVE_TENANT,
            vector_of(corpus.queries[8], space),
            words,
            NO_FILTERS,
            weight=weight,
            limit=25,
        )

    assert len(page.items) == 25
    assert page.following is not None
    assert {item.id for item in page.items} <= set(talkative)


@pytest.fixture
async def plans_of(superuser: None, database_url: str) -> AsyncIterator[PlansOf]:
    async with explaining(database_url, TENANT) as plans_of:
        yield partial(plans_of, about=_reads_vectors)


def _reads_vectors(statement: str) -> bool:
    return any(
        name in statement
        for name in ("vcontract.embedding e", "vcontract.embedding v", "_cosines(", "whole_scores(")
    )


SEMANTIC = "select * from vcontract.search_semantic($1, 'vcon', 1, $2, 0, 11)"
THINGS_OF_A_LIST = "select * from vcontract.search_things($1, 'vcon', 1, $2, null, 0.6, 100)"
HYBRID = "select * from vcontract.search_hybrid($1, 'vcon', 1, $2, 0.6, 0, 11)"
WORDS: JsonObject = {"words": [{"weight": 1, "alternatives": [{"words": "'rare'"}]}]}
THIRD: JsonObject = {"from": "2025-01-01T00:10:00Z"}
RARE: JsonObject = {"tags": [{"key": "rarity", "value": "rare"}]}
KEYS = {"embedding_1_pkey", "passage_pkey", "transcript_exchange_pkey"}


@pytest.mark.parametrize(
    ("statement", "specification", "by_the_index"),
    [
        (SEMANTIC, {}, True),
        (SEMANTIC, THIRD, True),
        (SEMANTIC, RARE, False),
        (HYBRID, WORDS, True),
        (HYBRID, {**WORDS, **THIRD}, True),
        (HYBRID, {**WORDS, **RARE}, False),
        (THINGS_OF_A_LIST, WORDS, True),
        (THINGS_OF_A_LIST, {**WORDS, **RARE}, False),
    ],
)
async def test_many_are_searched_by_the_index_and_few_are_all_compared(
    plans_of: PlansOf,
    corpus: Corpus,
    statement: str,
    specification: JsonObject,
    by_the_index: bool,
) -> None:
    query = half_vectors(corpus.queries[:1])[0]

    plans = await plans_of(statement, json.dumps(specification), query)

    assert ("embedding_1_near" in indexes_of(plans)) is by_the_index
    assert "embedding_1_pkey" in indexes_of(plans)
    assert not {"search_document", "embedding_1"} & sequential_scans_of(plans)


@pytest.mark.parametrize(
    ("statement", "near", "things"),
    [(SEMANTIC, 100, 2 * 11), (HYBRID, 150, 150 + 100), (THINGS_OF_A_LIST, 150, 150 + 400)],
    ids=["semantic", "hybrid", "things"],
)
async def test_a_first_page_compares_the_vectors_of_few_things(
    plans_of: PlansOf, corpus: Corpus, statement: str, near: int, things: int
) -> None:
    query = half_vectors(corpus.queries[:1])[0]

    plans = await plans_of(statement, json.dumps(WORDS), query)

    assert 0 < rows_taken_by(plans)["embedding_1"] <= near + things * PASSAGES < THINGS
    # by the index come some of the other tenant as well, which are passed over
    assert 0 < rows_read_by(plans)["embedding_1"] <= near + near // 5 + things * PASSAGES < THINGS


async def test_what_is_asked_of_some_things_reads_their_vectors_and_no_others(
    plans_of: PlansOf, corpus: Corpus
) -> None:
    query = half_vectors(corpus.queries[:1])[0]
    some = [uuid_of(number) for number in range(0, THINGS, 100)]
    statement = "select * from vcontract.similar_passages($1, 'vcon', 1, $2, null, 0, 3)"

    plans = await plans_of(statement, some, query)

    assert indexes_of(plans, unused=True) <= KEYS
    assert sequential_scans_of(plans) == set()
    assert rows_read_by(plans)["embedding_1"] == len(some) * PASSAGES


async def test_what_chance_brings_is_told_by_some_two_hundred_vectors_however_many_there_are(
    plans_of: PlansOf, corpus: Corpus
) -> None:
    query = half_vectors(corpus.queries[:1])[0]

    plans = await plans_of("select vcontract.spread_of_cosines(1, $1)", query)

    assert indexes_of(plans, unused=True) == {"search_document_newest", "embedding_1_pkey"}
    assert sequential_scans_of(plans) == set()
    assert 30 <= rows_read_by(plans)["embedding_1"] <= 200


async def test_the_functions_that_make_sql_of_their_arguments_are_not_for_the_server(
    database: Database,
) -> None:
    async with database.reading(TENANT) as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.fetch("select vcontract.few_matches('true', 10)")


async def test_a_query_that_is_about_equally_far_from_all_texts_needs_larger_cosines(
    connection: Connection, space: Space, corpus: Corpus
) -> None:
    calibrated, store = replace(space, calibration=(0.069, 0.344, 0.428)), EmbeddingStore()
    # what no text is about, and what some are about
    apart = unit(np.random.default_rng(5).standard_normal(384))
    vectors = [vector_of(query, calibrated) for query in (apart, *corpus.queries)]

    spreads = [await store.spread(connection, space.id, vector.vector) or 0 for vector in vectors]
    found = [vector.against(spread) for vector, spread in zip(vectors, spreads, strict=True)]

    exact = (corpus.vectors.reshape(-1, 384) @ corpus.queries.T).std(axis=0)
    assert np.mean(spreads[1:]) == pytest.approx(exact.mean(), rel=0.25)
    assert found[0].shift > np.mean([vector.shift for vector in found[1:]])
    shift = min(found[0].shift, (1 - 0.428) / 2)
    assert found[0].calibration == pytest.approx((0.069, 0.344 + shift, 0.428 + shift))


async def test_a_store_of_few_texts_calls_every_query_an_ordinary_one(
    database: Database, space: Space
) -> None:
    calibrated = replace(space, calibration=(0.069, 0.344, 0.428))
    async with database.reading("near-nobody") as nobody:
        vector = vector_of(unit(np.ones(384)), calibrated)
        found = await EmbeddingStore().spread(nobody, space.id, vector.vector)

    assert found is None
    assert vector.against(found).calibration == calibrated.calibration
