"""Split texts into words and lexemes, by the same rules for indexing and for queries."""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

from vcontract.runtime.frame.documents.unicode_cleanup import INVISIBLE, without_invisible
from vcontract.runtime.text.languages import ENGLISH, DeclaredText, languages_by_word, languages_of, stem

_Made = TypeVar("_Made")

MAX_WORD_LENGTH: Final = 64
"""Longer runs (hashes, encoded data) are not words and are not indexed."""

LOCAL_NUMBER_DIGITS: Final = 7
"""Two phone numbers match if their last digits do, in this number."""

# Combining marks, which may form one character with the letter before, and invisible characters after them.
_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u08d3-\u0963\u0966-\u0dff\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u20d0-\u20f0\ufe20-\ufe2f"
    f"{INVISIBLE}"
)
# Han, kana, Thai, Lao, Khmer and Myanmar are written without spaces: each character is a word of its own.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff"
)
# Marks of these scripts that folding removes.
_UNSPACED_MARKS: Final = (
    "\u0e38-\u0e3a\u0e48-\u0e4b\u0eb8-\u0eba\u0ec8-\u0ecb\u1037\u1039\u103a\u108d\u17d2\u17dd\u3099\u309a"
    "\uff9e\uff9f"
)
_LETTERS: Final = rf"[^\W_{_UNSPACED}]+(?:[{_MARKS}]+[^\W_{_UNSPACED}]*)*"
_WORD: Final = re.compile(
    rf"{_LETTERS}(?:['’]{_LETTERS})*|(?![{_UNSPACED_MARKS}])[{_UNSPACED}][{_UNSPACED_MARKS}]*"
)
# The same for ASCII text, much faster.
_ASCII_WORD: Final = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*")
_UNSPACED_RUN: Final = re.compile(rf"[{_UNSPACED}]+")
_CHUNK: Final = re.compile(r"\S+")
_SYMBOL: Final = re.compile(rf"[^\w'’{_MARKS}{_UNSPACED_MARKS}]|_")
# Cheap to search for, and present if a word contains a symbol. Punctuation between words does not count. Of a
# run of punctuation inside a word, only the beginning is checked.
_MAY_HOLD_SYMBOL: Final = re.compile(
    r"[^\w\s'’.,;:!?\"()]|_"
    r"|(?<![.,;:!?\"()'’])(?:(?<=\w)['’]*+|[.,;:!?\"()'’]['’]*+)[.,;:!?\"()][.,;:!?\"()'’]*+(?=\w)"
)
# A cheaper necessary condition for ASCII text.
_MAY_HOLD_ASCII_SYMBOL: Final = re.compile(r"[^A-Za-z0-9\s'.,;:!?\"()]|[.,;:!?\"()]'*[A-Za-z0-9]")
_DIGIT: Final = re.compile(r"\d")
_NO_LEXEME: Final = ""
_CLOSING: Final = frozenset(".,;:!?)\"'")
_LEADING: Final = re.compile(r"^(?:(?![$€£¥#@+])[\W_])+")
_KEPT_AT_THE_END: Final = frozenset("+#%")
_MAX_PAIRED: Final = 24
_MAX_LEXEME_LENGTH: Final = 4 * MAX_WORD_LENGTH
"""Some characters fold to many; PostgreSQL limits lexemes to 2 KiB."""
_REMEMBERED: Final = 1 << 17
_APOSTROPHE: Final = re.compile("['’ʼ]")
_CONTRACTED: Final = re.compile(rf"(?<=[\w{_MARKS}])(?:['’](?:s|ll|d|ve|re|m))+\Z", re.IGNORECASE)
"""Contracted ending of a word: `we'll` is not `well`, and `Ann'd` is Ann."""
_OF: Final = frozenset({"'s", "’s", "'S", "’S"})
_LANGUAGE_MARK: Final = "lang:"
_APOSTROPHES: Final = str.maketrans("", "", "'’")
_MIN_BASE_LENGTH: Final = 3
"""Minimum letters of a word before the apostrophe of its suffix: `Ankara'da`, but not `O'Brien`."""
# Letters that a keyboard without them replaces, although Unicode does not decompose them.
_LIKE: Final = str.maketrans(
    {
        **dict(zip("łøđðħŧıŋɨʉƶƀɓɗɡґқңүұһ", "lodghtiniuzbbdgгкнууһ", strict=True)),
        "æ": "ae",
        "œ": "oe",
        "þ": "th",
        "ŉ": "n",
        "ĸ": "k",
        # Arabic letters of Persian, Urdu and Kurdish keyboards, and two endings that differ by dots
        **dict(zip("یىېےکڪہھەۀة", "ييييككههههه", strict=True)),
        # what lengthens or joins letters without being one, and apostrophes that are letters
        **dict.fromkeys("\u0640\u200c\u200d\u02bc\u02bb\u02b9"),
    }
)
_OTHER_DIGIT: Final = re.compile(r"(?![0-9])\d")
JOINERS: Final = re.compile("[\u200c\u200d]")
"""What separates or joins letters without width, as in Persian and Hindi words."""
_DOTTED: Final = {"tr": str.maketrans({"İ": "i", "I": "ı"})}
"""Small letters that a language forms in its own way."""
_PHONE: Final = re.compile(r"(?<![\w+])\+?\(?\d(?:[ .()\-]{0,2}\d){6,14}(?!\w)")
_NOT_DIGITS: Final = re.compile(r"\D+")
_CLEARLY: Final = 2
"""Factor by which English function words must outnumber others, so that no turn changes a text's language."""
_FEW_FUNCTION_WORDS: Final = 200

