"""Recall: the scores are the published formulas, literals are literal, and filters come before limits."""

import json
import math
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import asyncpg
import numpy as np
import pytest
from pgvector import HalfVector
from pgvector.asyncpg import register_vector

from vcontract.runtime.embedding.vectors import half_vectors
from vcontract.runtime.store.embeddings import EmbeddingStore
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.search.hits import QueryVector
from vcontract.runtime.store.search.recall import Found, Hit, Recall, Source, rounded_down
from vcontract.runtime.text.terms import read_terms
from vcontract.runtime.text.words import encode_strengths, encode_tsvector, indexed_words

KIND = "note"
START = datetime(2025, 5, 1, tzinfo=UTC)
CALIBRATION = (0.071, 0.344, 0.413)
ALIKE = 0.6
"""A cosine that means the same."""
DIRECTIONS = np.random.default_rng(7)


@dataclass
class Note:
    """A thing of its own passages; `cosine` is that of its first passage and the query."""

    passages: Sequence[str]
    at: datetime = START
    cosine: float | None = None


def vector(cosine: float) -> HalfVector:
    """Some unit vector at this cosine to (1, 0, …), the vector of every query here."""
    row = DIRECTIONS.normal(size=(1, 384)).astype(np.float32)
    row[0, 0] = 0
    row *= math.sqrt(1 - cosine * cosine) / np.linalg.norm(row)
    row[0, 0] = cosine
    return half_vectors(row)[0]


def words_of(note: Note) -> bytes:
    counts = Counter(word for content in note.passages for word in indexed_words(content))
    return encode_strengths({word: ("B", count) for word, count in counts.items()})


@pytest.fixture(scope="module")
async def owner(database_url: str) -> AsyncIterator[OwnerConnection]:
    """A connection that has what a toolset's migration would make: a function with its filters."""
    connection = await asyncpg.connect(database_url)
    await connection.execute("""
        create function vcontract.note_candidates(
            kind text, filters jsonb, query jsonb, space integer, vector halfvec
        ) returns table (resolved jsonb, ids uuid[], is_cut boolean)
            language plpgsql stable security definer set search_path = pg_catalog, public
        as $$
        begin
            return query select * from vcontract.recall_candidates(
                kind, format('d.occurred_at >= %L', coalesce(filters ->> 'from', '-infinity')),
                query, space, vector
            );
        end
        $$;
        grant execute on function vcontract.note_candidates to vcontract_server
    """)
    yield connection
    await connection.close()


Store = Callable[..., Awaitable[list[uuid.UUID]]]
Find = Callable[..., Awaitable[Found]]


@pytest.fixture
def store(database: Database, tenant: str) -> Store:
    async def store(*notes: Note | str, as_tenant: str = tenant) -> list[uuid.UUID]:
        things = [note if isinstance(note, Note) else Note([note]) for note in notes]
        ids = [uuid.uuid4() for _ in things]
        pairs = list(zip(ids, things, strict=True))
        async with database.writing(as_tenant) as connection:
            await connection.executemany(
                "insert into vcontract.passage (tenant, kind, id, part, element, chunk, content, words)"
                " values ($1, $2, $3, 'text', 0, $4, $5, $6)",
                [
                    (as_tenant, KIND, id_, chunk, content, encode_tsvector(indexed_words(content)))
                    for id_, note in pairs
                    for chunk, content in enumerate(note.passages)
                ],
            )
            await connection.executemany(
                "insert into vcontract.search_document values ($1, $2, $3, $4, $5)",
                [(as_tenant, KIND, id_, note.at, words_of(note)) for id_, note in pairs],
            )
            await connection.executemany(
                "insert into vcontract.embedding values ($1, $2, $3, 'text', 0, 0, 1, $4)",
                [
                    (as_tenant, KIND, id_, vector(note.cosine))
                    for id_, note in pairs
                    if note.cosine is not None
                ],
            )
        return ids

    return store


