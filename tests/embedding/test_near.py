"""Search over thousands of vectors: near the exact answer, within filters and tenants, by the index."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg
import numpy as np
import numpy.typing as npt
import pytest
from pgvector.asyncpg import register_vector

from tests.embedding.conftest import by_meaning
from tests.plans import PlansOf, explaining, indexes_of, rows_read_by, rows_taken_by, sequential_scans_of
from vcontract.runtime.embedding.vectors import half_vectors
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.embeddings import EmbeddingStore, Space
from vcontract.runtime.store.postgres.database import Connection, Database
from vcontract.runtime.store.search import pages as searching
from vcontract.runtime.store.search.candidates import (
    Candidate,
    CandidateQuery,
    find_candidates,
    read_context,
    read_words,
)
from vcontract.runtime.store.search.filter_conditions import Filters
from vcontract.runtime.store.search.hits import QueryVector
from vcontract.runtime.store.search.pages import ModelChanged, Page, SearchRequest
from vcontract.runtime.store.search.ranking import combine
from vcontract.runtime.store.search.search import Search
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
            "insert into vcontract.passage (tenant, kind, id, part, element, chunk, content, words)"
            " select d.tenant, d.kind, d.id, 'dialog', n, 0, '',"
            "  case n when 0 then strip(d.words) else '' end from vcontract.search_document d,"
            "  generate_series(0, $2 - 1) n where d.tenant = $1",
            tenant,
            PASSAGES,
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
async def space(connection: Connection) -> Space:
    """The active space, with plain cosines as scores."""
    spaces = await EmbeddingStore().spaces(connection)
    return Space(
        spaces[0].id, spaces[0].model, spaces[0].dimension, "active", spaces[0].recipe, None, is_filled=True
    )


def vector_of(query: Vectors, space: Space) -> QueryVector:
    return QueryVector(space, half_vectors(query[None])[0])


def numbers(page: Page) -> list[int]:
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
    space: Space,
    corpus: Corpus,
    filters: Filters,
    tag: str | None,
) -> None:
    after = 20 if filters.created_from else 0
    among = [number for number in range(after, THINGS) if tag in (None, tag_of(number))]
    hits = 0
    for query in corpus.queries:
        page = await by_meaning(connection, TENANT, vector_of(query, space), filters, threshold=0, limit=10)
        assert len(page.items) == 10
        hits += len(set(numbers(page)) & set(corpus.exact(query, among)[:10]))

    assert hits / (10 * len(corpus.queries)) >= 0.95


async def test_a_score_is_that_of_the_best_passage(
    connection: Connection, space: Space, corpus: Corpus
) -> None:
    query = corpus.queries[0]

    page = await by_meaning(connection, TENANT, vector_of(query, space), threshold=0, limit=20)

    for item in page.items:
        best = float((corpus.vectors[number_of(item.id)] @ query).max())
        assert item.cosine == pytest.approx(best, abs=1e-5)
        assert item.similarity == item.cosine


async def test_pages_hold_each_thing_once_and_go_on_past_what_the_index_yields(
    connection: Connection, space: Space, corpus: Corpus
) -> None:
    query = vector_of(corpus.queries[1], space)
    found: list[tuple[float, UUID]] = []
    start: JsonObject | None = None
    for _ in range(9):
        page = await by_meaning(connection, TENANT, query, threshold=0, limit=60, start=start)
        assert len(page.items) == 60
        found += [(item.similarity, item.id) for item in page.items]
        start = json.loads(json.dumps(page.following))

    assert len({id_ for _, id_ in found}) == len(found)
    assert found == sorted(found, reverse=True)
    exact = corpus.exact(corpus.queries[1], list(range(THINGS)))[: len(found)]
    assert len({number_of(id_) for _, id_ in found} & set(exact)) >= 0.98 * len(found)


async def test_a_filter_that_lets_few_near_ones_pass_still_fills_the_page(
    connection: Connection, space: Space, corpus: Corpus
) -> None:
    # all but the nearest 260 things: the index yields none of them until it has gone far
    query = corpus.queries[2]
    order = corpus.exact(query, list(range(THINGS)))
    threshold = float((corpus.vectors[order[260]] @ query).max())
    start = {"model": space.model, "after": [threshold, str(UUID(int=0))], "seen": 0}

    page = await by_meaning(connection, TENANT, vector_of(query, space), threshold=0, limit=50, start=start)

    assert len(page.items) == 50
    assert set(numbers(page)) <= set(order[255:330])


async def test_a_threshold_ends_the_list_and_an_empty_one_tells_the_best(
    connection: Connection, space: Space, corpus: Corpus
) -> None:
    query = corpus.queries[4]
    scores = sorted((corpus.vectors @ query).max(axis=1).tolist(), reverse=True)
    between = (scores[6] + scores[7]) / 2

    seven = await by_meaning(connection, TENANT, vector_of(query, space), threshold=between, limit=10)
    none = await by_meaning(connection, TENANT, vector_of(query, space), threshold=0.99, limit=10)

    assert len(seven.items) == 7
    assert (seven.following, seven.best_below_threshold) == (None, None)
    assert none.items == []
    assert none.best_below_threshold == pytest.approx(scores[0], abs=1e-5)


async def test_another_tenant_has_its_own_answers(database: Database, space: Space, corpus: Corpus) -> None:
    query = corpus.queries[5]
    async with database.reading(OTHER_TENANT) as other:
        theirs = await by_meaning(other, OTHER_TENANT, vector_of(query, space), threshold=0, limit=10)
    async with database.reading("near-nobody") as nobody:
        nothing = await by_meaning(nobody, "near-nobody", vector_of(query, space), threshold=0, limit=10)

    assert numbers(theirs) == corpus.exact(query, list(range(OF_THE_OTHER)))[:10]
    assert (nothing.items, nothing.best_below_threshold) == ([], None)


async def test_a_page_of_another_model_is_refused(
    connection: Connection, space: Space, corpus: Corpus
) -> None:
    start: JsonObject = {"model": "another", "after": [1, str(UUID(int=0))], "seen": 1}
    with pytest.raises(ModelChanged):
        await by_meaning(
            connection, TENANT, vector_of(corpus.queries[0], space), threshold=0, limit=1, start=start
        )


async def test_hybrid_search_of_many_finds_what_has_a_rare_word_and_what_is_near(
    connection: Connection, space: Space, corpus: Corpus
) -> None:
    query = corpus.queries[6]
    words = parse_query("rare common", any_word=True)
    rare = {number for number in range(THINGS) if number % 500 == 9}

    async def top(weight: float, limit: int) -> list[int]:
        request = SearchRequest(NO_FILTERS, limit, words, vector_of(query, space), threshold=0, weight=weight)
        page = await Search().find(connection, TENANT, request)
        for item in page.items:
            both = combine(item.keyword_score, item.meaning_score, weight)
            assert item.score == pytest.approx(both, abs=1e-9)
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


@pytest.mark.parametrize("weight", [0, 0.6, 1])
async def test_hybrid_pages_go_on_past_the_candidates(
    connection: Connection, space: Space, corpus: Corpus, weight: float
) -> None:
    query, words = vector_of(corpus.queries[7], space), parse_query("rare common", any_word=True)
    request = SearchRequest(NO_FILTERS, 700, words, query, threshold=0, weight=weight)
    found: list[int] = []
    while not found or request.start:
        page = await Search().find(connection, TENANT, request)
        found += [number_of(item.id) for item in page.items]
        request = replace(request, start=json.loads(json.dumps(page.following)))

    assert sorted(found) == list(range(THINGS))
    rare = [number for number in range(THINGS) if number % 500 == 9]
    if weight == 0:
        others = [number for number in range(THINGS) if number % 500 != 9]
        assert found == [*reversed(rare), *reversed(others)]
    else:
        nearest = corpus.exact(corpus.queries[7], list(range(THINGS)))
        ranked = searching.MAX_NEAREST // 2
        assert len({*found[:ranked]} & ({*nearest[:ranked]} | {*rare})) >= 0.9 * ranked


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
        " select $1, 'vcon', id, $3, case when noisy then 'bravo:1'::tsvector else '' end"
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
    await connection.execute(
        "insert into vcontract.passage (tenant, kind, id, part, element, chunk, content, words)"
        " select d.tenant, d.kind, d.id, 'dialog', coalesce(e.element, 0), 0, '', d.words"
        " from vcontract.search_document d left join vcontract.embedding e"
        "  on e.tenant = d.tenant and e.kind = d.kind and e.id = d.id"
        " where d.tenant = $1",
        TALKATIVE_TENANT,
    )
    await connection.close()
    return [uuid_of(number) for number in range(40)]


def blend(query: Vectors, seed: int, cosine: float) -> Vectors:
    """A unit vector of this cosine to the query."""
    other = np.random.default_rng(seed).standard_normal(384)
    aside = unit(other - (other @ query) * query)
    return unit(cosine * unit(query) + np.sqrt(1 - cosine**2) * aside)


@pytest.mark.parametrize(("text", "weight"), [("nothing else", 0.6), ("nothing else", 1), ("bravo", 0.6)])
async def test_a_hybrid_page_is_filled_though_few_things_have_most_of_the_near_passages(
    database: Database,
    space: Space,
    corpus: Corpus,
    talkative: list[UUID],
    text: str,
    weight: float,
) -> None:
    words = parse_query(text, any_word=True)

    async with database.reading(TALKATIVE_TENANT) as connection:
        request = SearchRequest(NO_FILTERS, 25, words, vector_of(corpus.queries[8], space), weight=weight)
        page = await Search().find(connection, TALKATIVE_TENANT, request)

    assert len(page.items) == 25
    assert page.following is not None
    by_words = [item.id for item in page.items if item.id not in talkative]
    assert (by_words == []) is (text != "bravo")
    assert {item.id for item in page.items[:8]} == {*talkative[:8]}


@pytest.fixture
async def plans_of(superuser: None, database_url: str) -> AsyncIterator[PlansOf]:
    async with explaining(database_url, TENANT) as plans_of:
        yield partial(plans_of, about=_reads_vectors)


def _reads_vectors(statement: str) -> bool:
    return any(
        name in statement for name in ("vcontract.embedding e", "vcontract.embedding v", "vectors_of(")
    )


RARE_WORD: list[JsonObject] = [{"weight": 1, "alternatives": [{"words": "'rare'"}]}]
THIRD: JsonObject = {"from": "2025-01-01T00:10:00Z"}
RARE: JsonObject = {"tags": [{"key": "rarity", "value": "rare"}]}
KEYS = {"embedding_1_pkey", "passage_pkey", "transcript_exchange_pkey", "search_document_pkey"}
SOME = [uuid_of(number) for number in range(0, THINGS, 100)]


def nearest(space: Space, query: Vectors, *, most: int = 100, **wanted: Any) -> CandidateQuery:
    given: JsonObject = {
        "kind": "vcon",
        "conditions": {},
        "words": (),
        "vector": vector_of(query, space),
        "max_nearest": most,
        **wanted,
    }
    return CandidateQuery(**given)


@pytest.mark.parametrize(
    ("wanted", "by_the_index", "read"),
    [
        ({}, True, 100),
        ({"conditions": THIRD}, True, 100),
        ({"conditions": THIRD, "most": 50}, True, 100),
        ({"conditions": RARE}, False, 10 * PASSAGES),
        ({"among": SOME}, False, len(SOME) * PASSAGES),
        ({"among": SOME, "is_exhaustive": True}, False, len(SOME) * PASSAGES),
        ({"is_exhaustive": True}, False, THINGS * PASSAGES),
    ],
)
async def test_many_are_searched_by_the_index_and_few_are_all_compared(
    plans_of: PlansOf,
    space: Space,
    corpus: Corpus,
    wanted: JsonObject,
    by_the_index: bool,
    read: int,
) -> None:
    plans = await plans_of(partial(find_candidates, wanted=nearest(space, corpus.queries[0], **wanted)))

    assert ("embedding_1_near" in indexes_of(plans)) is by_the_index
    assert not by_the_index or "embedding_1_pkey" not in indexes_of(plans)
    assert 0 < rows_taken_by(plans)["embedding_1"] <= read
    # by the index come some of the other tenant as well, which are passed over
    assert 0 < rows_read_by(plans)["embedding_1"] <= read + read // 5
    if "is_exhaustive" not in wanted or "among" in wanted:
        assert not {"search_document", "embedding_1"} & sequential_scans_of(plans)


@pytest.mark.parametrize("wanted", [{}, {"is_exhaustive": True}, {"conditions": THIRD}, {"conditions": RARE}])
@pytest.mark.parametrize("is_listed", [False, True])
async def test_no_vector_of_another_tenant_is_a_candidate(
    database: Database, space: Space, corpus: Corpus, wanted: JsonObject, is_listed: bool
) -> None:
    ids = [uuid_of(number) for number in range(THINGS)]
    among: JsonObject = {"among": ids} if is_listed else {}

    async def found(tenant: str) -> list[tuple[UUID, float | None]]:
        async with database.reading(tenant) as connection:
            rows = await find_candidates(connection, nearest(space, corpus.queries[0], **wanted, **among))
        return [(row.id, row.cosine) for row in rows]

    ours, theirs = await found(TENANT), await found(OTHER_TENANT)
    assert ours
    assert theirs
    # the other tenant has vectors of the same ids, and as near
    assert len({*ours}) == len(ours)
    assert {number_of(id_) for id_, _ in theirs} <= set(range(OF_THE_OTHER))
    assert await found("near-nobody") == []
    for id_, cosine in theirs:
        assert cosine is not None
        assert np.abs(corpus.vectors[number_of(id_)] @ corpus.queries[0] - cosine).min() < 1e-4


async def test_what_is_asked_of_candidates_reads_their_vectors_and_those_beside_them(
    plans_of: PlansOf, space: Space, corpus: Corpus
) -> None:
    words = read_words(RARE_WORD)
    vector = vector_of(corpus.queries[0], space)
    candidates = [Candidate(id_, "dialog", 0, 0, None, 16, None) for id_ in SOME]

    plans = await plans_of(
        partial(read_context, tenant=TENANT, kind="vcon", words=words, vector=vector, candidates=candidates)
    )

    assert indexes_of(plans, unused=True) <= KEYS
    assert sequential_scans_of(plans) == set()
    assert rows_read_by(plans)["embedding_1"] == len(SOME) * PASSAGES


async def test_what_chance_brings_is_told_by_some_two_hundred_vectors_however_many_there_are(
    plans_of: PlansOf,
) -> None:
    plans = await plans_of("select vcontract.sampled_vectors(1)")

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

    sample = await store.sample(connection, space.id)
    assert sample is not None
    spreads = [vector.spread_in(sample) for vector in vectors]
    found = [vector.adjusted_for(sample) for vector in vectors]

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
        found = await EmbeddingStore().sample(nobody, space.id)

    assert found is None
    assert vector.adjusted_for(found).calibration == calibrated.calibration
