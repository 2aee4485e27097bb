"""Search over vCons: newest first, by words, by meaning, and by both, best first."""

import math
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from vcontract.runtime.documents.json import JsonObject, dump_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.candidates import (
    VCON,
    Candidate,
    Cut,
    PassageKey,
    QueryWords,
    Wanted,
    find_candidates,
    leading,
    read_contents,
    read_context,
    read_things,
    read_words,
)
from vcontract.runtime.store.search.hits import HITS_PER_ITEM, Hit, Item, QueryVector
from vcontract.runtime.store.search.matching import Filters, count_filtered, count_matching
from vcontract.runtime.store.search.ranking import CHANCE, Scored, Thing, score_passages, similarity
from vcontract.runtime.store.search.weighing import WeighedQuery, Weighing
from vcontract.runtime.text.query import Query

MAX_BY_WORDS: Final = 200
MAX_NEAREST: Final = 100
"""Passages that are ranked together; other matches follow, newest first."""
MAX_WEAK: Final = 5
"""Items shown when none is better than chance."""
_LEAST_RANKED: Final = 25
"""vCons that are ranked together, if so many are near."""
_NEARLY_AS_GOOD: Final = 0.6
"""The share of the best score of a vCon from which a passage is shown that is no better than chance."""
_MAX_BATCHES: Final = 10
_BATCH: Final = 50
_MAX_HITS_COMPARED: Final = 50
_MAX_BY_INDEX: Final = 4_000
_ALL: Final = 2_147_483_647
_ELEMENTS_PER_VCON: Final = 10
_ELEMENTS_RANKED: Final = 1_000
_BEFORE_ALL: Final = (2.0, UUID(int=0))
"""No item scores as much."""


class ModelChanged(Exception):
    """The page before was of another model's space; the search has to begin again."""


@dataclass(frozen=True, slots=True)
class Place:
    """A vCon's place in time: newer first, then the larger uuid."""

    at: datetime
    id: UUID

    def document(self) -> JsonObject:
        return {"at": self.at.isoformat(), "id": str(self.id)}

    @classmethod
    def read(cls, document: JsonObject) -> "Place":
        return cls(datetime.fromisoformat(document["at"]), UUID(document["id"]))


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What one page is to hold; which of query and vector there are, the mode decides."""

    filters: Filters
    limit: int
    query: Query | None = None
    """With a vector, of `parse_query(text, any_word=True)`: exclusions and phrases bind, words do not."""
    vector: QueryVector | None = None
    threshold: float | None = None
    """The least score, of a search with a vector."""
    weight: float = 0.0
    """The share of meaning where there are both, between 0 and 1."""
    hits_per_item: int = HITS_PER_ITEM
    start: JsonObject | None = None
    """`Page.following` of the page before; None for the first page."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a search."""

    items: list[Item]
    following: JsonObject | None = None
    """Where the next page begins; None when nothing follows."""
    total: int | None = None
    """How many vCons match, one more than 10,000 when there are more; None where meaning is searched."""
    weighed: WeighedQuery | None = None
    only_weak: bool = False
    """Whether nothing is better than chance: then the first few come, and nothing follows."""
    best_below_threshold: float | None = None
    """The largest similarity when a first page by meaning is empty because of the threshold."""


@dataclass(frozen=True, slots=True)
class NewestPage:
    """One page of a search without words."""

    ids: list[UUID]
    total: int
    """Exact to 10,000; one more when there are more."""
    following: JsonObject | None
    """Where the next page begins, for `newest`; None when nothing follows."""


@dataclass(frozen=True, slots=True)
class ElementsPage:
    """One page of the elements where words of a query stand."""

    places: list[Hit]
    total: int
    """vCons that match, one more than 10,000 when there are more."""
    weighed: WeighedQuery
    has_more: bool


class Best(NamedTuple):
    """The best candidates of a search, with every place of them that was scored."""

    things: "list[Ranked]"
    """Best first."""
    weighed: WeighedQuery
    is_complete: bool
    """Whether nothing else is better than chance."""