@pytest.fixture
def find(database: Database, tenant: str, owner: OwnerConnection) -> Find:
    async def find(
        query: str | None, *, meaning: bool = False, from_: datetime | None = None, least: float = 0.5
    ) -> Found:
        recall = Recall()
        async with database.reading(tenant) as connection:
            (space,) = await EmbeddingStore().spaces(connection)
            near = QueryVector(space, vector(1)) if meaning else None
            terms = read_terms(query) if query is not None else None
            concept = await recall.concept(connection, tenant, terms, near, kinds=(KIND,), least=least)
            filters = {"from": from_.isoformat()} if from_ else {}
            (found,) = await recall.find(connection, Source(KIND, "note_candidates", filters), [concept])
        return found

    return find


def by_id(found: Found) -> dict[uuid.UUID, Hit]:
    return {hit.id: hit for hit in found.hits}


def similarity(cosine: float) -> float:
    a, b, c = CALIBRATION
    points = [(0.0, 0.0), (a, 0.2), (b, 0.5), (c, 0.8), (1.0, 1.0)]
    return float(np.interp(cosine, [x for x, _ in points], [y for _, y in points]))


async def test_similarity_is_the_cosine_on_the_models_own_scale(store: Store, find: Find) -> None:
    cosines = [-0.3, 0.05, 0.2, 0.38, 0.6, 1.0]
    ids = await store(*(Note(["text"], cosine=cosine) for cosine in cosines))

    found = by_id(await find(None, meaning=True))

    assert ids[0] not in found
    for id_, cosine in list(zip(ids, cosines, strict=True))[1:]:
        assert found[id_].similarity == pytest.approx(similarity(cosine), abs=0.002)
        assert found[id_].score == found[id_].similarity


async def test_coverage_is_the_weight_of_the_terms_that_occur(store: Store, find: Find) -> None:
    both, one, other = await store("alpha and beta", "alpha alone", "beta alone")
    await store("alpha", "alpha", "gamma")

    found = by_id(await find("alphas beta"))

    # alpha is in 4 of 6, beta in 2
    alpha, beta = (round(16 * math.log(1 + 6 / (1 + n))) for n in (4, 2))
    assert found[both].coverage == 1
    assert found[one].coverage == pytest.approx(alpha / (alpha + beta))
    assert found[other].coverage == pytest.approx(beta / (alpha + beta))


async def test_terms_may_stand_in_different_passages_of_one_thing(store: Store, find: Find) -> None:
    (thing,) = await store(Note(["alpha first", "beta later"]))

    assert by_id(await find("alpha beta"))[thing].has_every_term


async def test_all_terms_give_at_least_seven_tenths_and_nothing_gives_one(store: Store, find: Find) -> None:
    literally, apart, half = await store(
        Note(["Deploy the alpha beta service"] * 40), Note(["beta", "alpha"]), Note(["alpha only"])
    )

    found = by_id(await find("Alpha Beta"))

    assert 0.9 <= found[literally].text_score < 1
    assert 0.7 <= found[apart].text_score < 0.8
    assert 0.7 * found[half].coverage <= found[half].text_score <= 0.7 * found[half].coverage + 0.1


async def test_both_scores_join_as_published(store: Store, find: Find) -> None:
    (thing,) = await store(Note(["alpha"], cosine=ALIKE))

    (hit,) = (await find("alpha beta", meaning=True)).hits

    assert hit.id == thing
    high, low = max(hit.similarity, hit.text_score), min(hit.similarity, hit.text_score)
    assert hit.score == pytest.approx(high + 0.5 * low * (1 - high))


@pytest.mark.parametrize(
    ("query", "having", "lacking"),
    [
        ("C++", "we compiled the c++ code", "vitamin c is good, and so is c+"),
        ("rm -rf", "then I ran rm -rf build", "rm and rf are letters"),
        ("100%", "coverage is 100% now", "there are 1000 rows and 100 more"),
        ("a_b", "the column A_B is new", "axb and a b differ"),
        ("ERR_AUTH_FAILED", "it said err_auth_failed.", "the auth err failed"),
        ("src/a.py", "edited src/a.py twice", "src a py"),
        ("'", "it's written", "no apostrophe"),
        (":*", "select a:* from b", "a colon : and a star *"),
        ('"unclosed', 'the string "unclosed went on', "unclosed"),
        ("50\\_", "a path 50\\_x", "50_x"),
        ("東京", "明日は東京です", "京東"),
        ('"dead letter queue"', "a dead letter queue", "a queue for dead letter"),
    ],
)
async def test_a_literal_occurs_character_for_character(
    store: Store, find: Find, query: str, having: str, lacking: str
) -> None:
    there, _ = await store(having, lacking)

    full = [hit.id for hit in (await find(query)).hits if hit.has_every_term]

    assert full == [there]


