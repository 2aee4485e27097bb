"""What a query looks for in recall: stems, literals, and nothing that is an operator."""

import pytest

from vcontract.runtime.text.terms import MOST_TERMS, Term, read_terms


def stem(text: str, lexeme: str) -> Term:
    return Term(text, (lexeme,), is_literal=False)


def literal(text: str, *lexemes: str) -> Term:
    return Term(text, lexemes, is_literal=True)


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("authentication", [stem("authentication", "authent")]),
        ("don't panic!", [stem("panic", "panic")]),
        ("how do I fix the login?", [stem("fix", "fix"), stem("login", "login")]),
        ("to be", [stem("to", "to"), stem("be", "be")]),
        ("C++", [literal("C++", "c")]),
        ("(see C++).", [stem("see", "see"), literal("C++", "c")]),
        ("rm -rf", [stem("rm", "rm"), literal("-rf", "rf")]),
        ("100%", [literal("100%", "100")]),
        ("a_b", [literal("a_b", "a", "b")]),
        ("ERR_AUTH_FAILED", [literal("ERR_AUTH_FAILED", "err", "auth", "fail")]),
        ("src/a.py:12", [literal("src/a.py:12", "src", "a", "py", "12")]),
        ("foo()", [literal("foo()", "foo")]),
        ("'", [literal("'")]),
        (":*", [literal(":*")]),
        ('"unclosed', [literal('"unclosed', "unclos")]),
        ('"dead letter" queue', [literal("dead letter", "dead", "letter"), stem("queue", "queue")]),
        ("東京へ行く", [literal(pair, *pair) for pair in ("東京", "京へ", "へ行", "行く")]),
        ("React入門", [stem("React", "react"), literal("入門", *"入門")]),
        ("token Token tokens", [stem("token", "token")]),
        ("x OR -y", [stem("x", "x"), literal("-y", "y")]),
    ],
)
def test_a_query_is_read_as_its_terms(query: str, terms: list[Term]) -> None:
    assert list(read_terms(query).terms) == terms


@pytest.mark.parametrize(
    ("query", "text"),
    [("  rm   -rf ", "rm -rf"), ('"dead letter"', "dead letter"), ('"a" b', '"a" b')],
)
def test_the_query_itself_is_kept_for_its_literal_occurrence(query: str, text: str) -> None:
    assert read_terms(query).text == text


def test_a_word_too_long_to_be_indexed_is_a_literal_without_word_parts() -> None:
    run = "f" * 80

    assert read_terms(run).terms == (literal(run),)


def test_more_terms_than_can_be_weighed_are_left_out() -> None:
    assert len(read_terms(" ".join(f"w{n}" for n in range(200))).terms) == MOST_TERMS
