"""Languages: which one a text is written in, the stems of its words, and the forms that no stem shows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from threading import get_ident
from typing import Final, NamedTuple, TypeAlias

ENGLISH: Final = "en"
"""What a text is taken for that says nothing else; every text is indexed by English stems, too."""
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
OTHERS: Final = tuple(language for language in _SNOWBALL if language != ENGLISH)
"""The languages besides English that words are stemmed in, by their codes in ISO 639."""
_SAME: Final = {"nb": "no", "nn": "no"}
_MIN_FUNCTION_WORDS: Final = 2
"""One function word says nothing: `die` is German, and English. Neither do two that others have, too."""
_MAX_THREADS: Final = 64


Vote: TypeAlias = Mapping[str, int]
"""How many different function words of each language a text has."""


class Written(NamedTuple):
    """A text by its words as they are written, with the language that it is said to be in."""

    words: Sequence[str]
    declared: str | None = None
    vote: Vote | None = None
    """What `vote_of` gives for the words, where that is known."""


def languages_of(texts: Iterable[Written], whole: str | None = None) -> list[str]:
    """The language of each text of one thing: that which is declared, or which its function words are of.

    Where these leave it open, it is that of the thing as a `whole`, by default what its texts say together,
    or English.
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
    """The language of a tag such as `de-AT` or of a name such as `German`, if its words can be stemmed."""
    if tag is None:
        return None
    code = tag.replace("_", "-").lower().split("-", 1)[0]
    code = _SAME.get(code, code)
    return next((known for known, name in _SNOWBALL.items() if code in (known, name)), None)


def function_words(text: Sequence[str]) -> frozenset[str]:
    """The words of the text's language that say nothing by themselves; none of English."""
    (language,) = languages_of([Written(text)])
    return frozenset() if language == ENGLISH else _function_words()[language]


def is_function_word(word: str) -> bool:
    """Whether it is one in any language but English."""
    return any(word in words for words in _function_words().values())


def other_forms(stemmed: str) -> tuple[str, ...]:
    """The stems of an English word in its irregular forms other than this one: `went` and `gone` of `go`."""
    return _irregular_forms().get(stemmed, ())


@cache
def _irregular_forms() -> Mapping[str, tuple[str, ...]]:
    """By each stem the others of its word; a word with its irregular forms a line in the file."""
    lines = Path(__file__).with_name("irregular_forms.txt").read_text(encoding="utf-8").splitlines()
    words = [[stem(form, ENGLISH) for form in line.replace(":", "").split()] for line in lines]
    return {one: tuple(other for other in forms if other != one) for forms in words for one in forms}


@cache
def _function_words() -> Mapping[str, frozenset[str]]:
    """The most frequent words of each language that occur in any text; a line a language in the file."""
    lines = Path(__file__).with_name("function_words.txt").read_text(encoding="utf-8").splitlines()
    return {
        language: frozenset(words.split()) for language, _, words in (line.partition(": ") for line in lines)
    }


@cache
def _every_function_word() -> frozenset[str]:
    return frozenset[str]().union(*_function_words().values())


@cache
def languages_by_word() -> Mapping[str, tuple[str, ...]]:
    """Each function word with the languages that have it."""
    every = _function_words()
    return {
        word: tuple(language for language, words in every.items() if word in words)
        for word in _every_function_word()
    }


def vote_of(words: Sequence[str]) -> Vote:
    """How many different function words of each language there are; of Russian any word in its letters."""
    known = languages_by_word()
    vote: dict[str, int] = {}
    distinct = {*map(str.lower, words)}
    told = distinct & _every_function_word()
    for word in told:
        for language in known[word]:
            vote[language] = vote.get(language, 0) + 1
    if not "".join(distinct).isascii() and (
        russian := sum("а" <= word[0] <= "я" for word in distinct - told)
    ):
        vote["ru"] = vote.get("ru", 0) + russian
    return vote


def _leading(vote: Mapping[str, int]) -> str | None:
    """The language that has most of the words; of neighbours such as Danish and Norwegian either will do."""
    if not vote or (most := max(vote.values())) < _MIN_FUNCTION_WORDS:
        return None
    level = [language for language, count in vote.items() if count == most]
    if len(level) == 1:
        return level[0]
    return min(level) if most > _MIN_FUNCTION_WORDS and ENGLISH not in level else None


def stem(word: str, language: str) -> str:
    """The stem of a word of letters in lower case, with the accents by which its ending is known."""
    return _stemmer(get_ident(), language)(word)


@lru_cache(maxsize=_MAX_THREADS * len(_SNOWBALL))
def _stemmer(_thread: int, language: str) -> Callable[[str], str]:
    """The stemmer of a thread: it keeps the word it works on in itself."""
    import snowballstemmer  # its tables of forty languages take a while: not before the first word

    return snowballstemmer.stemmer(_SNOWBALL[language]).stemWord