async def test_a_literal_without_words_or_inside_a_word_is_found_by_scanning_and_says_so(
    store: Store, find: Find
) -> None:
    (thing,) = await store("the flag is warf-xyz")

    inside = await find("rf-xy")
    absent = await find("rf-zz")
    by_words = await find("warf-xyz")

    assert [hit.id for hit in inside.hits] == [thing]
    assert (inside.relaxed, absent.relaxed, by_words.relaxed) == (True, False, False)
    assert absent.hits == []


async def test_a_score_depends_on_nothing_but_the_query_and_the_text(store: Store, find: Find) -> None:
    (thing,) = await store(Note(["alpha beta"], cosine=ALIKE))
    alone = by_id(await find("alpha", meaning=True))[thing]

    await store(*(Note(["alpha alpha"], at=START + timedelta(hours=n), cosine=0.9) for n in range(30)))
    crowded = by_id(await find("alpha", meaning=True))[thing]
    filtered = by_id(await find("alpha", meaning=True, from_=START))[thing]

    assert crowded == alone == filtered


async def test_hits_come_best_first_then_newest_first(store: Store, find: Find) -> None:
    old, new, best = await store(
        Note(["alpha"], at=START), Note(["alpha"], at=START + timedelta(days=1)), Note(["alpha beta"])
    )

    assert [hit.id for hit in (await find("alpha beta")).hits] == [best, new, old]


async def test_other_tenants_things_are_never_found(store: Store, find: Find) -> None:
    await store(Note(["alpha"], cosine=1.0), as_tenant=f"x{uuid.uuid4().hex}")

    assert (await find("alpha", meaning=True)).hits == []
    assert (await find("lph-a", meaning=True)).hits == []


async def test_filters_come_before_limits(store: Store, find: Find) -> None:
    await store(*(Note(["alpha"], cosine=0.99) for _ in range(2_000)))
    inside = await store(*(Note(["alpha"], at=START + timedelta(days=9), cosine=0.5) for _ in range(5)))

    found = await find("alpha", meaning=True, from_=START + timedelta(days=8))

    assert {hit.id for hit in found.hits} == set(inside)
    assert not found.is_cut


@pytest.fixture
async def many(owner: OwnerConnection, tenant: str) -> None:
    """3,500 things of one common word."""
    await owner.set_type_codec("tsvector", schema="pg_catalog", encoder=bytes, decoder=bytes, format="binary")
    await owner.execute(
        "with things as (insert into vcontract.search_document"
        "  select $1, $2, gen_random_uuid(), $3::timestamptz + n * interval '1 second', $4"
        "  from generate_series(1, 3500) n returning *)"
        " insert into vcontract.passage (tenant, kind, id, part, element, chunk, content, words)"
        " select tenant, kind, id, 'text', 0, 0, 'common', words from things",
        *(tenant, KIND, START, encode_strengths({"common": ("B", 1)})),
    )
    await owner.execute("analyze vcontract.search_document, vcontract.passage")


@pytest.fixture
async def unlike(owner: OwnerConnection, tenant: str, many: None) -> None:
    """Vectors of 1,200 of the many things, all far from any query."""
    await register_vector(owner)
    ids = await owner.fetch(
        "select id from vcontract.search_document where tenant = $1 order by id limit 1200", tenant
    )
    await owner.executemany(
        "insert into vcontract.embedding values ($1, $2, $3, 'text', 0, 0, 1, $4)",
        [(tenant, KIND, row["id"], vector(-0.05)) for row in ids],
    )


@pytest.mark.usefixtures("unlike")
async def test_among_many_things_the_best_by_words_and_by_meaning_are_found(store: Store, find: Find) -> None:
    old = START - timedelta(days=900)
    literal, alike = await store(
        Note(["the flag is --no-wait"], at=old), Note(["something else"], at=old, cosine=0.9)
    )

    found = await find("common --no-wait", meaning=True)
    any_word = await find("common --no-wait", least=0.0)

    assert [hit.id for hit in found.hits if hit.matches] == [alike, literal]
    assert not found.is_cut
    assert any_word.is_cut, "3,500 things have the common word"


