"""vcon_search by meaning, and by words and meaning together: what is found, how it is scored and why."""

import asyncio

import pytest

from bench.relevance.form import NONSENSE
from tests.conftest import Call
from tests.shown import shown_turns
from tests.tools.contract.conftest import CallAs, Embed, Store, StoreFor
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.search.ranking import combine

CORPUS = "meant"
TURNS = {
    "late": "My parcel should have arrived last week and nobody tells me where it is.",
    "refund": "Please send the money back to my card, the kettle broke after two days.",
    "dentist": "The tooth hurts when I drink something cold, could I see the doctor tomorrow?",
    "pricing": "With forty seats we could give you a discount of twelve percent a year.",
}


def conversation(*turns: str, **members: object) -> JsonObject:
    dialog = [{"type": "text", "parties": 0, "encoding": "none", "body": turn} for turn in turns]
    return {"parties": [{"name": "Ada"}], "dialog": dialog, **members}


@pytest.fixture(scope="module")
async def names(store_for: StoreFor, app: App) -> dict[str, str]:
    """Four conversations, embedded; uuid to name."""
    uuids = await store_for(CORPUS, [conversation(turn) for turn in TURNS.values()])
    await app.worker.drain(CORPUS)
    return dict(zip(uuids, TURNS, strict=True))


@pytest.fixture
def search(call_as: CallAs, names: dict[str, str]) -> Call:
    """Searches the four conversations."""

    async def search(**arguments: object) -> JsonObject:
        answer = await call_as(CORPUS)("vcon_search", **arguments)
        assert answer["ok"], answer
        return answer

    return search


def scores_of(answer: JsonObject) -> dict[str, float]:
    return {item["id"]: item["score"] for item in answer["items"]}


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("customer upset about a late delivery", "late"),
        ("wants a refund for a damaged product", "refund"),
        ("appointment because of toothache", "dentist"),
    ],
)
async def test_what_was_meant_is_found_whatever_its_words(
    search: Call, names: dict[str, str], mode: str, query: str, name: str
) -> None:
    answer = await search(mode=mode, query=query, threshold=0.1)

    best = answer["items"][0]
    assert names[best["id"]] == name
    assert best["match"]["matching"] == "semantic"
    (hit,) = best["match"]["hits"]
    assert (hit["content_type"], hit["content_index"], hit["snippet"]) == ("dialog", 0, TURNS[name])
    assert answer["meta"]["embedding"]["coverage"] == 1
    assert answer["meta"]["embedding"]["pending"] == 0


async def test_without_a_threshold_all_are_listed_and_one_that_is_said_is_exact(search: Call) -> None:
    everything = await search(mode="semantic", query="late delivery", threshold=0)
    default = await search(mode="semantic", query="late delivery")
    said = await search(mode="semantic", query="late delivery", threshold=0.7)

    assert len(everything["items"]) == len(TURNS)
    assert scores_of(default) == scores_of(everything)
    assert scores_of(said) == {id_: score for id_, score in scores_of(everything).items() if score >= 0.7}


async def test_a_threshold_that_nothing_passes_tells_the_best_there_is(search: Call) -> None:
    everything = await search(mode="semantic", query="late delivery", threshold=0)
    nothing = await search(mode="semantic", query="late delivery", threshold=1)

    best = max(scores_of(everything).values())
    assert nothing["items"] == []
    assert nothing["meta"]["best_below_threshold"] == pytest.approx(best, abs=2e-6)
    assert "best_below_threshold" not in everything["meta"]
    reachable = nothing["meta"]["best_below_threshold"]
    found = await search(mode="semantic", query="late delivery", threshold=reachable)
    assert len(found["items"]) == 1


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
@pytest.mark.parametrize("query", NONSENSE)
async def test_for_nonsense_a_few_weak_matches_come_and_are_said_to_be_weak(
    search: Call, mode: str, query: str
) -> None:
    answer = await search(mode=mode, query=query)

    assert len(answer["items"]) <= 5
    assert {item["match"]["strength"] for item in answer["items"]} <= {"weak"}
    assert [hint["reason"] for hint in answer["meta"]["hints"]] == ["only_weak_matches"]
    assert answer["page"]["next_cursor"] is None


