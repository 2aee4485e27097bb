"""Search every kind of record: newest first, by keywords, by meaning, or by both."""

import math
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.candidates import Candidate, FoundCandidates, read_words, words_of_vcons
from vcontract.runtime.store.search.filter_conditions import Filters, count_filtered, count_matching
from vcontract.runtime.store.search.hits import VCON, QueryVector
from vcontract.runtime.store.search.listing import (
    MAX_CANDIDATES_READ,
    MAX_LISTED_BY_MEANING,
    MAX_RANKED,
    KindResults,
    find_scored_items,
    with_readings,
)
from vcontract.runtime.store.search.pages import (
    ALL,
    ElementsPage,
    ModelChanged,
    NewestPage,
    Page,
    SearchRequest,
    VconSearch,
    leading_words,
    newest,
    pool_of,
)
from vcontract.runtime.store.search.ranked_search import HybridQuery, Ranked, hits_of, rank_in
from vcontract.runtime.store.search.ranking import Scored
from vcontract.runtime.store.search.semantic_pages import meaning_page
from vcontract.runtime.store.search.term_weights import TermWeigher, WeightedQuery
from vcontract.runtime.text.query import Query

MEANING: Final = 0.6
"""Default share of meaning in hybrid scores."""
_ELEMENTS_PER_VCON: Final = 10
_ELEMENTS_RANKED: Final = 1_000


class Search:
    """Searches of every tenant; each method works in the transaction of its connection."""

    def __init__(self) -> None:
        self.weighing = TermWeigher()

    async def newest(
        self,
        connection: Connection,
        tenant: str,
        filters: Filters,
        limit: int,
        *,
        start: JsonObject | None = None,
        offset: int = 0,
    ) -> NewestPage:
        """Return the vCons that match the filters, newest first, from `start` (`following` of the previous
        page).
        """
        below = {"below": start["below"]} if start else {}
        rows = await newest(connection, filters.conditions() | below, offset + limit + 1, offset)
        page = rows[:limit]
        if start:
            total = int(start["total"])
        elif len(rows) > limit or (offset and not rows):
            total = await count_filtered(connection, tenant, filters)
        else:
            total = offset + len(rows)
        following = {"below": page[-1].document(), "total": total} if len(rows) > limit else None
        return NewestPage([place.id for place in page], total, following)

    async def find(self, connection: Connection, tenant: str, request: SearchRequest) -> Page:
        """Return the matching vCons, best first.

        In keyword mode a vCon must contain all words. Spelling is corrected only if nothing matches and a
        word is in no vCon. If still nothing matches, only the heaviest words are searched. In hybrid mode, a
        vCon with any word or with a vector matches. The best candidates are ranked together; the other
        matches follow, newest first.

        Raises: ModelChanged.
        """
        vector, start = request.vector, request.start
        if vector is not None and start and start["model"] != vector.space.model:
            raise ModelChanged(f"the page before was of {start['model']}, and {vector.space.model} is active")
        if request.query is None:
            if vector is None:
                raise TypeError("find: needs a query, a vector or both")
            return await meaning_page(connection, tenant, request, vector)
        if start:
            weighed = WeightedQuery.resumed(request.query, start)
            return await VconSearch.of(connection, tenant, request, weighed).page(self.weighing)
        if vector is not None:
            weighed = await self._weighed(connection, tenant, request.query)
            return await VconSearch.of(connection, tenant, request, weighed).page(self.weighing)
        weighed = await self.weighing.weigh(connection, tenant, request.query)
        page = await VconSearch.of(connection, tenant, request, weighed).page(self.weighing)
        async for other in self._instead(connection, tenant, weighed):
            if page.items:
                break
            found = await VconSearch.of(connection, tenant, request, other).page(self.weighing)
            page = found if found.items else page
        return page

    async def best(
        self, connection: Connection, tenant: str, request: SearchRequest, depth: int = 1
    ) -> KindResults:
        """Return the best vCons with all scored passages, from `depth` times the candidates of a page."""
        if request.query is None:
            raise TypeError("best: needs a query")
        weighed = await self._weighed(connection, tenant, request.query)
        asked = HybridQuery.of(tenant, weighed, request.vector, request.weight)
        most, most_near = pool_of(weighed, depth)
        return await find_scored_items(
            connection,
            VCON,
            request.filters.conditions(),
            asked,
            leading_words(asked),
            most=most,
            most_near=most_near,
            most_ranked=ALL,
        )

    async def ask(
        self,
        connection: Connection,
        tenant: str,
        query: Query | None,
        vector: QueryVector | None,
        *,
        kinds: Sequence[str],
    ) -> HybridQuery:
        """Prepare a query and a vector for a search of `kinds`."""
        weighed = None if query is None else await self.weighing.weigh(connection, tenant, query, kinds)
        return HybridQuery.of(tenant, weighed, vector, MEANING)

    async def listed(
        self,
        connection: Connection,
        kind: str,
        filters: JsonObject,
        asked: HybridQuery,
        *,
        most: int = MAX_CANDIDATES_READ,
    ) -> KindResults:
        """List at most `most` records of a kind that match `filters` (in the form of
        vcontract.search_conditions).

        The best 200 are scored passage by passage and come first; the others are scored as wholes.
        """
        if asked.weighed is not None and asked.weighed.size == 0:
            return KindResults(kind, asked, (), is_cut=False)
        asked = await with_readings(connection, kind, filters, asked)
        return await find_scored_items(
            connection,
            kind,
            filters,
            asked,
            asked.every_word if kind != VCON else leading_words(asked),
            most=most,
            most_near=MAX_LISTED_BY_MEANING,
            most_ranked=MAX_RANKED,
        )

    async def elements(
        self, connection: Connection, tenant: str, query: Query, filters: Filters, limit: int, offset: int
    ) -> ElementsPage:
        """Return the elements that contain words of the query, in matching vCons, best first.

        At most 10 elements per vCon.
        """
        weighed, total = await self.matching(connection, tenant, query, filters)
        search = VconSearch.of(connection, tenant, SearchRequest(filters, limit, query), weighed)
        most, found = _ELEMENTS_RANKED, list[Scored]()
        while len(found) <= offset + limit:
            wanted = search.wanted(
                search.asked.every_word, max_by_words=most, max_of_one=_ELEMENTS_PER_VCON + 2
            )
            among = await search.with_context(wanted)
            found = _elements(among, search.asked, most)
            if len(among.candidates) < most:
                break
            most *= 4
        hits = await hits_of(connection, VCON, search.asked, found[offset : offset + limit])
        return ElementsPage(hits, total, weighed, has_more=len(found) > offset + limit)

    async def never_together(self, connection: Connection, weighed: WeightedQuery) -> bool:
        """Whether each word occurs in some vCon, but no vCon has the required combination."""
        if len(weighed.counts) < 2 or not all(weighed.counts):
            return False
        demands: JsonObject = {"required": replace(weighed, heaviest=()).conditions()["required"]}
        return await count_matching(connection, demands, at_most=1) == 0

    async def missing_words(
        self, connection: Connection, tenant: str, weighed: WeightedQuery, ids: Sequence[UUID]
    ) -> dict[UUID, list[str]]:
        """Return the words of a query that each vCon lacks, as written."""
        words = read_words(weighed.conditions()["words"])
        held = await words_of_vcons(connection, tenant, words, ids)
        return {
            id_: [
                weighed.query.terms[word.number].text
                for at, word in enumerate(words)
                if not held.get(id_, 0) >> at & 1
            ]
            for id_ in ids
        }

    async def _weighed(self, connection: Connection, tenant: str, query: Query) -> WeightedQuery:
        """Weight the query. If no word is known, use similar spellings."""
        weighed = await self.weighing.weigh(connection, tenant, query)
        if any(weighed.counts):
            return weighed
        return await self.weighing.corrected(connection, tenant, weighed) or weighed

    async def _instead(
        self, connection: Connection, tenant: str, weighed: WeightedQuery
    ) -> AsyncIterator[WeightedQuery]:
        """Yield alternatives if nothing matches: known spellings, then the heaviest words."""
        if 0 in weighed.counts:
            corrected = await self.weighing.corrected(connection, tenant, weighed)
            if corrected is not None:
                yield corrected
        relaxed = weighed.relaxed()
        if relaxed is not None:
            yield relaxed

    async def matching(
        self, connection: Connection, tenant: str, query: Query, filters: Filters
    ) -> tuple[WeightedQuery, int]:
        """Return the query as searched and the number of matches; an alternative query if only that
        matches.
        """
        weighed = await self.weighing.weigh(connection, tenant, query)
        total = await self.weighing.count_all(connection, tenant, filters.conditions() | weighed.conditions())
        async for other in self._instead(connection, tenant, weighed):
            if total:
                break
            if found := await count_matching(connection, filters.conditions() | other.conditions()):
                weighed, total = other, found
        return weighed, total


