"""Scoring formula of every search: passages and records, from words and cosines.

Pure functions without I/O. `Weights` holds the numbers of the formula; docs/search.md prints them.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeVar
from uuid import UUID

Strength = Literal["strong", "fair", "weak"]
Source = Literal["own", "together", "beside", "speaker", "subject", "day", "meaning"]

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Weights:
    """Numbers of the formula. The first seven weight a word by where it occurs, from 0 to 1."""

    own: float = 0.8
    """The word is in the passage."""
    together: float = 1.0
    """It is there close to the next or previous word of the query: at most six words away."""
    beside: float = 0.5
    """It is in the turn before or after, or in the neighbouring piece of the same text."""
    near: float = 0.3
    """It is two turns away."""
    speaker: float = 1.0
    """It is in the name, role or address of the party who speaks."""
    subject: float = 0.5
    """It is in the subject of the conversation."""
    day: float = 0.85
    """It names the day, the month or the year of the conversation."""
    conversation: float = 0.3
    """How much the words of the whole conversation add to those of a passage."""
    own_cosine: float = 0.6
    """Share of a passage's own cosine in its semantic score; the rest is the mean of its record's two
    best.
    """
    word_scale: float = 1.5
    """How much more words count than meaning at equal weight. At the default weight, 0.6, each counts
    half.
    """

    @property
    def of_sources(self) -> tuple[float, ...]:
        """The weights in the order of `_SOURCES`."""
        return self.own, self.together, self.beside, self.near, self.speaker, self.subject, self.day


WEIGHTS: Final = Weights()
_SOURCES: Final[tuple[Source, ...]] = ("own", "together", "beside", "beside", "speaker", "subject", "day")
_OF_PASSAGE: Final = (0, 1, 2, 4)
"""Places in `_SOURCES` of words in a passage, next to it, or in the name of who speaks."""
CHANCE: Final = 0.5
"""Similarity that two unrelated passages rarely reach."""
LIKELY: Final = 0.8
"""Similarity that a question and its answer usually reach."""
_STRONG_SIMILARITY: Final = 0.85
"""Similarity from which a match is strong. Questions without an answer rarely reach it."""
_FAIR_WORDS: Final = 0.4
_APART: Final = 0.5
"""How much a word counts for nearness that is in the passage, but far from the others."""
_SHORT: Final = 30
"""Different words of a record that counts as one place."""
_STRONG_WORDS: Final = 0.6
"""Share of a query's words in one passage, by weight and source, from which a match is strong."""


class Word(NamedTuple):
    """A word of the query with its weight."""

    share: float
    """Its share of the weight of all words."""
    factor: float = 1.0
    """Below 1 for a corrected spelling."""


class Passage(NamedTuple):
    """A passage to rank, or a neighbour of one."""

    thing: UUID
    part: str
    element: int
    chunk: int
    words: int
    """A bit for each query word that it contains."""
    pairs: int
    """A bit for each word close to the next word of the query."""
    speaker: int | None
    at: datetime | None
    """When it was said."""
    cosine: float | None


@dataclass(slots=True)
class ItemFeatures:
    """Facts about a whole record: a conversation, exchange, reflection or bridge record."""

    at: datetime | None = None
    """When it took place."""
    words: int = 0
    """A bit for each word that it contains anywhere."""
    days: int = 0
    """A bit for each word that names its day."""
    parties: dict[int, int] = field(default_factory=dict[int, int])
    """A bit for each word in a party's data, by the party's index."""
    subject: int = 0
    """A bit for each word in its subject."""
    size: int = 0
    """Number of different words; 0 if it was not read."""


class Scored(NamedTuple):
    """A passage with its scores, all between 0 and 1; the best of its element."""

    passage: Passage
    score: float
    keyword_score: float
    meaning_score: float
    strength: float
    """Share of the query's words, weighted by their source."""
    bits: tuple[int, ...]
    """Query words by source, in the order of `_SOURCES`."""

    @property
    def has_words(self) -> bool:
        """Whether any matching word is nearer than two turns, and not only in the subject or day."""
        return any(bits for at, bits in enumerate(self.bits) if at in _OF_PASSAGE)

    @property
    def sources(self) -> tuple[Source, ...]:
        """Sources of the matching words."""
        found: dict[Source, None] = {
            source: None for source, bits in zip(_SOURCES, self.bits, strict=True) if bits
        }
        return tuple(found)


