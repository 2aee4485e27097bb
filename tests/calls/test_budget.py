"""The byte budget: exact sizes, and suggestions that fit when they are sent back."""

import json
from operator import mul
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from vcontract.runtime.frame.calls.budget import Adjustable, seal, too_large_details
from vcontract.runtime.frame.contract.policy import Policy
from vcontract.runtime.frame.documents.json import JsonObject, dump_json

MINIMUM, MAXIMUM = 1_024, 60_000
MEMBERS = {"core": ["id", "subject"], "parties": ["parties"], "tags": ["tags"], "dialog": ["dialog", "more"]}
POLICY = Policy.read(
    {
        "rate_classes": {},
        "byte_budget": {"default": 5_000, "minimum": MINIMUM, "maximum": MAXIMUM},
        "result_limit_bytes": 1,
        "include_groups": MEMBERS,
    }
)
FETCH = Adjustable(groups="include", limit=False)
SEARCH = Adjustable(groups="include", limit=True)
PLAIN = Adjustable(groups=None, limit=False)
GRAPH = Adjustable(groups=None, limit=False, lists=("nodes", "edges"))

text = st.sampled_from(["", "a", "ß", "日本語", "🙂", '"\\\n', "word "])
lengths = st.integers(0, 40) | st.integers(0, 6_000)
members: st.SearchStrategy[str] = st.builds(mul, text, lengths)
items: st.SearchStrategy[JsonObject] = st.fixed_dictionaries(
    {"id": st.just("0" * 36)},
    optional={
        "subject": members,
        "score": st.floats(0, 1),
        "parties": st.lists(members, max_size=2),
        "tags": st.dictionaries(st.text("abc", max_size=3), members, max_size=2),
        "dialog": st.lists(members, max_size=3),
        "more": members,
    },
)
includes = st.lists(st.sampled_from(list(MEMBERS)), unique=True)
cursors = st.lists(st.integers(40, 1_024), min_size=21, max_size=21)
budgets = st.integers(MINIMUM, MAXIMUM)


def refusal(result: JsonObject, adjustable: Adjustable) -> JsonObject:
    """The details of the error for a sealed answer."""
    meta: JsonObject = result["meta"]
    return too_large_details(result, meta["response_bytes"], meta["max_response_bytes"], POLICY, adjustable)


def fetch(stored: JsonObject, include: list[str], budget: int) -> JsonObject:
    """What `vcon_fetch` would answer."""
    shown = shown_members(stored, include)
    return {
        "ok": True,
        "item": shown,
        "meta": {"include": [group for group in MEMBERS if group == "core" or group in include]},
    }


def search(stored: list[JsonObject], cursor_lengths: list[int], include: list[str], limit: int) -> JsonObject:
    """What `vcon_search` would answer: a page, with a cursor when more follows."""
    page = stored[:limit]
    follows = len(stored) > limit
    return {
        "ok": True,
        "items": [shown_members(item, include) for item in page],
        "page": {
            "next_cursor": "c" * cursor_lengths[limit] if follows else None,
            "count": len(page),
            "has_more": follows,
        },
        "meta": {"include": [group for group in MEMBERS if group == "core" or group in include]},
    }


def shown_members(stored: JsonObject, include: list[str]) -> JsonObject:
    hidden = {name for group in MEMBERS if group not in ("core", *include) for name in MEMBERS[group]}
    return {name: value for name, value in stored.items() if name not in hidden}


def error_bytes(details: JsonObject) -> int:
    message = f"The answer is {details['response_bytes']} bytes, the budget {details['max_response_bytes']}."
    return len(
        dump_json(
            {
                "ok": False,
                "error": {
                    "code": "RESPONSE_TOO_LARGE",
                    "message": message + " Send the suggestion, it fits.",
                    "details": details,
                },
            }
        )
    )


@given(stored=items, include=includes, budget=st.integers(1_024, 10_000_000))
def test_response_bytes_is_the_length_of_the_text_counting_itself(
    stored: JsonObject, include: list[str], budget: int
) -> None:
    result = fetch(stored, include, budget)

    sent = seal(result, budget)

    assert result["meta"]["response_bytes"] == len(sent)
    assert result["meta"]["max_response_bytes"] == budget
    assert json.loads(sent) == result
    assert sent == dump_json(result)