async def test_a_name_alone_never_decides(call: Call, store: Store, embed: Embed) -> None:
    turns = (
        (0, "The boiler lost pressure overnight and the radiators stay cold."),
        (1, "Thanks, see you on Friday then."),
        (1, "Did the parcel with the shelves arrive?"),
        (0, "Yes, it was left at the back door."),
    )
    parties = [{"name": "Dana Whitlock"}, {"name": "Priya Nair"}]
    apart: list[JsonObject] = [
        {"parties": parties, "dialog": [{"type": "text", "parties": who, "encoding": "none", "body": body}]}
        for who, body in turns
    ]
    together = conversation(parties=parties, dialog=[part for one in apart for part in one["dialog"]])
    stored = await store([*apart, together])
    await embed()

    # Priya is asked for what Dana said
    answer = await call(
        "vcon_search", mode="hybrid", query="Priya Nair: the boiler lost its pressure overnight"
    )

    best = max(
        (hit["score"], item["id"], hit["content_index"])
        for item in answer["items"]
        for hit in item["match"]["hits"]
    )
    assert best[1:] in {(stored[0], 0), (stored[4], 0)}
    for item in answer["items"]:
        if item["id"] == stored[4]:
            assert item["match"]["hits"][0]["content_index"] == 0


@pytest.mark.parametrize("weight", [0, 0.3, 0.6, 1])
async def test_a_hybrid_score_combines_those_of_meaning_and_of_words(search: Call, weight: float) -> None:
    answer = await search(mode="hybrid", query="parcel money tooth discount", semantic_weight=weight)

    assert answer["items"]
    for item in answer["items"]:
        match = item["match"]
        both = combine(match["keyword_score"], match["meaning_score"], weight)
        assert item["score"] == pytest.approx(both, abs=4e-6)
        assert 0 <= item["score"] <= 1
        assert 1 <= len(match["hits"]) <= 3
        assert match["hits"][0]["score"] == item["score"]
        assert match["matching"] == ("exact" if match["keyword_score"] else "semantic")
    scores = [item["score"] for item in answer["items"]]
    assert scores == sorted(scores, reverse=True)


async def test_a_weight_of_zero_gives_the_order_of_the_words(search: Call) -> None:
    query = "parcel OR money OR tooth OR discount"
    by_words = await search(mode="keyword", query=query)
    blended = await search(mode="hybrid", query=query, semantic_weight=0)

    assert len(by_words["items"]) == 4
    assert scores_of(blended) == scores_of(by_words)
    assert list(scores_of(blended)) == list(scores_of(by_words))


async def test_a_hybrid_threshold_is_on_the_combined_score_and_has_no_default(search: Call) -> None:
    query = "parcel money tooth discount"
    everything = await search(mode="hybrid", query=query)
    bar = sorted(scores_of(everything).values())[1] - 1e-6  # scores are rounded
    zero = await search(mode="hybrid", query=query, threshold=0)
    above = await search(mode="hybrid", query=query, threshold=bar)

    assert scores_of(zero) == scores_of(everything)
    assert scores_of(above) == {id_: score for id_, score in scores_of(everything).items() if score >= bar}


async def test_a_hybrid_threshold_that_nothing_passes_tells_the_best_score(search: Call) -> None:
    query = "parcel money tooth discount"
    everything = await search(mode="hybrid", query=query)

    nothing = await search(mode="hybrid", query=query, threshold=0.999)
    [hint] = nothing["meta"]["hints"]
    found = await search(mode="hybrid", query=query, **hint["suggestion"])

    assert nothing["items"] == []
    assert nothing["meta"]["best_below_threshold"] == pytest.approx(
        max(scores_of(everything).values()), abs=2e-6
    )
    assert hint["reason"] == "below_threshold"
    assert found["items"]


