"""What holds in all searches of the vcon toolset: filters before the limit, scores in bounds, whole pages."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime

import pytest

from vcontract.runtime.app import App, build
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.search import search as searching
from vcontract.runtime.store.search.ranking import combine
from vcontract.runtime.store.vcons.preparation import PrepareContext, prepare
from vcontract.runtime.store.vcons.store import VconStore

Search = Callable[..., Awaitable[JsonObject]]

TENANT = "everysearch"
SIZE, RARE = 200, 3
SEARCHES: dict[str, JsonObject] = {
    "search_vcons": {"subject": "parcel"},
    "search_vcons_content": {"query": "delivery"},
    "search_vcons_semantic": {"query": "a late delivery", "threshold": 0},
    "search_vcons_hybrid": {"query": "late delivery"},
    "search_by_tags": {"tags": {"half": "yes"}},
}
UNCHECKED: JsonObject = {"validate_before_insert": False}
WITH_FILTERS = [name for name in SEARCHES if name != "search_by_tags"]


@pytest.fixture(scope="module")
async def app(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[App]:
    """The application with a vocabulary that declares a tag which nothing has yet."""
    declared = tmp_path_factory.mktemp("declared") / "vocabulary.yaml"
    declared.write_text("tags: {category: [complaint, praise]}", encoding="utf-8")
    built = await build(settings.model_copy(update={"rate_limits": None, "vocabulary": declared}))
    yield built
    await built.close()


def conversation(number: int) -> JsonObject:
    """One that every search finds; the last three are rare, and every second one has a tag of its own."""
    is_rare = number >= SIZE - RARE
    year = 2030 if is_rare else 2025
    return {
        "subject": f"Parcel {number}",
        "created_at": f"{year}-06-{number % 28 + 1:02}T{number // 28:02}:00:00Z",
        "parties": [{"name": "Zebediah" if is_rare else "Alex"}],
        "dialog": [
            {
                "type": "text",
                "parties": 0,
                "encoding": "none",
                "body": f"The delivery of number {number} is late.",
            }
        ],
        "tags": {"kind": "rare" if is_rare else "common", "half": "yes" if number % 2 else "no"},
    }


@pytest.fixture(scope="module")
async def stored(app: App) -> list[str]:
    """Two hundred vCons that match, embedded."""
    prepare_context, now = PrepareContext.load(), datetime.now(UTC)
    prepared = [prepare(conversation(number), prepare_context, now=now) for number in range(SIZE)]
    await VconStore(app.database).insert_batch(TENANT, prepared)
    await app.worker.drain(TENANT)
    return [str(vcon.uuid) for vcon in prepared]


@pytest.fixture
def search(app: App, stored: list[str]) -> Search:
    """Searches the two hundred."""

    async def search(tool: str, **arguments: object) -> JsonObject:
        outcome = await app.dispatcher.call(
            tool, {**SEARCHES[tool], **arguments}, Caller(TENANT, frozenset({"read"}))
        )
        assert outcome.structured["success"], outcome.structured
        return outcome.structured

    return search


def found(answer: JsonObject) -> list[str]:
    if "results" in answer:
        return [result["vcon_id"] for result in answer["results"]]
    return [vcon["uuid"] for vcon in answer["vcons"]]


@pytest.mark.parametrize("tool", WITH_FILTERS)
@pytest.mark.parametrize(
    "filters",
    [
        {"tags": {"kind": "rare"}},
        {"start_date": "2030-01-01"},
        {"start_date": "2030-01-01", "end_date": "2030-12-31", "tags": {"kind": "rare"}},
    ],
    ids=["tags", "date", "both"],
)
async def test_a_filter_holds_before_the_limit_in_each_search(
    search: Search, stored: list[str], tool: str, filters: JsonObject
) -> None:
    exact = await search(tool, **filters, limit=RARE)
    fewer = await search(tool, **filters, limit=RARE - 1)

    assert set(found(exact)) == set(stored[-RARE:])
    assert (exact["count"], exact["has_more"]) == (RARE, False)
    assert (fewer["count"], fewer["has_more"]) == (RARE - 1, True)


async def test_a_filter_of_parties_holds_before_the_limit(search: Search, stored: list[str]) -> None:
    answer = await search("search_vcons", party_name="zebediah", limit=RARE)

    assert set(found(answer)) == set(stored[-RARE:])
    assert (answer["total"], answer["has_more"]) == (RARE, False)


@pytest.mark.parametrize("tool", SEARCHES)
async def test_pages_of_seven_through_a_hundred_repeat_and_skip_none(
    search: Search, stored: list[str], tool: str
) -> None:
    half = {"tags": {"half": "yes"}}
    pages = [await search(tool, **half, limit=7, offset=offset) for offset in range(0, 105, 7)]
    beyond = await search(tool, **half, limit=7, offset=105)
    all_at_once = await search(tool, **half, limit=100)

    seen = [uuid for page in pages for uuid in found(page)]
    assert [page["count"] for page in pages] == [7] * 14 + [2]
    assert [page["has_more"] for page in pages] == [True] * 14 + [False]
    assert len(seen) == len(set(seen)) == 100
    assert set(seen) == set(stored[1::2])
    assert seen == found(all_at_once)
    assert all_at_once["has_more"] is False
    assert (found(beyond), beyond["has_more"]) == ([], False)


@pytest.mark.parametrize("tool", SEARCHES)
async def test_a_deletion_between_two_pages_moves_the_rest_forward(app: App, tenant: str, tool: str) -> None:
    prepared = [
        prepare(conversation(number), PrepareContext.load(), now=datetime.now(UTC)) for number in range(20)
    ]
    await VconStore(app.database).insert_batch(tenant, prepared)
    await app.worker.drain(tenant)
    caller = Caller(tenant, frozenset({"read", "write"}))
    wanted: JsonObject = {**SEARCHES[tool], "tags": {"half": "yes"}}

    async def page(offset: int, limit: int) -> list[str]:
        arguments = {**wanted, "offset": offset, "limit": limit}
        return found((await app.dispatcher.call(tool, arguments, caller)).structured)

    order = await page(0, 10)
    await app.dispatcher.call("delete_vcon", {"uuid": order[0], "confirm": True}, caller)

    assert len(order) == 10
    # what was shown is remembered where scores order the list, so that there nothing is skipped either
    is_remembered = tool in ("search_vcons_semantic", "search_vcons_hybrid")
    assert await page(4, 4) == (order[4:8] if is_remembered else order[5:9])


@pytest.mark.parametrize("tool", ["search_vcons_semantic", "search_vcons_hybrid", "vcon_search"])
async def test_pages_do_not_repeat_while_vectors_are_being_made(app: App, tenant: str, tool: str) -> None:
    caller = Caller(tenant, frozenset({"read"}))
    asked: JsonObject = SEARCHES.get(tool, {"mode": "hybrid", "query": "late delivery"})

    async def keep(numbers: range) -> None:
        now = datetime.now(UTC)
        prepared = [prepare(conversation(number), PrepareContext.load(), now=now) for number in numbers]
        await VconStore(app.database).insert_batch(tenant, prepared)

    async def page(number: int, cursor: str | None) -> tuple[list[str], str | None]:
        at: JsonObject = {"offset": 4 * number} if tool != "vcon_search" else {"cursor": cursor}
        answer = (await app.dispatcher.call(tool, {**asked, **at, "limit": 4}, caller)).structured
        if tool != "vcon_search":
            return found(answer), None
        return [item["id"] for item in answer["items"]], answer["page"]["next_cursor"]

    await keep(range(20))
    await app.worker.drain(tenant)
    await keep(range(20, 40))
    first, cursor = await page(0, None)
    await app.worker.drain(tenant)
    seen = first
    for number in range(1, 12):
        if cursor is None and tool == "vcon_search":
            break
        further, cursor = await page(number, cursor)
        seen = seen + further

    assert len(seen) == len(set(seen))
    assert tool == "vcon_search" or len(seen) == 40


async def test_places_in_more_vcons_than_are_ranked_together_come_once_each(
    search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = await search("search_vcons_content", limit=SIZE)
    monkeypatch.setattr(searching, "_ELEMENTS_RANKED", 30)

    pages = [await search("search_vcons_content", limit=17, offset=offset) for offset in range(0, SIZE, 17)]
    beyond = await search("search_vcons_content", limit=17, offset=SIZE)

    seen = [uuid for page in pages for uuid in found(page)]
    assert sorted(seen) == sorted(found(whole))
    assert [page["has_more"] for page in pages] == [True] * 11 + [False]
    assert {page["total"] for page in pages} == {SIZE}
    assert not any("ranked_newest" in page for page in pages)
    assert (found(beyond), beyond["hints"][0]["reason"]) == ([], "past_the_end")


@pytest.mark.parametrize("tool", ["search_vcons_content", "search_vcons_semantic", "search_vcons_hybrid"])
async def test_every_score_lies_between_nought_and_one(search: Search, tool: str) -> None:
    answer = await search(tool, limit=1000)

    assert answer["count"] == SIZE
    assert len(set(found(answer))) == SIZE
    names = ("relevance_score", "similarity_score", "combined_score", "keyword_score", "semantic_score")
    scores = [result[name] for result in answer["results"] for name in names if name in result]
    assert len(scores) >= SIZE
    assert all(0 <= score <= 1 for score in scores)


@pytest.mark.parametrize("weight", [0, 0.3, 0.6, 1])
async def test_a_combined_score_grows_with_what_it_is_made_of(search: Search, weight: float) -> None:
    answer = await search("search_vcons_hybrid", semantic_weight=weight, limit=1000)

    assert answer["count"] == SIZE
    for result in answer["results"]:
        # of what meaning says only its score as a similarity is shown
        least = combine(result["keyword_score"], 0.0, weight)
        most = combine(result["keyword_score"], 1.0, weight)
        assert least - 1e-6 <= result["combined_score"] <= most + 1e-6


async def test_each_of_many_long_texts_is_an_element_of_the_answer(
    app: App, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given texts of a dozen pieces and more, each of which holds the word
    filler = "The boiler hums, and what else it does nobody knows. " * 400
    prepared = [
        prepare(
            {
                "parties": [{}],
                "analysis": [{"type": "note", "vendor": "x", "encoding": "none", "body": filler}],
            },
            PrepareContext.load(),
            now=datetime.now(UTC),
        )
        for _ in range(12)
    ]
    await VconStore(app.database).insert_batch(tenant, prepared)
    monkeypatch.setattr(searching, "_ELEMENTS_RANKED", 20)
    # when
    outcome = await app.dispatcher.call(
        "search_vcons_content", {"query": "boiler", "limit": 5}, Caller(tenant, frozenset({"read"}))
    )
    # then
    assert len(found(outcome.structured)) == 5
    assert outcome.structured["has_more"] is True


@pytest.mark.parametrize("tool", SEARCHES)
@pytest.mark.parametrize("key", ["", " kind", "ki:nd", "k" * 129])
async def test_a_key_that_no_tag_can_have_is_refused_and_never_nothing_found(
    app: App, tool: str, key: str
) -> None:
    caller = Caller(TENANT, frozenset({"read"}))
    answer = await app.dispatcher.call(tool, {**SEARCHES[tool], "tags": {key: "rare"}}, caller)

    assert answer.structured["error_code"] == "VALIDATION_ERROR"
    assert "A tag key" in answer.structured["error"]


FIRST, LAST = "2025-06-01T00:00:00Z", "2030-06-04T07:00:00Z"


@pytest.mark.parametrize("tool", [*SEARCHES, "get_unique_tags"])
async def test_an_empty_page_of_an_empty_store_says_so(app: App, tenant: str, tool: str) -> None:
    caller = Caller(tenant, frozenset({"read"}))

    answer = (await app.dispatcher.call(tool, SEARCHES.get(tool, {}), caller)).structured

    hint = {"reason": "nothing_stored", "message": "Nothing is stored yet."}
    if tool == "get_unique_tags":
        hint = {"reason": "nothing_tagged", "message": "No conversation has a tag."}
    assert answer["hints"] == [hint]


@pytest.mark.parametrize("tool", WITH_FILTERS)
@pytest.mark.parametrize(
    ("filters", "hint"),
    [
        (
            {"start_date": "2031-01-01"},
            {
                "filter": "start_date",
                "reason": "no_vcons_of_that_time",
                "first": {"first": FIRST, "last": LAST},
            },
        ),
        (
            {"end_date": "2020-01-01"},
            {
                "filter": "end_date",
                "reason": "no_vcons_of_that_time",
                "first": {"first": FIRST, "last": LAST},
            },
        ),
        (
            {"tags": {"knd": "rare"}},
            {"filter": "tags.knd", "reason": "unknown_tag_key", "first": {"key": "kind", "count": SIZE}},
        ),
        (
            {"tags": {"categry": "complaint"}},
            {"filter": "tags.categry", "reason": "unknown_tag_key", "first": {"key": "category", "count": 0}},
        ),
        (
            {"tags": {"kind": "raer"}},
            {"filter": "tags.kind", "reason": "value_not_seen", "first": {"value": "rare", "count": RARE}},
        ),
    ],
    ids=["after", "before", "key", "declared key", "value"],
)
async def test_an_empty_page_says_which_filter_left_nothing_and_what_is_near(
    search: Search, tool: str, filters: JsonObject, hint: JsonObject
) -> None:
    answer = await search(tool, **filters)

    (reported,) = answer["hints"]
    assert answer["count"] == 0
    assert {
        "filter": reported["filter"],
        "reason": reported["reason"],
        "first": reported["nearest"][0],
    } == hint


@pytest.mark.parametrize(
    ("tool", "arguments", "hint"),
    [
        *((tool, {"offset": SIZE}, {"reason": "past_the_end"}) for tool in SEARCHES),
        ("search_vcons", {"party_name": "Zork"}, {"filter": "party_name", "reason": "value_not_seen"}),
        (
            "search_vcons",
            {"party_name": "Alex", "start_date": "2030-01-01"},
            {"reason": "demands_never_together"},
        ),
        (
            "search_vcons_content",
            {"query": "quagmire"},
            {
                "reason": "words_not_seen",
                "message": 'No conversation contains "quagmire", or a word spelled like it.',
            },
        ),
        (
            "search_vcons_content",
            {"query": "117 118", "start_date": "2025-06-20", "end_date": "2025-06-21"},
            {"reason": "words_never_together", "suggestion": {"query": "117 OR 118"}},
        ),
        (
            "search_vcons_content",
            {"query": "delivery -late"},
            {"reason": "demands_never_together"},
        ),
        (
            "search_vcons_hybrid",
            {"query": "delivery", "start_date": "2026-01-01", "end_date": "2026-01-02"},
            {"reason": "no_vcons_of_that_time"},
        ),
        (
            "search_by_tags",
            {"tags": {"kind": "rare", "half": "maybe"}},
            {"filter": "tags.half", "reason": "value_not_seen"},
        ),
    ],
)
async def test_an_empty_page_says_what_stands_in_the_way(
    search: Search, tool: str, arguments: JsonObject, hint: JsonObject
) -> None:
    answer = await search(tool, **arguments)

    assert answer["count"] == 0
    (reported,) = answer["hints"]
    assert {name: reported[name] for name in hint} == hint


async def test_a_list_of_tags_says_which_key_was_meant(app: App, stored: list[str]) -> None:
    caller = Caller(TENANT, frozenset({"read"}))

    async def reported(**arguments: object) -> JsonObject:
        answer = (await app.dispatcher.call("get_unique_tags", arguments, caller)).structured
        (hint,) = answer["hints"]
        return dict(hint)

    by_key, by_count = await reported(key_filter="kidn"), await reported(min_count=1_000)

    assert (by_key["reason"], by_key["nearest"][0]) == ("unknown_tag_key", {"key": "kind", "count": SIZE})
    assert (by_count["reason"], by_count["filter"]) == ("value_not_seen", "min_count")


HEAVY = "heavy"


@pytest.fixture(scope="module")
async def heavy(app: App) -> None:
    """Twelve vCons that every search finds, each of some kilobytes in every array."""
    prepare_context, now = PrepareContext.load(), datetime.now(UTC)
    filling = {"type": "text", "parties": 0, "encoding": "none", "body": "The delivery is late. " * 300}
    prepared = [
        prepare(
            {
                **conversation(number),
                "dialog": [{**filling, "meta": {"number": number}}] * (number + 1),
                "analysis": [{"type": "summary", "vendor": "x", "encoding": "none", "body": "brief " * 200}],
                "attachments": [{"purpose": "note", "encoding": "none", "body": "ä" * 20_000}],
                "tags": {"half": "yes"},
            },
            prepare_context,
            now=now,
        )
        for number in range(12)
    ]
    await VconStore(app.database).insert_batch(HEAVY, prepared)
    await app.worker.drain(HEAVY)


@pytest.mark.usefixtures("heavy")
@pytest.mark.parametrize("tool", SEARCHES)
@pytest.mark.parametrize(
    ("components", "budget"),
    [
        (["all"], None),
        (["all"], 60_000),
        (["all"], 6_000),
        (["all"], 1_024),
        (["parties"], 1_500),
        (None, 1_024),
    ],
)
async def test_an_answer_over_its_budget_is_refused_whole_and_the_suggestion_fits(
    app: App, tool: str, components: list[str] | None, budget: int | None
) -> None:
    caller = Caller(HEAVY, frozenset({"read"}))
    given: JsonObject = {**SEARCHES[tool], "limit": 100}
    given |= {"include_components": components} if components else {}
    given |= {"max_response_bytes": budget} if budget else {}

    refused = (await app.dispatcher.call(tool, given, caller)).structured

    details = refused["details"]
    assert (refused["error_code"], details["reason"]) == ("VALIDATION_ERROR", "result_too_large")
    assert details["response_bytes"] > details["max_response_bytes"] == (budget or 250_000)
    suggestion, estimated = details["suggestion"], details["estimated_bytes"]
    fits = await app.dispatcher.call(tool, {**given, **suggestion}, caller)
    assert not fits.is_error, fits.text
    assert len(fits.text.encode()) <= min(estimated, suggestion.get("max_response_bytes", budget or 250_000))
    assert fits.structured["count"] >= 1


@pytest.mark.parametrize(
    ("tool", "asked"),
    [
        ("vcon_search", {"mode": "metadata"}),
        ("vcon_search", {"mode": "keyword", "query": "boiler"}),
        ("vcon_search", {"mode": "semantic", "query": "boiler"}),
        ("vcon_search", {"mode": "hybrid", "query": "boiler"}),
        ("search_vcons", {}),
        ("search_vcons_content", {"query": "boiler"}),
        ("search_vcons_semantic", {"query": "boiler"}),
        ("search_vcons_hybrid", {"query": "boiler"}),
    ],
)
async def test_every_search_keeps_to_roles_analyses_vendors_and_purposes(
    app: App, tenant: str, tool: str, asked: JsonObject
) -> None:
    async def call(name: str, arguments: JsonObject) -> JsonObject:
        outcome = await app.dispatcher.call(name, arguments, Caller(tenant, frozenset({"read", "write"})))
        assert not outcome.is_error, outcome.text
        return outcome.structured

    def described(role: str, type_: str, vendor: str, purpose: str) -> JsonObject:
        content = {"encoding": "none", "body": "The boiler hums."}
        return {
            "parties": [{"name": "Ann", "role": role}],
            "dialog": [{"type": "text", "start": FIRST, "parties": [0], **content}],
            "analysis": [{"type": type_, "vendor": vendor, "dialog": 0, **content}],
            "attachments": [{"purpose": purpose, **content}],
        }

    one = (
        await call("create_vcon", {**UNCHECKED, "vcon_data": described("Agent", "note", "acme", "photo")})
    )["uuid"]
    other = (
        await call("create_vcon", {**UNCHECKED, "vcon_data": described("guest", "score", "zeta", "offer")})
    )["uuid"]
    await app.worker.drain(tenant)

    async def found(**filters: str) -> tuple[set[str], list[JsonObject]]:
        filtered: JsonObject = {"filters": filters} if tool == "vcon_search" else filters
        answer = await call(tool, {**asked, **filtered})
        items: list[JsonObject] = answer.get("items") or answer.get("results") or answer.get("vcons") or []
        ids = {str(item.get("uuid") or item["vcon_id"]) for item in items}
        return ids, answer.get("meta", answer).get("hints", [])

    for filters, expected in (
        ({"party_role": "agent"}, {one}),
        ({"analysis_type": "score"}, {other}),
        ({"analysis_vendor": "acme"}, {one}),
        ({"analysis_vendor": "acme", "analysis_type": "score"}, set[str]()),
        ({"attachment_type": "offer"}, {other}),
    ):
        assert (await found(**filters))[0] == expected, filters
    for filter_, value, near in (
        ("party_role", "gest", "guest"),
        ("analysis_type", "scores", "score"),
        ("analysis_vendor", "ZETA", "zeta"),
        ("attachment_type", "foto", "photo"),
    ):
        ids, (hint,) = await found(**{filter_: value})
        assert not ids
        assert (hint["reason"], hint["filter"]) == ("value_not_seen", filter_)
        assert hint["nearest"][0] == {"value": near}
