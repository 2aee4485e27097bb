"""search: find records by meaning, words, time, relation and facets, in one of three layouts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from pydantic import MISSING

from vcontract.generated.models import bridge as models
from vcontract.generated.results.bridge import (
    BridgeSearchResult,
    BridgeSearchResultApplied,
    BridgeSearchResultEmptyBecauseEntry,
)
from vcontract.handlers.bridge.answers import Notices
from vcontract.handlers.bridge.filters import Filters, read_filters
from vcontract.handlers.bridge.hierarchy import tree_group, trees_of
from vcontract.handlers.bridge.layout import (
    NOTHING,
    Group,
    Shown,
    base_text,
    enhanced_footer,
    grouped_text,
    search_hit,
)
from vcontract.handlers.bridge.records import tool_name
from vcontract.handlers.bridge.services import BridgeTools
from vcontract.handlers.bridge.texts import invalid
from vcontract.handlers.services import Services
from vcontract.handlers.vcon.searching import map_query_errors
from vcontract.runtime.embedding.embedder import ModelUnavailable
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.findings import counted
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.envelope import Document, in_order
from vcontract.runtime.store.bridge import links
from vcontract.runtime.store.bridge.ids import is_id, uid_of
from vcontract.runtime.store.bridge.records import Record
from vcontract.runtime.store.bridge.search import (
    BridgeMatch,
    BridgeSearch,
    Page,
    RelevanceScores,
    Sort,
    SortAndGroup,
)
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.hits import QueryVector, rounded_down
from vcontract.runtime.store.search.ranking import Strength
from vcontract.runtime.store.search.search_params import read_question
from vcontract.runtime.text.query import Query

_MAX_GROUPS: Final = 50
_MAX_EXPERIENCERS: Final = 20


@dataclass(frozen=True, slots=True)
class _Search:
    """A validated call, before the store is queried."""

    query: str | None
    words: Query | None
    vector: QueryVector | None
    filters: Filters
    sort: Sort
    group_by: str | None
    limit: int
    whole: bool

    @property
    def strategy(self) -> Literal["filters", "text", "both"]:
        if self.query is None:
            return "filters"
        return "text" if self.vector is None else "both"

    @property
    def is_tree(self) -> bool:
        """Whether records are listed below the scenes and moments that contain them."""
        return self.group_by == "hierarchy"


@dataclass(frozen=True, slots=True)
class _Outcome:
    """Results from the store."""

    page: Page
    is_complete: bool
    records: Mapping[str, Record]
    groups: list[Group] | None
    group_total: int
    results: list[Shown]
    empty_because: list[BridgeSearchResultEmptyBecauseEntry]


class SearchTools(BridgeTools):
    """The tool `search`."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._bridge = BridgeSearch(services.search)

    async def search(
        self, params: models.BridgeSearchParams, ctx: ToolContext, /
    ) -> Document[BridgeSearchResult]:
        notices = Notices()
        search = await self._understood(params, ctx, notices)
        async with self._records.reading(ctx) as connection:
            distances = await self._related(connection, ctx, params, notices)
            if distances is not None:
                filters = search.filters.with_members("reflectedOn", {"ids": list(distances)})
                search = replace(search, filters=filters)
            outcome = await self._find(connection, ctx, search, distances, notices)
        return Document(_facts(search, outcome, notices), _text(search, outcome, notices))

    async def _understood(
        self, params: models.BridgeSearchParams, ctx: ToolContext, notices: Notices
    ) -> _Search:
        query = None if params.query is MISSING else params.query.strip()
        if query == "":
            raise invalid("$.query", "blank", "query is blank; leave it out to search by filters alone.")
        with map_query_errors():
            words = None if query is None else read_question(query, literal=True)
        filters = read_filters(params, self._times, self._records.now())
        vector = None
        if query is not None:
            try:
                vector = await self._embeddings.query(ctx.tenant, query)
            except ModelUnavailable:
                with map_query_errors():
                    words = read_question(query, by_meaning=False, literal=True)
                notices.hint("text_only", "The query could not be embedded: found by words alone.")
        return _Search(
            query,
            words,
            vector,
            filters,
            "relevance" if params.sort is MISSING else params.sort,
            None if params.groupBy is MISSING else params.groupBy,
            params.limit,
            params.includeContext,
        )

    async def _related(
        self, connection: Connection, ctx: ToolContext, params: models.BridgeSearchParams, notices: Notices
    ) -> dict[str, int] | None:
        """Distances of all records related to `reflectedOn`; None without it."""
        if params.reflectedOn is MISSING:
            return None
        found = await self._records.store.load(connection, ctx.tenant, [params.reflectedOn])
        if not found:
            raise await self._records.not_found(connection, ctx, [params.reflectedOn])
        distances, more = await links.related(connection, ctx.tenant, params.reflectedOn)
        if more:
            notices.warn(
                "too_many_related", f"More than {links.MAX_RELATED} records are related; the nearest count."
            )
        return distances

    async def _find(
        self,
        connection: Connection,
        ctx: ToolContext,
        search: _Search,
        distances: Mapping[str, int] | None,
        notices: Notices,
    ) -> _Outcome:
        page, scored = await self._page(connection, ctx, search, distances, notices)
        rows = page.rows[: search.limit]
        containers: dict[str, str] = {}
        if search.is_tree:
            containers = await links.containers(connection, ctx.tenant, [row.id for row in page.rows])
        trees = trees_of(page.rows, containers) if search.is_tree else []
        roots = [tree.root for tree in trees if tree.root is not None]
        records = await self._records.store.load(
            connection, ctx.tenant, list(dict.fromkeys([*(row.id for row in rows), *roots]))
        )
        shown = {row.id: Shown(records[row.id], *_relevance(row, scored)) for row in rows}
        groups: list[Group] | None = None
        group_total = 0
        if search.is_tree:
            groups = [tree_group(tree, shown, records, containers) for tree in trees]
            group_total = len(groups)
        elif search.group_by is not None:
            groups = _groups(page, rows, shown)
            group_total = len(page.groups)
        await self._hint_at_timeless(connection, search, scored, notices)
        is_complete = await self._is_complete(connection, ctx, search, scored, notices)
        empty = await self._why_empty(connection, ctx, search, notices) if page.total == 0 else []
        listed = None if groups is None else _listed(groups)
        return _Outcome(page, is_complete, records, listed, group_total, list(shown.values()), empty)

    async def _page(
        self,
        connection: Connection,
        ctx: ToolContext,
        search: _Search,
        distances: Mapping[str, int] | None,
        notices: Notices,
    ) -> tuple[Page, RelevanceScores | None]:
        """Matches in order (all of them for a hierarchy), and the query's scores.

        When sorted by time or grouped, matches no better than chance are left out.
        """
        conditions = search.filters.conditions()
        scored = await self._scored(connection, ctx, search, conditions)
        if scored is not None and scored.only_weak:
            notices.hint(
                "only_weak_matches", "Nothing is nearer to the query than chance; these are the nearest."
            )
        elif scored is not None and (search.sort != "relevance" or search.group_by is not None):
            scored = scored.without_weak()
        order = SortAndGroup(
            search.sort,
            None if search.is_tree else search.group_by,
            self._times.zone_name,
            None if search.is_tree else search.limit,
        )
        if search.query is not None and is_id(search.query):
            conditions = {**conditions, "exact": search.query}
        relevance = None if scored is None else scored.relevance
        page = await self._bridge.page(
            connection, conditions, order, relevance=relevance, distances=distances
        )
        return page, scored

    async def _scored(
        self, connection: Connection, ctx: ToolContext, search: _Search, conditions: JsonObject
    ) -> RelevanceScores | None:
        """Records that the query finds under conditions; None without a query."""
        if search.query is None or search.words is None:
            return None
        scored = await self._bridge.score(connection, ctx.tenant, search.words, search.vector, conditions)
        return scored.with_first(search.query) if is_id(search.query) else scored

    async def _is_complete(
        self,
        connection: Connection,
        ctx: ToolContext,
        search: _Search,
        scored: RelevanceScores | None,
        notices: Notices,
    ) -> bool:
        """Whether all matches were found; a query misses records that wait for vectors."""
        if search.query is None:
            return True
        waiting = await self._records.unembedded(connection, ctx)
        if waiting:
            notices.hint(
                "embedding_pending",
                f"{counted(waiting, 'record')} not embedded yet, found by words only: search again later.",
                count=waiting,
            )
        return not waiting and (scored is None or not scored.is_cut)

    async def _hint_at_timeless(
        self, connection: Connection, search: _Search, scored: RelevanceScores | None, notices: Notices
    ) -> None:
        """Hint at records without a time, which a `when` filter excludes or the order by `when` misplaces."""
        filters = search.filters
        is_filtered = "when" in filters.stored
        if not is_filtered and search.sort != "when":
            return
        timeless = {**filters.conditions(without="when"), "timeless": True}
        if not is_filtered and scored is not None:
            timeless["uids"] = [str(uid) for uid in scored.relevance]
        left_out = await self._bridge.count(connection, timeless)
        if left_out and not is_filtered:
            notices.hint(
                "without_event_time",
                f"{counted(left_out, 'record')} without a resolved event time, placed by creation time.",
                count=left_out,
            )
            return
        if left_out:
            notices.hint(
                "without_event_time",
                f"{counted(left_out, 'record')} without a resolved event time cannot match when.",
                count=left_out,
            )

    async def _why_empty(
        self, connection: Connection, ctx: ToolContext, search: _Search, notices: Notices
    ) -> list[BridgeSearchResultEmptyBecauseEntry]:
        """For each filter, count the records that match without it; suggest what to try."""
        reasons: list[BridgeSearchResultEmptyBecauseEntry] = []
        for name in search.filters.stored:
            conditions = search.filters.conditions(without=name)
            scored = await self._scored(connection, ctx, search, conditions)
            total = (
                await self._bridge.count(connection, conditions) if scored is None else len(scored.relevance)
            )
            reasons.append({"without": name, "total": total})
            if name == "experiencer" and total:
                known = await self._bridge.experiencers(connection, ctx.tenant, _MAX_EXPERIENCERS)
                notices.hint("known_experiencers", f"Known experiencers: {', '.join(known)}.", known=known)
        if search.query is not None:
            total = await self._bridge.count(connection, search.filters.conditions())
            reasons.append({"without": "query", "total": total})
        helpful = [f"{each['without']} ({each['total']})" for each in reasons if each["total"]]
        if helpful:
            notices.hint("nothing_found", f"Records would match without: {', '.join(helpful)}.")
        elif await self._bridge.count(connection, {}):
            notices.hint(
                "nothing_found", "No record is near this; fewer filters or other words may find some."
            )
        else:
            notices.hint(
                "nothing_found", f"The journal is empty. Agents add records with {tool_name(ctx, 'capture')}."
            )
        return reasons