def _elements(among: FoundCandidates, asked: HybridQuery, most: int) -> list[Scored]:
    """Return the elements of candidates: the first 1,000 best first, then the next, at most 10 per vCon."""
    candidates = sorted(among.candidates, key=_candidate_order)[:most]
    found: dict[tuple[UUID, str, int], Scored] = {}
    of_vcon: Counter[UUID] = Counter()
    for at in range(0, len(candidates), _ELEMENTS_RANKED):
        things = rank_in(among.context(candidates[at : at + _ELEMENTS_RANKED]), asked)
        in_order = sorted(((thing, one) for thing in things for one in thing.scored), key=_element_order)
        for one, scored in in_order:
            key = (one.id, scored.passage.part, scored.passage.element)
            if key not in found and of_vcon[one.id] < _ELEMENTS_PER_VCON:
                found[key] = scored
                of_vcon[one.id] += 1
    return [*found.values()]


def _candidate_order(one: Candidate) -> tuple[int, float, int, str, int, int]:
    """Heaviest first, then latest, then larger uuid, then original order."""
    at = -math.inf if one.occurred_at is None else one.occurred_at.timestamp()
    return -(one.weight or 0), -at, -one.id.int, one.part or "", one.element or 0, one.chunk or 0


def _element_order(found: tuple[Ranked, Scored]) -> tuple[float, float, int, str, int]:
    """Best first, then newest conversation, then larger uuid, then original order."""
    thing, scored = found
    at = 0.0 if thing.at is None else thing.at.timestamp()
    return -scored.score, -at, -thing.id.int, scored.passage.part, scored.passage.element


async def newest_ids(connection: Connection, filters: Filters, most: int) -> list[UUID]:
    """Return the IDs of matching vCons, newest first."""
    return [place.id for place in await newest(connection, filters.conditions(), most)]
