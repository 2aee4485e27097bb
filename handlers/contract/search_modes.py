"""Search modes: how vcon_search finds a page of vCons in each of its four modes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from vcontract.handlers.contract.search_words import matching, word_counts
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.matching import Filters
from vcontract.runtime.store.search.ranked import FoundPassage, FoundPlace, RankedPage, VconSearch
from vcontract.runtime.store.search.semantic import (
    LEAST_SIMILARITY,
    Blended,
    Excerpt,
    HybridPage,
    QueryVector,
    SemanticSearch,
)
from vcontract.runtime.store.search.weighing import WeighedQuery
from vcontract.runtime.text.query import Query
from vcontract.runtime.text.snippets import snippet

_MOST_HITS: Final = 3
_DECIMALS: Final = 6
_MILLION: Final = 10**_DECIMALS


@dataclass(frozen=True, slots=True)
class Wanted:
    """What one page is to hold; which of query and vector there are, the mode decides."""

    filters: Filters
    limit: int
    query: Query | None
    vector: QueryVector | None
    threshold: float | None
    weight: float
    start: JsonObject | None
    """`Found.following` of the page before; None for the first page."""


@dataclass(frozen=True, slots=True)
class Found:
    """A page as the store found it: ids in order, what is said of each, and of all."""

    ids: list[UUID]
    remarks: dict[UUID, JsonObject]
    following: JsonObject | None
    meta: JsonObject
    total: int | None = None


class SearchModes:
    """The four modes; each method works within the transaction of its connection."""

    def __init__(self) -> None:
        self._search = VconSearch()
        self._semantic = SemanticSearch(self._search)

    async def find(self, connection: Connection, tenant: str, wanted: Wanted) -> Found:
        """The page that `wanted` describes: by words, by meaning, by both, or the newest."""
        query, vector = wanted.query, wanted.vector
        if query is not None and vector is not None:
            return await self._by_both(connection, tenant, wanted, query, vector)
        if query is not None:
            return await self._by_words(connection, tenant, wanted, query)
        if vector is not None:
            return await self._by_meaning(connection, wanted, vector)
        return await self._newest(connection, tenant, wanted)

    async def _newest(self, connection: Connection, tenant: str, wanted: Wanted) -> Found:
        page = await self._search.newest(connection, tenant, wanted.filters, wanted.limit, wanted.start)
        return Found(page.ids, {}, page.following, {}, page.total)

    async def _by_words(self, connection: Connection, tenant: str, wanted: Wanted, query: Query) -> Found:
        page = await self._search.ranked(
            connection, tenant, query, wanted.filters, wanted.limit, wanted.start
        )
        ids = [item.id for item in page.items]
        places = await self._places(connection, page.weighed, ids)
        remarks = {
            item.id: _remark(
                item.score,
                {"matching": _words_matched(page.weighed), "keyword_score": _rounded(item.score)},
                [_word_hit(place, page.weighed, place.score) for place in places[item.id]],
            )
            for item in page.items
        }
        meta = _about_words(page)
        if not page.total and await self._search.never_together(connection, page.weighed):
            meta["hints"] = [{"reason": "words_never_together"}]
        return Found(ids, remarks, page.following, meta, page.total)

    async def _by_meaning(self, connection: Connection, wanted: Wanted, vector: QueryVector) -> Found:
        threshold = wanted.threshold or 0.0
        page = await self._semantic.semantic(
            connection,
            vector,
            wanted.filters,
            threshold=threshold,
            limit=wanted.limit,
            start=wanted.start,
        )
        ids = [item.id for item in page.items]
        excerpts = await self._semantic.excerpts(connection, vector, ids, threshold=threshold)
        remarks = {
            item.id: _remark(
                item.similarity,
                {
                    "matching": "semantic",
                    "semantic_score": _rounded(item.similarity),
                    "cosine": _rounded(item.cosine),
                },
                [_meaning_hit(excerpt, excerpt.similarity) for excerpt in excerpts[item.id]],
            )
            for item in page.items
        }
        best = page.best_below_threshold
        # rounded down, so that as a threshold it is passed by what it was taken from
        nearest = {} if best is None else {"best_below_threshold": math.floor(best * _MILLION) / _MILLION}
        return Found(ids, remarks, page.following, {"matching": "semantic", **nearest})

    async def _by_both(
        self, connection: Connection, tenant: str, wanted: Wanted, query: Query, vector: QueryVector
    ) -> Found:
        page = await self._semantic.hybrid(
            connection,
            tenant,
            vector,
            query,
            wanted.filters,
            weight=wanted.weight,
            limit=wanted.limit,
            threshold=wanted.threshold,
            start=wanted.start,
        )
        ids = [item.id for item in page.items]
        places = await self._places(connection, page.weighed, ids)
        excerpts = await self._semantic.excerpts(connection, vector, ids, threshold=LEAST_SIMILARITY)
        remarks = {
            item.id: _remark(
                item.score,
                _blend(item, page),
                _blended_hits(places[item.id], excerpts[item.id], page.weighed, wanted.weight),
            )
            for item in page.items
        }
        meta = matching(page.weighed)
        if page.weighed.counts:
            meta["words"] = word_counts(page.weighed)
        return Found(ids, remarks, page.following, meta)

    async def _places(
        self, connection: Connection, weighed: WeighedQuery, ids: Sequence[UUID]
    ) -> dict[UUID, list[FoundPlace]]:
        return await self._search.places(connection, weighed, ids) if ids else {}


def _remark(score: float, match: JsonObject, hits: list[JsonObject]) -> JsonObject:
    """What is said of one item; of its hits the best."""
    best = sorted(hits, key=lambda hit: hit["score"], reverse=True)[:_MOST_HITS]
    return {"score": _rounded(score), "match": {**match, "hits": best}}


def _blend(item: Blended, page: HybridPage) -> JsonObject:
    """The two scores of an item that words and meaning speak for."""
    return {
        "matching": _words_matched(page.weighed) if item.keyword_score else "semantic",
        "keyword_score": _rounded(item.keyword_score),
        "semantic_score": _rounded(item.semantic_score),
        **({} if item.cosine is None else {"cosine": _rounded(item.cosine)}),
    }


def _blended_hits(
    places: Sequence[FoundPlace], excerpts: Sequence[Excerpt], weighed: WeighedQuery, weight: float
) -> list[JsonObject]:
    """The places that words or meaning speak for, each element once, scored as vCons are."""
    similar = {(excerpt.part, excerpt.element): excerpt for excerpt in excerpts}
    hits: list[JsonObject] = []
    for place in places:
        excerpt = similar.pop((place.part, place.element), None)
        similarity = 0.0 if excerpt is None else excerpt.similarity
        hits.append(_word_hit(place, weighed, weight * similarity + (1 - weight) * place.score))
    hits += [_meaning_hit(excerpt, weight * excerpt.similarity) for excerpt in similar.values()]
    return [hit for hit in hits if hit["score"] > 0]


def _word_hit(place: FoundPlace, weighed: WeighedQuery, score: float) -> JsonObject:
    return _hit(place, snippet(place.content, weighed.terms), score)


def _meaning_hit(excerpt: Excerpt, score: float) -> JsonObject:
    return _hit(excerpt, snippet(excerpt.content, ()), score)


def _hit(passage: FoundPassage, text: str, score: float) -> JsonObject:
    index = {} if passage.content_index is None else {"content_index": passage.content_index}
    return {"content_type": passage.content_type, **index, "snippet": text, "score": _rounded(score)}


def _words_matched(weighed: WeighedQuery) -> str:
    return "fuzzy" if weighed.is_fuzzy else "exact"


def _about_words(page: RankedPage) -> JsonObject:
    weighed = page.weighed
    meta = matching(weighed)
    if weighed.counts:
        meta["words"] = word_counts(weighed)
    if page.ranked_newest is not None:
        meta["ranked_newest"] = page.ranked_newest
    return meta


def _rounded(score: float) -> float:
    return round(score, _DECIMALS)
