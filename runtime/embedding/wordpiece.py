"""WordPiece tokenizer of uncased BERT models, whose `vocab.txt` has one piece a line."""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import regex

_MAX_WORD_LENGTH: Final = 100
"""Longer words are unknown."""

_SPECIAL: Final = regex.compile(r"(\[(?:UNK|SEP|CLS|PAD|MASK)\])")
_DROPPED: Final = regex.compile(r"[\uFFFD\p{Cc}\p{Cf}\p{Co}--\t\n\r]", regex.V1)
# as common tokenizers define them, with a gap where the last extension begins
_IDEOGRAPH: Final = regex.compile(
    "([\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f"
    "\U0002b740-\U0002b81f\U0002b920-\U0002ceaf\uf900-\ufaff\U0002f800-\U0002fa1f])"
)
_ACCENT: Final = regex.compile(r"\p{Mn}+")
_WORD: Final = regex.compile(r"[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+")


class WordPieces:
    """Tokenizer by the vocabulary of an uncased BERT.

    Raises: OSError; KeyError for a file without the unknown and end tokens. Source: J. Devlin et al., BERT,
    the uncased models; Y. Wu et al., 2016, section 4.1 (longest piece first).
    """

    def __init__(self, vocabulary: Path) -> None:
        with vocabulary.open(encoding="utf-8") as lines:
            self._ids = {line.rstrip("\n"): number for number, line in enumerate(lines)}
        self._unknown = [self._ids["[UNK]"]]
        self.first, self.last = [self._ids["[CLS]"]], [self._ids["[SEP]"]]
        self._pieces = lru_cache(1 << 15)(self._split)

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """The IDs of each text, without those of its two ends."""
        return [list(self._tokens(text)) for text in texts]

    def _tokens(self, text: str) -> Iterator[int]:
        # unpaired surrogates are not characters
        for place, part in enumerate(_SPECIAL.split(text.encode("utf-8", "replace").decode())):
            if place % 2:
                yield self._ids[part]
            else:
                for word in _WORD.finditer(_plain(part)):
                    yield from self._pieces(word[0])

    def _split(self, word: str) -> list[int]:
        """Split a word greedily into its longest pieces, or the unknown token if that fails."""
        if len(word) > _MAX_WORD_LENGTH:
            return self._unknown
        found: list[int] = []
        start, prefix = 0, ""
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = self._ids.get(prefix + word[start:end])
                if piece is not None:
                    break
            else:
                return self._unknown
            found.append(piece)
            start, prefix = end, "##"
        return found


def _plain(text: str) -> str:
    """Lower-case a text and remove accents, with spaces around ideographs."""
    text = _DROPPED.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFD", _IDEOGRAPH.sub(r" \1 ", text))
        # letter by letter: a sigma is the same at the end of a word
        text = _ACCENT.sub("", text).replace("Σ", "σ")
    return text.lower()
