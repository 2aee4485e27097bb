"""vcon_search: what it refuses, and what it says to do instead."""

from typing import Any

import pytest

from tests.conftest import Call
from tests.published import followed
from tests.tools.contract.conftest import Embed, Store
from vcontract.runtime.frame.documents.json import JsonObject

UUID = "01939c3a-6f00-8abc-9def-0123456789ab"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"mode": "metadata", "query": "refund"}, "query"),
        ({"mode": "keyword", "query": "refund", "threshold": 0.5}, "threshold"),
        ({"mode": "keyword", "query": "refund", "semantic_weight": 0.5}, "semantic_weight"),
        ({"mode": "keyword", "query": "refund", "embedding": [0.0] * 384}, "embedding"),
        ({"mode": "keyword", "query": "refund", "filters": {"color": "red"}}, "color"),
        ({"mode": "keyword", "query": "refund", "tags": {"color": "red"}}, "tags"),
        ({"mode": "keyword", "query": "refund", "offset": 7}, "offset"),
        ({"mode": "metadata", "threshold": 0.5}, "threshold"),
        ({"mode": "metadata", "embedding": [0.1] * 384}, "embedding"),
        ({"mode": "semantic", "query": "refund", "semantic_weight": 0.5}, "semantic_weight"),
        ({"mode": "semantic"}, "query"),
        ({"mode": "semantic", "threshold": 0.2}, "query"),
        ({"mode": "semantic", "query": "refund", "threshold": 1.1}, "threshold"),
        ({"mode": "semantic", "query": "refund", "threshold": "half"}, "threshold"),
        ({"mode": "semantic", "query": "refund\0"}, "query"),
        ({"mode": "semantic", "embedding": [0.0] * 384}, "embedding"),
        ({"mode": "semantic", "embedding": [1.0] * 383}, "embedding"),
        ({"mode": "semantic", "embedding": [1.0] * 385}, "embedding"),
        ({"mode": "semantic", "embedding": []}, "query"),
        ({"mode": "semantic", "embedding": [10**400] * 384}, "embedding"),
        ({"mode": "semantic", "embedding": ["one"] * 384}, "embedding"),
        ({"mode": "hybrid", "query": "refund", "embedding": [1.0] * 3}, "embedding"),
        ({"mode": "hybrid", "query": "refund", "semantic_weight": -0.1}, "semantic_weight"),
        ({"mode": "hybrid"}, "query"),
        ({"mode": "hybrid", "embedding": [0.1] * 384}, "query"),
        ({"mode": "keyword"}, "query"),
        ({"mode": "keyword", "query": ""}, "query"),
        ({"mode": "keyword", "query": "x" * 2001}, "query"),
        ({"mode": "keyword", "query": None}, "query"),
        ({"mode": "keyword", "query": ["refund"]}, "query"),
        ({"mode": "fuzzy", "query": "refund"}, "mode"),
        ({"query": "refund"}, "mode"),
        ({"mode": "metadata", "limit": 0}, "limit"),
        ({"mode": "metadata", "limit": 101}, "limit"),
        ({"mode": "metadata", "limit": "seven"}, "limit"),
        ({"mode": "metadata", "include": {"core": True}}, "include"),
        ({"mode": "metadata", "filters": {"subject": "x" * 1001}}, "subject"),
        ({"mode": "metadata", "filters": {"dealer_id": 815}}, "dealer_id"),
        ({"mode": "metadata", "filters": {"tags": {"department": None}}}, "department"),
        ({"mode": "metadata", "filters": {"tags": ["sales"]}}, "tags"),
        ({"mode": "metadata", "cursor": "x" * 1025}, "cursor"),
    ],
)
async def test_a_wrong_argument_is_refused_and_named(call: Call, arguments: JsonObject, named: str) -> None:
    answer = await call("vcon_search", **arguments)

    assert answer["error"]["code"] == "INVALID_ARGUMENT"
    assert named in str(answer["error"]["details"])
    assert named in answer["error"]["message"]


