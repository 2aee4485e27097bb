"""vcon_search: return one page of conversations, by filters, keywords, meaning, or both."""

from collections.abc import Sequence

from pydantic import MISSING

from vcontract.generated.errors import InvalidArgument, SemanticUnavailable
from vcontract.generated.models import contract as models
from vcontract.generated.results.contract import (
    VconSearchResult,
    VconSearchResultEntry,
    VconSearchResultEntryMatch,
    VconSearchResultMeta,
    VconSearchResultPage,
)
from vcontract.generated.results.contract import VconSearchResultEntryMatchHitsEntry as Hit
from vcontract.handlers.contract.hints import hints, pending_embedding_hints, uuid_hints
from vcontract.handlers.contract.hit_turns import rounded, turns_of
from vcontract.handlers.contract.hits import without_repeats
from vcontract.handlers.contract.items import HITS, add_groups, parts_of, requested_groups
from vcontract.handlers.contract.search_filters import refuse_unknown_tags, window_document
from vcontract.handlers.contract.search_modes import SearchModes, SearchPage
from vcontract.handlers.contract.search_words import (
    FILTERS,
    LISTED_INSTEAD,
    check_no_identifier,
    map_query_errors,
    read_vector,
)
from vcontract.handlers.contract.word_hints import unread_word_hints
from vcontract.handlers.services import Services, Tools
from vcontract.runtime.embedding.service import NothingEmbedded
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.search_modes import takes
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.filter_conditions import COUNTED_TO, Filters, count_unknown
from vcontract.runtime.store.search.hits import QueryVector
from vcontract.runtime.store.search.pages import SearchRequest
from vcontract.runtime.store.search.search_params import (
    check_query_xor_embedding,
    read_filters,
    read_query,
    read_question,
)
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.store.vocabulary import values as vocabulary
from vcontract.runtime.text.query import Query
from vcontract.runtime.vcon.times import format_time
from vcontract.runtime.vcon.transcript import speaker_label_of

_TOOL = "vcon_search"


