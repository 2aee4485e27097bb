"""Phrases of the filters `said` and `not_said`: words in all their forms, or in quotes exactly as written."""

from typing import Final

from vcontract.runtime.text.query import forms_of, quote_lexeme
from vcontract.runtime.text.words import MAX_WORD_LENGTH, fold, indexed_words, surfaces

MAX_TURN_CHARACTERS: Final = 100_000
"""Maximum characters of a turn that are indexed; PostgreSQL limits a tsvector to 1 MiB."""
_EXACT: Final = "="
"""Prefix of the lexeme of a word as written; no other lexeme has it."""
_QUOTES: Final = str.maketrans("“”„‟«»＂", '"' * 7)


def turn_words(text: str) -> dict[str, list[int]]:
    """Lexemes of a turn and their positions: each word's forms, and the word as written."""
    written = surfaces(text)
    found = indexed_words(text, written)
    for position, surface in enumerate(written, start=1):
        if len(surface) <= MAX_WORD_LENGTH:
            found.setdefault(_exact(surface), []).append(position)
    return found


def phrase_query(phrase: str) -> str | None:
    """The tsquery of a phrase; None if it has no words."""
    plain = phrase.translate(_QUOTES).strip()
    is_exact = len(plain) > 1 and plain[0] == plain[-1] == '"'
    written = [word for word in surfaces(plain) if len(word) <= MAX_WORD_LENGTH]
    words = [[_exact(word)] if is_exact else forms_of(word) for word in written]
    each = ["(" + " | ".join(map(quote_lexeme, forms)) + ")" for forms in words if forms]
    return " <-> ".join(each) or None


def _exact(surface: str) -> str:
    return _EXACT + fold(surface)