async def test_a_parameter_without_effect_comes_with_a_mode_where_it_has_one(call: Call) -> None:
    refused = await call("vcon_search", mode="metadata", query="refund")
    details: JsonObject = refused["error"]["details"]
    followed = await call("vcon_search", query="refund", **details["suggestion"])
    weighed = await call("vcon_search", mode="semantic", query="refund", semantic_weight=0)

    assert details == {
        "parameter": "query",
        "reason": "unused_in_mode",
        "mode": "metadata",
        "suggestion": {"mode": "keyword"},
    }
    assert followed["ok"]
    assert weighed["error"]["details"]["suggestion"] == {"mode": "hybrid"}


async def test_an_embedding_of_another_length_is_told_both(call: Call) -> None:
    answer = await call("vcon_search", mode="semantic", embedding=[0.5] * 383)

    assert answer["error"]["details"] == {
        "parameter": "embedding",
        "reason": "unusable_vector",
        "expected": 384,
        "got": 383,
    }


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        ({"mode": "keyword", "query": "refund", "embedding": [0.5] * 384}, {"mode": "hybrid"}),
        ({"mode": "semantic", "query": "refund", "semantic_weight": 0.5}, {"mode": "hybrid"}),
        ({"mode": "metadata", "threshold": 0.5}, {"leave_out": ["threshold"]}),
        (
            {"mode": "metadata", "threshold": 0.5, "semantic_weight": 0.5},
            {"leave_out": ["threshold", "semantic_weight"]},
        ),
    ],
)
async def test_what_is_suggested_for_a_parameter_without_effect_is_accepted(
    call: Call, arguments: JsonObject, suggestion: JsonObject
) -> None:
    refused = await call("vcon_search", **arguments)
    assert refused["error"]["details"]["suggestion"] == suggestion

    assert (await call("vcon_search", **followed(arguments, suggestion)))["ok"]


@pytest.mark.parametrize(
    ("tool", "arguments", "suggestion"),
    [
        (
            "vcon_search",
            {"mode": "metadata", "max_bytes": 5_000},
            {"max_response_bytes": 5_000, "leave_out": ["max_bytes"]},
        ),
        ("vcon_search", {"mode": "metadata", "max_bytes": 5}, None),
        ("vcon_fetch", {"vcon_uuid": UUID}, {"uuid": UUID, "leave_out": ["vcon_uuid"]}),
        ("vcon_fetch", {"vcon_uuid": UUID, "uuid": UUID}, None),
        (
            "vcon_search",
            {"mode": "metadata", "filters": {"email": "a@b.co", "dealerId": "1100", "subject": "x"}},
            {"filters": {"subject": "x", "party_email": "a@b.co", "dealer_id": "1100"}},
        ),
        (
            "vcon_search",
            {"mode": "metadata", "filter": {"subject": "x"}},
            {"filters": {"subject": "x"}, "leave_out": ["filter"]},
        ),
        (
            "vcon_search",
            {"mode": "metadata", "subject": "x", "filters": {"dealer_id": "1"}},
            {"filters": {"dealer_id": "1", "subject": "x"}, "leave_out": ["subject"]},
        ),
        ("vcon_search", {"mode": "keywrod", "query": "x", "offset": 7}, None),
    ],
)
async def test_what_is_suggested_for_a_wrong_name_is_accepted_when_it_is_sent(
    call: Call, tool: str, arguments: JsonObject, suggestion: JsonObject | None
) -> None:
    refused = (await call(tool, **arguments))["error"]

    assert refused["details"].get("suggestion") == suggestion
    if suggestion is not None:
        answer = await call(tool, **followed(arguments, suggestion))
        assert answer["ok"] or answer["error"]["code"] == "NOT_FOUND"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("party_email", "mailto:"),
        ("party_email", "MailTo:"),
        ("subject", "\u0301"),
        ("party_name", "\u0301"),
        ("dealer_name", "\u0301"),
    ],
)
async def test_a_text_of_which_nothing_is_compared_is_refused_and_never_no_filter(
    call: Call, store: Store, name: str, text: str
) -> None:
    await store([{"subject": "Refund", "parties": [{"name": "A"}]}])

    answer = await call("vcon_search", mode="metadata", filters={name: text})

    assert answer["error"]["code"] == "INVALID_ARGUMENT"
    assert answer["error"]["details"] == {
        "parameter": f"filters.{name}",
        "reason": "nothing_to_match",
        "value": text,
    }