class Ranked(NamedTuple):
    """A thing with its scored passages, the best first."""

    id: UUID
    whole: Thing
    scored: list[Scored]
    cosine: float | None
    """The best of its passages."""

    @property
    def at(self) -> datetime | None:
        return self.whole.at

    @property
    def key(self) -> tuple[float, UUID]:
        return self.scored[0].score, self.id


@dataclass(slots=True)
class _Ranking:
    """How the ranked part of a list was chosen, the same for each of its pages."""

    lead: tuple[int, ...] = ()
    """The words that found candidates."""
    cut: Cut | None = None
    """The last candidate by words; None when all came."""
    nearest: tuple[float, UUID] | None = None
    """The cosine and the vCon of the last candidate by meaning; None when all came."""
    max_nearest: int = 0
    """How many passages were looked for by meaning."""
    is_complete: bool = False
    """Whether nothing else matches."""

    def document(self) -> JsonObject:
        return {
            "lead": list(self.lead),
            "cut": self.cut and self.cut.document(),
            "nearest": self.nearest and [self.nearest[0], str(self.nearest[1])],
            "max_nearest": self.max_nearest,
        }

    @classmethod
    def read(cls, document: JsonObject) -> "_Ranking":
        cut, nearest = document["cut"], document["nearest"]
        return cls(
            tuple(document["lead"]),
            cut and Cut.read(cut),
            nearest and (nearest[0], UUID(nearest[1])),
            document["max_nearest"],
        )

    def has(self, one: Candidate) -> bool:
        """Whether a candidate is one by words, or as near as those of the first page."""
        return one.cosine is None or self.nearest is None or (one.cosine, one.id) >= self.nearest


@dataclass(frozen=True, slots=True)
class _Search:
    """A search by words, or by words and meaning, as all of its pages do it."""

    connection: Connection
    tenant: str
    request: SearchRequest
    weighed: WeighedQuery
    conditions: JsonObject
    words: QueryWords

    @classmethod
    def of(
        cls, connection: Connection, tenant: str, request: SearchRequest, weighed: WeighedQuery
    ) -> "_Search":
        conditions = request.filters.conditions() | weighed.conditions()
        words = read_words(conditions.pop("words"))
        return cls(connection, tenant, request, weighed, conditions, words)

    @property
    def vector(self) -> QueryVector | None:
        """What may find candidates: nothing where words alone count."""
        return self.request.vector if self.request.weight > 0 else None

    def wanted(self, lead: Sequence[int], **of: object) -> Wanted:
        return Wanted(VCON, self.conditions, self.words, tuple(lead), **of)  # type: ignore[arg-type]

    @property
    def every_word(self) -> tuple[int, ...]:
        """The words that may find candidates: none where meaning alone counts."""
        is_by_meaning = self.request.vector is not None and self.request.weight == 1
        return () if is_by_meaning else tuple(range(len(self.words)))

    def has_all(self, ranking: "_Ranking") -> bool:
        """Whether every match was a candidate."""
        return ranking.cut is None and ranking.nearest is None and len(ranking.lead) == len(self.every_word)


