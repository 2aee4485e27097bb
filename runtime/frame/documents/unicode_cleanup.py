"""What a reader sees of a text: without the characters that only say how it is set, such as a soft hyphen."""

import unicodedata
from collections.abc import Sequence
from typing import Final, NamedTuple

import regex

UNSEEN: Final = "\u00ad\u061c\u180e\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
"""What nobody sees and what parts no words, for a class of characters. Source: UAX #29, Word_Break=Format."""

_ZERO_WIDTH_SPACE: Final = "\u200b"
_UNSEEN: Final = regex.compile(f"[{UNSEEN}]")
# those that join and part letters without a width as well
_WITHOUT_WIDTH: Final = regex.compile(f"[{UNSEEN}\u200b-\u200d]")
# what one sees as one character, in ASCII many at once: the last may have a mark behind it
_CHARACTERS: Final = regex.compile(r"[\x20-\x7e]+(?=[\x20-\x7e]|\Z)|\X")


def without_unseen(text: str) -> str:
    """`text` without unseen characters."""
    return text if text.isascii() else _UNSEEN.sub("", text)


def as_seen(text: str) -> str:
    """The same, and a space without width is a space."""
    return without_unseen(text.replace(_ZERO_WIDTH_SPACE, " "))


def fold_name(name: str) -> str:
    """A name as names are compared: composed, without case and without what nobody sees."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", as_seen(name)).casefold())


class Seen(NamedTuple):
    """A text as a reader sees it, and where each of its characters is in the one that was written."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def seen(text: str) -> Seen | None:
    """`text` without what is unseen, each character composed and of one width; None if it is that already."""
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
    return Seen("".join(pieces), starts, ends)


def clear_text(text: str) -> str:
    """`text` as `seen` has it."""
    return text if (clear := seen(text)) is None else clear.text
