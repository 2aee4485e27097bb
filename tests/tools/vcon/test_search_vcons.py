"""search_vcons and search_vcons_content: filters before limits, exact pages, every place with the words."""

import pytest

from tests.conftest import Call
from vcontract.runtime.frame.documents.json import JsonObject


async def talk(call: Call, number: int, *turns: str, **members: object) -> str:
    """Store a conversation; a later number is newer."""
    began_at = f"2025-03-{number % 28 + 1:02}T{number // 28:02}:00:00Z"
    vcon: JsonObject = {
        "subject": f"Talk {number}",
        "created_at": began_at,
        "parties": [{"name": f"Person {number}", "tel": f"+1555000{number:04}"}],
        "dialog": [
            {
                "type": "text",
                "start": began_at,
                "parties": 0,
                "mediatype": "text/plain",
                "encoding": "none",
                "body": turn,
            }
            for turn in turns
        ],
    }
    tags = members.pop("tags", None)
    metadata = {"metadata": {"tags": tags}} if tags else {}
    answer = await call("create_vcon", vcon_data={**vcon, **members}, **metadata)
    assert answer["success"], answer
    return str(answer["uuid"])


async def test_without_a_filter_the_newest_are_listed_with_their_parties(call: Call) -> None:
    older = await talk(call, 1, "Hello")
    newer = await talk(call, 2, "Hello")

    answer = await call("search_vcons")

    assert [vcon["uuid"] for vcon in answer["vcons"]] == [newer, older]
    assert answer["vcons"][0]["parties"] == [{"name": "Person 2", "tel": "+15550000002"}]
    assert not {"dialog", "analysis", "attachments"} & answer["vcons"][0].keys()
    assert (answer["count"], answer["total"], answer["has_more"]) == (2, 2, False)


@pytest.mark.parametrize(
    "filters",
    [
        {"subject": "talk 3"},
        {"party_name": "PERSON 3"},
        {"party_name": "pers* 3"},
        {"party_tel": "0003"},
        {"start_date": "2025-03-04", "end_date": "2025-03-04"},
        {"tags": {"team": "blue"}},
        {"subject": "talk", "tags": {"team": "blue"}},
    ],
)
async def test_each_filter_holds_before_the_limit(call: Call, filters: JsonObject) -> None:
    uuids = [
        await talk(call, number, "Hello", **({"tags": {"team": "blue"}} if number == 3 else {}))
        for number in range(1, 9)
    ]

    answer = await call("search_vcons", **filters, limit=1)

    assert [vcon["uuid"] for vcon in answer["vcons"]] == [uuids[2]]
    assert (answer["total"], answer["has_more"]) == (1, False)


async def test_pages_by_offset_neither_repeat_nor_skip(call: Call) -> None:
    uuids = [await talk(call, number, "Hello") for number in range(24)]

    seen: list[str] = []
    for offset in range(0, 28, 7):
        answer = await call("search_vcons", limit=7, offset=offset)
        seen += [vcon["uuid"] for vcon in answer["vcons"]]
        assert answer["has_more"] is (offset + 7 < 24)
        assert answer["total"] == 24

    assert seen == uuids[::-1]


async def test_the_components_asked_for_come_along(call: Call) -> None:
    await talk(call, 1, "Hello")

    answer = await call("search_vcons", include_components=["dialog"])

    assert [dialog["body"] for dialog in answer["vcons"][0]["dialog"]] == ["Hello"]
    assert "parties" not in answer["vcons"][0]


@pytest.mark.parametrize(
    ("arguments", "parameter", "reason"),
    [
        ({"start_date": "yesterday"}, "start_date", "bad_date"),
        ({"end_date": "2025-02-30"}, "end_date", "bad_date"),
        ({"start_date": "2025-03-02", "end_date": "2025-03-01"}, "end_date", "empty_window"),
        ({"party_tel": "12"}, "party_tel", "too_few_digits"),
        ({"subject": "a\0b"}, "subject", "nul_character"),
    ],
)
async def test_a_filter_that_cannot_be_meant_is_refused(
    call: Call, arguments: JsonObject, parameter: str, reason: str
) -> None:
    answer = await call("search_vcons", **arguments)

    assert answer["error_code"] == "VALIDATION_ERROR"
    assert (answer["details"]["parameter"], answer["details"]["reason"]) == (parameter, reason)


