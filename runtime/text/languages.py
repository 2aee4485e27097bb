"""Detect the language of a text, and stem its words, including irregular forms."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from threading import get_ident
from typing import Final, NamedTuple, TypeAlias

ENGLISH: Final = "en"
"""Default language. Every text is indexed by English stems, too."""
_SNOWBALL: Final[Mapping[str, str]] = {
    ENGLISH: "english",
    "da": "danish",
    "de": "german",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}
STEMMED_BESIDES_ENGLISH: Final = tuple(language for language in _SNOWBALL if language != ENGLISH)
"""Languages other than English with a stemmer, as ISO 639 codes."""
_LANGUAGE_ALIASES: Final = {"nb": "no", "nn": "no"}
_MIN_FUNCTION_WORDS: Final = 2
"""One function word proves nothing: `die` is German and English. Nor do two that other languages share."""
_MAX_THREADS: Final = 64


Vote: TypeAlias = Mapping[str, int]
"""Number of different function words of each language in a text."""


class DeclaredText(NamedTuple):
    """A text as its words, with its declared language."""

    words: Sequence[str]
    declared: str | None = None
    vote: Vote | None = None
    """Result of `vote_of` for the words, if known."""


def languages_of(texts: Iterable[DeclaredText], whole: str | None = None) -> list[str]:
    """Return the language of each text of one conversation: the declared one, or that of its function words.

    If these are inconclusive, use the language of the `whole` (by default all texts together), or English.
    """
    votes: list[Vote] = []
    own: list[str | None] = []
    for text in texts:
        vote = vote_of(text.words) if text.vote is None else text.vote
        votes.append(vote)
        own.append(declared_language(text.declared) or _leading(vote))
    if whole or None not in own:
        return [language or whole or ENGLISH for language in own]
    together: dict[str, int] = {}
    for language, count in chain.from_iterable(vote.items() for vote in votes):
        together[language] = together.get(language, 0) + count
    found = _leading(together) or ENGLISH
    return [language or found for language in own]


def declared_language(tag: str | None) -> str | None:
    """Return the language of a tag such as `de-AT` or a name such as `German`, if it has a stemmer."""
    if tag is None:
        return None
    code = tag.replace("_", "-").lower().split("-", 1)[0]
    code = _LANGUAGE_ALIASES.get(code, code)
    return next((known for known, name in _SNOWBALL.items() if code in (known, name)), None)


def function_words(text: Sequence[str]) -> frozenset[str]:
    """Return the function words of the text's language; none for English."""
    (language,) = languages_of([DeclaredText(text)])
    return frozenset() if language == ENGLISH else _function_words()[language]


def is_function_word(word: str) -> bool:
    """Whether `word` is a function word of any language."""
    return any(word in words for words in _function_words().values())


def irregular_stems(stemmed: str) -> tuple[str, ...]:
    """Stems of an English word's other irregular forms: `went` and `gone` for `go`."""
    return _irregular_forms().get(stemmed, ())


@cache
def _irregular_forms() -> Mapping[str, tuple[str, ...]]:
    """Read the irregular forms, one word with its forms a line. Returns the other stems by each stem."""
    lines = Path(__file__).with_name("irregular_forms.txt").read_text(encoding="utf-8").splitlines()
    words = [[stem(form, ENGLISH) for form in line.replace(":", "").split()] for line in lines]
    return {one: tuple(other for other in forms if other != one) for forms in words for one in forms}


@cache
def _function_words() -> Mapping[str, frozenset[str]]:
    """Read the most frequent words of each language, one language a line."""
    lines = Path(__file__).with_name("function_words.txt").read_text(encoding="utf-8").splitlines()
    return {
        language: frozenset(words.split()) for language, _, words in (line.partition(": ") for line in lines)
    }


@cache
def _every_function_word() -> frozenset[str]:
    return frozenset[str]().union(*_function_words().values())


@cache
def languages_by_word() -> Mapping[str, tuple[str, ...]]:
    """Return each function word with its languages."""
    every = _function_words()
    return {
        word: tuple(language for language, words in every.items() if word in words)
        for word in _every_function_word()
    }


def vote_of(words: Sequence[str]) -> Vote:
    """Count the different function words of each language. For Russian, count all Cyrillic words."""
    known = languages_by_word()
    vote: dict[str, int] = {}
    distinct = {*map(str.lower, words)}
    function_words_of = distinct & _every_function_word()
    for word in function_words_of:
        for language in known[word]:
            vote[language] = vote.get(language, 0) + 1
    if not "".join(distinct).isascii() and (
        russian := sum("а" <= word[0] <= "я" for word in distinct - function_words_of)
    ):
        vote["ru"] = vote.get("ru", 0) + russian
    return vote


def _leading(vote: Mapping[str, int]) -> str | None:
    """Return the language with the most function words, or None if undecided.

    From three words on and without English, a tie goes to the first code in the alphabet.
    """
    if not vote or (most := max(vote.values())) < _MIN_FUNCTION_WORDS:
        return None
    level = [language for language, count in vote.items() if count == most]
    if len(level) == 1:
        return level[0]
    return min(level) if most > _MIN_FUNCTION_WORDS and ENGLISH not in level else None


def stem(word: str, language: str) -> str:
    """Stem a lower-case word, with the accents that its ending needs."""
    return _stemmer(get_ident(), language)(word)


@lru_cache(maxsize=_MAX_THREADS * len(_SNOWBALL))
def _stemmer(_thread: int, language: str) -> Callable[[str], str]:
    """Return this thread's stemmer. Stemmers keep the current word in themselves, so threads cannot share
    one.
    """
    import snowballstemmer  # slow to import, because of its tables of forty languages

    return snowballstemmer.stemmer(_SNOWBALL[language]).stemWord