@pytest.mark.usefixtures("many")
async def test_a_rare_term_keeps_a_common_one_from_filling_the_candidates(store: Store, find: Find) -> None:
    (spoken,) = await store(Note(["rare common"], at=START - timedelta(days=900)))

    every = await find("rare common", least=1.0)
    half = await find("rare common", least=0.5)

    assert [hit.id for hit in every.hits] == [hit.id for hit in half.hits] == [spoken]
    assert not every.is_cut
    assert not half.is_cut


@pytest.mark.usefixtures("many")
async def test_candidates_by_words_come_from_an_index_search_for_the_heavy_ones(
    owner: OwnerConnection, tenant: str
) -> None:
    terms = [{"weight": 5, "words": "'rare'"}, {"weight": 1, "words": "'common'"}]
    async with owner.transaction():
        await owner.execute("select set_config('vcontract.tenant', $1, true)", tenant)
        heavy: str = await owner.fetchval(
            "select vcontract.recall_heavy($1)", json.dumps({"terms": terms, "least": 0.5})
        )
        where = f"d.tenant = '{tenant}' and d.kind = '{KIND}' and ({heavy})"
        plan = await owner.fetch(f"explain select from vcontract.search_document d where {where}")
    text = "\n".join(row[0] for row in plan)
    assert "common" not in text
    assert "search_document_words" in text


async def test_the_best_passage_shows_why_a_thing_was_found(
    database: Database, tenant: str, store: Store, find: Find
) -> None:
    worded, alike = await store(
        Note(["nothing here", "alpha once", "alpha with beta"]), Note(["a sentence close to it"], cosine=0.9)
    )

    found = await find("alpha beta", meaning=True)
    async with database.reading(tenant) as connection:
        places = await Recall().places(connection, found, found.hits)

    assert places[worded, None].content == "alpha with beta"
    assert places[worded, None].coverage == 1
    assert places[alike, None].similarity == pytest.approx(similarity(0.9), abs=0.002)


async def test_a_dialog_is_scored_by_itself(
    database: Database, tenant: str, call: Callable[..., Awaitable[dict[str, str]]], owner: OwnerConnection
) -> None:
    turns = ["alpha", "beta", "alpha and beta"]
    document = {
        "created_at": "2025-05-01T00:00:00Z",
        "parties": [{"name": "Ada"}],
        "dialog": [
            {
                "type": "text",
                "start": f"2025-05-0{n}T00:00:00Z",
                "parties": 0,
                "encoding": "none",
                "body": turn,
            }
            for n, turn in enumerate(turns, start=1)
        ],
    }
    answer = await call("create_vcon", vcon_data=document, validate_before_insert=False)
    recall = Recall()
    async with database.reading(tenant) as connection:
        concept = await recall.concept(
            connection, tenant, read_terms("beta alpha"), None, kinds=("vcon",), least=0.0
        )
        vcons, *_ = await recall.find(connection, Source("vcon", "note_candidates", {}), [concept])
        found = await recall.dialogs(connection, vcons)
        places = await recall.places(connection, found, found.hits)

    assert [(hit.element, hit.coverage) for hit in found.hits] == [(2, 1.0), (1, 0.5), (0, 0.5)]
    assert found.hits[0].occurred_at == datetime(2025, 5, 3, tzinfo=UTC)
    assert {key: place.content for key, place in places.items()} == {
        (uuid.UUID(answer["uuid"]), n): turn for n, turn in enumerate(turns)
    }


async def test_what_takes_conditions_as_sql_is_not_for_the_server(database: Database, tenant: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        async with database.reading(tenant) as connection:
            await connection.fetch(
                "select * from vcontract.recall_candidates('note', 'true', '{}', null, null)"
            )


@pytest.mark.parametrize(
    ("score", "decimals", "shown"), [(0.859, 2, 0.85), (0.29, 2, 0.29), (0.7, 2, 0.7), (0.99999, 3, 0.999)]
)
def test_scores_are_rounded_down(score: float, decimals: int, shown: float) -> None:
    assert rounded_down(score, decimals) == shown
