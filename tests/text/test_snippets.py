"""Snippets: what is marked, what is cut, and that nothing else changes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcontract.runtime.text.query import UnsearchableQuery, parse_query
from vcontract.runtime.text.query_language import QuerySyntaxError
from vcontract.runtime.text.snippets import MAX_SNIPPET_LENGTH, snippet


def shown(content: str, query: str) -> str:
    return snippet(content, parse_query(query).terms)


@pytest.mark.parametrize(
    ("content", "query", "expected"),
    [
        ("I want a refund.", "refunds", "I want a <mark>refund</mark>."),
        ("Refund,\n\n  refunds!", "refund", "<mark>Refund</mark>, <mark>refunds</mark>!"),
        ("billing refund", '"billing refund"', "<mark>billing refund</mark>"),
        ("refund billing", '"billing refund" OR x', "refund billing"),
        ("see CUST-12345 now", "CUST-12345", "see <mark>CUST-12345</mark> now"),
        ("tel:+1 (555) 123-4567", "5551234567", "tel:<mark>+1 (555) 123-4567</mark>"),
        ("use C++ here", "C++", "use <mark>C++</mark> here"),
        ("私は日本語を話す", "日本", "私は<mark>日本</mark>語を話す"),
        ("re\u0301sume\u0301s", "resume", "<mark>re\u0301sume\u0301s</mark>"),
        ("two refunds, refused", "refu*", "two <mark>refunds</mark>, <mark>refused</mark>"),
        ("see CUST-12345, CUST 12", "CUST-12*", "see <mark>CUST-12345</mark>, <mark>CUST 12</mark>"),
        ("he went home", "going", "he <mark>went</mark> home"),
        ("nothing here", "refund", "nothing here"),
    ],
)
def test_the_words_of_the_query_are_marked(content: str, query: str, expected: str) -> None:
    assert shown(content, query) == expected


def test_a_long_passage_is_cut_around_the_words_at_word_borders() -> None:
    content = "before " * 100 + "the refund " + "after " * 100

    found = shown(content, "refund")

    assert found.startswith("… before")
    assert found.endswith("after …")
    assert "<mark>refund</mark>" in found


def test_a_cut_shows_the_place_with_the_most_words() -> None:
    content = "refund " + "filler " * 100 + "refund billing order"

    found = shown(content, "refund billing order")

    assert found.count("<mark>") == 3


def test_a_word_beyond_the_cut_is_not_half_marked() -> None:
    content = "refund " + "x" * (MAX_SNIPPET_LENGTH - 10) + " refund"

    found = shown(content, "refund")

    assert found.count("<mark>") == found.count("</mark>") == 1


WORDS = st.lists(
    st.sampled_from(["refund", "order", "the", "C++", "日本語", "a@b.co", "é", "\n"]), max_size=120
)


@given(WORDS, st.sampled_from(["refund", '"the order"', "C++ OR 日本", "a@b.co é"]))
def test_a_snippet_is_a_part_of_the_passage_and_no_longer_than_promised(parts: list[str], query: str) -> None:
    content = " ".join(parts)

    found = shown(content, query)

    plain = re.sub(r"</?mark>|^… | …$", "", found)
    assert plain in re.sub(r"\s+", " ", content).strip()
    assert len(plain) <= MAX_SNIPPET_LENGTH


@given(st.text(max_size=400), st.text(max_size=20))
def test_any_passage_and_query_give_balanced_marks(content: str, query: str) -> None:
    content = content.replace("<", "")
    try:
        found = shown(content, query)
    except (UnsearchableQuery, QuerySyntaxError):
        return

    assert re.sub(r"<mark>[^<]+</mark>", "", found).count("<") == 0
