"""Passage rows with their search words, and a cache of indexed texts, because a changed vCon keeps most."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, groupby
from typing import Final, NamedTuple

from vcontract.runtime.store.vcons.row_reuse import ReadAgain, ReadBefore
from vcontract.runtime.text.languages import ENGLISH, DeclaredText, languages_of, vote_of
from vcontract.runtime.text.phrases import MAX_TURN_CHARACTERS, turn_words
from vcontract.runtime.text.tsvector import MAX_POSITIONS, decode_strengths, encode_strengths, encode_tsvector
from vcontract.runtime.text.words import (
    MAX_WORD_LENGTH,
    fold,
    indexed_words,
    is_clearly_english,
    spellings,
    surfaces,
)
from vcontract.runtime.vcon.spoken_turns import SpokenTurn
from vcontract.runtime.vcon.text import Passage

_MAX_CHARACTERS: Final = 500_000
"""Maximum cached characters; with their words, texts take about ten times as many bytes."""


class Indexed(NamedTuple):
    """Index data of a text: its words and their positions, also as a tsvector."""

    places: Mapping[str, list[int]]
    words: bytes


@dataclass(slots=True)
class KnownTexts:
    """Caches the words of texts, up to `max_characters`."""

    max_characters: int = _MAX_CHARACTERS
    _written: dict[str, DeclaredText] = field(default_factory=dict[str, DeclaredText])
    _indexed: dict[tuple[str, str], Indexed] = field(default_factory=dict[tuple[str, str], Indexed])
    _characters: int = 0

    def written(self, text: str, declared: str | None) -> DeclaredText:
        """Return the words of a text as written. `declared` is its declared language."""
        known = self._written.get(text)
        if known is None:
            self._make_room(len(text))
            words = surfaces(text)
            known = self._written[text] = DeclaredText(words, vote=vote_of(words))
        return known if declared is None else known._replace(declared=declared)

    def indexed(self, text: str, language: str) -> Indexed:
        """Return the index data of a text in a language."""
        known = self._indexed.get((text, language))
        if known is None:
            places = indexed_words(text, self.written(text, None).words, language)
            known = self._indexed[text, language] = Indexed(places, encode_tsvector(places))
        return known

    def turn(self, text: str) -> bytes:
        """Return the words of a turn as a tsvector, from those of a passage if they are equal."""
        if passage := self._indexed.get((text, ENGLISH)):
            return encode_tsvector(turn_words(self.written(text, None).words, passage.places))
        written = surfaces(text)
        return encode_tsvector(turn_words(written, indexed_words(text, written)))

    def _make_room(self, characters: int) -> None:
        self._characters += characters
        if self._characters > self.max_characters:
            self._written.clear()
            self._indexed.clear()
            self._characters = characters


_MAX_INDEXED_BYTES: Final = 1_000_000
"""Maximum size of a vCon's distinct words; PostgreSQL limits a tsvector to 1 MiB."""
_MAX_WORD_BYTES: Final = 4 * MAX_WORD_LENGTH + 4 + 2 * MAX_POSITIONS
LABEL_OF_PART: Final = {
    "subject": "A",
    "party": "A",
    "dialog": "B",
    "analysis": "B",
    "trace": "B",
    "attachment": "C",
    "trace_body": "C",
}
_NO_SOURCE_OF_SPELLINGS: Final = "trace_body"
"""Part whose words are not used for spelling correction, because tool output is full of non-words."""


class PassageRow(NamedTuple):
    """A passage to store. A tuple, because many are sent between processes."""

    part: str
    element: int
    chunk: int
    content: str
    words: bytes
    occurred_at: datetime | None
    speaker: int | None = None


class TurnRow(NamedTuple):
    """A turn to store, as in SpokenTurn, with its words as a tsvector."""

    dialog: int
    number: int
    speaker: str | None
    role: str | None
    starts: float | None
    ends: float | None
    words: bytes | None
    is_missing: bool
    length: float | None


def index_turns(turns: Sequence[SpokenTurn], known: KnownTexts) -> tuple[TurnRow, ...]:
    """Index turns. Words of a very long turn count as missing, because not all of them are indexed."""
    return tuple(
        TurnRow(
            turn.dialog,
            turn.number,
            None if turn.speaker is None else fold(turn.speaker),
            None if turn.role is None else fold(turn.role),
            turn.starts,
            turn.ends,
            None if turn.words is None else known.turn(turn.words[:MAX_TURN_CHARACTERS]),
            turn.is_missing or len(turn.words or "") > MAX_TURN_CHARACTERS,
            turn.length,
        )
        for turn in turns
    )