class Search:
    """The searches of every tenant; each method works within the transaction of its connection."""

    def __init__(self) -> None:
        self.weighing = Weighing()

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
        """The vCons that meet the filters, newest first, from `start` (`following` of the page before)."""
        below = {"below": start["below"]} if start else {}
        rows = await _newest(connection, filters.conditions() | below, offset + limit + 1, offset)
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
        """The vCons that match, best first.

        By words alone a vCon has to hold all of them; spelling is corrected only when nothing matched and a
        word is in no vCon, and when nothing matches then either, the heaviest words alone are looked for. By
        both, what holds a word or has a vector matches. The best candidates are ranked together; after them
        the other matches come, newest first.

        Raises: ModelChanged.
        """
        vector, start = request.vector, request.start
        if vector is not None and start and start["model"] != vector.space.model:
            raise ModelChanged(f"the page before was of {start['model']}, and {vector.space.model} is active")
        if request.query is None:
            if vector is None:
                raise TypeError("find: needs a query, a vector or both")
            return await self._by_meaning(connection, tenant, request, vector)
        if start:
            weighed = WeighedQuery.resumed(request.query, start)
            return await self._page(_Search.of(connection, tenant, request, weighed))
        if vector is not None:
            weighed = await self._weighed(connection, tenant, request.query)
            return await self._page(_Search.of(connection, tenant, request, weighed))
        weighed = await self.weighing.weigh(connection, tenant, request.query)
        page = await self._page(_Search.of(connection, tenant, request, weighed))
        async for other in self._instead(connection, tenant, weighed):
            if page.items:
                break
            found = await self._page(_Search.of(connection, tenant, request, other))
            page = found if found.items else page
        return page

    async def best(self, connection: Connection, tenant: str, request: SearchRequest, depth: int = 1) -> Best:
        """The best candidates with all of their scored passages, `depth` times those of a page."""
        if request.query is None:
            raise TypeError("best: needs a query")
        weighed = await self._weighed(connection, tenant, request.query)
        search = _Search.of(connection, tenant, request, weighed)
        most, nearest = depth * MAX_BY_WORDS, depth * MAX_NEAREST
        wanted = search.wanted(
            (await self._first_ranking(search)).lead,
            vector=search.vector,
            max_by_words=most,
            max_nearest=nearest,
        )
        candidates = await find_candidates(connection, wanted)
        cosines = [one.cosine for one in candidates if one.cosine is not None]
        is_complete = sum(one.weight is not None for one in candidates) < most and (
            len(cosines) < nearest or _similarity(min(cosines), request.vector) < CHANCE
        )
        return Best(await _rank(search, candidates), weighed, is_complete)

    async def elements(
        self, connection: Connection, tenant: str, query: Query, filters: Filters, limit: int, offset: int
    ) -> ElementsPage:
        """The elements that hold words of the query, in vCons that match it as a whole, best first.

        At most 10 elements a vCon.
        """
        weighed, total = await self.matching(connection, tenant, query, filters)
        search = _Search.of(connection, tenant, SearchRequest(filters, limit, query), weighed)
        most, found = _ELEMENTS_RANKED, list[Scored]()
        while len(found) <= offset + limit:
            wanted = search.wanted(search.every_word, max_by_words=most, max_of_one=_ELEMENTS_PER_VCON + 2)
            candidates = sorted(await find_candidates(connection, wanted), key=_candidate_order)
            found = await _elements(search, candidates[:most])
            if len(candidates) < most:
                break
            most *= 4
        hits = await _hits(connection, tenant, found[offset : offset + limit], None)
        return ElementsPage(hits, total, weighed, has_more=len(found) > offset + limit)

    async def never_together(self, connection: Connection, weighed: WeighedQuery) -> bool:
        """Whether some vCon has each of several words but none has what the query demands of them."""
        if len(weighed.counts) < 2 or not all(weighed.counts):
            return False
        demands: JsonObject = {"required": replace(weighed, heaviest=()).conditions()["required"]}
        return await count_matching(connection, demands, at_most=1) == 0

    async def missing_words(
        self, connection: Connection, tenant: str, weighed: WeighedQuery, ids: Sequence[UUID]
    ) -> dict[UUID, list[str]]:
        """The words of a query that each vCon lacks, as they were written."""
        words = read_words(weighed.conditions()["words"])
        things = await read_things(connection, tenant, VCON, words, ids)
        return {
            id_: [
                weighed.query.terms[word.number].text
                for at, word in enumerate(words)
                if not things[id_].words >> at & 1
            ]
            for id_ in ids
        }

    async def _weighed(self, connection: Connection, tenant: str, query: Query) -> WeighedQuery:
        """The weighed query, its words as they are spelled in vCons when none of them is known."""
        weighed = await self.weighing.weigh(connection, tenant, query)
        if any(weighed.counts):
            return weighed
        return await self.weighing.corrected(connection, tenant, weighed) or weighed

    async def _instead(
        self, connection: Connection, tenant: str, weighed: WeighedQuery
    ) -> AsyncIterator[WeighedQuery]:
        """What is looked for when nothing matches: known spellings, then the heaviest words."""
        if 0 in weighed.counts:
            corrected = await self.weighing.corrected(connection, tenant, weighed)
            if corrected is not None:
                yield corrected
        relaxed = weighed.relaxed()
        if relaxed is not None:
            yield relaxed

    async def matching(
        self, connection: Connection, tenant: str, query: Query, filters: Filters
    ) -> tuple[WeighedQuery, int]:
        """The query as it is searched, and how many vCons match it; another one when that finds any."""
        weighed = await self.weighing.weigh(connection, tenant, query)
        total = await self.weighing.count_all(connection, tenant, filters.conditions() | weighed.conditions())
        async for other in self._instead(connection, tenant, weighed):
            if total:
                break
            if found := await count_matching(connection, filters.conditions() | other.conditions()):
                weighed, total = other, found
        return weighed, total

    async def _page(self, search: _Search) -> Page:
        """A page of a search by words, or by both: what is ranked, then the other matches."""
        request, start = search.request, search.request.start
        least = request.threshold or 0.0
        ranking = _Ranking.read(start["ranking"]) if start else await self._first_ranking(search)
        after = (start["after"][0], UUID(start["after"][1])) if start and "after" in start else _BEFORE_ALL
        below = start.get("below") if start else None
        total: int | None = start["total"] if start else None
        found: list[Ranked] = []
        following: JsonObject | None = None
        if below is None:
            ranked = await self._ranked(search, ranking)
            left = [one for one in ranked if one.key < after and one.key[0] >= least]
            found = left[: request.limit]
            if total is None and request.vector is None:
                is_all = ranking.is_complete
                total = (
                    len(ranked)
                    if is_all
                    else await self.weighing.count_all(search.connection, search.tenant, search.conditions)
                )
            if len(left) > len(found):
                score, id_ = found[-1].key
                following = {"after": [score, str(id_)]}
        if following is None and not ranking.is_complete:
            others, below = await self._others(search, ranking, below or {}, request.limit - len(found))
            found += others
            following = None if below is None else {"below": below}
        items = await _items(search, found)
        if request.vector is not None and request.threshold is None and not start and _are_weak(items):
            return Page(items[:MAX_WEAK], weighed=search.weighed, only_weak=True)
        if following is not None:
            following |= {"ranking": ranking.document(), "total": total, **search.weighed.travelling()}
            if request.vector is not None:
                following["model"] = request.vector.space.model
        return Page(items, following, total, search.weighed)

    async def _first_ranking(self, search: _Search) -> _Ranking:
        """The words that lead to candidates."""
        if not search.every_word:
            return _Ranking()
        per_thing = await self.weighing.rows_a_holder(search.connection, search.tenant)
        return _Ranking(leading(search.words, search.weighed.counts, per_thing))

    async def _ranked(self, search: _Search, ranking: _Ranking) -> list[Ranked]:
        """The candidates of a ranking, best first; a new one gets its bounds."""
        is_first = search.request.start is None
        times = 1 if is_first else 4  # what came meanwhile must not take the place of what was there
        ranking.max_nearest = ranking.max_nearest or MAX_NEAREST
        while True:
            wanted = search.wanted(
                ranking.lead,
                vector=search.vector,
                max_by_words=times * MAX_BY_WORDS,
                max_nearest=times * ranking.max_nearest,
                cut=ranking.cut,
            )
            candidates = await find_candidates(search.connection, wanted)
            nearest = [(one.cosine, one.id) for one in candidates if one.cosine is not None]
            # few vCons may have most of the nearest passages; how many are ranked depends on no limit,
            # so that a list is the same whatever its pages
            is_filled = len({one.id for one in candidates}) >= _LEAST_RANKED
            if not is_first or is_filled or not ranking.max_nearest <= len(nearest) < _MAX_BY_INDEX:
                break
            ranking.max_nearest *= 4
        if is_first:
            by_words = [one for one in candidates if one.weight is not None]
            if len(by_words) >= MAX_BY_WORDS:
                last = by_words[MAX_BY_WORDS - 1]
                ranking.cut = Cut(last.weight or 0, last.occurred_at, last.id)
            if len(nearest) >= ranking.max_nearest:
                ranking.nearest = min(nearest)
        ranking.is_complete = search.has_all(ranking)
        return await _rank(search, [one for one in candidates if ranking.has(one)])

    async def _others(
        self, search: _Search, ranking: _Ranking, below: JsonObject, limit: int
    ) -> tuple[list[Ranked], JsonObject | None]:
        """Matches that were not ranked, newest first, and below what the next ones are; None without any."""
        least = search.request.threshold or 0.0
        found: list[Ranked] = []
        shown = below
        for _ in range(_MAX_BATCHES):
            conditions = search.conditions | ({"below": below} if below else {})
            places = await _newest(search.connection, conditions, _BATCH + 1)
            batch = places[:_BATCH]
            new = await self._not_ranked(search, ranking, [place.id for place in batch])
            wanted = search.wanted(
                search.every_word,
                vector=search.vector,
                max_by_words=_ALL,
                max_nearest=_ALL,
                among=new,
                is_exhaustive=True,
            )
            ranked = await _rank(search, await find_candidates(search.connection, wanted) if new else [])
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

    async def _not_ranked(self, search: _Search, ranking: _Ranking, ids: Sequence[UUID]) -> list[UUID]:
        """Those of the vCons that were no candidates of a ranking."""
        wanted = search.wanted(
            ranking.lead,
            vector=search.vector,
            max_by_words=_ALL,
            max_nearest=_ALL,
            max_of_one=1,
            among=ids,
            cut=ranking.cut,
            is_exhaustive=True,
        )
        were = {one.id for one in await find_candidates(search.connection, wanted) if ranking.has(one)}
        return [id_ for id_ in ids if id_ not in were]

    async def _by_meaning(
        self, connection: Connection, tenant: str, request: SearchRequest, vector: QueryVector
    ) -> Page:
        """The vCons with a passage at least `threshold` similar, best first, then the larger uuid.

        Without a threshold all have, but of those that are no better than chance only five come.
        """
        start, least = request.start, request.threshold or 0.0
        after = (start["after"][0], UUID(start["after"][1])) if start else _BEFORE_ALL
        seen = int(start["seen"]) if start else 0
        conditions = request.filters.conditions()
        most = max(4 * (seen + request.limit + 1), MAX_NEAREST)
        while True:
            is_exhaustive = most > _MAX_BY_INDEX
            wanted = Wanted(
                VCON,
                conditions,
                vector=vector,
                max_nearest=_ALL if is_exhaustive else most,
                max_of_one=1 if is_exhaustive else most,
                is_exhaustive=is_exhaustive,
            )
            rows = await find_candidates(connection, wanted)
            best: dict[UUID, float] = {}
            for row in rows:
                if row.cosine is not None:
                    best[row.id] = max(best.get(row.id, -1.0), row.cosine)
            similar = {id_: similarity(cosine, vector.calibration) for id_, cosine in best.items()}
            ordered = sorted(((score, id_) for id_, score in similar.items()), reverse=True)
            found = [key for key in ordered if key < after and key[0] >= least][: request.limit + 1]
            is_all = is_exhaustive or len(rows) < most or (bool(ordered) and ordered[-1][0] < least)
            if is_all or len(found) > request.limit:
                break
            most *= 4
        shown = found[: request.limit]
        if shown and (is_exhaustive or len(rows) >= most):
            # not all passages of these have come; which have depends on the page
            rows = await find_candidates(connection, _nearest_of([id_ for _, id_ in shown], vector))
        items = await _similar(connection, tenant, request, vector, shown, rows)
        if request.threshold is None and not start and _are_weak(items):
            return Page(items[:MAX_WEAK], only_weak=True)
        if not found and not start:
            return Page([], best_below_threshold=ordered[0][0] if ordered else None)
        following: JsonObject | None = None
        if len(found) > request.limit:
            score, id_ = shown[-1]
            following = {
                "model": vector.space.model,
                "shift": vector.shift,
                "after": [score, str(id_)],
                "seen": seen + len(shown),
            }
        return Page(items, following)