@pytest.mark.parametrize("edge", ["start_date", "end_date"])
@pytest.mark.parametrize(
    "text",
    [
        "last week",
        "10/11/2025",
        "2025-02-30",
        "2025-10",
        "20251014",
        "1760400000",
        "2025-10-14T25:00:00Z",
        "now",
    ],
)
async def test_a_date_that_is_none_is_refused_and_never_no_filter(
    call: Call, store: Store, edge: str, text: str
) -> None:
    await store([{"created_at": "2025-10-14T00:00:00Z", "parties": [{"name": "A"}]}])

    answer = await call("vcon_search", mode="metadata", filters={edge: text})

    assert answer["error"]["code"] == "INVALID_ARGUMENT"
    details: JsonObject = answer["error"]["details"]
    assert edge in str(details["parameter"])
    assert details["value"] == text
    assert any("2025-10-14" in form for form in details["accepted"])


LISTING = {"mode": "metadata", "leave_out": ["query", "embedding", "threshold", "semantic_weight"]}


@pytest.mark.parametrize(
    ("arguments", "reason", "help_"),
    [
        (
            {"mode": "keyword", "query": "the of and"},
            "no_searchable_words",
            {"words": ["the", "of", "and"], "suggestion": {"query": '"the of and"'}},
        ),
        ({"mode": "keyword", "query": "!!!"}, "no_searchable_words", {"suggestion": LISTING}),
        ({"mode": "semantic", "query": "!!!"}, "no_searchable_words", {"suggestion": LISTING}),
        ({"mode": "semantic", "query": "-refund"}, "only_exclusions", {"excluded": ["refund"]}),
        ({"mode": "hybrid", "query": "-refund"}, "only_exclusions", {"excluded": ["refund"]}),
        ({"mode": "hybrid", "query": "!!!"}, "no_searchable_words", {"suggestion": LISTING}),
        (
            {"mode": "semantic", "query": "refund", "embedding": [0.5] * 384},
            "query_and_embedding",
            {"suggestion": {"leave_out": ["embedding"]}},
        ),
        *(
            (
                {"mode": "semantic", "query": text},
                "identifier_query",
                {"kind": kind, "suggestion": {"mode": "keyword"}},
            )
            for kind, text in (
                ("email", "james@example.com"),
                ("email", "mailto:j.o'neil+x@example.co.uk"),
                ("phone", "+1 (555) 123-4567"),
                ("phone", "tel:+15551234567"),
                ("code", "CUST-12345"),
                ("code", " #42 "),
                ("code", "v1.2.3"),
            )
        ),
        (
            {"mode": "semantic", "query": "01939c3a-6f00-8abc-9def-0123456789AB "},
            "identifier_query",
            {
                "kind": "uuid",
                "suggestion": {
                    "tool": "vcon_fetch",
                    "arguments": {"id": "01939c3a-6f00-8abc-9def-0123456789AB"},
                },
            },
        ),
        (
            {"mode": "semantic", "query": "01939c3a-6f00-8abc-9def-0123456789ab?"},
            "identifier_query",
            {
                "suggestion": {
                    "tool": "vcon_fetch",
                    "arguments": {"id": "01939c3a-6f00-8abc-9def-0123456789ab"},
                }
            },
        ),
        ({"mode": "keyword", "query": '""'}, "no_searchable_words", {"suggestion": LISTING}),
        ({"mode": "keyword", "query": "9f" * 64}, "no_searchable_words", {"suggestion": LISTING}),
        ({"mode": "keyword", "query": "the " * 500}, "no_searchable_words", {"suggestion": LISTING}),
        ({"mode": "keyword", "query": "-refund"}, "only_exclusions", {"excluded": ["refund"]}),
        (
            {"mode": "keyword", "query": "cat OR dog AND bird"},
            "mixed_operators",
            {"words": ["AND"], "suggestion": {"query": "(cat OR dog) bird"}},
        ),
        ({"mode": "hybrid", "query": "refund AND"}, "dangling_operator", {"suggestion": {"query": "refund"}}),
        ({"mode": "keyword", "query": "NOT"}, "dangling_operator", {"words": ["NOT"]}),
        (
            {"mode": "keyword", "query": '-"money back" -x1'},
            "only_exclusions",
            {"excluded": ["money back", "x1"]},
        ),
        (
            {"mode": "metadata", "filters": {"start_date": "2025-10-15", "end_date": "2025-10-14"}},
            "empty_window",
            {
                "from": "2025-10-15T00:00:00Z",
                "to": "2025-10-15T00:00:00Z",
                "suggestion": {"filters": {"start_date": "2025-10-14", "end_date": "2025-10-15"}},
            },
        ),
        (
            {
                "mode": "keyword",
                "query": "refund",
                "filters": {"start_date": "2025-10-15T12:00:00+02:00", "end_date": "2025-10-15T10:00:00Z"},
            },
            "empty_window",
            {"from": "2025-10-15T10:00:00Z", "to": "2025-10-15T10:00:00Z"},
        ),
        ({"mode": "metadata", "filters": {"party_tel": "call"}}, "too_few_digits", {"digits": ""}),
        (
            {"mode": "keyword", "query": "a1", "filters": {"party_tel": "+1 (5"}},
            "too_few_digits",
            {"digits": "15"},
        ),
    ],
)
async def test_a_question_that_would_need_guessing_is_ambiguous(
    call: Call, arguments: JsonObject, reason: str, help_: JsonObject
) -> None:
    answer = await call("vcon_search", **arguments)

    assert answer["error"]["code"] == "AMBIGUOUS_QUERY"
    details: JsonObject = answer["error"]["details"]
    assert details["reason"] == reason
    assert {name: details[name] for name in help_} == help_


