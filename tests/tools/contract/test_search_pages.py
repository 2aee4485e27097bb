"""vcon_search: pages are full, hold every vCon once, and their cursors are bound to what they belong to."""

from collections.abc import AsyncIterator, Sequence

import asyncpg
import pytest

from tests.conftest import Ask, Call
from tests.published import followed
from tests.shown import shown_turns
from tests.tools.contract.conftest import CallAs, Embed, Store
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.search import filter_conditions
from vcontract.runtime.store.search import pages as searching
from vcontract.runtime.store.vocabulary import count_cache

METADATA: JsonObject = {"mode": "metadata"}
KEYWORD: JsonObject = {"mode": "keyword", "query": "refund OR invoice"}
SEMANTIC: JsonObject = {"mode": "semantic", "query": "money back for an order", "threshold": 0}
HYBRID: JsonObject = {"mode": "hybrid", "query": "refund or invoice"}
BETTER: JsonObject = {
    "type": "text",
    "parties": 0,
    "encoding": "none",
    "body": "refund, refund: money back for the order of this invoice, a refund",
}
EVERY_MODE = [METADATA, KEYWORD, SEMANTIC, HYBRID]
MODES = pytest.mark.parametrize("mode", EVERY_MODE, ids=[str(mode["mode"]) for mode in EVERY_MODE])
COUNTING_MODES = pytest.mark.parametrize("mode", [METADATA, KEYWORD], ids=["metadata", "keyword"])


def conversation(number: int) -> JsonObject:
    """One that matches every mode; scores and times of many are equal."""
    turns = ["I want a refund", "and the invoice", "of the refund"][: number % 3 + 1]
    return {
        "subject": f"Number {number}",
        "created_at": f"2025-06-{number % 5 + 1:02}T12:00:00Z",
        "parties": [{"name": "A"}],
        "dialog": [{"type": "text", "parties": 0, "encoding": "none", "body": turn} for turn in turns],
    }


@pytest.fixture
def keep(store: Store, embed: Embed, mode: JsonObject) -> Store:
    """Stores vCons so that the test's mode finds them."""

    async def keep(documents: Sequence[JsonObject]) -> list[str]:
        uuids = await store(documents)
        if mode in (SEMANTIC, HYBRID):
            await embed()
        return uuids

    return keep


async def pages(call: Call, **arguments: object) -> AsyncIterator[JsonObject]:
    """Every page until the cursor is null."""
    cursor: JsonObject = {}
    while True:
        answer = await call("vcon_search", **arguments, **cursor)
        assert answer["ok"], answer
        yield answer
        if answer["page"]["next_cursor"] is None:
            return
        cursor = {"cursor": answer["page"]["next_cursor"]}


