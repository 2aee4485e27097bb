"""Keyword search as vcon_search gives it: what a query finds, corrects and refuses."""

import json

import pytest

from tests.conftest import Call
from tests.tools.vcon.conftest import Create
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue


async def found(call: Call, query: str, **arguments: object) -> list[str]:
    answer = await call("vcon_search", mode="keyword", query=query, **arguments)
    assert answer["ok"], answer
    return [item["id"] for item in answer["items"]]


@pytest.mark.parametrize(
    ("query", "finds"),
    [
        ("billing refund", True),
        ("Billing REFUNDS", True),
        ('"billing refund"', False),
        ('"about the billing"', True),
        ("billing -refund", False),
        ("billing -unheard", True),
        ("billing unheard", True),
        ("unheard OR refund", True),
        ("unheard OR unseen", False),
        ('billing -"the refund"', False),
        ('billing -"refund the"', True),
        ("billing subjective", True),
    ],
)
async def test_words_may_lie_in_different_turns_and_a_phrase_in_one(
    call: Call, says: Create, query: str, finds: bool
) -> None:
    uuid = await says("A question about the billing.", "I want the refund now.", subject="Subjective")

    assert await found(call, query) == ([uuid] if finds else [])


@pytest.mark.parametrize(
    ("query", "finds"),
    [
        ("James", True),
        ("james's", True),
        ("CUST-12345", True),
        ("cust 12345", True),
        ("CUST-99999", False),
        ("+1 (555) 123-4567", True),
        ("555-123-4567", True),
        ("1234567", True),
        ("555-123-4568", False),
        ("a@b.co", True),
        ("a@b.com", False),
        ("C++", True),
        ("C#", False),
        ("v1.2.3", True),
        ("v1.2.4", False),
        ("$40", True),
        ("$41", False),
        ("#42", True),
        ("日本", True),
        ("本日", False),
        ("ก่อน", True),
        ("ไป", False),
        ("cafe", True),
        ("re\u0301sume\u0301", True),
        ("O'Brien", True),
        ("back\\slash", True),
        ("हिन्दी", True),
    ],
)
async def test_names_codes_numbers_and_other_scripts_are_found_exactly(
    call: Call, says: Create, query: str, finds: bool
) -> None:
    uuid = await says(
        "Order CUST-12345 for $40, see #42, written in C++ as v1.2.3.",
        "Café résumé of O’Brien in back\\slash.",
        "私は日本語を話す。 ก่อนอยู่ हिन्दी भाषा",
        parties=[{"name": "James", "tel": "tel:+15551234567", "mailto": "mailto:a@b.co"}],
    )

    answer = await call("vcon_search", mode="keyword", query=query)

    assert [item["id"] for item in answer["items"]] == ([uuid] if finds else [])
    assert all(0 < item["score"] <= 1 for item in answer["items"])


LIKE_WTF: JsonObject = {
    "transcript": {"text": "Aardvark speaking", "confidence": 0.9},
    "segments": [
        {"id": 0, "start": 0.0, "end": 1.0, "text": "Aardvark speaking", "confidence": 0.9, "speaker": 0}
    ],
}
DEEPGRAM: JsonObject = {
    "results": {"utterances": [{"speaker": 0, "transcript": "Aardvark speaking", "confidence": 0.9}]}
}
TURNS: JsonValue = [{"speaker": "Agent", "message": "Aardvark speaking", "confidence": 0.9}]


@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.parametrize("body", [LIKE_WTF, DEEPGRAM, TURNS], ids=["wtf", "deepgram", "turns"])
async def test_words_inside_json_transcripts_are_found_and_its_keys_are_not(
    call: Call, create: Create, body: JsonValue, as_text: bool
) -> None:
    transcript = {
        "type": "transcript",
        "vendor": "x",
        "encoding": "json",
        "body": json.dumps(body) if as_text else body,
    }
    uuid = await create(analysis=[transcript])

    assert await found(call, "aardvark speaking") == [uuid]
    assert await found(call, '"confidence"') == []


async def test_a_misspelled_word_is_corrected_only_when_nothing_matches(call: Call, says: Create) -> None:
    right = await says("I will receive the parcel")

    fuzzy = await call("vcon_search", mode="keyword", query="recieve parcel")
    typo = await says("I will recieve the parcel")
    exact = await call("vcon_search", mode="keyword", query="recieve parcel")

    assert fuzzy["meta"]["matching"] == "fuzzy"
    ((word, used, similarity),) = [
        (each["word"], each["used"], each["similarity"]) for each in fuzzy["meta"]["corrections"]
    ]
    assert (word, used) == ("recieve", "receive")
    assert 0.3 <= similarity < 1
    assert [item["id"] for item in fuzzy["items"]] == [right]
    assert fuzzy["items"][0]["match"]["matching"] == "fuzzy"
    assert (exact["meta"]["matching"], [item["id"] for item in exact["items"]]) == ("exact", [typo])