STOP_WORDS: Final = frozenset(
    """a about above after again against all am an and any are arent as at be because been before being below
    between both but by can cannot cant could couldnt did didnt do does doesnt doing dont down during each few
    for from further had hadnt has hasnt have havent having he her here hers herself him himself his how i if
    im in into is isnt it its itself ive lets me more most my myself no nor not of off on once only or other
    our ours ourselves out over own same she should shouldnt so some such than that thats the their
    theirs them themselves then there these they theyre this those through to too under until up very was
    wasnt we were werent what when where which while who whom why will with wont would wouldnt you youd youll
    your youre yours yourself yourselves""".split()
)


class Word(NamedTuple):
    """One word of a text: its lexeme, and its position."""

    lexeme: str
    position: int
    """Counts the words of the text from 1. Consecutive words have consecutive positions."""
    start: int
    end: int


def fold(text: str) -> str:
    """Normalize case, accents, width, digits and invisible characters: `Café`, `CAFE` and `ｃａｆｅ` match.

    Letters that keyboards replace are equal too: `Łódź` and `lodz`, Persian and Arabic `ی`.
    """
    return _folded_word(text) if len(text) <= MAX_WORD_LENGTH else _folded(text)


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    # styled letters such as 𝐇 have no case until they are decomposed
    decomposed = unicodedata.normalize("NFKD", text.casefold()).casefold()
    bare = without_invisible(decomposed)
    letters = "".join(c for c in bare if not unicodedata.combining(c)).translate(_LIKE)
    return unicodedata.normalize("NFC", _OTHER_DIGIT.sub(_as_ascii, letters))


def _as_ascii(digit: re.Match[str]) -> str:
    return str(unicodedata.decimal(digit[0]))


# Words recur; longer texts would only fill the cache.
_folded_word = lru_cache(maxsize=_REMEMBERED)(_folded)


class _Remembered(dict[str, _Made]):
    """Cache of a function of words, except those that are too long. It is emptied when full.

    For values needed at every word: `lru_cache` writes to distant memory at each look-up.
    """

    def __init__(self, make: Callable[[str], _Made]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, text: str) -> _Made:
        made = self._make(text)
        if len(text) <= MAX_WORD_LENGTH:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[text] = made
        return made