class SearchTools(Tools):
    """vcon_search."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._modes = SearchModes(services.search)

    async def vcon_search(self, params: models.VconSearchParams, ctx: ToolContext, /) -> VconSearchResult:
        try:
            return await self._search_once(params, ctx)
        except NothingEmbedded:
            if not await self._embeddings.first_vectors(ctx.tenant):
                raise _nothing_embedded(params, ctx) from None
        return await self._search_once(params, ctx)

    async def _search_once(self, params: models.VconSearchParams, ctx: ToolContext) -> VconSearchResult:
        groups = requested_groups(params.include, _TOOL, ctx)
        given = _filters_of(params)
        with map_query_errors(given.model_dump()):
            _check_mode(params, ctx)
            filters = read_filters(given.model_dump(), FILTERS)
            query = _query_of(params, ctx)
            vector = await self._vector(params, ctx)
        arguments = _bound_arguments(params, ctx)
        pages = self._pages(_TOOL, ctx, arguments, None if vector is None else vector.space.model)
        request = SearchRequest(
            filters=filters,
            limit=params.limit,
            query=query,
            vector=vector,
            threshold=arguments["threshold"],
            weight=params.semantic_weight,
            hits_per_item=params.hits_per_item,
            start=pages.start(params.cursor),
        )
        async with self._database.reading(ctx.tenant, by_key=True) as connection:
            await refuse_unknown_tags(connection, ctx.tenant, given, filters, self._vocabulary)
            meta: VconSearchResultMeta = {
                "mode": params.mode,
                "include": groups,
                "filters": arguments["filters"],
            }
            found = await self._modes.find(connection, ctx.tenant, request, meta)
            if params.query is not MISSING and params.cursor is MISSING:
                of_query = await uuid_hints(connection, ctx.tenant, params.query, "vcon_fetch", "id")
                of_query += await unread_word_hints(
                    connection, params.query, meta.get("words", []), arguments["filters"], LISTED_INSTEAD
                )
                if of_query:
                    meta["hints"] = [*of_query, *meta.get("hints", [])]
            items = await self._items(connection, ctx.tenant, found, groups, params.hits_per_item)
            if request.start is None and (unknown := await count_unknown(connection, filters)):
                meta["said_unknown"] = unknown
            await self._add_filter_hints(meta, connection, ctx.tenant, request, found)
            if vector is not None:
                reach = await self._embeddings.store.reach(connection, ctx.tenant, found.pending)
                if reach.pending:
                    if not items and params.mode == "semantic" and not reach.share:
                        raise NothingEmbedded
                    by_words = _by_words(params, ctx)
                    if pending := await pending_embedding_hints(
                        connection, vector.space.id, filters, by_words
                    ):
                        meta["hints"] = [*pending, *meta.get("hints", [])]
                meta["embedding"] = {
                    "model": vector.space.model,
                    "coverage": reach.share,
                    "pending": reach.pending,
                }
        return {
            "ok": True,
            "items": items,
            "page": _page(found, pages.cursor_after(found.following)),
            "meta": in_order(VconSearchResultMeta, meta),
        }

    async def _vector(self, params: models.VconSearchParams, ctx: ToolContext) -> QueryVector | None:
        if params.mode not in ("semantic", "hybrid"):
            return None
        by_words = _by_words(params, ctx)
        return await read_vector(self._embeddings, ctx.tenant, params.query, params.embedding, by_words)

    async def _items(
        self,
        connection: Connection,
        tenant: str,
        found: SearchPage,
        groups: Sequence[str],
        hits_per_item: int,
    ) -> list[VconSearchResultEntry]:
        stored = await self._vcons.load(connection, tenant, found.ids, [*parts_of(groups), "version"])
        by_id = {vcon.uuid: vcon for vcon in stored}
        turns = await turns_of(self._vcons, connection, tenant, found.passages)
        entries: list[VconSearchResultEntry] = []
        for id_ in found.ids:
            score = found.items[id_].score if id_ in found.items else 0.0
            entries.append(_entry(by_id[id_], groups, score, found.match(id_, turns, hits_per_item)))
        return entries

    async def _add_filter_hints(
        self,
        meta: VconSearchResultMeta,
        connection: Connection,
        tenant: str,
        request: SearchRequest,
        found: SearchPage,
    ) -> None:
        filters: Filters = request.filters
        if window := window_document(filters):
            meta["window"] = window
        if filters.dealer_name is not None:
            dealers = await vocabulary.dealers_named(connection, tenant, filters.dealer_name)
            meta["dealers"] = [{**dealer} for dealer in dealers]
        if not found.ids:
            meta["hints"] = await hints(
                connection,
                tenant,
                filters,
                self._vocabulary,
                is_further=request.start is not None,
                found=meta.get("hints", []),
                words=meta.get("words", []),
                best_below=meta.get("best_below_threshold"),
            )


def _page(found: SearchPage, next_cursor: str | None) -> VconSearchResultPage:
    page: VconSearchResultPage = {
        "next_cursor": next_cursor,
        "count": len(found.ids),
        "has_more": next_cursor is not None,
    }
    if found.total is not None:
        page["total"] = min(found.total, COUNTED_TO)
        if found.total > COUNTED_TO:
            page["total_relation"] = "at_least"
    return page


def _nothing_embedded(params: models.VconSearchParams, ctx: ToolContext) -> SemanticUnavailable:
    return SemanticUnavailable(
        "Nothing stored can be found by meaning yet: vectors are being made. Mode keyword finds words.",
        details={"reason": "loading", "retryable": True, "suggestion": _by_words(params, ctx)},
        expected=True,
    )


def _check_mode(params: models.VconSearchParams, ctx: ToolContext) -> None:
    """Check that the mode's required parameters are given, and no ignored ones."""
    modes: JsonObject = ctx.contract.policy["search_modes"]
    rule: JsonObject = modes[params.mode]
    for name in rule["requires"]:
        if name not in params.model_fields_set:
            raise InvalidArgument(
                f"Mode {params.mode} needs {name}.",
                details={"parameter": name, "reason": "missing", "mode": params.mode},
            )
    for name in rule["rejects"]:
        if name in params.model_fields_set:
            fitting = [mode for mode, other in modes.items() if name not in other["rejects"]]
            usable = [mode for mode in fitting if takes(modes[mode], params.model_fields_set)]
            raise InvalidArgument(
                f"Mode {params.mode} has no use for {name}; it belongs to mode {' or '.join(fitting)}.",
                details={
                    "parameter": name,
                    "reason": "unused_in_mode",
                    "mode": params.mode,
                    "suggestion": {"mode": usable[0]} if usable else {"leave_out": _untaken(rule, params)},
                },
            )
    if "one_of" in rule:
        check_query_xor_embedding(
            query=params.query is not MISSING, embedding=params.embedding is not MISSING
        )


