"""Terms: what a query looks for in recall, each by its stem or character for character."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from vcontract.runtime.text.languages import function_words
from vcontract.runtime.text.words import STOP_WORDS, fold, in_pairs, stemmed, surfaces, words

MOST_TERMS: Final = 64
"""The different terms of one query; further ones are left out."""

_TOKEN: Final = re.compile(r'"([^"\s][^"]*)"|“([^“”\s][^“”]*+)”|(\S+)')
_HAS_WORD: Final = re.compile(r"[^\W_]")
_HAS_DIGIT: Final = re.compile(r"\d")
_SENTENCE_END: Final = ".,;:!?…"
_BRACKETS: Final = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))
_MOST_LAYERS: Final = 20
_QUOTES: Final = "'`\"’‘"


@dataclass(frozen=True, slots=True)
class Term:
    """One thing a query looks for."""

    text: str
    """As it was written, without the punctuation around it."""
    lexemes: tuple[str, ...]
    """Its word parts as they are indexed, or its stems; none when it has no word that could be."""
    is_literal: bool
    """Whether it has to occur character for character, case aside; otherwise any of its stems decides."""
    languages: tuple[str, ...] = ()
    """Those besides English that it has a stem of."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a whole query looks for."""

    text: str
    """The query itself, as it would stand literally in a text."""
    terms: tuple[Term, ...]

    def in_languages(self, languages: Sequence[str]) -> "Terms":
        """The terms with their stems in these languages, too; literals are the same in all."""
        if not languages:
            return self
        return Terms(self.text, tuple(_in_languages(term, languages) for term in self.terms))


def _in_languages(term: Term, languages: Sequence[str]) -> Term:
    if term.is_literal:
        return term
    stems = (*term.lexemes, *(stem for language in languages if (stem := stemmed(term.text, language))))
    return Term(term.text, tuple(dict.fromkeys(stems)), is_literal=False, languages=tuple(languages))


def read_terms(query: str) -> Terms:
    """The terms of `query`, each once, at most 64, in its order. No character of it is an operator.

    A term of letters stands for its stem. A term with digits or symbols, a quoted phrase, and each pair of
    characters in a script without spaces are literals. Stop words are left out unless there is nothing else.
    """
    text = " ".join(query.split())
    found = list(_terms(text))
    stop_words = STOP_WORDS | function_words(surfaces(text))
    telling = [term for term in found if not _is_stop_word(term, stop_words)] or found
    once: dict[tuple[tuple[str, ...], str], Term] = {}
    for term in telling:
        once.setdefault((term.lexemes, term.text.lower() if term.is_literal else ""), term)
    phrase = _TOKEN.fullmatch(text)
    whole = (phrase[1] or phrase[2] or text) if phrase else text
    return Terms(whole, tuple(once.values())[:MOST_TERMS])


def _terms(text: str) -> Iterator[Term]:
    for match in _TOKEN.finditer(text):
        if match[3] is None:
            yield _literal(match[1] or match[2])
        else:
            yield from map(_term, in_pairs(_bare(match[3])))


def _term(text: str) -> Term:
    found = list(words(text))
    is_word = len(found) == 1 and found[0].start == 0 and found[0].end == len(text)
    if is_word and not _HAS_DIGIT.search(text):
        return Term(text, (found[0].lexeme,), is_literal=False)
    return _literal(text)


def _literal(text: str) -> Term:
    return Term(text, tuple(dict.fromkeys(word.lexeme for word in words(text))), is_literal=True)


def _is_stop_word(term: Term, stop_words: frozenset[str]) -> bool:
    return not term.is_literal and not stop_words.isdisjoint(
        (term.text.lower(), fold(term.text).replace("'", "").replace("’", ""))
    )


def _bare(token: str) -> str:
    """A token without the punctuation of the sentence around it; all of it when it is nothing else."""
    if not _HAS_WORD.search(token):
        return token
    bare = token
    for _ in range(_MOST_LAYERS):
        before = bare
        bare = bare.rstrip(_SENTENCE_END)
        for opening, closing in _BRACKETS:
            if bare.startswith(opening) and (closing not in bare or bare.endswith(closing)):
                bare = bare[1:].removesuffix(closing)
            elif bare.endswith(closing) and opening not in bare:
                bare = bare[:-1]
        if len(bare) > 2 and bare[0] == bare[-1] and bare[0] in _QUOTES:
            bare = bare[1:-1]
        if bare == before:
            break
    return bare