INSTANT = "2025-10-15T23:30:00-02:00"


@pytest.mark.parametrize(
    "arguments",
    [
        {"mode": "keyword", "query": "the of and"},
        {"mode": "keyword", "query": "!!!"},
        {"mode": "keyword", "query": "9f" * 64},
        {"mode": "keyword", "query": "the " * 500},
        {"mode": "semantic", "query": "!!!", "threshold": 0.5},
        {"mode": "hybrid", "query": "!!!", "threshold": 0.5, "semantic_weight": 0.5},
        {"mode": "semantic", "query": "refund", "embedding": [0.5] * 384},
        {"mode": "semantic", "query": "CUST-12345"},
        {"mode": "semantic", "query": "james@example.com", "threshold": 0.5},
        {"mode": "metadata", "filters": {"start_date": "2025-10-16", "end_date": "2025-10-14"}},
        {"mode": "metadata", "filters": {"start_date": INSTANT, "end_date": INSTANT}},
        {"mode": "metadata", "filters": {"start_date": "2025-10-16T00:00:00Z", "end_date": "2025-10-15"}},
        {"mode": "metadata", "filters": {"start_date": "2025-10-16", "end_date": "2025-10-16T00:00:00Z"}},
    ],
)
async def test_the_suggestion_for_an_ambiguous_question_is_answered(
    call: Call, store: Store, embed: Embed, arguments: dict[str, Any]
) -> None:
    await store([{"subject": "Refund", "parties": [{"name": "A"}]}])
    await embed()

    refused = await call("vcon_search", **arguments)
    again = followed(arguments, refused["error"]["details"]["suggestion"])

    assert refused["error"]["code"] == "AMBIGUOUS_QUERY"
    assert (await call("vcon_search", **again))["ok"]


async def test_the_day_of_an_instant_is_suggested_where_a_window_has_only_that(call: Call) -> None:
    refused = await call("vcon_search", mode="metadata", filters={"start_date": INSTANT, "end_date": INSTANT})

    assert refused["error"]["details"]["suggestion"] == {
        "filters": {"start_date": "2025-10-16", "end_date": "2025-10-16"}
    }