def _untaken(rule: JsonObject, params: models.VconSearchParams) -> list[str]:
    """Parameters of a call that its mode does not accept."""
    return [name for name in rule["rejects"] if name in params.model_fields_set]


def _by_words(params: models.VconSearchParams, ctx: ToolContext) -> JsonObject:
    """Suggested call that searches by keywords, or lists without a query."""
    mode = "metadata" if params.query is MISSING else "keyword"
    left_out = _untaken(ctx.contract.policy["search_modes"][mode], params)
    return {"mode": mode, **({"leave_out": left_out} if left_out else {})}


def _bound_arguments(params: models.VconSearchParams, ctx: ToolContext) -> JsonObject:
    """Arguments to which a cursor is bound, with this mode's defaults."""
    defaults: JsonObject = ctx.contract.policy["search_modes"][params.mode].get("defaults", {})
    return {
        "mode": params.mode,
        "query": None if params.query is MISSING else params.query,
        "embedding": None if params.embedding is MISSING else params.embedding,
        "filters": _filters_of(params).model_dump(),
        "threshold": defaults.get("threshold") if params.threshold is MISSING else params.threshold,
        "semantic_weight": params.semantic_weight if params.mode == "hybrid" else None,
    }


def _filters_of(params: models.VconSearchParams) -> models.SearchFilters:
    return models.SearchFilters() if params.filters is MISSING else params.filters


def _query_of(params: models.VconSearchParams, ctx: ToolContext) -> Query | None:
    """The parsed query; None if only its meaning is searched, or the mode uses none."""
    if params.query is MISSING:
        return None
    if params.mode == "semantic":
        check_no_identifier(params.query, _by_words(params, ctx))
        return None
    if params.mode == "keyword":
        return read_query(params.query)
    query = read_question(params.query)
    return query if query.terms else None


def _hits_alone(match: VconSearchResultEntryMatch, hits: Sequence[Hit]) -> VconSearchResultEntryMatch:
    """Matching and hits only, without score details."""
    alone: VconSearchResultEntryMatch = {"matching": match["matching"], "hits": []}
    if "strength" in match:
        alone["strength"] = match["strength"]
    if "missing" in match:
        alone["missing"] = match["missing"]
    for hit in hits:
        shown = hit.copy()
        shown.pop("because", None)
        alone["hits"].append(shown)
    return in_order(VconSearchResultEntryMatch, alone)


def _entry(
    stored: StoredVcon, groups: Sequence[str], score: float, match: VconSearchResultEntryMatch | None
) -> VconSearchResultEntry:
    entry: VconSearchResultEntry = {
        "id": str(stored.uuid),
        "uuid": str(stored.uuid),
        "created_at": format_time(stored.created_at),
        "updated_at": format_time(stored.updated_at),
    }
    add_groups(entry, stored, groups)
    if stored.version:
        entry["version"] = stored.version
    if HITS in groups:
        parties = stored.arrays.get("parties", [])
        entry["people"] = [speaker_label_of(parties, index) for index in range(len(parties))]
    if match is not None:
        shown = [summary["text"] for summary in entry.get("summary", ())]
        hits = without_repeats(match["hits"], shown)
        if HITS in groups:
            entry["match"] = _hits_alone(match, hits)
        else:
            entry["score"] = rounded(score)
            entry["match"] = {**match, "hits": hits}
    return in_order(VconSearchResultEntry, entry)