async def test_every_place_with_a_searched_word_is_found_best_first(call: Call) -> None:
    uuid = await talk(call, 1, "The invoice came twice", "Please refund one", "Goodbye", subject="Refund")
    await talk(call, 2, "Only an invoice here")

    answer = await call("search_vcons_content", query="invoice refund")

    places = [(result["content_type"], result.get("content_index")) for result in answer["results"]]
    assert {result["vcon_id"] for result in answer["results"]} == {uuid}
    assert sorted(places, key=str) == [("dialog", 0), ("dialog", 1), ("subject", None)]
    scores = [result["relevance_score"] for result in answer["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)
    assert "<mark>refund</mark>" in next(
        result["snippet"] for result in answer["results"] if result.get("content_index") == 1
    )
    assert answer["word_counts"] == [{"word": "invoice", "vcons": 2}, {"word": "refund", "vcons": 1}]
    assert (answer["total"], answer["matching"]) == (1, "exact")


async def test_at_most_ten_places_of_one_vcon_are_listed(call: Call) -> None:
    await talk(call, 1, *(f"Banana number {number}" for number in range(25)))

    answer = await call("search_vcons_content", query="banana", include_snippets=False)

    assert answer["count"] == 10
    assert len({result["content_index"] for result in answer["results"]}) == 10
    assert all("snippet" not in result for result in answer["results"])


async def test_places_are_paged_without_repeats(call: Call) -> None:
    for number in range(6):
        await talk(call, number, "Banana split", "Banana bread", "Banana boat")

    seen: list[tuple[str, int]] = []
    for offset in (0, 7, 14):
        answer = await call("search_vcons_content", query="banana", limit=7, offset=offset)
        seen += [(result["vcon_id"], result["content_index"]) for result in answer["results"]]
        assert answer["has_more"] is (offset < 14)

    assert len(seen) == len(set(seen)) == 18


async def test_a_misspelled_word_is_corrected_and_told(call: Call) -> None:
    await talk(call, 1, "I did receive the parcel")

    answer = await call("search_vcons_content", query="recieve")

    assert answer["matching"] == "fuzzy"
    assert [(c["word"], c["used"]) for c in answer["corrections"]] == [("recieve", "receive")]
    assert answer["count"] == 1


async def test_results_carry_their_vcon_only_when_components_are_asked_for(call: Call) -> None:
    uuid = await talk(call, 1, "Banana")

    plain = await call("search_vcons_content", query="banana")
    full = await call("search_vcons_content", query="banana", include_components=["parties"])

    assert "vcon" not in plain["results"][0]
    assert full["results"][0]["vcon"]["uuid"] == uuid
    assert "dialog" not in full["results"][0]["vcon"]


@pytest.mark.parametrize(("query", "reason"), [("the of", "no_searchable_words"), ("-x", "only_exclusions")])
async def test_a_query_with_nothing_to_look_for_is_refused(call: Call, query: str, reason: str) -> None:
    answer = await call("search_vcons_content", query=query)

    assert (answer["error_code"], answer["details"]["reason"]) == ("VALIDATION_ERROR", reason)
    assert answer["details"]["parameter"] == "query"


async def test_text_without_a_letter_or_digit_is_no_query_in_any_search(call: Call) -> None:
    await talk(call, 1, "Banana")

    for tool in ("search_vcons_content", "search_vcons_hybrid", "search_vcons_semantic"):
        for query in ("!!!", " "):
            answer = await call(tool, query=query)
            assert (answer["error_code"], answer["details"]["reason"]) == (
                "VALIDATION_ERROR",
                "no_searchable_words",
            )
            assert answer["suggestions"] == ["search_vcons lists conversations without words."]
