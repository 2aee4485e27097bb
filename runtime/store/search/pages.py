"""Pages of keyword and hybrid search: ranked vCons first, then the other matches."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.candidates import (
    Candidate,
    CandidateQuery,
    Cut,
    FoundCandidates,
    find_candidates,
    find_with_context,
    leading_words_of,
)
from vcontract.runtime.store.search.filter_conditions import Filters
from vcontract.runtime.store.search.hits import HITS_PER_ITEM, VCON, Hit, Item, QueryVector
from vcontract.runtime.store.search.ranked_search import HybridQuery, Ranked, items_of, rank_in
from vcontract.runtime.store.search.term_weights import TermWeigher, WeightedQuery
from vcontract.runtime.text.query import Query

MAX_BY_WORDS: Final = 200
MAX_NEAREST: Final = 100
"""Passages ranked together in a store of up to 20,000. Other matches follow, newest first."""
_PASSAGES_OF_A_POOL: Final = 20_000
_MAX_POOL_GROWTH: Final = 3.0
"""Scoring takes as much longer. Eight times as many find a tenth more of the exact first ten."""
MAX_WEAK: Final = 5
"""Maximum items shown if none is better than chance."""
MAX_BY_INDEX: Final = 4_000
ALL: Final = 2_147_483_647
BEFORE_ALL: Final = (2.0, UUID(int=0))
"""Sorts before every item."""
_MIN_RANKED_VCONS: Final = 25
"""Minimum number of vCons ranked together, if enough are near."""
_MAX_BATCHES: Final = 10
_BATCH: Final = 50


class ModelChanged(Exception):
    """The previous page used another model's space, so the search must be restarted."""


@dataclass(frozen=True, slots=True)
class PagePosition:
    """A vCon's place in the order by time: newer first, then the larger uuid."""

    at: datetime
    id: UUID

    def document(self) -> JsonObject:
        return {"at": self.at.isoformat(), "id": str(self.id)}

    @classmethod
    def read(cls, document: JsonObject) -> "PagePosition":
        return cls(datetime.fromisoformat(document["at"]), UUID(document["id"]))


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """Request for one page. The mode determines whether query and vector are set."""

    filters: Filters
    limit: int
    query: Query | None = None
    """With a vector, from `parse_query(text, any_word=True)`: exclusions and phrases are required, words are
    not.
    """
    vector: QueryVector | None = None
    threshold: float | None = None
    """Minimum score of a search with a vector."""
    weight: float = 0.0
    """Share of meaning in a hybrid search, between 0 and 1."""
    hits_per_item: int = HITS_PER_ITEM
    further_hits: int = 0
    """Number of further passages per item."""
    start: JsonObject | None = None
    """`Page.following` of the previous page; None for the first page."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a search."""

    items: list[Item]
    following: JsonObject | None = None
    """Start of the next page; None if this is the last one."""
    total: int | None = None
    """Matching vCons, one more than 10,000 if there are more; None for searches by meaning."""
    weighed: WeightedQuery | None = None
    only_weak: bool = False
    """Whether nothing is better than chance. Then only the first few are returned."""
    best_below_threshold: float | None = None
    """Largest similarity or score, if the threshold leaves the first page empty."""


@dataclass(frozen=True, slots=True)
class NewestPage:
    """One page of a search without words."""

    ids: list[UUID]
    total: int
    """Exact up to 10,000; one more if there are more."""
    following: JsonObject | None
    """Start of the next page for `newest`; None if this is the last one."""


@dataclass(frozen=True, slots=True)
class ElementsPage:
    """One page of the elements that contain words of a query."""

    places: list[Hit]
    total: int
    """Matching vCons, one more than 10,000 if there are more."""
    weighed: WeightedQuery
    has_more: bool


@dataclass(slots=True)
class Ranking:
    """How the ranked part of a list was selected, the same for all its pages."""

    lead: tuple[int, ...] = ()
    """Words by which candidates were found."""
    cut: Cut | None = None
    """The last keyword candidate; None if all were found."""
    nearest: float | None = None
    """Semantic candidates have a larger cosine; None if all were found."""
    max_by_words: int = MAX_BY_WORDS
    """Number of passages searched by words."""
    max_nearest: int = MAX_NEAREST
    """Number of passages searched by meaning."""
    is_complete: bool = False
    """Whether there are no other matches."""

    def document(self) -> JsonObject:
        return {
            "lead": list(self.lead),
            "cut": self.cut and self.cut.document(),
            "nearest": self.nearest,
            "max_by_words": self.max_by_words,
            "max_nearest": self.max_nearest,
        }

    @classmethod
    def read(cls, document: JsonObject) -> "Ranking":
        cut = document["cut"]
        return cls(
            tuple(document["lead"]),
            cut and Cut.read(cut),
            document["nearest"],
            document.get("max_by_words", MAX_BY_WORDS),  # cursors of earlier versions do not have it
            document["max_nearest"],
        )

    def has(self, one: Candidate) -> bool:
        """Whether a candidate belongs to the ranked part, by words or by a cosine above the bound.

        An index finds only some of several equally near passages, so all of these are left to the other part.
        """
        return one.cosine is None or self.nearest is None or one.cosine > self.nearest