def as_before(vector: QueryVector, start: JsonObject | None) -> QueryVector:
    """The vector by the scale of the page before, which `start` follows: the pages of a list have one."""
    return replace(vector, shift=start.get("shift", vector.shift)) if start else vector


def _nearest_of(ids: Sequence[UUID], vector: QueryVector) -> Wanted:
    """The nearest passages of some vCons."""
    return Wanted(
        VCON,
        {},
        vector=vector,
        max_nearest=_ALL,
        max_of_one=_MAX_HITS_COMPARED,
        among=ids,
        is_exhaustive=True,
    )


async def _similar(
    connection: Connection,
    tenant: str,
    request: SearchRequest,
    vector: QueryVector,
    shown: Sequence[tuple[float, UUID]],
    rows: Sequence[Candidate],
) -> list[Item]:
    """vCons with their most similar passages, at most `hits_per_item` of each part, one of an element."""
    cosines: dict[PassageKey, float] = {
        (row.id, row.part, row.element, row.chunk): row.cosine
        for row in rows
        if row.part is not None
        and row.element is not None
        and row.chunk is not None
        and row.cosine is not None
    }
    of_part: Counter[tuple[UUID, str]] = Counter()
    hits: dict[UUID, dict[tuple[str, int], PassageKey]] = {id_: {} for _, id_ in shown}
    scores: dict[PassageKey, float] = {}
    for key in sorted(cosines, key=lambda key: (-cosines[key], key)):
        id_, part, element, _ = key
        score = similarity(cosines[key], vector.calibration)
        is_wanted = id_ in hits and score >= (request.threshold or 0.0)
        if is_wanted and (part, element) not in hits[id_] and of_part[id_, part] < request.hits_per_item:
            hits[id_][part, element] = key
            scores[key] = score
            of_part[id_, part] += 1
    contents = await read_contents(connection, tenant, VCON, list(scores))
    return [
        Item(
            id_,
            score,
            0.0,
            0.0,
            score,
            max(cosines[key] for key in hits[id_].values()),
            tuple(
                Hit(*key[:3], contents.get(key, ""), scores[key], 0.0, scores[key], ("meaning",))
                for key in hits[id_].values()
            ),
            len(hits[id_]),
        )
        for score, id_ in shown
    ]