def score_passages(
    words: Sequence[Word],
    passages: Sequence[Passage],
    things: Mapping[UUID, ItemFeatures],
    weight: float,
    weights: Weights = WEIGHTS,
) -> dict[UUID, list[Scored]]:
    """Return the scored passages of each record, best first, one per element.

    `weight` is the share of meaning, between 0 and 1. With 0, only passages that contain a word are scored;
    else those with a word from any source, or with a cosine.
    """
    if not passages:
        return {}
    import numpy as np

    numbers = {thing: number for number, thing in enumerate(dict.fromkeys(one.thing for one in passages))}
    of = [numbers[one.thing] for one in passages]
    wholes = [things.get(thing, _NOTHING) for thing in numbers]
    bits_by_source = _bits_by_source(passages, of, wholes)
    sources = [*zip(*bits_by_source, strict=True)]
    felt = np.maximum.reduce(
        [
            strength * _spread(bits, len(words))
            for strength, bits in zip(weights.of_sources, bits_by_source, strict=True)
        ]
    )
    strength = felt @ np.array([word.share * word.factor for word in words])
    whole = np.array([item_strength(words, thing, weights) for thing in wholes])[of]
    keyword = (strength + weights.conversation * whole) / (1 + weights.conversation)
    cosine = np.clip([one.cosine or 0.0 for one in passages], 0.0, 1.0)
    best = np.array(_best_cosines(passages, of, len(numbers)))[of]
    meaning = weights.own_cosine * cosine + (1 - weights.own_cosine) * best
    score: list[float] = combine(keyword, meaning, weight, weights).tolist()
    is_found = [
        one.words != 0 if weight == 0 else felt_ > 0 or one.cosine is not None
        for felt_, one in zip(strength, passages, strict=True)
    ]
    facts = list(zip(keyword.tolist(), meaning.tolist(), strength.tolist(), strict=True))
    return _best_of_elements(
        [Scored(one, score[at], *facts[at], sources[at]) for at, one in enumerate(passages) if is_found[at]]
    )


def _bits_by_source(
    passages: Sequence[Passage], of: Sequence[int], wholes: Sequence[ItemFeatures]
) -> tuple[list[int], ...]:
    """Query words of each passage by source, in the order of `_SOURCES`."""
    with_thing = [(one, wholes[number]) for one, number in zip(passages, of, strict=True)]
    return (
        [one.words for one in passages],
        [(one.pairs | one.pairs << 1) & one.words for one in passages],
        *_around(passages, of),
        [_spoken(thing, one) for one, thing in with_thing],
        [0 if one.part == "subject" else thing.subject for one, thing in with_thing],
        [_days(thing, one) for one, thing in with_thing],
    )


def _spoken(thing: ItemFeatures, one: Passage) -> int:
    """Words in the data of the passage's speaker."""
    return 0 if one.speaker is None else thing.parties.get(one.speaker, 0)


def _days(thing: ItemFeatures, one: Passage) -> int:
    """Words that name the day of the passage; a party has none."""
    return 0 if one.part == "party" else thing.days


def _best_of_elements(scored: Sequence[Scored]) -> dict[UUID, list[Scored]]:
    """Group passages by record, best first, one per element."""
    found: dict[UUID, list[Scored]] = defaultdict(list)
    seen: set[tuple[UUID, str, int]] = set()
    for one in sorted(scored, key=lambda one: (-one.score, one.passage.part != "dialog", *one.passage[1:4])):
        key = (one.passage.thing, one.passage.part, one.passage.element)
        if key not in seen:
            seen.add(key)
            found[one.passage.thing].append(one)
    return found


Number = TypeVar("Number", float, "Array")


def combine(keyword: Number, meaning: Number, weight: float, weights: Weights = WEIGHTS) -> Number:
    """Combine both scores. `weight` is the share of meaning; with 0, only words count.

    Keyword scores K enter as K² / (K² + (1-K)²), so most words score higher, and a few by chance lower.
    """
    if weight == 0:
        return keyword
    by_words = (1 - weight) * weights.word_scale
    spread = keyword**2 / (keyword**2 + (1 - keyword) ** 2)
    return (by_words * spread + weight * meaning) / (by_words + weight)


def strength_beyond(names: int, words: Sequence[Word], one: Scored, weights: Weights = WEIGHTS) -> float:
    """Share of the words that are not names in a passage; of all words if all are names.

    `names` has a bit for each word that is a name.
    """
    others = [at for at in range(len(words)) if not names >> at & 1]
    total = sum(words[at].share for at in others)
    if not total:
        return one.strength
    felt = (
        words[at].share
        * words[at].factor
        * max(
            (by for by, bits in zip(weights.of_sources, one.bits, strict=True) if bits >> at & 1), default=0.0
        )
        for at in others
    )
    return sum(felt) / total


def item_strength(words: Sequence[Word], thing: ItemFeatures, weights: Weights = WEIGHTS) -> float:
    """How strongly a record as a whole contains the words, between 0 and 1."""
    if not thing.words and not thing.days:
        return 0.0
    return sum(
        word.share
        * word.factor
        * max(weights.own * (thing.words >> at & 1), weights.day * (thing.days >> at & 1))
        for at, word in enumerate(words)
    )


def coverage(words: Sequence[Word], held: int) -> float:
    """Share of the query's words, by weight, that `held` has a bit for."""
    return min(sum(word.share for at, word in enumerate(words) if held >> at & 1), 1.0)


