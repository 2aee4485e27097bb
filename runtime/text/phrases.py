"""Phrases of the filters `said` and `not_said`: words in all their forms, or in quotes exactly as written."""

from collections.abc import Mapping, Sequence
from typing import Final

from vcontract.runtime.text.query import forms_of, quote_lexeme
from vcontract.runtime.text.words import MAX_WORD_LENGTH, exact_lexemes, surfaces

MAX_TURN_CHARACTERS: Final = 100_000
"""Maximum characters of a turn that are indexed; PostgreSQL limits a tsvector to 1 MiB."""
_QUOTES: Final = str.maketrans("“”„‟«»＂", '"' * 7)


def turn_words(written: Sequence[str], indexed: Mapping[str, list[int]]) -> dict[str, list[int]]:
    """Lexemes of a turn and their positions: those of `indexed_words`, and each word as written."""
    found = {**indexed}
    for position, surface in enumerate(written, start=1):
        if len(surface) <= MAX_WORD_LENGTH:
            exact = exact_lexemes[surface]
            if exact in found:
                found[exact].append(position)
            else:
                found[exact] = [position]
    return found


def phrase_query(phrase: str) -> str | None:
    """The tsquery of a phrase; None if it has no words."""
    plain = phrase.translate(_QUOTES).strip()
    is_exact = len(plain) > 1 and plain[0] == plain[-1] == '"'
    written = [word for word in surfaces(plain) if len(word) <= MAX_WORD_LENGTH]
    words = [[exact_lexemes[word]] if is_exact else forms_of(word) for word in written]
    each = ["(" + " | ".join(map(quote_lexeme, forms)) + ")" for forms in words if forms]
    return " <-> ".join(each) or None
