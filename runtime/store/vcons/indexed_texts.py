"""Cache of indexed texts, because a changed vCon keeps most of its texts."""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from vcontract.runtime.text.languages import Written, vote_of
from vcontract.runtime.text.words import encode_tsvector, indexed_words, surfaces

_MAX_CHARACTERS: Final = 500_000
"""Maximum cached characters; with their words, texts take about ten times as many bytes."""


class Indexed(NamedTuple):
    """Index data of a text: its distinct words, and all words with positions as a tsvector."""

    lexemes: tuple[str, ...]
    words: bytes


@dataclass(slots=True)
class KnownTexts:
    """Caches the words of texts, up to `max_characters`."""

    max_characters: int = _MAX_CHARACTERS
    _written: dict[str, Written] = field(default_factory=dict[str, Written])
    _indexed: dict[tuple[str, str], Indexed] = field(default_factory=dict[tuple[str, str], Indexed])
    _characters: int = 0

    def written(self, text: str, declared: str | None) -> Written:
        """Return the words of a text as written. `declared` is its declared language."""
        known = self._written.get(text)
        if known is None:
            self._make_room(len(text))
            words = surfaces(text)
            known = self._written[text] = Written(words, vote=vote_of(words))
        return known if declared is None else known._replace(declared=declared)

    def indexed(self, text: str, language: str) -> Indexed:
        """Return the index data of a text in a language."""
        known = self._indexed.get((text, language))
        if known is None:
            places = indexed_words(text, self.written(text, None).words, language)
            known = self._indexed[text, language] = Indexed(tuple(places), encode_tsvector(places))
        return known

    def _make_room(self, characters: int) -> None:
        self._characters += characters
        if self._characters > self.max_characters:
            self._written.clear()
            self._indexed.clear()
            self._characters = characters