def _between(ranked: Sequence[Ranked], after: tuple[float, UUID], least: float) -> list[Ranked]:
    """Return the records after a position that have at least this score."""
    return [one for one in ranked if one.key < after and one.key[0] >= least]


def _best_below(ranked: Sequence[Ranked], left: Sequence[Ranked], request: SearchRequest) -> float | None:
    """The best score, if the threshold of a first page leaves none of these."""
    return None if left or request.start or not ranked else ranked[0].key[0]


@dataclass(frozen=True, slots=True)
class VconSearch:
    """A keyword or hybrid search, the same for all its pages."""

    connection: Connection
    request: SearchRequest
    asked: HybridQuery
    weighed: WeightedQuery
    conditions: JsonObject

    @classmethod
    def of(
        cls, connection: Connection, tenant: str, request: SearchRequest, weighed: WeightedQuery
    ) -> "VconSearch":
        asked = HybridQuery.of(tenant, weighed, request.vector, request.weight)
        return cls(connection, request, asked, weighed, request.filters.conditions() | asked.demands)

    def wanted(self, lead: Sequence[int], **of: object) -> CandidateQuery:
        """The candidates by some words, among those that meet the query's conditions."""
        return CandidateQuery(VCON, self.conditions, self.asked.words, tuple(lead), **of)  # type: ignore[arg-type]

    async def with_context(self, wanted: CandidateQuery) -> FoundCandidates:
        return await find_with_context(self.connection, self.asked.tenant, wanted, self.asked.vector)

    async def page(self, weighing: TermWeigher) -> Page:
        """Return ranked vCons, best first, then the other matches, newest first."""
        request, start = self.request, self.request.start
        after, below, total = BEFORE_ALL, None, None
        best: float | None = None
        if start:
            ranking, below, total = Ranking.read(start["ranking"]), start.get("below"), start["total"]
            after = (start["after"][0], UUID(start["after"][1])) if "after" in start else BEFORE_ALL
        else:
            by_words, nearest = pool_of(self.weighed)
            ranking = Ranking(leading_words(self.asked), max_by_words=by_words, max_nearest=nearest)
        found: list[Ranked] = []
        following: JsonObject | None = None
        if below is None:
            ranked = await self._ranked(ranking)
            left = _between(ranked, after, request.threshold or 0.0)
            best = _best_below(ranked, left, request)
            found = left[: request.limit]
            if total is None and request.vector is None:
                total = await self._total(weighing, ranking, len(ranked))
            if len(left) > len(found):
                score, id_ = found[-1].key
                following = {"after": [score, str(id_)]}
        if following is None and not ranking.is_complete:
            others, below = await self._others(ranking, below or {}, request.limit - len(found))
            found += others
            following = None if below is None else {"below": below}
        items = await items_of(
            self.connection, VCON, self.asked, found, request.hits_per_item, request.further_hits
        )
        if request.vector is not None and request.threshold is None and not start and are_weak(items):
            return Page(items[:MAX_WEAK], weighed=self.weighed, only_weak=True)
        if following is not None:
            model = {} if request.vector is None else {"model": request.vector.space.model}
            following |= {
                "ranking": ranking.document(),
                "total": total,
                **self.weighed.cursor_state(),
                **model,
            }
        return Page(items, following, total, self.weighed, best_below_threshold=None if items else best)

    async def _total(self, weighing: TermWeigher, ranking: Ranking, ranked: int) -> int:
        """Return the number of matches; that of the ranked ones if there are no others."""
        if ranking.is_complete:
            return ranked
        return await weighing.count_all(self.connection, self.asked.tenant, self.conditions)

    async def _ranked(self, ranking: Ranking) -> list[Ranked]:
        """Return the candidates of a ranking, best first. A new ranking gets its bounds."""
        is_first = self.request.start is None
        times = 1 if is_first else 4  # vCons added in the meantime must not displace ranked ones
        while True:
            wanted = self.wanted(
                ranking.lead,
                vector=self.asked.near,
                max_by_words=times * ranking.max_by_words,
                max_nearest=times * ranking.max_nearest,
                cut=ranking.cut,
            )
            found = await self.with_context(wanted)
            candidates = found.candidates
            nearest = [one.cosine for one in candidates if one.cosine is not None]
            # Few vCons may have most of the nearest passages. The number ranked does not depend on the page
            # size, so the list is the same with any pages.
            is_filled = len({one.id for one in candidates}) >= _MIN_RANKED_VCONS
            if not is_first or is_filled or not ranking.max_nearest <= len(nearest) < MAX_BY_INDEX:
                break
            ranking.max_nearest *= 4
        if is_first:
            by_words = [one for one in candidates if one.weight is not None]
            if len(by_words) >= ranking.max_by_words:
                last = by_words[ranking.max_by_words - 1]
                ranking.cut = Cut(last.weight or 0, last.occurred_at, last.id)
            if len(nearest) >= ranking.max_nearest:
                ranking.nearest = min(nearest)
        ranking.is_complete = (
            ranking.cut is None
            and ranking.nearest is None
            and len(ranking.lead) == len(self.asked.every_word)
        )
        return rank_in(found.context([one for one in candidates if ranking.has(one)]), self.asked)

    async def _others(
        self, ranking: Ranking, below: JsonObject, limit: int
    ) -> tuple[list[Ranked], JsonObject | None]:
        """Return other matches, newest first, and the position after them; None at the end."""
        least = self.request.threshold or 0.0
        found: list[Ranked] = []
        shown = below
        for _ in range(_MAX_BATCHES):
            conditions = self.conditions | ({"below": below} if below else {})
            places = await newest(self.connection, conditions, _BATCH + 1)
            batch = places[:_BATCH]
            new = await self._not_ranked(ranking, [place.id for place in batch])
            ranked: list[Ranked] = []
            if new:
                among = await self.with_context(self._of(new, self.asked.every_word))
                ranked = rank_in(among.context(among.candidates), self.asked)
            of_id = {one.id: one for one in ranked if one.key[0] >= least}
            for place in batch:
                if place.id not in of_id:
                    continue
                if len(found) == limit:
                    return found, shown
                found.append(of_id[place.id])
                shown = place.document()
            if len(places) <= _BATCH:
                return found, None
            below = batch[-1].document()
        return found, below

    async def _not_ranked(self, ranking: Ranking, ids: Sequence[UUID]) -> list[UUID]:
        """Return those vCons that were not candidates of a ranking."""
        wanted = self._of(ids, ranking.lead, max_of_one=1, cut=ranking.cut)
        candidates = await find_candidates(self.connection, wanted)
        were = {one.id for one in candidates if ranking.has(one)}
        return [id_ for id_ in ids if id_ not in were]

    def _of(self, ids: Sequence[UUID], lead: Sequence[int], **of: object) -> CandidateQuery:
        """The candidates of these vCons."""
        return self.wanted(
            lead,
            vector=self.asked.near,
            max_by_words=ALL,
            max_nearest=ALL,
            among=ids,
            is_exhaustive=True,
            **of,
        )


