"""Keyword search as vcon_search gives it: what a query finds, corrects and refuses."""

import pytest

from tests.conftest import Call
from tests.tools.vcon.conftest import Create
from vcontract.runtime.frame.documents.json import JsonObject


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


DEEPGRAM: JsonObject = {
    "results": {"utterances": [{"speaker": 0, "transcript": "Aardvark speaking", "confidence": 0.9}]}
}


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


async def test_stop_words_in_quotes_are_searched(call: Call, says: Create) -> None:
    uuid = await says("to be or not to be")

    assert await found(call, '"to be or not"') == [uuid]