def lexeme(surface: str) -> str:
    """Return the lexeme of a single word: folded, and stemmed in English if it has only letters.

    A contraction has the lexeme of the word before it. Empty for a run that is too long for a word.
    """
    return _lexemes[surface]


def _lexeme(surface: str) -> str:
    if len(surface) > MAX_WORD_LENGTH:
        return _NO_LEXEME
    if "'" in surface or "’" in surface:
        surface = _CONTRACTED.sub("", surface).translate(_APOSTROPHES)
    plain = fold(surface)[:_MAX_LEXEME_LENGTH]
    return stem(plain, ENGLISH) if plain.isalpha() else plain


_lexemes: Final = _Remembered(_lexeme)
_initials: Final = _Remembered(lambda surface: fold(surface)[:2])
exact_lexemes: Final = _Remembered(lambda surface: f"={fold(surface)}")
"""The lexeme of a word as written, without its forms; no other lexeme begins so."""


def without_apostrophes(word: str) -> str:
    """Remove apostrophes as the index does: o'brien and O’Brien become obrien."""
    return word.translate(_APOSTROPHES)


def former_lexeme(surface: str) -> str:
    """Return the lexeme from before contractions were split, which older stores contain."""
    return lexeme(surface if surface[-2:] in _OF else surface.translate(_APOSTROPHES))


def is_stop_word(word: str, stop_words: Container[str] = STOP_WORDS) -> bool:
    """Whether a plain word, or the word that it contracts, is a stop word."""
    folded = fold(word)
    bare = _CONTRACTED.sub("", folded) if "'" in folded or "’" in folded else folded
    return any(form in stop_words for form in (word.lower(), bare, folded.translate(_APOSTROPHES)))


def stemmed(surface: str, language: str) -> str:
    """Return the folded stem of a word in another language, its second lexeme.

    Empty if it has other characters than letters, or is too long for a word.
    """
    return _stemmed(surface, language) if len(surface) <= MAX_WORD_LENGTH else _NO_LEXEME


@lru_cache(maxsize=_REMEMBERED)
def _stemmed(surface: str, language: str) -> str:
    composed = unicodedata.normalize("NFC", without_invisible(surface))
    whole = unicodedata.normalize("NFC", composed.translate(_DOTTED.get(language, {})).casefold())
    # an elided article is written onto the word: l'assurance, dell'ordine
    plain = max(_APOSTROPHE.split(whole), key=len)
    if not plain.isalpha():  # a stress mark, or the dot of a small İ, has no letter of its own
        plain = "".join(c for c in plain if not unicodedata.combining(c))
    return fold(stem(plain, language)) if plain.isalpha() else _NO_LEXEME


def base_of(surface: str) -> str:
    """Return the word before the apostrophe of a suffix, as in `Ankara'da`; empty for `don't`, `O'Brien`."""
    composed = unicodedata.normalize("NFC", surface)
    base, *suffixes = _APOSTROPHE.split(_CONTRACTED.sub("", composed))
    is_base = suffixes not in ([], ["t"], ["T"]) and len(base) >= max(_MIN_BASE_LENGTH, *map(len, suffixes))
    return base if is_base and base.isalpha() else ""


def language_mark(language: str) -> str:
    """Return the lexeme that marks all text in a language other than English."""
    return f"{_LANGUAGE_MARK}{language}"


def language_of_words(lexemes: Iterable[str]) -> str | None:
    """Return the language that the lexemes of a text mark; None for English."""
    return next((one.partition(":")[2] for one in lexemes if one.startswith(_LANGUAGE_MARK)), None)


def words(text: str) -> Iterator[Word]:
    """Yield the words of `text` in order, including stop words, which phrases may contain."""
    for position, match in enumerate(_WORD.finditer(text), start=1):
        if found := lexeme(match.group()):
            yield Word(found, position, match.start(), match.end())