def pool_of(weighed: WeightedQuery, depth: int = 1) -> tuple[int, int]:
    """Return how many passages a search ranks, by words and by meaning: more in a larger store.

    They grow with the root of the number of passages, as what a search reads does.
    """
    growth = min(max(math.sqrt(weighed.passages / _PASSAGES_OF_A_POOL), 1.0), _MAX_POOL_GROWTH)
    return round(depth * growth * MAX_BY_WORDS), round(depth * growth * MAX_NEAREST)


def leading_words(asked: HybridQuery) -> tuple[int, ...]:
    """Select the words of a query by which passages of vCons are looked up."""
    if asked.weighed is None or not asked.every_word:
        return ()
    return leading_words_of(asked.words, asked.weighed.counts, asked.weighed.rows_a_thing)


def are_weak(items: Sequence[Item]) -> bool:
    """Whether there are results, but none better than chance."""
    return bool(items) and all(item.strength == "weak" for item in items)


async def newest(
    connection: Connection, conditions: JsonObject, most: int, offset: int = 0
) -> list[PagePosition]:
    """Return the vCons that meet conditions, newest first."""
    rows = await connection.fetch(
        "select id, occurred_at from vcontract.search_newest($1::jsonb, $2, $3) offset $4",
        dump_json(conditions).decode(),
        VCON,
        most,
        offset,
    )
    return [PagePosition(row["occurred_at"], row["id"]) for row in rows]
