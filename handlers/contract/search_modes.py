"""Find a page of vCons in each of vcon_search's four modes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

from vcontract.generated.results.contract import VconSearchResultEntryMatch, VconSearchResultMeta
from vcontract.generated.results.contract import VconSearchResultEntryMatchHitsEntry as Hit
from vcontract.handlers.contract.hints import ONLY_WEAK, word_hints
from vcontract.handlers.contract.hit_turns import DECIMALS, Turns, hits_in_turns, rounded
from vcontract.handlers.contract.search_words import corrections, matching, word_counts
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.hits import Hit as FoundHit
from vcontract.runtime.store.search.hits import Item
from vcontract.runtime.store.search.pages import SearchRequest
from vcontract.runtime.store.search.search import Search
from vcontract.runtime.store.search.semantic_pages import as_before
from vcontract.runtime.store.search.term_weights import WeightedQuery

_MILLION: Final = 10**DECIMALS


@dataclass(frozen=True, slots=True)
class SearchPage:
    """A page as the store found it: ids in order, and why each matches."""

    ids: list[UUID]
    items: Mapping[UUID, Item]
    """Matches; none in a listing without a query."""
    following: JsonObject | None
    total: int | None = None
    weighed: WeightedQuery | None = None
    by_meaning: bool = False
    missing: Mapping[UUID, Sequence[str]] = field(default_factory=dict[UUID, Sequence[str]])
    """Query words that items found without all words lack."""

    @property
    def pending(self) -> int | None:
        """Passages that wait for a vector; None if they were not counted."""
        return None if self.weighed is None else self.weighed.pending

    @property
    def passages(self) -> list[FoundHit]:
        """Passages of all hits."""
        return [hit for item in self.items.values() for hit in (*item.hits, *item.more_hits)]

    def match(self, id_: UUID, turns: Turns, most: int) -> VconSearchResultEntryMatch | None:
        """Build why and where a vCon matches, with up to `most` hits; None in a listing."""
        if (item := self.items.get(id_)) is None:
            return None
        terms = () if self.weighed is None else self.weighed.terms
        hits, passages = hits_in_turns(turns, item, terms, most)
        match = _match(item, self.weighed, hits, passages, by_meaning=self.by_meaning)
        return {**match, "missing": [*self.missing[id_]]} if id_ in self.missing else match


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
        request = replace(request, further_hits=request.hits_per_item)
        page = await self._search.find(connection, tenant, request)
        items = {item.id: item for item in page.items}
        missing: Mapping[UUID, Sequence[str]] = {}
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
            if page.weighed.is_relaxed:
                missing = await self._search.missing_words(connection, tenant, page.weighed, list(items))
            if apart := await word_hints(self._search, connection, page.weighed, page.total or 0):
                meta["hints"] = apart
        by_meaning = request.vector is not None
        return SearchPage(list(items), items, page.following, page.total, page.weighed, by_meaning, missing)


def _match(
    item: Item, weighed: WeightedQuery | None, hits: list[Hit], passages: int, *, by_meaning: bool
) -> VconSearchResultEntryMatch:
    """Build a match. Its hits show this number of passages."""
    if weighed is None:
        return {
            "matching": "semantic",
            "strength": item.strength,
            "semantic_score": rounded(item.similarity),
            "cosine": rounded(item.cosine or 0.0),
            "hits": hits,
        }
    is_worded = any("own" in hit.because for hit in item.hits) or not by_meaning
    loaded = len(item.hits) + len(item.more_hits)
    match: VconSearchResultEntryMatch = {
        "matching": matching(weighed) if is_worded else "semantic",
        "strength": item.strength,
        "keyword_score": rounded(item.keyword_score),
        "hits": hits,
        "more_hits": max(item.hit_count, loaded) - passages,
    }
    if by_meaning:
        match["semantic_score"] = rounded(item.similarity)
        match["meaning_score"] = rounded(item.meaning_score)
    if item.cosine is not None:
        match["cosine"] = rounded(item.cosine)
    return in_order(VconSearchResultEntryMatch, match)


def _add_word_counts(meta: VconSearchResultMeta, weighed: WeightedQuery, *, by_meaning: bool) -> None:
    is_worded = not by_meaning or bool(weighed.corrections) or any(weighed.counts)
    meta["matching"] = matching(weighed) if is_worded else "semantic"
    if weighed.corrections:
        meta["corrections"] = corrections(weighed)
    if weighed.counts:
        meta["words"] = word_counts(weighed)