def places_of(
    lexemes: Collection[str], text: str, languages: Collection[str] = ()
) -> Iterator[tuple[int, int]]:
    """Find words in `text` with one of these lexemes, in English or one of `languages`."""
    beginnings = ("ge", *{one[:1] for one in lexemes})
    for match in _WORD.finditer(text):
        surface = match.group()
        # a stem begins as its word does, except after elision and in participles: l'assurance, gelopen
        if (
            _lexemes[surface] in lexemes
            or (_APOSTROPHE.search(surface) and (base := base_of(surface)) and _lexemes[base] in lexemes)
        ) or (
            languages
            and (_initials[surface].startswith(beginnings) or _APOSTROPHE.search(surface))
            and any(stemmed(surface, one) in lexemes for one in languages)
        ):
            yield match.span()


def symbol_words(text: str) -> Iterator[Word]:
    """Yield words of `text` that contain a symbol, whole: `CUST-12345`, `a@b.co`, `C++`, `$40`.

    Each has the position of its first part. Punctuation around a word is not part of it.
    """
    if text.isascii() and not _MAY_HOLD_ASCII_SYMBOL.search(text):
        return
    if not _MAY_HOLD_SYMBOL.search(text):
        return
    pattern = _pattern_of(text)
    starts: dict[int, int] = {}
    for chunk in _CHUNK.finditer(text):
        surface = chunk.group()
        if surface.isalnum() or (surface[-1] in _CLOSING and surface[:-1].isalnum()):
            continue
        lead = _LEADING.match(surface)
        begin = lead.end() if lead else 0
        end = len(surface)
        while end > begin and not _may_end_a_word(surface[end - 1]):
            end -= 1
        whole = surface[begin:end]
        if len(whole) > MAX_WORD_LENGTH or not _SYMBOL.search(whole):
            continue
        begin += chunk.start()
        first = pattern.search(text, begin, begin + len(whole))
        if first is None:
            continue
        if not starts:
            starts = {match.start(): at for at, match in enumerate(pattern.finditer(text), start=1)}
        yield Word(fold(whole)[:_MAX_LEXEME_LENGTH], starts[first.start()], begin, begin + len(whole))


def _may_end_a_word(character: str) -> bool:
    is_plain = character.isalnum() or character in _KEPT_AT_THE_END
    return is_plain or unicodedata.category(character) in {"Mn", "Mc"}


def unspaced_runs(text: str) -> Iterator[tuple[int, int]]:
    """Find runs of scripts that are written without spaces, as start and end."""
    for match in _UNSPACED_RUN.finditer(text):
        yield match.span()


def in_pairs(text: str) -> list[str]:
    """Split a run for searching: overlapping pairs where its script writes no spaces.

    Long runs become adjacent pairs, because a query holds a limited number of words.
    """
    pieces: list[str] = []
    position = 0
    for start, end in unspaced_runs(text):
        pieces.append(text[position:start])
        position = end
        places = [match.span() for match in _WORD.finditer(text, start, end)]
        step = 1 if len(places) <= _MAX_PAIRED else 2
        pieces += [
            text[places[at][0] : places[min(at + 1, len(places) - 1)][1]]
            for at in range(0, max(len(places) - 1, 1), step)
            if places
        ]
    return [piece for piece in (*pieces, text[position:]) if piece]


def has_symbol_or_digit(surface: str) -> bool:
    """Whether `surface` has characters other than letters and apostrophes. It then matches exactly, never by
    stem.
    """
    return not fold(surface).translate(_APOSTROPHES).isalpha()


def phone_words(text: str) -> Iterator[Word]:
    """Yield the numbers in `text` with 7 to 15 digits, with their last seven as lexeme."""
    if not _DIGIT.search(text):
        return
    for match in _PHONE.finditer(text):
        digits = _NOT_DIGITS.sub("", match.group())
        yield Word(phone_lexeme(digits), 1, match.start(), match.end())