def nearness(words: Sequence[Word], thing: ItemFeatures, scored: Iterable[Scored]) -> float:
    """Share of the query's words, by weight, that stand near one another in a record.

    A word close to the next or previous word of the query counts whole. Another one in the same passage
    counts half, and one in the turn or piece beside it a quarter. A short record counts as one place.
    """
    is_only = len(words) == 1
    best = coverage(words, thing.words) * min(_SHORT / thing.size, 1.0) if thing.size else 0.0
    for one in scored:
        own, together, beside = one.bits[:3]
        by_place = ((own if is_only else together, 1.0), (own, _APART), (beside, _APART / 2))
        held = (
            word.share * max((near for bits, near in by_place if bits >> at & 1), default=0.0)
            for at, word in enumerate(words)
        )
        best = max(best, sum(held))
    return min(best, 1.0)


def similarity(cosine: float | None, calibration: Sequence[float] | None) -> float:
    """Convert a cosine to a similarity between 0 and 1.

    Piecewise linear through (0, 0), (a, 0.2), (b, 0.5), (c, 0.8), (1, 1) for the calibration (a, b, c); the
    cosine itself without one.
    """
    if cosine is None or cosine <= 0:
        return 0.0
    if calibration is None:
        return min(cosine, 1.0)
    cosines, meant = (0.0, *calibration, 1.0), (0.0, 0.2, CHANCE, LIKELY, 1.0)
    at = min(bisect_left(cosines, cosine), len(meant) - 1)
    share = (cosine - cosines[at - 1]) / (cosines[at] - cosines[at - 1])
    return min(meant[at - 1] + share * (meant[at] - meant[at - 1]), 1.0)


def strength_of(similarity: float, *, words: float) -> Strength:
    """Classify as `strong`, `fair` or `weak`, by the better of similarity and share of words in one
    passage.
    """
    if words >= _STRONG_WORDS or similarity >= _STRONG_SIMILARITY:
        return "strong"
    return "fair" if words >= _FAIR_WORDS or similarity >= CHANCE else "weak"


Answerable = Literal["likely", "unsure", "nothing_found"]
_CERTAIN: Final = 0.9
"""Similarity that questions without an answer rarely reach."""
_NOT_NEAR: Final = 0.33
"""Similarity that questions with an answer rarely fall below."""
_UNKNOWN: Final = 0.5
"""Share of unknown words from which a question is about something else."""


def answerable(best: Sequence[tuple[float, float]], unknown: float) -> Answerable:
    """Return `likely`, `unsure` or `nothing_found`: whether stored texts answer a question.

    `best` has for each wording the largest share of its words in one passage (with or without names, the
    smaller) and the largest similarity. `unknown` is the share of its words, by weight, that occur nowhere.
    Unanswered questions on a known subject are mostly `unsure`.
    """
    words, near = (max(values) for values in zip(*best, strict=True))
    if words >= _STRONG_WORDS or near >= _CERTAIN:
        return "likely"
    if words < _FAIR_WORDS and near < _NOT_NEAR and unknown >= _UNKNOWN:
        return "nothing_found"
    return "unsure"


_NOTHING: Final = ItemFeatures()


def _spread(bits: Sequence[int], count: int) -> "npt.NDArray[np.bool_]":
    """Expand numbers to a row each, with a column for each bit."""
    import numpy as np

    numbers = np.array(bits, dtype=np.int64)
    spread: npt.NDArray[np.bool_] = (numbers[:, None] >> np.arange(count)) & 1 == 1
    return spread


def _around(passages: Sequence[Passage], of: Sequence[int]) -> tuple[list[int], list[int]]:
    """Words next to each passage, and words two turns away.

    Next to a turn are the turns before and after; next to a piece of another text, its neighbouring pieces.
    The pieces of a turn are next to one another. `of` has the index of each passage's record.
    """
    turns: dict[tuple[int, int], int] = defaultdict(int)
    pieces: dict[tuple[int, str, int, int], int] = {}
    for number, one in zip(of, passages, strict=True):
        if one.part == "dialog":
            turns[number, one.element] |= one.words
        else:
            pieces[number, one.part, one.element, one.chunk] = one.words
    beside: list[int] = []
    near: list[int] = []
    for number, one in zip(of, passages, strict=True):
        at = one.element
        if one.part == "dialog":
            others = turns.get((number, at - 1), 0) | turns.get((number, at + 1), 0)
            beside.append(others | turns[number, at] & ~one.words)
            near.append(turns.get((number, at - 2), 0) | turns.get((number, at + 2), 0))
        else:
            text = (number, one.part, at)
            beside.append(pieces.get((*text, one.chunk - 1), 0) | pieces.get((*text, one.chunk + 1), 0))
            near.append(0)
    return beside, near


def _best_cosines(passages: Sequence[Passage], of: Sequence[int], count: int) -> list[float]:
    """Mean of the two best cosines of each record."""
    found: list[list[float]] = [[] for _ in range(count)]
    for number, one in zip(of, passages, strict=True):
        if one.cosine is not None:
            found[number].append(min(max(one.cosine, 0.0), 1.0))
    return [sum(best) / len(best) if (best := sorted(cosines)[-2:]) else 0.0 for cosines in found]