@given(padding=st.integers(0, 120))
def test_response_bytes_is_right_where_its_own_digits_grow(padding: int) -> None:
    result: JsonObject = {"x": "y" * padding}

    assert len(seal(result, 9)) == result["meta"]["response_bytes"]


def test_a_value_that_a_handler_gave_as_response_bytes_is_replaced() -> None:
    result: JsonObject = {"meta": {"response_bytes": 5, "include": ["core"]}, "item": {}}

    assert len(seal(result, 2_000)) == result["meta"]["response_bytes"]


@given(stored=items, include=includes, budget=budgets)
def test_sending_back_the_suggestion_of_a_fetch_succeeds(
    stored: JsonObject, include: list[str], budget: int
) -> None:
    result = fetch(stored, include, budget)
    size = len(seal(result, budget))
    if size <= budget:
        return

    details = refusal(result, FETCH)

    assert details["response_bytes"] == size
    assert error_bytes(details) < 1_024
    suggestion = details.get("suggestion")
    if suggestion is None:
        assert len(seal(fetch(stored, [], budget), MAXIMUM)) > MAXIMUM - 10
        return
    new_budget = suggestion.get("max_response_bytes", budget)
    again = len(seal(fetch(stored, suggestion["include"], new_budget), new_budget))
    assert again <= min(new_budget, details["estimated_bytes"])


@given(
    stored=st.lists(items, min_size=1, max_size=20),
    cursor_lengths=cursors,
    include=includes,
    limit=st.integers(1, 20),
    budget=budgets,
)
def test_sending_back_the_suggestion_of_a_search_succeeds(
    stored: list[JsonObject], cursor_lengths: list[int], include: list[str], limit: int, budget: int
) -> None:
    # Cursors of one query differ by little; that the last page has none is the great difference.
    cursor_lengths = [min(1_024, cursor_lengths[0] + length % 100) for length in cursor_lengths]
    result = search(stored, cursor_lengths, include, limit)
    size = len(seal(result, budget))
    if size <= budget:
        return

    details = refusal(result, SEARCH)

    assert error_bytes(details) < 1_024
    suggestion = details.get("suggestion")
    if suggestion is None:
        assert len(seal(search(stored, cursor_lengths, [], 1), MAXIMUM)) > MAXIMUM - 1_100
        return
    new_budget = suggestion.get("max_response_bytes", budget)
    new_limit = suggestion.get("limit", limit)
    again = search(stored, cursor_lengths, suggestion["include"], new_limit)
    assert again["items"]
    assert len(seal(again, new_budget)) <= min(new_budget, details["estimated_bytes"])


def page_of(
    count: int, dialog_bytes: int, subject_bytes: int = 10, cursor: str | None = "c" * 80
) -> JsonObject:
    item = {"id": "0" * 36, "subject": "s" * subject_bytes, "dialog": ["d" * dialog_bytes]}
    return {
        "ok": True,
        "items": [dict(item) for _ in range(count)],
        "page": {"next_cursor": cursor, "count": count, "has_more": cursor is not None},
        "meta": {"include": ["core", "dialog"]},
    }


def suggested(result: JsonObject, budget: int, adjustable: Adjustable) -> JsonObject:
    assert len(seal(result, budget)) > budget
    suggestion: JsonObject = refusal(result, adjustable)["suggestion"]
    return suggestion


def test_a_page_is_first_suggested_with_fewer_items_and_the_same_groups() -> None:
    suggestion = suggested(page_of(10, dialog_bytes=1_000), 6_000, SEARCH)

    assert suggestion["include"] == ["core", "dialog"]
    assert suggestion["limit"] == 5
    assert "max_response_bytes" not in suggestion


def test_a_page_of_which_no_item_fits_is_suggested_one_item_and_the_budget_it_needs() -> None:
    suggestion = suggested(page_of(10, dialog_bytes=9_000), 6_000, SEARCH)

    assert suggestion == {"include": ["core", "dialog"], "limit": 1, "max_response_bytes": 10_240}


def test_what_fits_the_budget_is_suggested_before_a_budget_many_times_as_large() -> None:
    suggestion = suggested(page_of(10, dialog_bytes=50_000), 1_024, SEARCH)

    assert suggestion["include"] == ["core"]
    assert "max_response_bytes" not in suggestion


def test_groups_are_dropped_only_where_no_budget_would_do() -> None:
    suggestion = suggested(page_of(2, dialog_bytes=MAXIMUM, subject_bytes=4_000), 6_000, SEARCH)

    assert suggestion == {"include": ["core"], "limit": 1}


