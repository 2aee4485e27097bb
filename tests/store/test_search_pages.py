"""Pages of a search over thousands of matches: each vCon once, in order, to the end; and their plans."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from datetime import UTC, datetime, timedelta
from uuid import UUID

import asyncpg
import pytest

from tests.plans import PlansOf, explaining, indexes_of, rows_read_by, sequential_scans_of
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.search.matching import Filters
from vcontract.runtime.store.search.ranked import RankedPage, VconSearch
from vcontract.runtime.store.vcons.preparation import Knowledge, prepare
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.text.query import parse_query

TENANT = "many"
SIZE = 4_200
BAND = 2_000
START = datetime(2025, 1, 1, tzinfo=UTC)
NO_FILTERS = Filters()


def tiny(number: int) -> JsonObject:
    """The vCon `number`: `common` in all of them, in more or fewer turns; three are of one moment."""
    turns = ["common"] * (1 + number % 3) + (["rare"] if _is_rare(number) else [])
    return {
        "uuid": str(UUID(int=(8 << 76) + (2 << 62) + number)),
        "created_at": (START + timedelta(minutes=number // 3)).isoformat(),
        "subject": "first4000" if number < 2 * BAND else None,
        "parties": [{}],
        "dialog": [{"type": "text", "encoding": "none", "body": body} for body in turns],
    }


SIDES = ("left", "left", "right", "none")
"""Of every four."""


def _is_rare(number: int) -> bool:
    return number % 1_400 == 7


async def fill(store: VconStore, tenant: str, numbers: Iterable[int]) -> None:
    knowledge = Knowledge.load()
    prepared = [
        prepare(
            tiny(number),
            knowledge,
            now=START,
            metadata={
                "tags": {"batch": "seven" if _is_rare(number) else str(number), "side": SIDES[number % 4]}
            },
        )
        for number in numbers
    ]
    outcomes = await store.insert_batch(tenant, prepared)
    assert {outcome.action for outcome in outcomes} == {"created"}


@pytest.fixture(scope="module", autouse=True)
async def many(database: Database, database_url: str) -> None:
    """4,200 vCons of one tenant, known to the planner."""
    await fill(VconStore(database), TENANT, range(SIZE))
    connection = await asyncpg.connect(database_url)
    await connection.execute("analyze")
    await connection.close()


async def ranked_pages(
    database: Database, query: str, limit: int, filters: Filters = NO_FILTERS
) -> AsyncIterator[RankedPage]:
    search, start = VconSearch(), None
    while True:
        async with database.reading(TENANT) as connection:
            page = await search.ranked(connection, TENANT, parse_query(query), filters, limit, start)
        yield page
        if page.following is None:
            return
        # a cursor carries it as JSON
        start = json.loads(json.dumps(page.following))


@pytest.mark.parametrize(
    ("query", "limit", "total", "scores"),
    [("common", 97, SIZE, 3), ("common", 100, SIZE, 3), ("first4000", 100, 2 * BAND, 1)],
)
async def test_ranked_pages_visit_each_match_once_best_first_within_each_run(
    database: Database, query: str, limit: int, total: int, scores: int
) -> None:
    pages = [page async for page in ranked_pages(database, query, limit)]

    items = [item for page in pages for item in page.items]
    assert len(items) == len({item.id for item in items}) == total
    assert {page.total for page in pages} == {total}
    assert [len(page.items) for page in pages[:-1]] == [limit] * (len(pages) - 1)
    assert len(pages) == -(-total // limit)
    newest_first = [UUID(tiny(number)["uuid"]) for number in reversed(range(total))]
    for begin in range(0, total, BAND):
        run = items[begin : begin + BAND]
        assert {item.id for item in run} == set(newest_first[begin : begin + BAND])
        order = [(item.score, item.id) for item in run]
        assert order == sorted(order, reverse=True)
        assert len({item.score for item in run}) == scores
    assert {page.ranked_newest for page in pages} == {BAND}


async def test_filters_narrow_the_runs_and_not_their_pages(database: Database) -> None:
    filters = Filters(created_to=START + timedelta(minutes=700))

    pages = [page async for page in ranked_pages(database, "common", 100, filters)]

    ids = [item.id for page in pages for item in page.items]
    assert set(ids) == {UUID(tiny(number)["uuid"]) for number in range(2_100)}
    assert len(ids) == 2_100
    assert {page.total for page in pages} == {2_100}


@pytest.mark.parametrize(
    ("there", "added"),
    [(range(0, 120, 2), range(1, 240, 2)), (range(0, 1_500, 30), range(3, 1_500, 3))],
    ids=["as many again", "nine between two"],
)
async def test_what_is_stored_between_two_pages_moves_nothing(
    database: Database, tenant: str, there: range, added: range
) -> None:
    store, search = VconStore(database), VconSearch()
    await fill(store, tenant, there)
    query = parse_query("common")
    async with database.reading(tenant) as connection:
        first = await search.ranked(connection, tenant, query, NO_FILTERS, 25, None)
        newest = await search.newest(connection, tenant, NO_FILTERS, 25, None)
    before = {item.id for item in first.items}, set(newest.ids)
    await fill(store, tenant, [number for number in added if number not in there])

    ranked_after, newest_after = [set[UUID]()], [set[UUID]()]
    ranked_start, newest_start = first.following, newest.following
    async with database.reading(tenant) as connection:
        while ranked_start:
            page = await search.ranked(connection, tenant, query, NO_FILTERS, 25, ranked_start)
            ranked_after.append({item.id for item in page.items})
            ranked_start = page.following
        while newest_start:
            later = await search.newest(connection, tenant, NO_FILTERS, 25, newest_start)
            newest_after.append(set(later.ids))
            newest_start = later.following

    old = {UUID(tiny(number)["uuid"]) for number in there}
    for seen, after in zip(before, (ranked_after, newest_after), strict=True):
        later_seen = set[UUID]().union(*after)
        assert sum(map(len, after)) == len(later_seen)
        assert not seen & later_seen
        assert old <= seen | later_seen


async def test_what_is_stored_inside_a_run_pushes_none_of_it_out(database: Database) -> None:
    store, search, knowledge = VconStore(database), VconSearch(), Knowledge.load()
    moment = (START + timedelta(minutes=SIZE // 3 - 100)).isoformat()
    added = [
        prepare({**tiny(SIZE + number), "created_at": moment}, knowledge, now=START) for number in range(5)
    ]
    query, found, start = parse_query("common"), list[UUID](), None
    try:
        while True:
            async with database.reading(TENANT) as connection:
                page = await search.ranked(connection, TENANT, query, NO_FILTERS, 300, start)
            if start is None:
                await store.insert_batch(TENANT, added)
            found += [item.id for item in page.items]
            start = page.following
            if start is None:
                break
    finally:
        async with database.writing(TENANT) as connection:
            for vcon in added:
                await store.delete(connection, TENANT, vcon.uuid)

    assert len(found) == len(set(found))
    assert {UUID(tiny(number)["uuid"]) for number in range(SIZE)} <= set(found)


async def test_pages_of_the_newest_visit_each_vcon_once_in_falling_time(database: Database) -> None:
    search, start, ids, pages = VconSearch(), None, list[UUID](), 0
    async with database.reading(TENANT) as connection:
        while True:
            page = await search.newest(connection, TENANT, NO_FILTERS, 100, start)
            ids += page.ids
            pages += 1
            assert page.total == SIZE
            start = page.following
            if start is None:
                break

    assert ids == [UUID(tiny(number)["uuid"]) for number in reversed(range(SIZE))]
    assert pages == SIZE // 100


@pytest.fixture
async def plans_of(superuser: None, database_url: str) -> AsyncIterator[PlansOf]:
    async with explaining(database_url, TENANT) as plans_of:
        yield plans_of


RANKED = "select * from vcontract.search_ranked($1, 'vcon', 2000, 26)"
NEWEST = "select * from vcontract.search_newest($1, 'vcon', 26)"
COUNT = "select vcontract.search_count($1, 'vcon', 10001)"
RARE: JsonObject = {
    "required": [[{"words": "'rare'"}]],
    "words": [{"weight": 1, "alternatives": [{"words": "'rare'"}]}],
}
COMMON: JsonObject = {"tags": [{"key": "side", "value": "left"}]}
TAGGED: JsonObject = {"tags": [{"key": "batch", "value": "seven"}]}


@pytest.mark.parametrize(
    ("statement", "specification", "index"),
    [
        (RANKED, RARE, "search_document_words"),
        (COUNT, RARE, "search_document_words"),
        (RANKED, {**RARE, "from": "2025-01-01T00:00:00Z"}, "search_document_words"),
        (NEWEST, {}, "search_document_newest"),
        (NEWEST, {"from": "2025-01-01T00:00:00Z"}, "search_document_newest"),
        (NEWEST, {"below": {"at": "2025-01-02T00:00:00Z", "id": str(UUID(int=0))}}, "search_document_newest"),
        (NEWEST, TAGGED, "tag_value"),
        (COUNT, {"version_of": str(UUID(int=7))}, "vcon_amended"),
        (COUNT, {"version_of": str(UUID(int=7))}, "vcon_redacted"),
        (NEWEST, COMMON, "search_document_newest"),
    ],
)
async def test_a_search_reads_the_index_made_for_it(
    plans_of: PlansOf, statement: str, specification: JsonObject, index: str
) -> None:
    plans = await plans_of(statement, json.dumps(specification))

    assert index in indexes_of(plans)
    assert "search_document" not in sequential_scans_of(plans)


async def test_a_rare_word_is_counted_by_the_index_of_words(plans_of: PlansOf) -> None:
    plans = await plans_of("select vcontract.count_things(array['vcon'], array[$1::text], 10001)", "'rare'")

    assert "search_document_words" in indexes_of(plans)
    assert sequential_scans_of(plans) == set()


@pytest.fixture(scope="module")
async def spellings(many: None, database_url: str) -> int:
    """How many spellings two tenants have each: words of letters by chance, and `receive`."""
    connection = await asyncpg.connect(database_url)
    for tenant in (TENANT, "another"):
        await connection.execute(
            "insert into vcontract.spelling select $1, w from ("
            " select distinct translate(left(md5(n::text), 8), '0123456789', 'aeiourstln')"
            " from generate_series(1, 30000) n union select 'receive') s (w) on conflict do nothing",
            tenant,
        )
    await connection.execute("analyze vcontract.spelling")
    number: int = await connection.fetchval(
        "select count(*) from vcontract.spelling where tenant = $1", TENANT
    )
    await connection.close()
    return number


@pytest.mark.parametrize(
    ("statement", "word", "indexes"),
    [
        ("select * from vcontract.near_spellings($1, 0.3, 50)", "recieve", [{"spelling_near"}]),
        ("select vcontract.spellings_of($1, 200)", "rece", [{"spelling_near"}, {"spelling_pkey"}]),
    ],
    ids=["misspelled", "beginning"],
)
async def test_known_spellings_are_looked_up_and_not_gone_through(
    plans_of: PlansOf, spellings: int, statement: str, word: str, indexes: list[set[str]]
) -> None:
    plans = await plans_of(statement, word)

    assert indexes_of(plans) in indexes
    assert 0 < rows_read_by(plans)["spelling"] <= 100 < spellings / 100


async def test_a_text_without_words_is_read_for_newest_first_and_no_further_than_is_wanted(
    plans_of: PlansOf,
) -> None:
    plans = await plans_of("select vcontract.search_by_reading('{}', 'vcon', 'common', 1, 60)")

    assert indexes_of(plans) == {"search_document_newest", "passage_pkey"}
    read = rows_read_by(plans)
    assert read["search_document"] == 100
    assert read["passage"] <= 5 * 100


async def test_a_page_of_the_newest_reads_no_more_rows_than_it_shows(plans_of: PlansOf) -> None:
    (plan,) = [plan for plan in await plans_of(NEWEST, "{}") if plan["Node Type"] == "Limit"]

    assert plan["Plan Rows"] == 26
    assert [child["Node Type"] for child in plan["Plans"]] in (["Index Only Scan"], ["Index Scan"])


SOME = [UUID(tiny(number)["uuid"]) for number in range(0, SIZE, 105)]
"""Forty vCons, with a subject, a party and two turns each."""
COMMON_WORD: list[JsonObject] = [{"weight": 1, "alternatives": [{"words": "'common'"}]}]
PHRASE: list[JsonObject] = [
    {"weight": 1, "alternatives": [{"words": "'common' & 'rare'", "sequence": "'common' <-> 'rare'"}]}
]
DATED: list[JsonObject] = [{"weight": 1, "alternatives": [{"words": "'january'"}], "day": {"month": 1}}]


@pytest.mark.parametrize(
    ("statement", "most"),
    [
        (
            "select * from vcontract.search_hits($1, $2, 'vcon', null, null, null, 0, 3)",
            {"passage": 5, "search_document": 6, "dialog": 3},
        ),
        ("select * from vcontract.thing_strengths($1, $2, 'vcon')", {"passage": 5, "search_document": 3}),
        ("select * from vcontract.missing_words($1, $2, 'vcon')", {"search_document": 1}),
        (
            "select * from vcontract.search_dialogs($1, null, $2, null, null, null, 0, 100)",
            {"passage": 6, "search_document": 7, "dialog": 3},
        ),
    ],
    ids=["hits", "strengths", "missing words", "dialogs"],
)
@pytest.mark.parametrize("words", [COMMON_WORD, PHRASE, DATED], ids=["word", "phrase", "day"])
async def test_what_is_asked_of_some_vcons_reads_their_rows_and_no_others(
    plans_of: PlansOf, statement: str, most: dict[str, int], words: list[JsonObject]
) -> None:
    plans = await plans_of(statement, SOME, json.dumps(words))

    assert indexes_of(plans) <= {"passage_pkey", "search_document_pkey", "dialog_pkey"}
    assert sequential_scans_of(plans) == set()
    assert rows_read_by(plans) <= Counter({table: len(SOME) * times for table, times in most.items()})


async def test_a_run_reads_the_text_of_its_matches_and_of_no_others(plans_of: PlansOf) -> None:
    required: JsonObject = {"required": [COMMON_WORD[0]["alternatives"]], "words": COMMON_WORD}

    read = rows_read_by(await plans_of(RANKED, json.dumps(required)))

    # to find the newest 2,000, and to read them
    assert BAND <= read["search_document"] <= 2 * BAND
    assert set(read) == {"search_document"}
