"""List what a query finds of one kind: conversations, exchanges, reflections, bridge records.

migrations/functions/kinds.sql defines the kinds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final, NamedTuple
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.candidates import (
    Candidate,
    CandidateQuery,
    find_candidates,
    find_with_context,
)
from vcontract.runtime.store.search.hits import VCON, Item, PassageKey, read_shown
from vcontract.runtime.store.search.ranked_search import HybridQuery, Ranked, items_of, rank, rank_in
from vcontract.runtime.store.search.ranking import (
    CHANCE,
    WEIGHTS,
    Strength,
    combine,
    coverage,
    item_strength,
    nearness,
    strength_of,
)

MAX_CANDIDATES_READ: Final = 3_000
MAX_LISTED_BY_MEANING: Final = 600
MAX_RANKED: Final = 200
"""Records scored passage by passage."""
MAX_WEAK_HITS: Final = 10
"""Number of weak results kept after the last better one, or in all if every result is weak."""
_READING_SECONDS: Final = 0.5
_NO_TIME: Final = datetime.min.replace(tzinfo=UTC)


class ScoredItem(NamedTuple):
    """A record with its scores as a whole. A tuple, because a search creates thousands."""

    id: UUID
    occurred_at: datetime
    score: float
    words: float
    """How strongly it contains the words, in [0, 1]."""
    coverage: float
    """Share of the words, by weight, that it contains."""
    similarity: float
    nearness: float
    """Share of the words, by weight, that stand near one another."""

    element: int | None = None
    """Index of a dialog; `id` is then its vCon."""

    @property
    def strength(self) -> Strength:
        """How far the match is above chance."""
        return strength_of(self.similarity, words=self.words)

    @property
    def text_score(self) -> float:
        """Score of its words, at most 0.7: with all words of the query near one another."""
        return 0.7 * self.nearness

    @property
    def evidence(self) -> float:
        """Value compared with thresholds: the larger of similarity and words, plus a part of the smaller."""
        low, high = sorted((self.similarity, self.text_score))
        return high + 0.5 * low * (1 - high)

    @property
    def order(self) -> tuple[float, float, UUID, int]:
        """Best first, then newer first."""
        return -self.score, -self.occurred_at.timestamp(), self.id, self.element or 0


@dataclass(frozen=True, slots=True)
class KindResults:
    """Results of a query for one kind, best first, then newer first."""

    kind: str
    asked: HybridQuery
    things: Sequence[ScoredItem]
    is_cut: bool
    """Whether more results may be better than chance."""
    ranked: Mapping[UUID, Ranked] = field(default_factory=dict[UUID, Ranked])
    """Records scored passage by passage, best first."""

    def dialogs(self, vcons: Sequence[UUID]) -> list[ScoredItem]:
        """Return the matching dialogs of vCons, one by one."""
        turns = [
            ScoredItem(
                id_,
                scored.passage.at or self.ranked[id_].at or _NO_TIME,
                scored.score,
                scored.strength,
                scored.strength,
                self.asked.similarity(scored.passage.cosine),
                min(scored.strength / WEIGHTS.own, 1.0),
                scored.passage.element,
            )
            for id_ in vcons
            if id_ in self.ranked
            for scored in self.ranked[id_].scored
            if scored.passage.part == "dialog"
        ]
        return sorted(turns, key=lambda turn: turn.order)


async def find_scored_items(
    connection: Connection,
    kind: str,
    filters: JsonObject,
    asked: HybridQuery,
    lead: Sequence[int],
    *,
    most: int,
    most_near: int,
    most_ranked: int,
) -> KindResults:
    """Find at most `most` records by the words in `lead`, and `most_near` by meaning.

    The best are scored passage by passage and come first; the others are scored as wholes.
    """
    wanted = CandidateQuery(
        kind,
        {**filters, **asked.demands},
        asked.words,
        tuple(lead),
        vector=asked.near,
        max_by_words=most,
        max_nearest=most_near,
    )
    with_context = None
    if kind == VCON and not any(word.holders for word in asked.words):
        with_context = await find_with_context(connection, asked.tenant, wanted, asked.vector)
        candidates = with_context.candidates
    else:
        candidates = await find_candidates(connection, wanted)
    by_words = sum(one.weight is not None for one in candidates)
    nearest = [one.cosine for one in candidates if one.cosine is not None]
    is_cut = by_words >= most or (len(nearest) >= most_near and asked.similarity(min(nearest)) >= CHANCE)
    first = _best_of_each(candidates, asked)
    best = {one.id for one in first[:most_ranked]}
    chosen = [one for one in candidates if one.id in best]
    if with_context is not None:
        ranked = rank_in(with_context.context(chosen), asked)
    else:
        ranked = await rank(connection, kind, asked, chosen)
    things = [_found(one, asked) for one in ranked]
    least = min((thing.score for thing in things), default=1.0)
    things += await _unranked(connection, kind, asked, first[most_ranked:], least)
    things.sort(key=lambda thing: thing.order)
    return KindResults(kind, asked, things, is_cut, {one.id: one for one in ranked})


async def with_readings(
    connection: Connection, kind: str, filters: JsonObject, asked: HybridQuery
) -> HybridQuery:
    """Add the records with literals that no index finds: without words, or inside a word."""
    if asked.weighed is None:
        return asked
    holders: dict[str, Sequence[UUID]] = {}
    for term in asked.weighed.terms:
        if term.literal is None:
            continue
        alternatives: list[JsonObject] = term.document()["alternatives"]
        if "holders" not in alternatives[0]:
            demand = filters | {"required": [alternatives]}
            if await connection.fetchval(
                "select vcontract.search_count($1::jsonb, $2, 1)", _text(demand), kind
            ):
                continue
        holders[term.literal] = await connection.fetchval(
            "select vcontract.search_by_reading($1::jsonb, $2, $3, $4, $5)",
            *(_text(filters), kind, term.literal, MAX_CANDIDATES_READ, _READING_SECONDS),
        )
    if not holders:
        return asked
    read = HybridQuery.of(asked.tenant, replace(asked.weighed, holders=holders), asked.vector, asked.weight)
    return replace(read, is_read=any(holders.values()))


async def as_items(
    connection: Connection, found: KindResults, ids: Sequence[UUID], hits_per_item: int = 1
) -> list[Item]:
    """Return found records with their best passages, best first, then by larger uuid."""
    known = {id_: found.ranked[id_] for id_ in ids if id_ in found.ranked}
    if unknown := [id_ for id_ in ids if id_ not in known]:
        candidates = [Candidate(id_, None, None, None, None, 0, None) for id_ in unknown]
        known |= {one.id: one for one in await rank(connection, found.kind, found.asked, candidates)}
    shown = sorted(known.values(), key=lambda one: one.key, reverse=True)
    return await items_of(connection, found.kind, found.asked, shown, hits_per_item)


async def dialog_texts(
    connection: Connection, found: KindResults, places: Sequence[tuple[UUID, int]]
) -> dict[tuple[UUID, int], str]:
    """Return the best matching passage of each dialog."""
    unknown = [
        Candidate(id_, "dialog", element, 0, None, 0, None)
        for id_, element in places
        if id_ not in found.ranked
    ]
    best: dict[tuple[UUID, int], PassageKey] = {}
    for one in (*found.ranked.values(), *await rank(connection, VCON, found.asked, unknown)):
        for scored in one.scored:
            at = scored.passage
            if at.part == "dialog":
                best.setdefault((one.id, at.element), (one.id, at.part, at.element, at.chunk))
    keys = [best[place] for place in places if place in best]
    shown = await read_shown(connection, found.asked.tenant, VCON, keys)
    return {(id_, element): one.content for (id_, _, element, _), one in shown.items()}


def better_than_chance(things: Sequence[ScoredItem]) -> list[ScoredItem]:
    """Keep results up to the last that is better than chance, and some weak ones after it."""
    last = max((at for at, thing in enumerate(things, start=1) if thing.strength != "weak"), default=0)
    return list(things[: last + MAX_WEAK_HITS])


class _Best(NamedTuple):
    """A record with its best candidates."""

    id: UUID
    score: float
    share: float
    """Share of the words that it contains, by weight."""
    cosine: float | None


def _best_of_each(candidates: Sequence[Candidate], asked: HybridQuery) -> list[_Best]:
    """Order the records of candidates by promise, best first."""
    total = sum(word.weight for word in asked.words) or 1
    shares: dict[UUID, float] = {}
    cosines: dict[UUID, float] = {}
    for one in candidates:
        shares[one.id] = max(shares.get(one.id, 0.0), (one.weight or 0) / total)
        if one.cosine is not None:
            cosines[one.id] = max(cosines.get(one.id, -1.0), one.cosine)
    found = [
        _Best(
            id_,
            combine(WEIGHTS.own * share, max(cosines.get(id_, 0.0), 0.0), asked.weight),
            share,
            cosines.get(id_),
        )
        for id_, share in shares.items()
    ]
    found.sort(key=lambda one: (-one.score, one.id))
    return found


def _found(one: Ranked, asked: HybridQuery) -> ScoredItem:
    words = [word.ranked for word in asked.words]
    return ScoredItem(
        one.id,
        one.at or _NO_TIME,
        one.scored[0].score,
        item_strength(words, one.whole),
        coverage(words, one.whole.words),
        asked.similarity(one.cosine),
        nearness(words, one.whole, one.scored),
    )


async def _unranked(
    connection: Connection, kind: str, asked: HybridQuery, others: Sequence[_Best], least: float
) -> list[ScoredItem]:
    """Score records as wholes, with `least` as the upper bound."""
    if not others:
        return []
    rows = await connection.fetch(
        "select id, occurred_at from vcontract.search_document"
        " where tenant = $1 and kind = any(vcontract.stored_kinds($2)) and id = any($3)",
        asked.tenant,
        kind,
        [one.id for one in others],
    )
    at = {row["id"]: row["occurred_at"] for row in rows}
    return [
        ScoredItem(
            one.id,
            at[one.id],
            min(one.score, least),
            WEIGHTS.own * one.share,
            one.share,
            asked.similarity(one.cosine),
            one.share if len(asked.words) == 1 else one.share / 2,
        )
        for one in others
        if one.id in at
    ]


def _text(value: JsonObject) -> str:
    return dump_json(value).decode()