async def _rank(search: _Search, candidates: Sequence[Candidate]) -> list[Ranked]:
    request = search.request
    weight = request.weight if request.vector is not None else 0.0
    return await rank(
        search.connection, search.tenant, VCON, search.words, request.vector, weight, candidates
    )


async def rank(
    connection: Connection,
    tenant: str,
    kind: str,
    words: QueryWords,
    vector: QueryVector | None,
    weight: float,
    candidates: Sequence[Candidate],
) -> list[Ranked]:
    """The things of candidates by their best passages, best first, then the larger uuid."""
    context = await read_context(connection, tenant, kind, words, vector, candidates)
    scored = score_passages([one.ranked for one in words], context.passages, context.things, weight)
    things = [
        Ranked(id_, context.things[id_], of_thing, max(cosines, default=None))
        for id_, of_thing in scored.items()
        for cosines in [[one.passage.cosine for one in of_thing if one.passage.cosine is not None]]
    ]
    things.sort(key=lambda one: one.key, reverse=True)
    return things


async def _items(search: _Search, found: Sequence[Ranked]) -> list[Item]:
    vector = search.request.vector
    most = search.request.hits_per_item
    return await items_of(search.connection, search.tenant, VCON, found, vector, most)


async def items_of(
    connection: Connection,
    tenant: str,
    kind: str,
    found: Sequence[Ranked],
    vector: QueryVector | None,
    hits_per_item: int,
) -> list[Item]:
    """Ranked things as they are shown, with the texts of their best passages."""
    shown = [_shown(one, vector, hits_per_item) for one in found]
    hits = iter(await _hits(connection, tenant, [hit for each in shown for hit in each], vector, kind))
    items: list[Item] = []
    for one, of_item in zip(found, shown, strict=True):
        best = one.scored[0]
        items.append(
            Item(
                one.id,
                best.score,
                best.keyword_score,
                best.meaning_score,
                _similarity(one.cosine, vector),
                one.cosine,
                tuple(next(hits) for _ in of_item),
                sum(_is_found(scored, vector) for scored in one.scored),
            )
        )
    return items


