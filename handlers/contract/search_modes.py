"""Find a page of vCons in each of vcon_search's four modes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypedDict
from uuid import UUID

from vcontract.generated.results.contract import (
    VconSearchResultEntryMatch,
    VconSearchResultMeta,
)
from vcontract.generated.results.contract import VconSearchResultEntryMatchHitsEntry as Hit
from vcontract.handlers.contract.hints import ONLY_WEAK, word_hints
from vcontract.handlers.contract.search_words import corrections, matching, word_counts
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.hits import Hit as FoundHit
from vcontract.runtime.store.search.hits import Item
from vcontract.runtime.store.search.pages import Page, SearchRequest
from vcontract.runtime.store.search.search import Search
from vcontract.runtime.store.search.semantic_pages import as_before
from vcontract.runtime.store.search.term_weights import WeightedQuery
from vcontract.runtime.text.query import Term

_DECIMALS: Final = 6
_MILLION: Final = 10**_DECIMALS


class MatchInfo(TypedDict):
    """Match information of one item."""

    score: float
    match: VconSearchResultEntryMatch
    passages: Sequence[FoundHit]
    """Its hits' passages, one each; `locate_hits` selects from them."""
    terms: Sequence[Term]
    """Words to highlight."""


@dataclass(frozen=True, slots=True)
class SearchPage:
    """A page as the store found it: ids in order, and what is said of each."""

    ids: list[UUID]
    matches: dict[UUID, MatchInfo]
    following: JsonObject | None
    total: int | None = None
    pending: int | None = None
    """Passages that wait for a vector, if they were counted."""


class SearchModes:
    """The four modes; each method works in the transaction of its connection."""

    def __init__(self, search: Search) -> None:
        self._search = search

    async def find(
        self, connection: Connection, tenant: str, request: SearchRequest, meta: VconSearchResultMeta
    ) -> SearchPage:
        """Return the requested page by keywords, meaning, both, or newest first.

        Facts about all items are added to `meta`.
        """
        if request.vector is not None and request.query is None:
            request = replace(request, vector=as_before(request.vector, request.start))
        if request.query is None and request.vector is None:
            newest = await self._search.newest(
                connection, tenant, request.filters, request.limit, start=request.start
            )
            return SearchPage(newest.ids, {}, newest.following, newest.total)
        most = request.hits_per_item
        request = replace(request, further_hits=most)
        page = await self._search.find(connection, tenant, request)
        if request.query is None:
            # some of each part; the best overall are shown
            items = [
                replace(item, hits=item.hits[:most], more_hits=item.hits[most : 2 * most])
                for item in page.items
            ]
            page = replace(page, items=items)
        remarks: dict[UUID, MatchInfo] = {
            item.id: _remark(
                item.score,
                _match(item, page.weighed, by_meaning=request.vector is not None),
                (*item.hits, *item.more_hits),
                () if page.weighed is None else page.weighed.terms,
            )
            for item in page.items
        }
        if page.only_weak:
            meta["hints"] = [ONLY_WEAK]
        if page.weighed is None:
            meta["matching"] = "semantic"
        else:
            _add_word_counts(meta, page.weighed, by_meaning=request.vector is not None)
        if page.best_below_threshold is not None:
            # rounded down, so that it passes when used as a threshold
            meta["best_below_threshold"] = math.floor(page.best_below_threshold * _MILLION) / _MILLION
        if page.weighed is not None and request.vector is None:
            await self._add_missing_words(connection, tenant, page, page.weighed, remarks, meta)
        pending = None if page.weighed is None else page.weighed.pending
        return SearchPage([item.id for item in page.items], remarks, page.following, page.total, pending)

    async def _add_missing_words(
        self,
        connection: Connection,
        tenant: str,
        page: Page,
        weighed: WeightedQuery,
        remarks: Mapping[UUID, MatchInfo],
        meta: VconSearchResultMeta,
    ) -> None:
        """List the query words that items found without all words lack."""
        if weighed.is_relaxed:
            missing = await self._search.missing_words(connection, tenant, weighed, list(remarks))
            for id_, words in missing.items():
                remarks[id_]["match"]["missing"] = words
        if apart := await word_hints(self._search, connection, weighed, page.total or 0):
            meta["hints"] = apart


def _remark(
    score: float,
    match: VconSearchResultEntryMatch,
    passages: Sequence[FoundHit],
    terms: Sequence[Term],
) -> MatchInfo:
    return {"score": _rounded(score), "match": match, "passages": passages, "terms": terms}


def _match(item: Item, weighed: WeightedQuery | None, *, by_meaning: bool) -> VconSearchResultEntryMatch:
    """Build why and where an item matches."""
    hits = [_hit(hit) for hit in (*item.hits, *item.more_hits)]
    if weighed is None:
        return {
            "matching": "semantic",
            "strength": item.strength,
            "semantic_score": _rounded(item.similarity),
            "cosine": _rounded(item.cosine or 0.0),
            "hits": hits,
        }
    is_worded = any("own" in hit.because for hit in item.hits) or not by_meaning
    match: VconSearchResultEntryMatch = {
        "matching": matching(weighed) if is_worded else "semantic",
        "strength": item.strength,
        "keyword_score": _rounded(item.keyword_score),
        "hits": hits,
        "more_hits": max(item.hit_count - len(hits), 0),
    }
    if by_meaning:
        match["semantic_score"] = _rounded(item.similarity)
        match["meaning_score"] = _rounded(item.meaning_score)
    if item.cosine is not None:
        match["cosine"] = _rounded(item.cosine)
    return in_order(VconSearchResultEntryMatch, match)


def _hit(passage: FoundHit) -> Hit:
    """Build a hit with its whole passage; `locate_hits` shortens it."""
    hit: Hit = {
        "content_type": passage.content_type,
        "snippet": passage.content,
        "score": _rounded(passage.score),
        "because": list(passage.because),
    }
    if passage.content_index is not None:
        hit["content_index"] = passage.content_index
    if passage.name is not None:
        hit["content_name"] = passage.name
    return in_order(Hit, hit)


def _add_word_counts(meta: VconSearchResultMeta, weighed: WeightedQuery, *, by_meaning: bool) -> None:
    is_worded = not by_meaning or bool(weighed.corrections) or any(weighed.counts)
    meta["matching"] = matching(weighed) if is_worded else "semantic"
    if weighed.corrections:
        meta["corrections"] = corrections(weighed)
    if weighed.counts:
        meta["words"] = word_counts(weighed)


def _rounded(score: float) -> float:
    return round(score, _DECIMALS)