@MODES
async def test_what_was_there_throughout_comes_once_while_others_come_and_go(
    call: Call, keep: Store, mode: JsonObject
) -> None:
    there = await keep([conversation(number) for number in range(200)])
    inserted: set[str] = set()
    deleted: set[str] = set()
    changed: set[str] = set()
    seen: list[str] = []
    scores: list[float] = []

    async for page in pages(call, **mode, limit=7, include=["core"]):
        seen += [item["id"] for item in page["items"]]
        scores += [item["score"] for item in page["items"] if "score" in item]
        if len(inserted) < 50:
            inserted |= set(await keep([conversation(len(inserted) + n) for n in range(5)]))
        if len(deleted) < 20:
            # the last one shown, to which the cursor points, and one that is still to come or was shown
            for uuid in {page["items"][-1]["id"], there[len(deleted) * 7]} - deleted:
                await call("delete_vcon", uuid=uuid, confirm=True)
                deleted.add(uuid)
        if len(changed) < 20:
            for uuid in {page["items"][0]["id"], there[len(changed) * 7 + 3]} - deleted:
                await call("add_dialog", vcon_uuid=uuid, dialog=BETTER)
                changed.add(uuid)
            await keep([])

    assert len(inserted) == 50
    assert len(deleted) >= 20
    assert len(changed) >= 20
    repeated = {uuid for uuid in seen if seen.count(uuid) > 1}
    missed = set(there) - deleted - set(seen)
    # the place of what changed is another by score, and the same by time
    assert (repeated, missed) == (set(), set()) if mode == METADATA else repeated | missed <= changed
    assert set(seen) <= set(there) | inserted
    # what is ranked together comes best first
    ranked = searching.MAX_NEAREST if mode in (SEMANTIC, HYBRID) else searching.MAX_BY_WORDS
    assert scores[: ranked // 4] == sorted(scores[: ranked // 4], reverse=True)


@MODES
async def test_scores_of_unchanged_vcons_stay_the_same_on_every_page(
    call: Call, keep: Store, mode: JsonObject
) -> None:
    await keep([conversation(number) for number in range(30)])
    whole = await call("vcon_search", **mode, limit=100, include=["core"])
    before = {item["id"]: item.get("score") for item in whole["items"]}

    after: JsonObject = {}
    async for page in pages(call, **mode, limit=7, include=["core"]):
        after |= {item["id"]: item.get("score") for item in page["items"]}
        await keep([{"subject": "refund refund", "parties": [{"name": "A"}]} for _ in range(10)])

    assert {id_: after[id_] for id_ in before} == before


@MODES
@pytest.mark.parametrize("size", [20, 21, 22])
async def test_pages_are_full_until_the_last_and_the_cursor_is_null_exactly_at_the_end(
    call: Call,
    keep: Store,
    mode: JsonObject,
    size: int,
    database_url: str,
    tenant: str,
) -> None:
    await keep([conversation(number) for number in range(size)])
    await keep([{"subject": "Other", "parties": [{"name": "A"}], "created_at": "2025-07-01T00:00:00Z"}])
    filters = {"end_date": "2025-06-30"}

    answers = [page async for page in pages(call, **mode, filters=filters, limit=7)]

    connection = await asyncpg.connect(database_url)
    try:
        counted = await connection.fetchval(
            "select count(*) from vcontract.vcon where tenant = $1 and created_at < '2025-07-01Z'", tenant
        )
    finally:
        await connection.close()
    sizes = [answer["page"]["count"] for answer in answers]
    assert sizes == [7, 7, size - 14] if size < 22 else [7, 7, 7, 1]
    assert [len(answer["items"]) for answer in answers] == sizes
    assert counted == size
    assert {answer["page"].get("total") for answer in answers} == {
        size if mode in (METADATA, KEYWORD) else None
    }
    assert [answer["page"]["has_more"] for answer in answers] == [True] * (len(answers) - 1) + [False]


async def test_a_vcon_with_forty_matching_turns_is_one_item(call: Call, store: Store) -> None:
    turns = [{"type": "text", "parties": 0, "body": f"refund number {n}"} for n in range(40)]
    ids = await store(
        [{"parties": [{"name": "A"}], "dialog": turns}, *(conversation(number) for number in range(9))]
    )

    answers = [page async for page in pages(call, mode="keyword", query="refund", limit=3)]

    found = [item["id"] for answer in answers for item in answer["items"]]
    assert sorted(found) == sorted(ids)
    assert [answer["page"]["count"] for answer in answers] == [3, 3, 3, 1]
    (hits,) = (item["match"]["hits"] for a in answers for item in a["items"] if item["id"] == ids[0])
    turns = [turn["turn"] for turn in shown_turns(hits)]
    assert {hit["content_type"] for hit in hits} == {"dialog"}
    assert len({*turns}) == len(turns) == 4


@COUNTING_MODES
async def test_a_large_count_is_a_lower_bound(
    call: Call, store: Store, mode: JsonObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store([conversation(number) for number in range(12)])
    exact = await call("vcon_search", **mode, limit=5)
    monkeypatch.setattr(filter_conditions, "COUNTED_TO", 10)
    monkeypatch.setattr("vcontract.handlers.contract.search.COUNTED_TO", 10)
    monkeypatch.setattr(searching, "MAX_BY_WORDS", 4)

    bounded = [page async for page in pages(call, **mode, limit=5)]

    assert exact["page"]["total"] == 12
    assert "total_relation" not in exact["page"]
    for page in bounded:
        assert (page["page"]["total"], page["page"]["total_relation"]) == (10, "at_least")
    assert len({item["id"] for page in bounded for item in page["items"]}) == 12


@COUNTING_MODES
async def test_the_total_of_many_is_that_of_this_moment(
    call: Call, store: Store, mode: JsonObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    # from this many on, counts may be some seconds old where they only weigh words
    monkeypatch.setattr(count_cache, "_MIN_CACHED_COUNT", 5)
    monkeypatch.setattr(searching, "MAX_BY_WORDS", 4)
    await store([conversation(number) for number in range(12)])
    before = await call("vcon_search", **mode, limit=5)

    await store([conversation(number) for number in range(3)])
    after = await call("vcon_search", **mode, limit=5)

    assert (before["page"]["total"], after["page"]["total"]) == (12, 15)


@pytest.mark.parametrize("limit", [4, 5])
async def test_more_matches_than_are_ranked_together_still_come_once_each(
    call: Call, store: Store, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "MAX_BY_WORDS", 10)
    ids = await store([conversation(number) for number in range(35)])

    answers = [page async for page in pages(call, **KEYWORD, limit=limit)]

    found = [item["id"] for answer in answers for item in answer["items"]]
    assert sorted(found) == sorted(ids)
    full, left = divmod(35, limit)
    assert [answer["page"]["count"] for answer in answers] == [limit] * full + [left] * (left > 0)
    assert {answer["page"]["total"] for answer in answers} == {35}
    assert not any("ranked_newest" in answer["meta"] for answer in answers)


@MODES
async def test_limit_and_include_and_budget_may_change_between_pages(
    call: Call, keep: Store, mode: JsonObject
) -> None:
    ids = await keep([conversation(number) for number in range(12)])
    first = await call("vcon_search", **mode, limit=3)

    second = await call(
        "vcon_search",
        **mode,
        cursor=first["page"]["next_cursor"],
        limit=9,
        include=["counts", "dialog"],
        max_response_bytes=100_000,
    )

    assert second["ok"]
    assert second["items"][0].keys() >= {"counts", "dialog"}
    assert {item["id"] for page in (first, second) for item in page["items"]} == set(ids)


@pytest.mark.parametrize(
    ("different", "changed"),
    [
        ({"query": "refund"}, ["query"]),
        ({"filters": {"subject": "number 1"}}, ["filters"]),
        ({"query": "refund", "filters": {"subject": "number 1"}}, ["filters", "query"]),
    ],
)
async def test_a_cursor_of_other_arguments_is_refused_and_they_are_named(
    call: Call, store: Store, different: JsonObject, changed: list[str]
) -> None:
    await store([conversation(number) for number in range(12)])
    arguments = {**KEYWORD, "filters": {"subject": "number"}}
    cursor = (await call("vcon_search", **arguments, limit=3))["page"]["next_cursor"]

    answer = await call("vcon_search", **{**arguments, **different}, cursor=cursor)

    assert answer["error"]["code"] == "CURSOR_INVALID"
    assert answer["error"]["details"] == {"reason": "other_query", "changed": changed}
    verb = "differs" if len(changed) == 1 else "differ"
    assert f" {', '.join(changed)} {verb} from the first page. " in answer["error"]["message"]


@pytest.mark.parametrize(
    ("mode", "different", "changed"),
    [
        (SEMANTIC, {"query": "something else"}, ["query"]),
        (SEMANTIC, {"threshold": 0.01}, ["threshold"]),
        (HYBRID, {"semantic_weight": 0.59}, ["semantic_weight"]),
        (HYBRID, {"threshold": 0.1}, ["threshold"]),
        (HYBRID, {"embedding": [0.5] * 384}, ["embedding"]),
        (HYBRID, {"filters": {"subject": "number"}}, ["filters"]),
    ],
)
async def test_a_cursor_of_another_meaning_is_refused(
    call: Call, store: Store, embed: Embed, mode: JsonObject, different: JsonObject, changed: list[str]
) -> None:
    await store([conversation(number) for number in range(6)])
    await embed()
    cursor = (await call("vcon_search", **mode, limit=3))["page"]["next_cursor"]

    answer = await call("vcon_search", **{**mode, **different}, cursor=cursor)

    assert answer["error"]["details"] == {"reason": "other_query", "changed": changed}


async def test_a_default_that_is_said_continues_the_same_search(
    call: Call, store: Store, embed: Embed
) -> None:
    await store([conversation(number) for number in range(6)])
    await embed()
    cursor = (await call("vcon_search", **HYBRID, limit=3))["page"]["next_cursor"]

    assert (await call("vcon_search", **HYBRID, semantic_weight=0.6, cursor=cursor))["ok"]


async def test_a_cursor_of_another_mode_is_refused(call: Call, store: Store) -> None:
    await store([conversation(number) for number in range(12)])
    cursor = (await call("vcon_search", **KEYWORD, limit=3))["page"]["next_cursor"]

    answer = await call("vcon_search", mode="metadata", cursor=cursor)

    assert answer["error"]["code"] == "CURSOR_INVALID"
    assert answer["error"]["details"] == {"reason": "other_query", "changed": ["mode", "query"]}


@MODES
async def test_a_cursor_with_any_character_changed_is_malformed(
    call: Call, keep: Store, mode: JsonObject
) -> None:
    await keep([conversation(number) for number in range(12)])
    cursor: str = (await call("vcon_search", **mode, limit=3))["page"]["next_cursor"]
    assert len(cursor) <= 1024
    forged = [
        cursor[:place] + ("A" if cursor[place] != "A" else "B") + cursor[place + 1 :]
        for place in range(0, len(cursor), 1 if mode in (METADATA, KEYWORD) else 9)
    ]

    for text in (*forged, cursor[:-1], cursor + "A", cursor + "=", " " + cursor, "b3BhcXVl", "💸", "null"):
        answer = await call("vcon_search", **mode, cursor=text)
        assert answer["error"]["code"] == "CURSOR_INVALID"
        assert answer["error"]["details"] == {"reason": "malformed"}


@pytest.mark.parametrize("misspelled", [0, 6])
async def test_the_longest_query_still_has_a_cursor(call: Call, store: Store, misspelled: int) -> None:
    letters = "abcdefghijklmnop"
    words = [f"{letters[n // 16]}{letters[n % 16]}xylophonist" for n in range(64)]
    ids = await store([{"subject": " ".join(words), "parties": [{"name": "A"}]} for _ in range(3)])
    asked = [f"{word}q" for word in words[:misspelled]] + words[misspelled:]

    answers = [page async for page in pages(call, mode="keyword", query=" ".join(asked), limit=1)]

    assert sorted(item["id"] for answer in answers for item in answer["items"]) == sorted(ids)
    assert all(len(answer["page"]["next_cursor"] or "") <= 1024 for answer in answers)
    assert {answer["meta"]["matching"] for answer in answers} == {"fuzzy" if misspelled else "exact"}


async def test_a_cursor_of_another_tenant_cannot_be_told_from_a_forged_one(
    call: Call, call_as: CallAs, store: Store
) -> None:
    await store([conversation(number) for number in range(12)])
    cursor = (await call("vcon_search", **KEYWORD, limit=3))["page"]["next_cursor"]

    answer = await call_as("someone_else")("vcon_search", **KEYWORD, cursor=cursor)
    forged = await call_as("someone_else")("vcon_search", **KEYWORD, cursor=cursor[:-2] + "xx")

    assert answer == forged
    assert answer["error"]["details"] == {"reason": "malformed"}


@MODES
async def test_a_cursor_works_after_the_server_has_started_again(
    call: Call,
    keep: Store,
    mode: JsonObject,
    settings: Settings,
    app: App,
    tenant: str,
) -> None:
    ids = await keep([conversation(number) for number in range(12)])
    first = await call("vcon_search", **mode, limit=5)
    arguments = {**mode, "cursor": first["page"]["next_cursor"]}
    here = await call("vcon_search", **arguments)

    restarted = await build(settings)
    try:
        outcome = await restarted.dispatcher.call("vcon_search", arguments, Caller(tenant, app.caller.scopes))
    finally:
        await restarted.close()

    there = outcome.structured
    assert there["items"] == here["items"]
    assert {item["id"] for page in (first, there) for item in page["items"]} == set(ids)


@MODES
async def test_a_page_over_the_budget_is_refused_whole_and_the_suggestion_fits(
    call: Call, keep: Store, mode: JsonObject
) -> None:
    await keep([conversation(number) for number in range(30)])
    arguments = {**mode, "include": ["core", "parties", "dialog"], "limit": 30, "max_response_bytes": 4096}

    refused = await call("vcon_search", **arguments)
    details: JsonObject = refused["error"]["details"]
    suggestion = details["suggestion"]
    followed = [page async for page in pages(call, **{**arguments, **suggestion})]

    assert refused["error"]["code"] == "RESPONSE_TOO_LARGE"
    # fewer items with the same groups go before fewer groups
    assert 1 <= suggestion["limit"] < 30
    assert suggestion["include"] == ["core", "parties", "dialog"]
    assert len({item["id"] for page in followed for item in page["items"]}) == 30
    assert all(page["meta"]["response_bytes"] <= 4096 for page in followed)


@MODES
async def test_a_page_of_exactly_its_budget_is_answered_and_one_byte_less_is_not(
    ask: Ask, keep: Store, mode: JsonObject
) -> None:
    await keep([{**conversation(number), "subject": "‹日本› 💸"} for number in range(9)])
    arguments = {**mode, "limit": 3, "include": ["core", "dialog"]}
    whole = await ask("vcon_search", **arguments)
    # a budget of fewer digits than the default one makes the answer so much shorter
    size = whole.structured["meta"]["response_bytes"] - (len("250000") - len("9999"))

    exact = await ask("vcon_search", **arguments, max_response_bytes=size)
    less = await ask("vcon_search", **arguments, max_response_bytes=size - 1)

    assert 1_024 < size <= 9_999
    assert exact.structured["meta"]["response_bytes"] == size == len(exact.text.encode())
    assert less.structured["error"]["code"] == "RESPONSE_TOO_LARGE"
    assert less.structured["error"]["details"]["response_bytes"] == size
    assert len(less.text.encode()) < 1_024


def unlike(number: int) -> str:
    """A word of 24 letters that looks like no other number's."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return "".join(letters[(number * 7 + place * (number % 11 + 3)) % 26] for place in range(24))


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
async def test_the_longest_query_with_the_most_corrections_has_a_cursor_that_works(
    call: Call, store: Store, mode: str
) -> None:
    # given 64 words, six of them with three known spellings and all of them in every vCon
    words = [unlike(number) for number in range(64)]
    spellings = [f"{word[:-1]}{letter}{letter}" for word in words[:6] for letter in "qxz"]
    text = " ".join(spellings + words[6:])
    await store(
        [{"parties": [{"name": "A"}], "dialog": [{"type": "text", "encoding": "none", "body": text}]}] * 3
    )
    query = " ".join(f"{word[:-1]}jj" for word in words[:6])
    if mode == "keyword":  # a hybrid search corrects nothing when any word is known
        query += " " + " ".join(words[6:])
    # when they are searched, one a page
    found = [page async for page in pages(call, mode=mode, query=query, limit=1)]
    # then every page is reached, under the corrections of the first
    assert len(found) == 3
    assert all(len(page["meta"]["corrections"]) == 18 for page in found)
    assert len(found[0]["page"]["next_cursor"]) <= 1024


SPOKEN: JsonObject = {
    "subject": "Battery of the scooter",
    "created_at": "2025-06-01T00:00:00Z",
    "parties": [{"name": "Ann", "role": "customer"}, {"mailto": "mailto:ben@x.org"}, {}],
    "dialog": [
        {
            "type": "text",
            "parties": 0,
            "encoding": "none",
            "body": "The battery is flat.",
            "start": "2025-06-01T00:00:00Z",
        }
    ],
    "analysis": [{"type": "summary", "vendor": "v", "encoding": "none", "body": "A flat battery."}],
}
IDS_AND_DATES = {"id", "uuid", "created_at", "updated_at"}


@pytest.mark.parametrize(
    ("include", "members", "groups"),
    [
        ([], {"vcon_version", "subject", "score", "match"}, ["core"]),
        (["hits"], {"people", "match"}, ["hits"]),
        (["hits", "summary"], {"people", "match", "summary"}, ["hits", "summary"]),
        (["core", "hits"], {"people", "match", "vcon_version", "subject"}, ["hits", "core"]),
    ],
)
async def test_an_entry_has_only_the_groups_that_are_included(
    call: Call, store: Store, include: list[str], members: set[str], groups: list[str]
) -> None:
    await store([{**SPOKEN, "vcon": "0.3.0"}])

    answer = await call("vcon_search", mode="keyword", query="flat battery", include=include)

    (entry,) = answer["items"]
    assert entry.keys() == IDS_AND_DATES | members
    assert answer["meta"]["include"] == groups


async def test_hits_alone_name_people_and_turns_and_no_scores_of_the_entry(call: Call, store: Store) -> None:
    await store([SPOKEN])

    answer = await call("vcon_search", mode="keyword", query="flat scooter", include=["hits"])
    listed = await call("vcon_search", mode="metadata", include=["hits"])

    (entry,) = answer["items"]
    assert entry["people"] == listed["items"][0]["people"] == ["Ann", "mailto:ben@x.org", "Party 2"]
    assert entry["match"].keys() == {"matching", "strength", "hits"}
    spoken = [hit for hit in entry["match"]["hits"] if hit["content_type"] == "dialog"]
    assert [(hit["turn"], hit["speaker"]) for hit in spoken] == [(0, "Ann")]
    assert not [hit for hit in entry["match"]["hits"] if "because" in hit]


async def test_hits_over_the_budget_are_suggested_without_core(call: Call, store: Store) -> None:
    await store([{**SPOKEN, "subject": f"Battery {number} {'x' * 500}"} for number in range(20)])
    arguments: JsonObject = {"mode": "keyword", "query": "flat", "limit": 20, "max_response_bytes": 3_000}

    refused = await call("vcon_search", **arguments, include=["hits"])
    suggestion: JsonObject = refused["error"]["details"]["suggestion"]
    answer = await call("vcon_search", **followed(arguments, suggestion))

    assert suggestion["include"] == ["hits"]
    assert answer["page"]["count"] == suggestion["limit"] > 1