def _shown(one: Ranked, vector: QueryVector | None, most: int) -> list[Scored]:
    """The best passages: those that something speaks for, and those nearly as good as the best one."""
    least = _NEARLY_AS_GOOD * one.scored[0].score
    return [scored for scored in one.scored if scored.score >= least or _is_found(scored, vector)][:most]


def _is_found(scored: Scored, vector: QueryVector | None) -> bool:
    """Whether words speak for a passage, or it is as similar as chance rarely is."""
    by_words = bool({"own", "together", "beside", "speaker"} & {*scored.sources})
    return by_words or _similarity(scored.passage.cosine, vector) >= CHANCE


def _similarity(cosine: float | None, vector: QueryVector | None) -> float:
    return 0.0 if vector is None else similarity(cosine, vector.calibration)


async def _hits(
    connection: Connection,
    tenant: str,
    scored: Sequence[Scored],
    vector: QueryVector | None,
    kind: str = VCON,
) -> list[Hit]:
    keys: list[PassageKey] = [
        (one.passage.thing, one.passage.part, one.passage.element, one.passage.chunk) for one in scored
    ]
    contents = await read_contents(connection, tenant, kind, keys)
    hits: list[Hit] = []
    for key, one in zip(keys, scored, strict=True):
        near = _similarity(one.passage.cosine, vector)
        because = (*one.sources, *(("meaning",) if near >= CHANCE else ()))
        hits.append(Hit(*key[:3], contents.get(key, ""), one.score, one.strength, near, because))
    return hits


