"""Search modes: how vcon_search finds a page of vCons in each of its four modes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypedDict
from uuid import UUID

from vcontract.generated.results.contract import (
    VconSearchResultEntryMatch,
    VconSearchResultMeta,
)
from vcontract.generated.results.contract import VconSearchResultEntryMatchHitsEntry as Hit
from vcontract.handlers.contract.hints import ONLY_WEAK, of_words
from vcontract.handlers.contract.search_words import corrections, matching, word_counts
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.envelope import in_order
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.hits import FoundPassage, Item, PlaceOfElement, QueryVector, read_names
from vcontract.runtime.store.search.matching import Filters
from vcontract.runtime.store.search.ranked import VconSearch
from vcontract.runtime.store.search.semantic import Excerpt, SemanticSearch, Similar, as_before
from vcontract.runtime.store.search.weighing import WeighedQuery
from vcontract.runtime.text.query import Query, Term
from vcontract.runtime.text.snippets import snippet

_NAMED: Final = frozenset({"analysis", "attachment"})
"""The parts whose elements are called by a type or a purpose."""
_DECIMALS: Final = 6
_MILLION: Final = 10**_DECIMALS


class Remark(TypedDict):
    """What is said of one item."""

    score: float
    match: VconSearchResultEntryMatch
    passages: Sequence[FoundPassage]
    """Those of its hits, one for each."""
    terms: Sequence[Term]
    """The words that are marked in them."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What one page is to hold; which of query and vector there are, the mode decides."""

    filters: Filters
    limit: int
    query: Query | None
    vector: QueryVector | None
    threshold: float | None
    weight: float
    hits_per_item: int
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
            connection,
            tenant,
            query,
            wanted.filters,
            wanted.limit,
            wanted.start,
            hits_per_item=wanted.hits_per_item,
        )
        ids = [item.id for item in page.items]
        remarks: dict[UUID, Remark] = {
            item.id: _remark(item.score, _match(item, page.weighed), item.hits, page.weighed.terms)
            for item in page.items
        }
        if page.weighed.is_relaxed:
            missing = await self._search.missing_words(connection, page.weighed, ids)
            for id_, words in missing.items():
                remarks[id_]["match"]["missing"] = words
        _tell_words(meta, page.weighed)
        if page.ranked_newest is not None:
            meta["ranked_newest"] = page.ranked_newest
        if apart := await of_words(self._search, connection, page.weighed, page.total):
            meta["hints"] = apart
        return Found(ids, remarks, page.following, page.total)

    async def _by_meaning(
        self, connection: Connection, wanted: Wanted, vector: QueryVector, meta: VconSearchResultMeta
    ) -> Found:
        vector = as_before(vector, wanted.start)
        page = await self._semantic.semantic(
            connection,
            vector,
            wanted.filters,
            threshold=wanted.threshold,
            limit=wanted.limit,
            start=wanted.start,
        )
        ids = [item.id for item in page.items]
        excerpts = await self._semantic.excerpts(
            connection, vector, ids, threshold=wanted.threshold or 0.0, most=wanted.hits_per_item
        )
        remarks = {
            item.id: _remark(
                item.similarity,
                self._similar(item, best := _best(excerpts[item.id], wanted)),
                best,
                (),
            )
            for item in page.items
        }
        meta["matching"] = "semantic"
        if page.only_weak:
            meta["hints"] = [ONLY_WEAK]
        if page.best_below_threshold is not None:
            # rounded down, so that as a threshold it is passed by what it was taken from
            meta["best_below_threshold"] = math.floor(page.best_below_threshold * _MILLION) / _MILLION
        return Found(ids, remarks, page.following)

    @staticmethod
    def _similar(item: Similar, best: Sequence[Excerpt]) -> VconSearchResultEntryMatch:
        """Why an item is similar, and where."""
        return {
            "matching": "semantic",
            "strength": item.strength,
            "semantic_score": _rounded(item.similarity),
            "cosine": _rounded(item.cosine),
            "hits": [
                _hit(excerpt, snippet(excerpt.content, ()), excerpt.similarity, ("meaning",))
                for excerpt in best
            ],
        }

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
            hits_per_item=wanted.hits_per_item,
        )
        items = page.items
        if page.only_weak:
            meta["hints"] = [ONLY_WEAK]
        remarks: dict[UUID, Remark] = {
            item.id: _remark(
                item.score, _match(item, page.weighed, by_meaning=True), item.hits, page.weighed.terms
            )
            for item in items
        }
        _tell_words(meta, page.weighed)
        return Found([item.id for item in items], remarks, page.following)


async def name_hits(connection: Connection, tenant: str, remarks: Mapping[UUID, Remark]) -> None:
    """Give hits in an analysis its type, and those in an attachment its purpose."""
    found = (_place(id_, hit) for id_, remark in remarks.items() for hit in remark["match"]["hits"])
    places = [place for place in found if place is not None]
    if not places:
        return
    names = await read_names(connection, tenant, places)
    for id_, remark in remarks.items():
        remark["match"]["hits"] = [
            _named(hit, names.get(_place(id_, hit))) for hit in remark["match"]["hits"]
        ]


def _named(hit: Hit, name: str | None) -> Hit:
    if name is None:
        return hit
    named = hit.copy()
    named["content_name"] = name
    return in_order(Hit, named)


def _place(id_: UUID, hit: Hit) -> PlaceOfElement | None:
    """Where a hit is, if an element is there that may have a name."""
    index = hit.get("content_index")
    return (id_, hit["content_type"], index) if hit["content_type"] in _NAMED and index is not None else None


def _best(excerpts: Sequence[Excerpt], wanted: Wanted) -> list[Excerpt]:
    return sorted(excerpts, key=lambda excerpt: excerpt.similarity, reverse=True)[: wanted.hits_per_item]


def _remark(
    score: float,
    match: VconSearchResultEntryMatch,
    passages: Sequence[FoundPassage],
    terms: Sequence[Term],
) -> Remark:
    return {"score": _rounded(score), "match": match, "passages": passages, "terms": terms}


def _match(item: Item, weighed: WeighedQuery, *, by_meaning: bool = False) -> VconSearchResultEntryMatch:
    """Why an item matches, and where."""
    is_worded = any("own" in hit.because for hit in item.hits) or not by_meaning
    match: VconSearchResultEntryMatch = {
        "matching": matching(weighed) if is_worded else "semantic",
        "strength": item.strength,
        "keyword_score": _rounded(item.keyword_score),
        "hits": [_hit(hit, snippet(hit.content, weighed.terms), hit.score, hit.because) for hit in item.hits],
        "more_hits": max(item.hit_count - len(item.hits), 0),
    }
    if by_meaning:
        match["semantic_score"] = _rounded(item.similarity)
        match["meaning_score"] = _rounded(item.meaning_score)
    if item.cosine is not None:
        match["cosine"] = _rounded(item.cosine)
    return in_order(VconSearchResultEntryMatch, match)


def _hit(passage: FoundPassage, text: str, score: float, because: Sequence[str]) -> Hit:
    hit: Hit = {
        "content_type": passage.content_type,
        "snippet": text,
        "score": _rounded(score),
        "because": list(because),
    }
    if passage.content_index is not None:
        hit["content_index"] = passage.content_index
    return in_order(Hit, hit)


def _tell_words(meta: VconSearchResultMeta, weighed: WeighedQuery) -> None:
    meta["matching"] = matching(weighed)
    if weighed.corrections:
        meta["corrections"] = corrections(weighed)
    if weighed.counts:
        meta["words"] = word_counts(weighed)


def _rounded(score: float) -> float:
    return round(score, _DECIMALS)