async def test_a_short_word_is_not_taken_for_another_one_nor_any_for_a_stop_word(
    call: Call, says: Create
) -> None:
    await says("a fox for the zoo under its mother")

    for query in ("foo", "fpr", "thr", "undr"):
        answer = await call("vcon_search", mode="keyword", query=query)
        assert (answer["items"], answer["meta"]["matching"]) == ([], "exact"), query


@pytest.mark.parametrize("query", ['"recieve"', "parcel -recieve", "CUST-12354", "recieve zzzzqqqq"])
async def test_quoted_excluded_and_symbol_words_are_never_corrected(
    call: Call, says: Create, query: str
) -> None:
    await says("receive the letter CUST-12345")

    answer = await call("vcon_search", mode="keyword", query=query)

    assert (answer["items"], answer["meta"]["matching"]) == ([], "exact")


async def test_a_spelling_whose_last_vcon_is_gone_corrects_nothing(call: Call, says: Create) -> None:
    uuid = await says("receive")
    await call("delete_vcon", uuid=uuid, confirm=True)

    assert await found(call, "recieve") == []


async def test_words_that_never_occur_together_are_counted_one_by_one(call: Call, says: Create) -> None:
    await says("apple")
    await says("apple")
    await says("banana")

    answer = await call("vcon_search", mode="keyword", query="apple banana")

    assert answer["meta"]["matching"] == "relaxed"
    assert sorted(item["match"]["missing"] for item in answer["items"]) == [["apple"], ["banana"], ["banana"]]
    assert answer["meta"]["words"] == [{"word": "apple", "vcons": 2}, {"word": "banana", "vcons": 1}]
    assert answer["meta"]["hints"] == [
        {
            "reason": "words_never_together",
            "message": "Each word occurs somewhere, but no conversation has them all.",
            "suggestion": {"query": "apple OR banana"},
        }
    ]


@pytest.mark.parametrize(
    ("query", "code", "reason"),
    [
        ("the of", "AMBIGUOUS_QUERY", "no_searchable_words"),
        ("?!", "AMBIGUOUS_QUERY", "no_searchable_words"),
        ("-refund", "AMBIGUOUS_QUERY", "only_exclusions"),
        ("refund\0", "INVALID_ARGUMENT", "nul_character"),
        ("\0", "INVALID_ARGUMENT", "nul_character"),
        (" ".join(f"w{n}" for n in range(65)), "INVALID_ARGUMENT", "too_many_words"),
    ],
)
async def test_a_query_that_cannot_be_answered_is_refused(
    call: Call, query: str, code: str, reason: str
) -> None:
    refused = await call("vcon_search", mode="keyword", query=query)

    assert (refused["error"]["code"], refused["error"]["details"]["reason"]) == (code, reason)


async def test_stop_words_in_quotes_are_searched(call: Call, says: Create) -> None:
    uuid = await says("to be or not to be")

    assert await found(call, '"to be or not"') == [uuid]


async def test_a_hit_shows_where_the_words_are(call: Call, says: Create) -> None:
    await says("nothing here", "the refund, please", subject="A refund", parties=[{"name": "Refund Ltd"}])

    (item,) = (await call("vcon_search", mode="keyword", query="refund"))["items"]

    hits = {(hit["content_type"], hit.get("content_index")): hit["snippet"] for hit in item["match"]["hits"]}
    assert hits == {
        ("subject", None): "A <mark>refund</mark>",
        ("party", 0): "<mark>Refund</mark> Ltd",
        ("dialog", 1): "the <mark>refund</mark>, please",
    }


FILTERED: list[JsonObject] = [
    {"tags": {"kind": "rare"}},
    {"party_name": "zebediah"},
    {"start_date": "2030-01-01"},
    {"start_date": "2030-01-01", "party_name": "zebediah", "tags": {"kind": "rare"}},
]


async def test_filters_hold_before_the_limit(call: Call, create: Create) -> None:
    for _ in range(40):
        await create({"tags": {"kind": "common"}}, subject="refund", created_at="2025-01-01T00:00:00Z")
    rare = {
        await create(
            {"tags": {"kind": "rare"}},
            subject="refund",
            created_at="2030-06-01T00:00:00Z",
            parties=[{"name": "Zebediah"}],
        )
        for _ in range(3)
    }

    for filters in FILTERED:
        for mode in ({"mode": "metadata"}, {"mode": "keyword", "query": "refund"}):
            answer = await call("vcon_search", **mode, filters=filters, limit=3)
            assert {item["id"] for item in answer["items"]} == rare
            assert (answer["page"]["total"], answer["page"]["has_more"]) == (3, False)
