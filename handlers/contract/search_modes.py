"""Search modes: how vcon_search finds a page of vCons in each of its four modes."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypedDict
from uuid import UUID

from vcontract.generated.results.contract import (
    VconSearchResultEntryMatch,
    VconSearchResultMeta,
)
from vcontract.generated.results.contract import VconSearchResultEntryMatchHitsEntry as Hit
from vcontract.handlers.contract.search_words import corrections, matching, word_counts
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.envelope import in_order
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.matching import Filters
from vcontract.runtime.store.search.ranked import FoundPassage, FoundPlace, VconSearch
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


class Remark(TypedDict):
    """What is said of one item."""

    score: float
    match: VconSearchResultEntryMatch


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
    """A page as the store found it: ids in order, and what is said of each."""

    ids: list[UUID]
    remarks: dict[UUID, Remark]
    following: JsonObject | None
    total: int | None = None


class SearchModes:
    """The four modes; each method works within the transaction of its connection."""

    def __init__(self) -> None:
        self._search = VconSearch()
        self._semantic = SemanticSearch(self._search)

    async def find(
        self, connection: Connection, tenant: str, wanted: Wanted, meta: VconSearchResultMeta
    ) -> Found:
        """The page that `wanted` describes: by words, by meaning, by both, or the newest.

        What is said of all its items together is put into `meta`.
        """
        query, vector = wanted.query, wanted.vector
        if query is not None and vector is not None:
            return await self._by_both(connection, tenant, wanted, query, vector, meta)
        if query is not None:
            return await self._by_words(connection, tenant, wanted, query, meta)
        if vector is not None:
            return await self._by_meaning(connection, wanted, vector, meta)
        return await self._newest(connection, tenant, wanted)

    async def _newest(self, connection: Connection, tenant: str, wanted: Wanted) -> Found:
        page = await self._search.newest(connection, tenant, wanted.filters, wanted.limit, wanted.start)
        return Found(page.ids, {}, page.following, page.total)

    async def _by_words(
        self,
        connection: Connection,
        tenant: str,
        wanted: Wanted,
        query: Query,
        meta: VconSearchResultMeta,
    ) -> Found:
        page = await self._search.ranked(
            connection, tenant, query, wanted.filters, wanted.limit, wanted.start
        )
        ids = [item.id for item in page.items]
        places = await self._places(connection, page.weighed, ids)
        remarks = {
            item.id: _remark(
                item.score,
                {
                    "matching": _words_matched(page.weighed),
                    "keyword_score": _rounded(item.score),
                    "hits": _best(_word_hit(place, page.weighed, place.score) for place in places[item.id]),
                },
            )
            for item in page.items
        }
        _tell_words(meta, page.weighed)
        if page.ranked_newest is not None:
            meta["ranked_newest"] = page.ranked_newest
        if not page.total and await self._search.never_together(connection, page.weighed):
            meta["hints"] = [
                {"reason": "words_never_together", "suggestion": {"query": _any_word(page.weighed)}}
            ]
        return Found(ids, remarks, page.following, page.total)

    async def _by_meaning(
        self, connection: Connection, wanted: Wanted, vector: QueryVector, meta: VconSearchResultMeta
    ) -> Found:
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
                    "hits": _best(_meaning_hit(excerpt, excerpt.similarity) for excerpt in excerpts[item.id]),
                },
            )
            for item in page.items
        }
        meta["matching"] = "semantic"
        if page.best_below_threshold is not None:
            # rounded down, so that as a threshold it is passed by what it was taken from
            meta["best_below_threshold"] = math.floor(page.best_below_threshold * _MILLION) / _MILLION
        return Found(ids, remarks, page.following)

    async def _by_both(
        self,
        connection: Connection,
        tenant: str,
        wanted: Wanted,
        query: Query,
        vector: QueryVector,
        meta: VconSearchResultMeta,
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
                _blend(
                    item,
                    page,
                    _blended_hits(places[item.id], excerpts[item.id], page.weighed, wanted.weight),
                ),
            )
            for item in page.items
        }
        _tell_words(meta, page.weighed)
        return Found(ids, remarks, page.following)

    async def _places(
        self, connection: Connection, weighed: WeighedQuery, ids: Sequence[UUID]
    ) -> dict[UUID, list[FoundPlace]]:
        return await self._search.places(connection, weighed, ids) if ids else {}


def _remark(score: float, match: VconSearchResultEntryMatch) -> Remark:
    return {"score": _rounded(score), "match": match}


def _best(hits: Iterable[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: hit["score"], reverse=True)[:_MOST_HITS]


def _blend(item: Blended, page: HybridPage, hits: list[Hit]) -> VconSearchResultEntryMatch:
    """The two scores of an item that words and meaning speak for, and where."""
    match: VconSearchResultEntryMatch = {
        "matching": _words_matched(page.weighed) if item.keyword_score else "semantic",
        "keyword_score": _rounded(item.keyword_score),
        "semantic_score": _rounded(item.semantic_score),
        "hits": _best(hits),
    }
    if item.cosine is not None:
        match["cosine"] = _rounded(item.cosine)
    return in_order(VconSearchResultEntryMatch, match)


def _blended_hits(
    places: Sequence[FoundPlace], excerpts: Sequence[Excerpt], weighed: WeighedQuery, weight: float
) -> list[Hit]:
    """The places that words or meaning speak for, each element once, scored as vCons are."""
    similar = {(excerpt.part, excerpt.element): excerpt for excerpt in excerpts}
    hits: list[Hit] = []
    for place in places:
        excerpt = similar.pop((place.part, place.element), None)
        similarity = 0.0 if excerpt is None else excerpt.similarity
        hits.append(_word_hit(place, weighed, weight * similarity + (1 - weight) * place.score))
    hits += [_meaning_hit(excerpt, weight * excerpt.similarity) for excerpt in similar.values()]
    return [hit for hit in hits if hit["score"] > 0]


def _word_hit(place: FoundPlace, weighed: WeighedQuery, score: float) -> Hit:
    return _hit(place, snippet(place.content, weighed.terms), score)


def _meaning_hit(excerpt: Excerpt, score: float) -> Hit:
    return _hit(excerpt, snippet(excerpt.content, ()), score)


def _hit(passage: FoundPassage, text: str, score: float) -> Hit:
    hit: Hit = {"content_type": passage.content_type, "snippet": text, "score": _rounded(score)}
    if passage.content_index is not None:
        hit["content_index"] = passage.content_index
    return in_order(Hit, hit)


def _any_word(weighed: WeighedQuery) -> str:
    """A query that any one of the words matches."""
    words = [counted["word"] for counted in word_counts(weighed)]
    return " OR ".join(word if word.isalnum() else f'"{word}"' for word in words)


def _words_matched(weighed: WeighedQuery) -> str:
    return "fuzzy" if weighed.is_fuzzy else "exact"


def _tell_words(meta: VconSearchResultMeta, weighed: WeighedQuery) -> None:
    meta["matching"] = matching(weighed)
    if weighed.corrections:
        meta["corrections"] = corrections(weighed)
    if weighed.counts:
        meta["words"] = word_counts(weighed)


def _rounded(score: float) -> float:
    return round(score, _DECIMALS)