def known_of_turns(turns: Sequence[TurnRow]) -> int:
    """Bits for what is known of a conversation: all its words, times, roles, speakers."""
    said = [turn for turn in turns if turn.words is not None]
    return (
        (bool(said) and not any(turn.is_missing for turn in turns))
        | any(turn.starts is not None for turn in said) << 1
        | any(turn.role is not None for turn in said) << 2
        | any(turn.speaker is not None for turn in said) << 3
    )


def end_of_turns(turns: Sequence[TurnRow]) -> float | None:
    """Seconds from the conversation's start to the end of its last turn or recording; None if unknown."""
    return max((turn.ends for turn in turns if turn.ends is not None), default=None)


def index_passages(
    passages: list[Passage],
    kept: list[tuple[str, ...]] | None,
    known: KnownTexts,
    read_before: ReadBefore | None,
) -> tuple[tuple[PassageRow, ...], bytes, frozenset[str], frozenset[str], bool]:
    """Index passages. Returns their rows, all words as one tsvector, spellings, languages, and whether all
    fit.

    `kept`, if given, receives the lexemes of each row.
    """
    # labels sort from A, the strongest
    ordered = sorted(passages, key=lambda passage: LABEL_OF_PART[passage.part])
    texts = [known.written(passage.content, passage.language) for passage in ordered]
    languages = languages_of(texts, whole=ENGLISH if read_before else None)
    found = [
        known.indexed(passage.content, language) for passage, language in zip(ordered, languages, strict=True)
    ]
    rows = tuple(
        PassageRow(one.part, one.element or 0, one.chunk, one.content, words, one.occurred_at, one.speaker)
        for one, (_, words) in zip(ordered, found, strict=True)
    )
    if kept is not None:
        kept += (tuple(places) for places, _ in found)
    written = chain.from_iterable(
        text.words for one, text in zip(ordered, texts, strict=True) if one.part != _NO_SOURCE_OF_SPELLINGS
    )
    spelled, spoken = spellings({*written}), frozenset(languages)
    if read_before:
        turns = [at for at, one in enumerate(ordered) if one.part == "dialog"]
        new = Counter(chain.from_iterable(found[at].places for at in turns))
        return rows, _with_turns(read_before.words, new, spoken), spelled, spoken, True
    counts = Counter(chain.from_iterable(places for places, _ in found))
    fitting = _fitting(counts)
    labels: dict[str, str] = {}
    # the strongest last, because the last one is kept
    for label, group in groupby(zip(reversed(ordered), reversed(found), strict=True), key=_label):
        labels |= dict.fromkeys(chain.from_iterable(places for _, (places, _) in group), label)
    strengths = encode_strengths({word: (labels[word], counts[word]) for word in fitting})
    return rows, strengths, spelled, spoken, len(fitting) == len(counts)


def _with_turns(words: bytes, added: Mapping[str, int], languages: frozenset[str]) -> bytes:
    """Add the words of new turns to a vCon's words.

    Raises: ReadAgain, also if the language may change from English.
    """
    held = decode_strengths(words)
    if languages - {ENGLISH} or not is_clearly_english(held):
        raise ReadAgain
    for word, count in added.items():
        label, before = held.get(word, (LABEL_OF_PART["dialog"], 0))
        held[word] = min(label, LABEL_OF_PART["dialog"]), before + count
    together = encode_strengths(held)
    if len(together) + len(held) + _MAX_WORD_BYTES > _MAX_INDEXED_BYTES:
        raise ReadAgain
    return together


def _label(found: tuple[Passage, Indexed]) -> str:
    return LABEL_OF_PART[found[0].part]


def _fitting(counts: Mapping[str, int]) -> list[str]:
    """Return as many words as fit into one tsvector, which is all except in the largest vCons."""
    room = _MAX_INDEXED_BYTES
    if len(counts) * _MAX_WORD_BYTES < room:
        return list(counts)
    fitting: list[str] = []
    for word, count in counts.items():
        room -= len(word.encode()) + 4 + 2 * min(count, MAX_POSITIONS)
        if room < 0:
            break
        fitting.append(word)
    return fitting