async def test_a_search_by_meaning_waits_for_the_first_vectors_of_a_store(
    call: Call, store: Store, embed: Embed
) -> None:
    await store([conversation(turn) for turn in TURNS.values()])

    async def soon() -> None:
        await asyncio.sleep(0.1)
        await embed()

    found, _ = await asyncio.gather(
        call("search_vcons_semantic", query="a late delivery", threshold=0.1), soon()
    )

    assert found["results"]


async def test_a_given_vector_is_compared_as_the_one_of_its_query(
    search: Call, app: App, names: dict[str, str]
) -> None:
    query = "customer upset about a late delivery"
    vector = (await app.embeddings.model.embed_query(query))[0].tolist()
    said = await search(mode="semantic", query=query, threshold=0)
    given = await search(mode="semantic", embedding=[2 * number for number in vector], threshold=0)
    hybrid = await search(mode="hybrid", query="tooth", embedding=vector, limit=2)

    assert list(scores_of(given)) == list(scores_of(said))
    for id_, score in scores_of(given).items():
        assert score == pytest.approx(scores_of(said)[id_], abs=1e-3)
    # the words are the query's, the meaning the vector's
    assert {names[id_] for id_ in scores_of(hybrid)} == {"late", "dentist"}


@pytest.mark.parametrize("factor", [1e-9, 1e17, 1e39, 1e300])
async def test_the_length_of_a_given_vector_does_not_matter(search: Call, app: App, factor: float) -> None:
    vector = (await app.embeddings.model.embed_query("customer upset about a late delivery"))[0].tolist()

    one = await search(mode="semantic", embedding=vector, threshold=0)
    other = await search(mode="semantic", embedding=[factor * number for number in vector], threshold=0)

    assert list(scores_of(other)) == list(scores_of(one))
    for id_, score in scores_of(other).items():
        assert score == pytest.approx(scores_of(one)[id_], abs=1e-3)


async def test_hits_are_of_words_and_of_meaning_each_place_once(
    call: Call, store: Store, embed: Embed
) -> None:
    turns = ["The parcel is late.", "Nothing has been delivered to my house so far.", "Good bye."]
    await store([conversation(*turns)])
    await embed()

    answer = await call("vcon_search", mode="hybrid", query="parcel delivery delayed")

    (item,) = answer["items"]
    hits = item["match"]["hits"]
    # the turn that nothing speaks for is not shown
    assert [turn["turn"] for turn in shown_turns(hits)] == [0, 1]
    assert "own" in hits[0]["because"]
    assert "<mark>parcel</mark>" in hits[0]["snippet"]
    assert hits[0]["neighbours"][0]["snippet"] == "Nothing has been delivered to my house so far."


async def test_a_hybrid_search_of_which_no_word_is_known_matches_by_meaning(
    call: Call, store: Store, embed: Embed
) -> None:
    await store([conversation("I did receive the invoice.")])
    await embed()

    answer = await call("vcon_search", mode="hybrid", query="zebra qqqq")

    assert answer["meta"]["matching"] == "semantic"
    assert [word["vcons"] for word in answer["meta"]["words"]] == [0, 0]


async def test_a_misspelled_word_is_corrected_and_told_in_hybrid_mode(
    call: Call, store: Store, embed: Embed
) -> None:
    await store([conversation("I did receive the invoice.")])
    await embed()

    answer = await call("vcon_search", mode="hybrid", query="recieve")

    assert answer["meta"]["matching"] == "fuzzy"
    assert [(c["word"], c["used"]) for c in answer["meta"]["corrections"]] == [("recieve", "receive")]
    assert answer["items"][0]["match"]["matching"] == "fuzzy"
    assert answer["meta"]["words"] == [{"word": "recieve", "vcons": 0}]


