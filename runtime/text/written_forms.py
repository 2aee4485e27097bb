"""Find words in a text in any form: case, accents, separators and spaced letters, folded as search does."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import regex

from vcontract.runtime.text.words import fold

_CAPITAL_INSIDE: Final = regex.compile(r"(?<=\p{Ll}\p{M}*)\p{Lu}")
"""A capital that begins a part of a word, as in `McDonald`."""
_BARE: Final = regex.compile(r"[\p{L}\p{M}\p{N}]")
_PIECE: Final = regex.compile(r"([\x00-\x7f]+(?=[\x00-\x7f]|\Z))|\X")
_ESCAPED: Final = regex.compile(r"(?:%[0-9A-Fa-f]{2})+")
_UNSPACED: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]")
_SPACE: Final = regex.compile(r"\s")
_PREFIX: Final = regex.compile(r"(?:o|d|mc|mac|de|le|la|van|von|al|el)(?=.{3})")
"""What people write with or without a space before the rest of a name."""
_MAX_GAP: Final = 40


class _Bare(NamedTuple):
    """The folded letters and digits of a text, with the offset of each."""

    letters: str
    starts: Sequence[int]
    ends: Sequence[int]


class _Form(NamedTuple):
    """A word without separators, and where it had some."""

    letters: str
    joints: frozenset[int]
    may_be_split: bool


class WrittenForms:
    """Finds words in any case, with or without accents and separators.

    A space may split a word of `may_be_split` letters anywhere, and a shorter one only after each letter.
    """

    def __init__(self, texts: Iterable[str], *, may_be_split: int | None = None) -> None:
        self._forms: dict[str, _Form] = {}
        self._symbols: set[str] = set()
        for text in texts:
            bare = _bare(text)
            if bare.letters:
                self._add(text, bare, may_be_split)
            elif text.strip():
                self._symbols.add(text.strip())

    def __bool__(self) -> bool:
        return bool(self._forms or self._symbols)

    def _add(self, text: str, bare: _Bare, may_be_split: int | None) -> None:
        letters = bare.letters
        joints = {at for at in range(1, len(letters)) if bare.starts[at] > bare.ends[at - 1]}
        joints |= {at for at in range(1, len(letters)) if letters[at].isdigit() != letters[at - 1].isdigit()}
        capitals = {capital.start() for capital in _CAPITAL_INSIDE.finditer(text)}
        joints |= {at for at in range(1, len(letters)) if bare.starts[at] in capitals}
        prefix = _PREFIX.match(letters)
        if prefix and may_be_split:
            joints.add(prefix.end())
        known = self._forms.get(letters)
        is_long = may_be_split is not None and len(letters) >= may_be_split
        self._forms[letters] = _Form(letters, frozenset(joints) | (known.joints if known else set()), is_long)

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where a word is, as start and end; they may overlap."""
        for symbols in self._symbols:
            at = text.find(symbols)
            while at >= 0:
                yield at, at + len(symbols)
                at = text.find(symbols, at + len(symbols))
        readings = [_bare(text)]
        if _ESCAPED.search(text):
            readings.append(_bare(text, unescape=True))
        for bare in readings:
            for form in self._forms.values():
                at = bare.letters.find(form.letters)
                while at >= 0:
                    end = _end_of(form, bare, at, text)
                    if end is not None:
                        yield bare.starts[at], end
                    after = at + (1 if end is None else len(form.letters))
                    at = bare.letters.find(form.letters, after)


def _end_of(form: _Form, bare: _Bare, at: int, text: str) -> int | None:
    """Return where a whole word ends in the text that has its letters at `at`; None if it is no such word."""
    if _continues(bare, at):
        return None
    last = at + len(form.letters)
    if _is_possessive(bare, last, text):
        last += 1
    elif _continues(bare, last):
        return None
    return bare.ends[last - 1] if _may_have_its_gaps(form, bare, at, text) else None


def _may_have_its_gaps(form: _Form, bare: _Bare, at: int, text: str) -> bool:
    """Whether what is between the letters does not make them several words."""
    is_split = False
    are_all_apart = True
    for place in range(1, len(form.letters)):
        start, end = bare.ends[at + place - 1], bare.starts[at + place]
        if end - start > _MAX_GAP:
            return False
        has_space = end > start and _SPACE.search(text[start:end]) is not None
        is_split = is_split or (has_space and place not in form.joints)
        are_all_apart = are_all_apart and has_space
    return are_all_apart or not is_split or form.may_be_split or form.letters.isdigit()


def _continues(bare: _Bare, at: int) -> bool:
    """Whether a word or number goes on from the letter before `at`."""
    if not 0 < at < len(bare.letters) or bare.ends[at - 1] < bare.starts[at]:
        return False
    before, after = bare.letters[at - 1], bare.letters[at]
    return before.isnumeric() == after.isnumeric() and not (_UNSPACED.match(before) or _UNSPACED.match(after))


def _is_possessive(bare: _Bare, at: int, text: str) -> bool:
    if bare.letters[at : at + 1] != "s" or bare.letters[at - 1].isnumeric():
        return False
    gap = text[bare.ends[at - 1] : bare.starts[at]]
    return gap in ("", "'", "’") and not _continues(bare, at + 1)


def _bare(text: str, *, unescape: bool = False) -> _Bare:
    """Fold a text to its letters and digits; `unescape` reads `%C3%BC` in links as the character."""
    letters = list[str]()
    starts, ends = list[int](), list[int]()

    def add(piece: str, start: int, end: int) -> None:
        for letter in _folded(piece):
            letters.append(letter)
            starts.append(start)
            ends.append(end)

    position = 0
    escapes = _ESCAPED.finditer(text) if unescape else iter(())
    for escaped in (*escapes, None):
        for piece in _PIECE.finditer(text, position, escaped.start() if escaped else len(text)):
            if not piece[1]:
                add(piece[0], *piece.span())
            else:
                places = [at for at, letter in enumerate(piece[0], piece.start()) if letter.isalnum()]
                letters += filter(str.isalnum, piece[0].lower())
                starts += places
                ends += [at + 1 for at in places]
        if escaped:
            for character in _unescaped(escaped[0]):
                add(character, *escaped.span())
            position = escaped.end()
    return _Bare("".join(letters), starts, ends)


@lru_cache(maxsize=1 << 14)
def _folded(character: str) -> str:
    return "".join(letter[0] for letter in _BARE.finditer(fold(character)))


def _unescaped(escaped: str) -> str:
    return bytes.fromhex(escaped.replace("%", "")).decode(errors="replace")