async def test_a_suggestion_for_one_filter_keeps_the_others(call: Call, store: Store) -> None:
    await store([{"parties": [{"name": "A"}], "tags": {"department": "sales", "level": 2}}])
    others: JsonObject = {"subject": "refund", "dealer_id": "815"}
    window = {"start_date": "2025-10-16", "end_date": "2025-10-14"}
    swapped = {"start_date": "2025-10-14", "end_date": "2025-10-16"}
    tags = {"level": 2, "deparment": True}

    of_window = await call("vcon_search", mode="metadata", filters={**others, **window})
    of_tags = await call("vcon_search", mode="metadata", filters={**others, "tags": tags})

    assert of_window["error"]["details"]["suggestion"] == {"filters": {**others, **swapped}}
    assert of_tags["error"]["details"]["suggestion"] == {
        "filters": {**others, "tags": {"level": 2, "department": True}}
    }


@pytest.mark.parametrize(
    "query", ['"the of and"', "-refund money", "#42", "C++", "a OR b1", "日本", "💸 cash"]
)
async def test_a_question_that_means_something_is_answered(call: Call, query: str) -> None:
    answer = await call("vcon_search", mode="keyword", query=query)

    assert answer["ok"]
    assert answer["items"] == []


@pytest.mark.parametrize(
    "query", ["who called about order CUST-12345", "C++", "refund", "seven word " * 90, "日本 💸", '"the of"']
)
async def test_a_sentence_is_searched_by_meaning_whatever_it_holds(call: Call, query: str) -> None:
    answer = await call("vcon_search", mode="semantic", query=query)

    assert answer["ok"]
    assert answer["page"] == {"next_cursor": None, "count": 0, "has_more": False}


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
async def test_an_identifier_between_words_is_no_identifier_query(call: Call, mode: str) -> None:
    assert (await call("vcon_search", mode=mode, query="james@example.com wants his money"))["ok"]


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
@pytest.mark.parametrize("query", ["james@example.com", "CUST-12345", "01939c3a-6f00-8abc-9def-0123456789ab"])
async def test_an_identifier_is_searched_where_words_are(call: Call, mode: str, query: str) -> None:
    assert (await call("vcon_search", mode=mode, query=query))["ok"]


async def test_more_words_than_a_query_may_have_are_refused(call: Call) -> None:
    answer = await call("vcon_search", mode="keyword", query=" ".join(f"word{n}" for n in range(65)))

    assert answer["error"]["code"] == "INVALID_ARGUMENT"
    assert answer["error"]["details"]["parameter"] == "query"
    assert answer["error"]["details"]["reason"] == "too_many_words"


@pytest.mark.parametrize("mode", ["metadata", "keyword", "semantic", "hybrid"])
async def test_an_empty_corpus_is_answered(call: Call, mode: str) -> None:
    query = {} if mode == "metadata" else {"query": "refund"}
    total = {"total": 0} if mode in ("metadata", "keyword") else {}
    answer = await call("vcon_search", mode=mode, **query, filters={})

    assert answer["items"] == []
    assert answer["page"] == {"next_cursor": None, "count": 0, "has_more": False, **total}


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("the of and", "only words that nearly every conversation contains"),
        ("!!! ???", "has no word"),
        ("\N{PILE OF POO}", "has no word"),
        ("x" * 65, "has no word"),
    ],
)
async def test_a_query_without_words_is_not_called_one_of_frequent_words(
    call: Call, query: str, said: str
) -> None:
    refused = await call("vcon_search", mode="keyword", query=query)
    assert said in refused["error"]["message"]


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        (
            {"filters": {"party_name": "Andre"}, "max_bytes": 5000},
            {"mode": "metadata", "max_response_bytes": 5000, "leave_out": ["max_bytes"]},
        ),
        ({"query": "refund"}, {"mode": "keyword"}),
        ({"query": "refund", "semantic_weight": 0.4, "includes": ["core"]}, None),
        ({"embedding": [0.1] * 384}, {"mode": "semantic"}),
        ({"query": "refund", "nonsense": 1}, {}),
    ],
)
async def test_a_missing_mode_is_suggested_with_what_else_is_to_be_sent(
    call: Call, arguments: JsonObject, suggestion: JsonObject | None
) -> None:
    refused = await call("vcon_search", **arguments)

    suggested = refused["error"]["details"].get("suggestion", {})
    assert suggestion is None or suggested == suggestion
    if suggested:
        left_out = suggested.pop("leave_out", [])
        kept = {name: value for name, value in arguments.items() if name not in left_out}
        assert (await call("vcon_search", **{**kept, **suggested}))["ok"]