async def test_text_that_waits_is_found_by_its_words_and_the_coverage_tells(
    call: Call, store: Store, embed: Embed
) -> None:
    await store([conversation("The parcel is late.")])
    await embed()
    await store([conversation("Another parcel."), conversation("A third parcel.")])

    semantic = await call("vcon_search", mode="semantic", query="delayed package", threshold=0)
    hybrid = await call("vcon_search", mode="hybrid", query="parcel")

    assert len(semantic["items"]) == 1
    assert len(hybrid["items"]) == 3
    for answer in (semantic, hybrid):
        reported = answer["meta"]["embedding"]
        assert (reported["coverage"], reported["pending"]) == (pytest.approx(1 / 3), 2)
    assert sum("cosine" in item["match"] for item in hybrid["items"]) == 1


async def test_a_vcon_with_many_similar_turns_is_one_item(call: Call, store: Store, embed: Embed) -> None:
    await store([conversation(*(f"Parcel number {n} is late." for n in range(20)))])
    await embed()

    for mode in ("semantic", "hybrid"):
        answer = await call("vcon_search", mode=mode, query="late parcel", threshold=0.1)
        (item,) = answer["items"]
        turns = [turn["turn"] for turn in shown_turns(item["match"]["hits"])]
        assert len({*turns}) == len(turns) == 4


async def test_phrases_and_exclusions_bind_a_hybrid_search(search: Call, names: dict[str, str]) -> None:
    excluded = await search(mode="hybrid", query="parcel money -kettle")
    phrase = await search(mode="hybrid", query='parcel "money back"')

    assert "refund" not in {names[id_] for id_ in scores_of(excluded)}
    assert {names[id_] for id_ in scores_of(phrase)} == {"refund"}


async def test_before_any_vector_is_made_a_search_by_meaning_says_so(
    call: Call, store: Store, embed: Embed
) -> None:
    await store([conversation(turn) for turn in TURNS.values()])

    refused = await call("vcon_search", mode="semantic", query="a late delivery")
    of_vcon = await call("search_vcons_semantic", query="a late delivery")
    followed = await call("vcon_search", query="parcel", **refused["error"]["details"]["suggestion"])
    mixed = await call("vcon_search", mode="hybrid", query="nowhere")

    assert refused["error"]["code"] == "SEMANTIC_UNAVAILABLE"
    assert refused["error"]["details"]["reason"] == "loading"
    assert refused["error"]["details"]["retryable"] is True
    assert len(followed["items"]) == 1
    assert of_vcon["error_code"] == "DATABASE_ERROR"
    assert (of_vcon["details"]["cause"], of_vcon["details"]["retryable"]) == ("loading", True)
    assert mixed["meta"]["hints"][0]["reason"] == "vectors_pending"

    await embed()
    assert (await call("vcon_search", mode="semantic", query="a late delivery", threshold=0.1))["items"]


@pytest.mark.parametrize(
    ("tool", "mode"),
    [
        ("vcon_search", {"mode": "semantic"}),
        ("vcon_search", {"mode": "hybrid"}),
        ("search_vcons_semantic", {}),
        ("search_vcons_hybrid", {}),
    ],
)
async def test_a_page_says_that_not_all_that_the_filters_admit_is_found_by_meaning_yet(
    call: Call, store: Store, embed: Embed, tool: str, mode: JsonObject
) -> None:
    def made(day: int) -> JsonObject:
        return {**conversation("Where is my parcel?"), "created_at": f"2025-10-{day:02}T10:00:00Z"}

    await store([made(1)])
    await embed()
    await store([made(20)])

    async def pending(**filters: str) -> bool:
        asked: JsonObject = {"filters": filters} if tool == "vcon_search" else filters
        answer = await call(tool, query="a late parcel", **mode, **asked)
        assert answer.get("items") or answer.get("results")
        hints: list[JsonObject] = answer.get("meta", answer).get("hints", [])
        return "vectors_pending" in {hint["reason"] for hint in hints}

    assert await pending()
    assert not await pending(end_date="2025-10-10")
    await embed()
    assert not await pending()