def _relevance(row: BridgeMatch, scored: RelevanceScores | None) -> tuple[float | None, Strength | None]:
    """Score of a record for display."""
    if row.relevance is None or scored is None:
        return None, None
    return rounded_down(min(row.relevance, 1.0), 2), scored.strengths.get(uid_of(row.id))


def _groups(page: Page, rows: Sequence[BridgeMatch], shown: Mapping[str, Shown]) -> list[Group]:
    groups = {name: Group(name, name, count) for name, count in page.groups}
    for row in rows:
        if row.group is not None:
            groups[row.group].shown.append(shown[row.id])
    return list(groups.values())


def _listed(groups: Sequence[Group]) -> list[Group]:
    """The first 50 groups, and later ones that contain a shown record."""
    return [group for place, group in enumerate(groups) if place < _MAX_GROUPS or group.shown]


def _facts(search: _Search, outcome: _Outcome, notices: Notices) -> BridgeSearchResult:
    applied: BridgeSearchResultApplied = {
        "filters": search.filters.applied,
        "sort": search.sort,
        "limit": search.limit,
        "strategy": search.strategy,
    }
    facts: BridgeSearchResult = {
        "success": True,
        "format": "grouped" if search.group_by is not None else "enhanced" if search.whole else "base",
        "total": outcome.page.total,
        "totalIsExact": outcome.is_complete,
        "returned": len(outcome.results),
        "results": [search_hit(each, whole=search.whole) for each in outcome.results],
        "applied": applied,
        "warnings": notices.warnings,
        "hints": notices.hints,
    }
    if search.group_by is not None and outcome.groups is not None:
        applied["groupBy"] = search.group_by
        facts["groups"] = [group.document() for group in outcome.groups]
        facts["groupTotal"] = outcome.group_total
    if outcome.page.total == 0:
        facts["emptyBecause"] = outcome.empty_because
    facts["applied"] = in_order(BridgeSearchResultApplied, applied)
    return in_order(BridgeSearchResult, facts)


def _text(search: _Search, outcome: _Outcome, notices: Notices) -> str:
    total, returned = outcome.page.total, len(outcome.results)
    if total == 0:
        return "\n".join([NOTHING, *notices.lines()])
    footer = notices.lines()
    if returned < total:
        footer.insert(0, f"{returned} of {total} matching records shown.")
    if search.whole and footer:
        hints = [notice["message"] for notice in notices.hints]
        footer = enhanced_footer({"total": total, "returned": returned, "hints": hints})
    if outcome.groups is not None:
        return grouped_text(outcome.groups, footer, whole=search.whole)
    return base_text(outcome.results, footer, whole=search.whole)