def test_a_graph_is_suggested_with_fewer_nodes_and_edges() -> None:
    nodes = [{"id": f"tag:{number}", "count": number} for number in range(200)]
    edges = [{"source": f"tag:{number}", "target": "tag:0", "strength": 1 / 3} for number in range(200)]
    result: JsonObject = {"ok": True, "item": {"nodes": nodes, "edges": edges}, "meta": {}}
    budget = 4_000
    assert len(seal(result, budget)) > budget

    details = refusal(result, GRAPH)

    suggestion = details["suggestion"]
    assert set(suggestion) == {"max_nodes", "max_edges"}
    kept: JsonObject = {
        "nodes": nodes[: suggestion["max_nodes"]],
        "edges": edges[-suggestion["max_edges"] :],
    }
    assert 20 < len(kept["nodes"]) < 200
    assert len(seal({"ok": True, "item": kept, "meta": {}}, budget)) <= details["estimated_bytes"] <= budget


def test_room_is_left_for_the_cursor_that_a_last_page_did_not_need() -> None:
    suggestion = suggested(page_of(10, dialog_bytes=1_000, cursor=None), 6_000, SEARCH)

    assert suggestion["limit"] == 4


def test_room_is_left_for_a_cursor_that_is_longer_than_this_pages() -> None:
    stored = [{"id": "0" * 36, "dialog": ["d" * 1_000]} for _ in range(11)]
    longer = [180] * 10 + [80]

    for budget in range(5_000, 6_100):
        suggestion = suggested(search(stored, longer, ["dialog"], 10), budget, SEARCH)
        again = search(stored, longer, suggestion["include"], suggestion["limit"])
        assert len(seal(again, budget)) <= budget


def test_when_not_even_core_fits_the_bytes_needed_are_suggested() -> None:
    result: JsonObject = {
        "ok": True,
        "item": {"id": "x", "subject": "s" * 8_000},
        "meta": {"include": ["core"]},
    }

    suggestion = suggested(result, 2_000, FETCH)

    assert suggestion["include"] == ["core"]
    assert result["meta"]["response_bytes"] <= suggestion["max_response_bytes"] < 11_000


def test_groups_that_fit_are_suggested_in_their_order_even_beyond_one_that_does_not() -> None:
    item = {"id": "x", "parties": ["p" * MAXIMUM], "tags": {"a": "b"}, "dialog": ["d" * 500]}
    result: JsonObject = {
        "ok": True,
        "item": item,
        "meta": {"include": ["core", "parties", "tags", "dialog"]},
    }

    assert suggested(result, 2_000, FETCH)["include"] == ["core", "tags", "dialog"]


def test_a_tool_without_groups_is_suggested_the_bytes_needed_alone() -> None:
    result: JsonObject = {"ok": True, "item": {"nodes": ["n" * 8_000]}, "meta": {}}
    size = len(seal(result, 2_000))

    details = refusal(result, PLAIN)

    assert "approximate_bytes" not in details
    assert set(details["suggestion"]) == {"max_response_bytes"}
    assert size <= details["suggestion"]["max_response_bytes"] <= MAXIMUM


def test_what_fits_under_no_budget_has_no_suggestion() -> None:
    result: JsonObject = {"ok": True, "item": {"nodes": ["n" * (MAXIMUM + 1)]}, "meta": {}}
    seal(result, 2_000)

    assert "suggestion" not in refusal(result, PLAIN)


def test_approximate_bytes_are_measured_by_group_and_what_no_group_names_is_core() -> None:
    item = {"id": "x", "score": 0.5, "dialog": ["ß" * 1_000], "more": "m" * 500}
    result: JsonObject = {"ok": True, "item": item, "meta": {"include": ["core", "dialog"]}}
    seal(result, MINIMUM)

    sizes = refusal(result, FETCH)["approximate_bytes"]

    assert sizes == {
        "core": len('{"id":"x","score":0.5,}'),
        "dialog": len('"dialog":["",],"more":"",') - 1 + 2_500,
    }


def test_which_arguments_can_be_changed_is_read_from_the_input_schema() -> None:
    schema: dict[str, Any] = {"properties": {"include": {}, "limit": {}}}

    assert Adjustable.of(schema) == SEARCH
    assert Adjustable.of({"properties": {}}) == PLAIN
