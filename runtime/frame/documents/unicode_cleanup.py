"""Remove invisible characters such as soft hyphens, and normalize text as a reader sees it."""

import unicodedata
from collections.abc import Sequence
from typing import Final, NamedTuple

import regex

INVISIBLE: Final = "\u00ad\u061c\u180e\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
"""Invisible characters that separate no words, for a regex class. Source: UAX #29, Word_Break=Format."""

_ZERO_WIDTH_SPACE: Final = "\u200b"
_INVISIBLE: Final = regex.compile(f"[{INVISIBLE}]")
# also those without width that join or separate letters
_WITHOUT_WIDTH: Final = regex.compile(f"[{INVISIBLE}\u200b-\u200d]")
# one visible character that may be several code points; the last may be followed by a mark
_CHARACTERS: Final = regex.compile(r"[\x20-\x7e]+(?=[\x20-\x7e]|\Z)|\X")


def without_invisible(text: str) -> str:
    """Remove invisible characters."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def with_visible_spaces(text: str) -> str:
    """Remove invisible characters and replace zero-width spaces by spaces."""
    return without_invisible(text.replace(_ZERO_WIDTH_SPACE, " "))


def fold_name(name: str) -> str:
    """Normalize a name for comparison: composed, case-folded, without invisible characters."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", with_visible_spaces(name)).casefold())


class NormalizedText(NamedTuple):
    """Text as a reader sees it, with the offset of each character in the original."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def normalized_with_offsets(text: str) -> NormalizedText | None:
    """Clean `text`: no invisible characters, each character composed and of normal width. None if
    unchanged.
    """
    if text.isascii() or (unicodedata.is_normalized("NFKC", text) and not _WITHOUT_WIDTH.search(text)):
        return None
    pieces = list[str]()
    starts, ends = list[int](), list[int]()
    for found in _CHARACTERS.finditer(text):
        start, end = found.span()
        if found[0].isascii():
            pieces.append(found[0])
            starts += range(start, end)
            ends += range(start + 1, end + 1)
            continue
        piece = unicodedata.normalize("NFKC", _WITHOUT_WIDTH.sub("", found[0]))
        pieces.append(piece)
        starts += [start] * len(piece)
        ends += [end] * len(piece)
    return NormalizedText("".join(pieces), starts, ends)


def normalized(text: str) -> str:
    """Clean `text` as `seen` does, without offsets."""
    return text if (clear := normalized_with_offsets(text)) is None else clear.text
