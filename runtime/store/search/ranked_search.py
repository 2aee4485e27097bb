"""Rank records by the best of their passages, and load the texts to show."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.candidates import Candidate, Context, QueryWords, read_context, read_words
from vcontract.runtime.store.search.hits import Hit, Item, PassageKey, QueryVector, ShownPassage, read_shown
from vcontract.runtime.store.search.ranking import (
    CHANCE,
    ItemFeatures,
    Scored,
    score_passages,
    similarity,
    strength_beyond,
)
from vcontract.runtime.store.search.term_weights import WeightedQuery
from vcontract.runtime.text.query import Term

_NOTHING = ShownPassage("")
_NEARLY_AS_GOOD = 0.6
"""Share of a record's best score from which a passage no better than chance is shown."""


@dataclass(frozen=True, slots=True)
class HybridQuery:
    """A query to rank: weighted words and a vector, or only one of them."""

    tenant: str
    weighed: WeightedQuery | None
    vector: QueryVector | None
    weight: float
    """Share of meaning, between 0 and 1."""
    demands: JsonObject
    """Required and excluded words, in the form of the SQL functions."""
    words: QueryWords
    is_read: bool = False
    """Whether part of the query was found by reading texts."""

    @classmethod
    def of(
        cls, tenant: str, weighed: WeightedQuery | None, vector: QueryVector | None, weight: float
    ) -> "HybridQuery":
        """Combine words and vector. Without one of them, only the other counts, and without terms meaning."""
        demands = {"words": list[JsonObject]()} if weighed is None else weighed.conditions()
        words = read_words(demands.pop("words"))
        share = 0.0 if vector is None else weight if len(words) else 1.0
        return cls(tenant, weighed, vector, share, demands, words)

    @property
    def near(self) -> QueryVector | None:
        """The vector that may find candidates; None if only words count."""
        return self.vector if self.weight > 0 else None

    @property
    def every_word(self) -> tuple[int, ...]:
        """Words that may find candidates; none if only meaning counts."""
        return () if self.weight == 1 else tuple(range(len(self.words)))

    @property
    def terms(self) -> tuple[Term, ...]:
        """Terms to highlight."""
        return () if self.weighed is None else self.weighed.terms

    @property
    def pending(self) -> int | None:
        """The tenant's passages that wait for a vector; None if they were not counted."""
        return None if self.weighed is None else self.weighed.pending

    def similarity(self, cosine: float | None) -> float:
        """Convert a cosine to a similarity between 0 and 1 for this query; 0 without a vector."""
        return 0.0 if self.vector is None else similarity(cosine, self.vector.calibration)


class Ranked(NamedTuple):
    """A record with its scored passages, best first."""

    id: UUID
    whole: ItemFeatures
    scored: list[Scored]
    cosine: float | None
    """The best cosine of its passages."""

    @property
    def at(self) -> datetime | None:
        return self.whole.at

    @property
    def key(self) -> tuple[float, UUID]:
        return self.scored[0].score, self.id


async def rank(
    connection: Connection, kind: str, asked: HybridQuery, candidates: Sequence[Candidate]
) -> list[Ranked]:
    """Rank the candidates' records by their best passages, best first, then by larger uuid."""
    return rank_in(
        await read_context(connection, asked.tenant, kind, asked.words, asked.vector, candidates), asked
    )


def rank_in(context: Context, asked: HybridQuery) -> list[Ranked]:
    """Rank the records of a context, as `rank` does."""
    scored = score_passages(
        [one.ranked for one in asked.words], context.passages, context.things, asked.weight
    )
    things = [
        Ranked(id_, context.things[id_], of_thing, max(cosines, default=None))
        for id_, of_thing in scored.items()
        for cosines in [[one.passage.cosine for one in of_thing if one.passage.cosine is not None]]
    ]
    things.sort(key=lambda one: one.key, reverse=True)
    return things


def largest_strength(things: Sequence[Ranked], asked: HybridQuery) -> float:
    """Largest share of the query's words in one passage, and the same without words that name people."""
    words = [one.ranked for one in asked.words]
    names = 0
    for thing in things:
        for bits in thing.whole.parties.values():
            names |= bits
    best = [thing.scored[0] for thing in things]
    return max((min(one.strength, strength_beyond(names, words, one)) for one in best), default=0.0)


async def items_of(
    connection: Connection,
    kind: str,
    asked: HybridQuery,
    found: Sequence[Ranked],
    hits_per_item: int,
    further_hits: int = 0,
) -> list[Item]:
    """Load the texts of ranked records' best passages."""
    shown = [_shown(one, asked, hits_per_item + further_hits) for one in found]
    hits = iter(await hits_of(connection, kind, asked, [hit for each in shown for hit in each]))
    items: list[Item] = []
    for one, of_item in zip(found, shown, strict=True):
        best = one.scored[0]
        places = tuple(next(hits) for _ in of_item)
        items.append(
            Item(
                one.id,
                best.score,
                best.keyword_score,
                best.meaning_score,
                asked.similarity(one.cosine),
                one.cosine,
                places[:hits_per_item],
                sum(_is_found(scored, asked) for scored in one.scored),
                places[hits_per_item:],
            )
        )
    return items


async def hits_of(
    connection: Connection, kind: str, asked: HybridQuery, scored: Sequence[Scored]
) -> list[Hit]:
    """Load the texts of scored passages, in the same order."""
    keys: list[PassageKey] = [
        (one.passage.thing, one.passage.part, one.passage.element, one.passage.chunk) for one in scored
    ]
    shown = await read_shown(connection, asked.tenant, kind, keys)
    hits: list[Hit] = []
    for key, one in zip(keys, scored, strict=True):
        near = asked.similarity(one.passage.cosine)
        because = (*one.sources, *(("meaning",) if near >= CHANCE else ()))
        text, name, turn = shown.get(key, _NOTHING)
        hits.append(Hit(*key[:3], text, one.score, one.strength, near, because, name=name, turn=turn))
    return hits


def _shown(one: Ranked, asked: HybridQuery, most: int) -> list[Scored]:
    """Select the passages to show: matching ones, and those nearly as good as the best."""
    least = _NEARLY_AS_GOOD * one.scored[0].score
    return [scored for scored in one.scored if scored.score >= least or _is_found(scored, asked)][:most]


def _is_found(scored: Scored, asked: HybridQuery) -> bool:
    """Whether a passage matches by words, or is more similar than chance explains."""
    return scored.has_words or asked.similarity(scored.passage.cosine) >= CHANCE