async def _elements(search: _Search, candidates: Sequence[Candidate]) -> list[Scored]:
    """The elements of candidates: of the first 1,000 the best first, then of the next, at most 10 a vCon."""
    found: dict[tuple[UUID, str, int], Scored] = {}
    of_vcon: Counter[UUID] = Counter()
    for at in range(0, len(candidates), _ELEMENTS_RANKED):
        things = await _rank(search, candidates[at : at + _ELEMENTS_RANKED])
        in_order = sorted(((thing, one) for thing in things for one in thing.scored), key=_element_order)
        for one, scored in in_order:
            key = (one.id, scored.passage.part, scored.passage.element)
            if key not in found and of_vcon[one.id] < _ELEMENTS_PER_VCON:
                found[key] = scored
                of_vcon[one.id] += 1
    return [*found.values()]


def _candidate_order(one: Candidate) -> tuple[int, float, int, str, int, int]:
    """The heaviest first, then the latest, then of the larger uuid, then in their order."""
    at = -math.inf if one.occurred_at is None else one.occurred_at.timestamp()
    return -(one.weight or 0), -at, -one.id.int, one.part or "", one.element or 0, one.chunk or 0


def _element_order(found: tuple[Ranked, Scored]) -> tuple[float, float, int, str, int]:
    """Best first, then of the newest conversation, then of the larger uuid, then in their order."""
    thing, scored = found
    at = 0.0 if thing.at is None else thing.at.timestamp()
    return -scored.score, -at, -thing.id.int, scored.passage.part, scored.passage.element


def _are_weak(items: Sequence[Item]) -> bool:
    """Whether there is something, and nothing better than what chance gives."""
    return bool(items) and all(item.strength == "weak" for item in items)


async def newest_ids(connection: Connection, filters: Filters, most: int) -> list[UUID]:
    """The ids of the vCons that meet the filters, newest first."""
    return [place.id for place in await _newest(connection, filters.conditions(), most)]


async def _newest(connection: Connection, conditions: JsonObject, most: int, offset: int = 0) -> list[Place]:
    rows = await connection.fetch(
        "select id, occurred_at from vcontract.search_newest($1::jsonb, $2, $3) offset $4",
        dump_json(conditions).decode(),
        VCON,
        most,
        offset,
    )
    return [Place(row["occurred_at"], row["id"]) for row in rows]
