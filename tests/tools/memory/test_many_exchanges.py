"""search among more exchanges than are compared one by one: by the indexes, inside the filters."""

import random
from datetime import timedelta
from uuid import UUID

import asyncpg
import numpy as np
import pytest
from pgvector.asyncpg import register_vector

from tests.conftest import Ask
from tests.store.oracle import OraclePassage, best, score
from tests.store.test_search_kinds import StoredItem, weights
from tests.store.test_search_scores import VOCABULARY
from tests.tools.memory.conftest import START, Import, Transcript
from vcontract.runtime.app import App
from vcontract.runtime.embedding.vectors import half_vectors, unit_rows
from vcontract.runtime.store.embeddings import EmbeddingStore
from vcontract.runtime.store.search.hits import QueryVector
from vcontract.runtime.store.search.listing import as_items
from vcontract.runtime.store.search.search import Search
from vcontract.runtime.text.query import parse_query
from vcontract.runtime.text.tsvector import encode_strengths, encode_tsvector

EXCHANGES = 3_200
A_VCON = 100
VECTORS = 700


@pytest.fixture
async def crowd(database_url: str, tenant: str, import_: Import) -> None:
    """3,200 exchanges of one common word in 32 transcripts, with vectors that are like no query."""
    await import_(Transcript().turns("a first one, so that a space of vectors is there"))
    connection = await asyncpg.connect(database_url)
    try:
        await register_vector(connection)
        await connection.set_type_codec(
            "tsvector", schema="pg_catalog", encoder=bytes, decoder=bytes, format="binary"
        )
        await connection.execute(_CROWD, tenant, START, A_VCON, EXCHANGES // A_VCON)
        await connection.execute(
            _TEXTS, tenant, encode_tsvector({"common": [1]}), encode_strengths({"common": ("B", 1)})
        )
        rows = np.random.default_rng(3).normal(size=(VECTORS, 384)).astype(np.float32)
        vectors = half_vectors(unit_rows(rows, *rows.shape))
        places = await connection.fetch(
            "select id, element from vcontract.passage"
            " where tenant = $1 and kind = 'vcon' and content = 'common' order by id, element limit $2",
            tenant,
            VECTORS,
        )
        await connection.executemany(
            "insert into vcontract.embedding values ($1, 'vcon', $2, 'dialog', $3, 0, 1, $4)",
            [
                (tenant, place["id"], place["element"], vector)
                for place, vector in zip(places, vectors, strict=True)
            ],
        )
        await connection.execute("analyze")
    finally:
        await connection.close()


@pytest.mark.usefixtures("crowd")
async def test_what_fits_best_is_found_among_many(ask: Ask, import_: Import) -> None:
    early = START - timedelta(days=400)
    await import_(
        Transcript(start=early).turns("My sourdough does not rise.", "Feed the starter."),
        Transcript(start=early).turns("What does --no-wait do?", "It returns at once, a common flag."),
    )

    by_meaning = await ask("search", query="bread dough that is not rising", mode="vector")
    literal = await ask("search", query="common --no-wait", mode="text")
    both = await ask("search", query="sourdough starter common")
    concepts = await ask("search", query=["sourdough", "starter"], mode="text")
    filtered = await ask("search", query="sourdough", after="2025-01-01")

    assert "sourdough" in by_meaning.structured["results"][0]["snippet"]
    assert [result["exchange"] for result in literal.structured["results"]] == [1]
    assert both.structured["results"][0]["snippet"] in ("My sourdough does not rise.", "Feed the starter.")
    assert concepts.structured["total"] == 1
    assert {result["strength"] for result in filtered.structured["results"]} <= {"weak"}


@pytest.mark.usefixtures("crowd")
async def test_a_word_that_very_many_have_is_cut_at_the_newest_and_that_is_said(ask: Ask) -> None:
    outcome = await ask("search", query="common", mode="text")

    assert outcome.structured["total_is_exact"] is False
    assert outcome.structured["total"] == 1, "all say the same, and are folded"
    assert "There may be more" in outcome.text


@pytest.mark.usefixtures("crowd")
async def test_those_inside_the_dates_are_found_beside_thousands_outside_that_fit_as_well(
    ask: Ask, import_: Import
) -> None:
    later = START + timedelta(days=60)
    await import_(*(Transcript(start=later).turns(f"common, and less: {number}") for number in range(5)))

    for mode in ("both", "text"):
        inside = await ask("search", query="common", mode=mode, after="2025-12-01", limit=5)
        assert inside.structured["returned"] == inside.structured["total"] == 5
        assert inside.structured["total_is_exact"] is True


_CROWD = """
with ids as materialized (
    select gen_random_uuid() as uuid from generate_series(1, $4::integer)
), vcons as (
    insert into vcontract.vcon
    select (jsonb_populate_record(one.v, jsonb_build_object('uuid', i.uuid))).*
    from (select v from vcontract.vcon v where tenant = $1 limit 1) one, ids i
    returning uuid
), transcripts as (
    insert into vcontract.transcript
    select (jsonb_populate_record(
        one.t, jsonb_build_object('vcon', v.uuid, 'archive_path', '/archive/' || v.uuid)
    )).*
    from (select t from vcontract.transcript t where tenant = $1 limit 1) one, vcons v
    returning vcon
)
insert into vcontract.transcript_exchange
    (tenant, vcon, number, id, line_start, line_end, dialog_from, dialog_to, started_at, ended_at, sidechain,
    digest)
select $1, vcon, n, gen_random_uuid(), n, n, n - 1, n, $2::timestamptz + n * interval '1 second',
    $2::timestamptz, false, sha256('common')
from transcripts, generate_series(1, $3::integer) n
"""

_TEXTS = """
with crowd as (
    select x.* from vcontract.transcript_exchange x
    join vcontract.transcript t on t.tenant = x.tenant and t.vcon = x.vcon
    where x.tenant = $1 and t.archive_path like '/archive/%'
), texts as (
    insert into vcontract.passage (tenant, kind, id, part, element, chunk, content, words)
    select $1, 'vcon', vcon, 'dialog', dialog_from, 0, 'common', $2 from crowd
)
insert into vcontract.search_document select $1, 'exchange', id, started_at, $3 from crowd
"""


@pytest.mark.parametrize("mode", ["text", "vector", "both"])
async def test_every_score_of_an_exchange_equals_the_formula(
    ask: Ask, import_: Import, memory: App, tenant: str, mode: str
) -> None:
    # given exchanges of made-up words, each turn with a vector of its own
    chance, vectors = random.Random(11), np.random.default_rng(11)  # noqa: S311
    exchanges = [
        StoredItem("exchange", START, {"dialog": [_turn(chance, vectors), _turn(chance, vectors)]})
        for _ in range(24)
    ]
    transcripts = [
        Transcript().turns(*(" ".join(turn.words) for one in exchanges[at : at + 3] for turn in one.places))
        for at in range(0, len(exchanges), 3)
    ]
    await import_(*transcripts)
    query = vectors.standard_normal(384) + 0.5
    looked_for = half_vectors((query / np.linalg.norm(query))[None].astype(np.float32))[0]
    async with memory.database.writing(tenant) as connection:
        places = await connection.fetch(
            "select t.session, x.id, x.number, x.dialog_from, x.vcon from vcontract.transcript_exchange x"
            " join vcontract.transcript t on t.tenant = x.tenant and t.vcon = x.vcon where x.tenant = $1",
            tenant,
        )
        sessions = [transcript.session for transcript in transcripts]
        by_id: dict[UUID, StoredItem] = {
            row["id"]: exchanges[3 * sessions.index(row["session"]) + row["number"] - 1] for row in places
        }
        for row in places:
            for at, turn in enumerate(by_id[row["id"]].places):
                await connection.execute(
                    "update vcontract.embedding set vector = $4"
                    " where tenant = $1 and id = $2 and element = $3 and part = 'dialog'",
                    *(tenant, row["vcon"], row["dialog_from"] + at),
                    half_vectors(np.stack([turn.vector]))[0] if turn.vector is not None else None,
                )
        # when they are searched
        search = Search()
        (space,) = await EmbeddingStore().spaces(connection)
        for text in ("kappa", "zulu delta omega"):
            words = None if mode == "vector" else parse_query(text, any_word=True, literal=True)
            vector = None if mode == "text" else QueryVector(space, looked_for)
            asked = await search.ask(connection, tenant, words, vector, kinds=("exchange",))
            found = await search.listed(connection, "exchange", {}, asked)
            items = await as_items(connection, found, [thing.id for thing in found.things])
            # then the scores are those of the formula
            weighed = [(["-"], 1.0)] if words is None else weights(exchanges, text)
            weight = {"text": 0.0, "vector": 1.0, "both": 0.6}[mode]
            direction = None if vector is None else np.asarray(looked_for.to_numpy(), np.float32)
            wholes = {id_: one.whole() for id_, one in by_id.items()}
            expected = best(score(wholes, weighed, direction, weight, reads_all=True))
            assert {item.id: item.score for item in items} == pytest.approx(expected, abs=1e-6), text


def _turn(chance: random.Random, vectors: np.random.Generator) -> OraclePassage:
    row = vectors.standard_normal(384) + 0.5
    vector = (row / np.linalg.norm(row)).astype(np.float16).astype(np.float32)
    words = chance.choices(VOCABULARY, [2.0**-rank for rank in range(8)], k=chance.randint(1, 5))
    return OraclePassage("dialog", words, vector=vector)
