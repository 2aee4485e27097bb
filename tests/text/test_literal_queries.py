"""What a query looks for where symbols are no operators: stems, phrases, and what has to occur as it is."""

import pytest

from vcontract.runtime.text.query import MAX_QUERY_WORDS, UnsearchableQuery, parse_query
from vcontract.runtime.text.query_language import QuerySyntaxError


@pytest.mark.parametrize(
    ("query", "words", "literals"),
    [
        ("authentication", ["authentication"], []),
        ("don't panic!", ["panic"], []),
        ("how do I fix the login?", ["fix", "login"], []),
        ("to be", ["to", "be"], []),
        ("C++", [], ["C++"]),
        ("(see C++).", ["see"], ["C++"]),
        ("rm -rf", ["rm"], ["-rf"]),
        ("100%", [], ["100%"]),
        ("a_b", [], ["a_b"]),
        ("ERR_AUTH_FAILED", [], ["ERR_AUTH_FAILED"]),
        ("ECONNREFUSED 127.0.0.1:5432", ["ECONNREFUSED"], ["127.0.0.1:5432"]),
        ("src/a.py:12", [], ["src/a.py:12"]),
        ("foo()", [], ["foo()"]),
        ("foo.*bar[0-9]+", [], ["foo.*bar[0-9]+"]),
        ("a | b", ["b"], ["|"]),
        ("'", [], ["'"]),
        (":*", [], [":*"]),
        ('"unclosed', [], ['"unclosed']),
        ('"dead letter" queue', ["dead letter", "queue"], []),
        ('"rm -rf" now', ["now"], ["rm -rf"]),
        ('"dead letter" OR "lost mail"', ["dead letter", "lost mail"], []),
        ('("dead letter" AND queue)', ["dead letter", "queue"], []),
        ('foo("x") now', ["now"], ['foo("x")']),
        ("東京へ行く", ["東京", "京へ", "へ行", "行く"], []),
        ("token Token tokens", ["token"], []),
        ("x OR -y", ["x"], ["-y"]),
        ("NOT NULL constraint", ["NULL", "constraint"], []),
        ("f" * 80, [], ["f" * 80]),
    ],
)
def test_what_holds_a_symbol_or_a_digit_has_to_occur_as_it_is_written(
    query: str, words: list[str], literals: list[str]
) -> None:
    terms = parse_query(query, literal=True).terms

    assert [term.text for term in terms if term.literal is None] == words
    assert [term.literal for term in terms if term.literal is not None] == literals


@pytest.mark.parametrize(
    ("query", "excluded"),
    [
        ("auth NOT jwt", ["jwt"]),
        ("auth AND NOT JWT", ["JWT"]),
        ("column NOT NULL", []),
        ("billing AND refund AND NOT angry", ["angry"]),
        ("is it NOT found?", []),
    ],
)
def test_not_excludes_but_for_what_is_shouted(query: str, excluded: list[str]) -> None:
    assert [term.text for term in parse_query(query, literal=True).excluded] == excluded


def test_a_dash_between_words_does_not_count_where_words_may_be_absent() -> None:
    assert [term.text for term in parse_query("refund — bank", any_word=True, literal=True).terms] == [
        "refund",
        "bank",
    ]


def test_words_beyond_the_most_are_left_out() -> None:
    many = " ".join(f"w{n}" for n in range(200))

    assert len(parse_query(many, literal=True).terms) == MAX_QUERY_WORDS
    assert len(parse_query(many, any_word=True, literal=True).terms) == MAX_QUERY_WORDS


@pytest.mark.parametrize(
    ("query", "error"), [("NOT angry", UnsearchableQuery), ("a OR b AND c", QuerySyntaxError)]
)
def test_what_cannot_be_followed_is_refused(query: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse_query(query, literal=True)
