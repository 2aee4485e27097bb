"""Pages of a search over thousands of matches: each vCon once, in order, to the end; and their plans."""

import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID

import asyncpg
import numpy as np
import pytest

from tests.conftest import Call
from tests.plans import PlansOf, explaining, indexes_of, rows_read_by, sequential_scans_of
from tests.store.oracle import OraclePassage, score, unit
from tests.store.test_search_scores import FIRST, Conversation, put_vectors, random_corpus
from tests.store.test_search_scores import store as store_all
from vcontract.runtime.app import App
from vcontract.runtime.embedding.vectors import half_vectors
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.embeddings import EmbeddingStore
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.search import pages as searching
from vcontract.runtime.store.search.filter_conditions import Filters
from vcontract.runtime.store.search.hits import Item, QueryVector
from vcontract.runtime.store.search.pages import MAX_BY_WORDS, MAX_NEAREST, Page, SearchRequest, pool_of
from vcontract.runtime.store.search.search import Search
from vcontract.runtime.store.search.term_weights import WeightedQuery
from vcontract.runtime.store.vcons.deletion import delete_vcon
from vcontract.runtime.store.vcons.preparation import PrepareContext, prepare
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
    prepare_context = PrepareContext.load()
    prepared = [
        prepare(
            tiny(number),
            prepare_context,
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


async def pages_of(database: Database, request: SearchRequest, tenant: str = TENANT) -> AsyncIterator[Page]:
    search = Search()
    while True:
        async with database.reading(tenant) as connection:
            page = await search.find(connection, tenant, request)
        yield page
        if page.following is None:
            return
        # a cursor carries it as JSON
        request = replace(request, start=json.loads(json.dumps(page.following)))


def of_words(query: str, limit: int, filters: Filters = NO_FILTERS) -> SearchRequest:
    return SearchRequest(filters, limit, parse_query(query))


def check_order(items: Sequence[Item], times: Mapping[UUID, datetime]) -> int:
    """How many come best first; the others have to come newest first."""
    by_score = [(item.score, item.id) for item in items]
    ranked = next((at for at, pair in enumerate(pairwise(by_score), 1) if pair[0] < pair[1]), len(items))
    by_time = [(times[item.id], item.id) for item in items[ranked:]]
    assert by_time == sorted(by_time, reverse=True)
    return ranked


@pytest.mark.parametrize(
    ("passages", "times"), [(0, 1), (20_000, 1), (80_000, 2), (180_000, 3), (10_000_000, 3)]
)
def test_a_larger_store_ranks_more_candidates(passages: int, times: int) -> None:
    weighed = WeightedQuery(parse_query("invoice"), (), (), passages=passages)

    assert pool_of(weighed) == (times * MAX_BY_WORDS, times * MAX_NEAREST)


@pytest.mark.parametrize(
    ("query", "limit", "total"),
    [("common", 97, SIZE), ("common", 100, SIZE), ("first4000", 100, 2 * BAND), ("rare", 2, 3)],
)
async def test_ranked_pages_visit_each_match_once_the_candidates_best_first(
    database: Database, query: str, limit: int, total: int
) -> None:
    pages = [page async for page in pages_of(database, of_words(query, limit))]

    items = [item for page in pages for item in page.items]
    assert len(items) == len({item.id for item in items}) == total
    assert {page.total for page in pages} == {total}
    assert [len(page.items) for page in pages[:-1]] == [limit] * (len(pages) - 1)
    assert len(pages) == -(-total // limit)
    of = range(total) if total > 3 else [number for number in range(SIZE) if _is_rare(number)]
    assert {item.id for item in items} == {UUID(tiny(number)["uuid"]) for number in of}
    times = {UUID(tiny(number)["uuid"]): datetime.fromisoformat(tiny(number)["created_at"]) for number in of}
    ranked = check_order(items, times)
    assert ranked >= min(total, MAX_BY_WORDS // 3)


async def test_filters_narrow_the_matches_and_not_their_pages(database: Database) -> None:
    filters = Filters(created_to=START + timedelta(minutes=700))

    pages = [page async for page in pages_of(database, of_words("common", 100, filters))]

    ids = [item.id for page in pages for item in page.items]
    assert set(ids) == {UUID(tiny(number)["uuid"]) for number in range(2_100)}
    assert len(ids) == 2_100
    assert {page.total for page in pages} == {2_100}


@pytest.mark.parametrize(
    ("there", "added"),
    [(range(0, 120, 2), range(1, 240, 2)), (range(0, 1_500, 30), range(3, 1_500, 3))],
    ids=["as many again", "nine between two"],
)
@pytest.mark.parametrize("most", [10, MAX_BY_WORDS])
async def test_what_is_stored_between_two_pages_moves_nothing(
    database: Database,
    tenant: str,
    there: range,
    added: range,
    most: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(searching, "MAX_BY_WORDS", most)
    store, search = VconStore(database), Search()
    await fill(store, tenant, there)
    request = of_words("common", 25)
    async with database.reading(tenant) as connection:
        first = await search.find(connection, tenant, request)
        newest = await search.newest(connection, tenant, NO_FILTERS, 25)
    before = {item.id for item in first.items}, set(newest.ids)
    await fill(store, tenant, [number for number in added if number not in there])

    ranked_after, newest_after = [set[UUID]()], [set[UUID]()]
    newest_start = newest.following
    async for page in pages_of(database, replace(request, start=first.following), tenant):
        ranked_after.append({item.id for item in page.items})
    async with database.reading(tenant) as connection:
        while newest_start:
            later = await search.newest(connection, tenant, NO_FILTERS, 25, start=newest_start)
            newest_after.append(set(later.ids))
            newest_start = later.following

    old = {UUID(tiny(number)["uuid"]) for number in there}
    for seen, after in zip(before, (ranked_after, newest_after), strict=True):
        later_seen = set[UUID]().union(*after)
        assert sum(map(len, after)) == len(later_seen)
        assert not seen & later_seen
        assert old <= seen | later_seen


async def test_what_is_stored_while_many_match_pushes_none_of_them_out(database: Database) -> None:
    store, prepare_context = VconStore(database), PrepareContext.load()
    moment = (START + timedelta(minutes=SIZE // 3 - 100)).isoformat()
    added = [
        prepare({**tiny(SIZE + number), "created_at": moment}, prepare_context, now=START)
        for number in range(5)
    ]
    found = list[UUID]()
    try:
        async for page in pages_of(database, of_words("common", 300)):
            if not found:
                await store.insert_batch(TENANT, added)
            found += [item.id for item in page.items]
    finally:
        async with database.writing(TENANT) as connection:
            for vcon in added:
                await delete_vcon(connection, TENANT, vcon.uuid)

    assert len(found) == len(set(found))
    assert {UUID(tiny(number)["uuid"]) for number in range(SIZE)} <= set(found)


QUERY = unit(np.random.default_rng(9).standard_normal(384) + 0.5)
WEIGHTS = {"keyword": 0.0, "hybrid": 0.6, "hybrid by words": 0.0, "hybrid by meaning": 1.0}
"""The share of meaning, by what is walked."""


@dataclass(frozen=True)
class Walked:
    """A tenant whose searches rank few candidates."""

    call: Call
    app: App
    tenant: str

    async def keep(self, corpus: Sequence[Conversation]) -> dict[UUID, Conversation]:
        ids = await store_all(self.call, [*corpus])
        if any(place.vector is not None for one in corpus for place in one.places):
            await put_vectors(self.app, self.tenant, ids, [*corpus])
        return {UUID(id_): one for id_, one in zip(ids, corpus, strict=True)}

    async def request(self, what: str, text: str, limit: int, filters: Filters) -> SearchRequest:
        if what == "keyword":
            return of_words(" OR ".join(text.split()), limit, filters)
        async with self.app.database.reading(self.tenant) as connection:
            (space,) = await EmbeddingStore().spaces(connection)
        vector = QueryVector(space, half_vectors(QUERY[None])[0])
        query = parse_query(text, any_word=True)
        return SearchRequest(filters, limit, query, vector, threshold=0.0, weight=WEIGHTS[what])

    def pages(self, request: SearchRequest) -> AsyncIterator[Page]:
        return pages_of(self.app.database, request, self.tenant)


@pytest.fixture
def walked(call: Call, app: App, tenant: str, monkeypatch: pytest.MonkeyPatch) -> Walked:
    monkeypatch.setattr(searching, "MAX_BY_WORDS", 20)
    monkeypatch.setattr(searching, "MAX_NEAREST", 20)
    return Walked(call, app, tenant)


def matching(what: str, text: str, stored: dict[UUID, Conversation]) -> set[UUID]:
    weighed = [([word], 1.0) for word in text.split()]
    wholes = {id_: one.whole() for id_, one in stored.items()}
    return {*score(wholes, weighed, None if what == "keyword" else QUERY, WEIGHTS[what])}


def sided(corpus: Sequence[Conversation]) -> list[Conversation]:
    for number, one in enumerate(corpus):
        one.tags = {"side": ("left", "right")[number % 2]}
    return [*corpus]


WALKS = pytest.mark.parametrize("what", WEIGHTS)
FILTERS = pytest.mark.parametrize(
    "filters",
    [NO_FILTERS, Filters(tags=(("side", "left"),)), Filters(created_from=FIRST + timedelta(days=30))],
    ids=["no filter", "tag", "time"],
)


def admits(filters: Filters, one: Conversation) -> bool:
    return (not filters.tags or one.tags == dict(filters.tags)) and (
        filters.created_from is None or one.at >= filters.created_from
    )


@WALKS
@FILTERS
async def test_each_match_comes_once_the_candidates_best_first_and_then_the_others_newest_first(
    walked: Walked, what: str, filters: Filters
) -> None:
    # given far more matches than are ranked together
    stored = await walked.keep(sided(random_corpus(29, 150, embedded=True)))
    admitted = {id_: one for id_, one in stored.items() if admits(filters, one)}
    for text in ("kappa", "delta bravo omega", "zulu tuesday march"):
        for limit in (7, 100):
            request = await walked.request(what, text, limit, filters)
            # when they are paged through
            pages = [page async for page in walked.pages(request)]
            # then each comes once, and every page but the last is full
            items = [item for page in pages for item in page.items]
            assert len(items) == len({item.id for item in items})
            assert {item.id for item in items} == matching(what, text, admitted)
            assert {len(page.items) for page in pages[:-1]} <= {limit}
            assert {page.total for page in pages} == {len(items) if what == "keyword" else None}
            check_order(items, {id_: one.at for id_, one in stored.items()})


@WALKS
async def test_many_alike_come_once_each(walked: Walked, what: str) -> None:
    # given conversations of six passages with equal weight, time and cosine: the cut goes through
    # one, and its last turn, which is no candidate of the first page, has the better score
    vector = unit(np.random.default_rng(3).standard_normal(384) + 0.5)
    alike = [
        Conversation(
            [
                *(OraclePassage("party", [name]) for name in ("tango", "zulu")),
                *(
                    OraclePassage("dialog", ["kappa"], int(turn == 4 and number % 2 == 0), vector)
                    for turn in range(5)
                ),
            ]
        )
        for number in range(130)
    ]
    stored = await walked.keep(alike)
    request = await walked.request(what, "kappa zulu", 3, NO_FILTERS)

    items = [item async for page in walked.pages(request) for item in page.items]

    assert len(items) == len({item.id for item in items})
    assert {item.id for item in items} == stored.keys()


async def test_a_long_conversation_leaves_room_among_the_candidates(walked: Walked) -> None:
    # given one of very many passages with a word, and others, where the party who says it is named by another
    speaking = [
        Conversation([OraclePassage("party", ["zulu"]), OraclePassage("dialog", ["kappa"])]) for _ in range(2)
    ]
    long = Conversation([OraclePassage("dialog", ["kappa"]) for _ in range(40)])
    spoken, (last,) = await walked.keep(speaking), await walked.keep([long])

    request = await walked.request("keyword", "kappa zulu", 10, NO_FILTERS)
    (page,) = [page async for page in walked.pages(request)]

    assert {item.id for item in page.items[:2]} == spoken.keys()
    assert [item.id for item in page.items[2:]] == [last]
    assert [item.hits[0].part for item in page.items] == ["dialog"] * 3


@WALKS
@FILTERS
async def test_what_stays_comes_once_while_others_are_stored_and_deleted(
    walked: Walked, what: str, filters: Filters
) -> None:
    # given
    stored = await walked.keep(sided(random_corpus(31, 120, embedded=True)))
    admitted = {id_: one for id_, one in stored.items() if admits(filters, one)}
    further = sided(random_corpus(37, 4, embedded=True))
    gone, seen = set[UUID](), list[UUID]()
    request = await walked.request(what, "kappa zulu omega", 8, filters)
    # when between two pages one is stored, and the last that was shown and another are deleted
    async for page in walked.pages(request):
        seen += [item.id for item in page.items]
        await walked.keep(further[:1])
        del further[:1]
        for id_ in {seen[-1], [*stored][-1 - len(gone) * 3]} - gone if len(gone) < 20 else ():
            await walked.call("delete_vcon", uuid=str(id_), confirm=True)
            gone.add(id_)
    # then
    assert len(seen) == len(set(seen))
    assert matching(what, "kappa zulu omega", admitted) - gone <= set(seen)


async def test_pages_of_the_newest_visit_each_vcon_once_in_falling_time(database: Database) -> None:
    search, start, ids, pages = Search(), None, list[UUID](), 0
    async with database.reading(TENANT) as connection:
        while True:
            page = await search.newest(connection, TENANT, NO_FILTERS, 100, start=start)
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


NEWEST = "select * from vcontract.search_newest($1, 'vcon', 26)"
COUNT = "select vcontract.search_count($1, 'vcon', 10001)"
RARE: JsonObject = {"required": [[{"words": "'rare'"}]]}
COMMON: JsonObject = {"tags": [{"key": "side", "value": "left"}]}
TAGGED: JsonObject = {"tags": [{"key": "batch", "value": "seven"}]}


@pytest.mark.parametrize(
    ("statement", "specification", "index"),
    [
        (COUNT, RARE, "search_document_words"),
        (COUNT, {**RARE, "from": "2025-01-01T00:00:00Z"}, "search_document_words"),
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
        (
            "select * from vcontract.near_spellings($1, 0.3, 50)",
            "recieve",
            [{"spelling_near", "spelling_pkey"}],
        ),
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