def phone_lexeme(digits: str) -> str:
    """Return the lexeme of a phone number of at least seven digits."""
    return f"tel:{fold(digits[-LOCAL_NUMBER_DIGITS:])}"


def indexed_words(
    text: str, written: Sequence[str] | None = None, language: str = ENGLISH
) -> dict[str, list[int]]:
    """Return everything a passage of `text` can be found by: lexeme to ascending positions.

    `written` is the result of `surfaces`, if known. Words of a language other than English also have their
    stems in it, and one lexeme marks the language.
    """
    written = surfaces(text) if written is None else written
    found: dict[str, list[int]] = {}
    for position, plain in enumerate(map(_lexemes.__getitem__, written), start=1):
        if plain in found:
            found[plain].append(position)
        else:
            found[plain] = [position]
    for word in (*symbol_words(text), *phone_words(text)):
        _add(found, word.lexeme, word.position)
    if _APOSTROPHE.search(text):
        for position, surface in enumerate(written, start=1):
            if base := base_of(surface):
                _add(found, _lexemes[base], position)
    if language != ENGLISH:
        for position, surface in enumerate(written, start=1):
            _add(found, stemmed(surface, language), position)
        found[language_mark(language)] = [1]
    found.pop(_NO_LEXEME, None)
    return found


def indexed_texts(texts: Sequence[str]) -> list[dict[str, list[int]]]:
    """Return the lexemes of each text of one conversation, in the language of that text."""
    written = [surfaces(text) for text in texts]
    languages = languages_of(map(DeclaredText, written))
    return [*map(indexed_words, texts, written, languages)]


def _add(found: dict[str, list[int]], word: str, position: int) -> None:
    places = found.setdefault(word, [])
    at = bisect_left(places, position)
    if places[at : at + 1] != [position]:
        places.insert(at, position)


def surfaces(text: str) -> list[str]:
    """List the words of `text` as written."""
    return _pattern_of(text).findall(text)


def _pattern_of(text: str) -> re.Pattern[str]:
    """Return the pattern that finds the words of a text."""
    return _ASCII_WORD if text.isascii() else _WORD


def spellings(surfaces: Iterable[str]) -> frozenset[str]:
    """Folded spellings to which a misspelled word may be corrected. Unsuitable words are skipped."""
    return frozenset(filter(None, map(_spellings.__getitem__, surfaces)))


def spelling(surface: str) -> str | None:
    """Return the folded spelling to which a misspelled word may be corrected; None if unsuitable."""
    return _spellings[surface]


def _spelling(surface: str) -> str | None:
    folded = fold(surface)
    return folded if 3 <= len(folded) <= 32 and folded.isalpha() else None


_spellings: Final = _Remembered(_spelling)


def one_slip_apart(one: str, other: str) -> bool:
    """Whether the words differ by one letter too many, missing or wrong, or by two swapped neighbours."""
    start = _shared(one, other)
    end = _shared(one[start:][::-1], other[start:][::-1])
    left, right = one[start : len(one) - end], other[start : len(other) - end]
    if len(left) == len(right) == 2:
        return left == right[::-1]
    return len(left) <= 1 and len(right) <= 1 and left != right


def _shared(one: str, other: str) -> int:
    """Length of the common prefix."""
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def is_clearly_english(strengths: Mapping[str, tuple[str, int]]) -> bool:
    """Whether a text has far more function words of English than of any other language, by its lexemes."""
    counts: Counter[str] = Counter()
    for word, languages in languages_by_word().items():
        _, count = strengths.get(lexeme(word), ("", 0))
        counts.update(dict.fromkeys(languages, count))
    others = max((count for language, count in counts.items() if language != ENGLISH), default=0)
    return counts[ENGLISH] >= max(_CLEARLY * others, _FEW_FUNCTION_WORDS)
