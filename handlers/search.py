"""vcon_search: one page of conversations, by filters or by words."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.errors import CursorInvalid, InvalidArgument
from vcontract.generated.models import contract as models
from vcontract.handlers.items import build_item, parts_of
from vcontract.handlers.search_filters import (
    hints,
    read_filters,
    refuse_unknown_tag_keys,
    window_document,
)
from vcontract.handlers.search_words import matching, read_query, word_counts
from vcontract.runtime.context import ToolContext
from vcontract.runtime.cursor import CursorCodec, CursorRejected
from vcontract.runtime.documents import JsonObject
from vcontract.runtime.query import Query
from vcontract.runtime.snippets import snippet
from vcontract.runtime.store import vocabulary
from vcontract.runtime.store.database import Connection, Database
from vcontract.runtime.store.search import (
    COUNTED_TO,
    Filters,
    FoundPlace,
    RankedPage,
    VconSearch,
    WeighedQuery,
)
from vcontract.runtime.store.vcons import VconStore

_TOOL = "vcon_search"
_MOST_HITS = 3
_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class _Found:
    """A page as the store found it: ids in order, what is said of each, and of all."""

    ids: list[UUID]
    remarks: dict[UUID, JsonObject]
    total: int
    following: JsonObject | None
    meta: JsonObject


class Searcher:
    """Answers vcon_search."""

    def __init__(self, database: Database, vcons: VconStore, cursors: CursorCodec) -> None:
        self._database = database
        self._vcons = vcons
        self._cursors = cursors
        self._search = VconSearch()

    async def answer(
        self, params: models.VconSearchParams, ctx: ToolContext, groups: list[str]
    ) -> models.VconSearchResult:
        _check_mode(params, ctx)
        given = models.SearchFilters() if params.filters is MISSING else params.filters
        filters = read_filters(given)
        query = None if params.query is MISSING else read_query(params.query)
        arguments: JsonObject = {
            "mode": params.mode,
            "query": None if params.query is MISSING else params.query,
            "filters": given.model_dump(),
        }
        start = self._start(params, ctx, arguments)
        async with self._database.reading(ctx.tenant) as connection:
            await refuse_unknown_tag_keys(connection, ctx.tenant, filters)
            if query is None:
                found = await self._newest(connection, ctx.tenant, filters, params.limit, start)
            else:
                found = await self._ranked(connection, ctx.tenant, query, filters, params.limit, start)
            items = await self._items(connection, ctx.tenant, found, groups)
            meta = found.meta | await _about_filters(connection, ctx.tenant, filters, found)
        return models.VconSearchResult.model_validate(
            {
                "items": items,
                "page": self._page(found, ctx, arguments),
                "meta": {"mode": params.mode, "include": groups, "filters": arguments["filters"], **meta},
            }
        )

    def _start(
        self, params: models.VconSearchParams, ctx: ToolContext, arguments: JsonObject
    ) -> JsonObject | None:
        """Where the page begins; None for the first one."""
        if params.cursor is MISSING:
            return None
        try:
            start: JsonObject = self._cursors.open(
                params.cursor, purpose=_TOOL, tenant=ctx.tenant, arguments=arguments
            )
        except CursorRejected as rejected:
            changed = list(rejected.changed)
            what = f" {', '.join(changed)} differ from the first page's." if changed else ""
            raise CursorInvalid(
                f"This cursor does not belong to this search.{what} Repeat the search without a cursor.",
                details={"reason": rejected.reason, **({"changed": changed} if changed else {})},
            ) from None
        return start

    async def _newest(
        self, connection: Connection, tenant: str, filters: Filters, limit: int, start: JsonObject | None
    ) -> _Found:
        page = await self._search.newest(connection, tenant, filters, limit, start)
        return _Found(page.ids, {}, page.total, page.following, {})

    async def _ranked(
        self,
        connection: Connection,
        tenant: str,
        query: Query,
        filters: Filters,
        limit: int,
        start: JsonObject | None,
    ) -> _Found:
        page = await self._search.ranked(connection, tenant, query, filters, limit, start)
        ids = [item.id for item in page.items]
        places = await self._search.places(connection, page.weighed, ids) if ids else {}
        remarks = {
            item.id: {
                "score": round(item.score, _DECIMALS),
                "match": {
                    "matching": "fuzzy" if page.weighed.is_fuzzy else "exact",
                    "keyword_score": round(item.score, _DECIMALS),
                    "hits": [_hit(place, page.weighed) for place in places[item.id][:_MOST_HITS]],
                },
            }
            for item in page.items
        }
        return _Found(ids, remarks, page.total, page.following, _about_words(page, filters))

    async def _items(
        self, connection: Connection, tenant: str, found: _Found, groups: Sequence[str]
    ) -> list[JsonObject]:
        stored = await self._vcons.load(connection, tenant, found.ids, parts_of(groups))
        by_id = {vcon.uuid: vcon for vcon in stored}
        return [build_item(by_id[id_], groups) | found.remarks.get(id_, {}) for id_ in found.ids]

    def _page(self, found: _Found, ctx: ToolContext, arguments: JsonObject) -> JsonObject:
        following = found.following
        page: JsonObject = {
            "next_cursor": following
            and self._cursors.seal(following, purpose=_TOOL, tenant=ctx.tenant, arguments=arguments),
            "count": len(found.ids),
            "has_more": following is not None,
            "total": min(found.total, COUNTED_TO),
        }
        return page | ({"total_relation": "at_least"} if found.total > COUNTED_TO else {})


def _check_mode(params: models.VconSearchParams, ctx: ToolContext) -> None:
    """Refuse parameters that the mode needs and lacks, or would ignore."""
    modes: JsonObject = ctx.contract.policy["search_modes"]
    given = {name for name in type(params).model_fields if getattr(params, name) is not MISSING}
    for name in modes[params.mode]["requires"]:
        if name not in given:
            raise InvalidArgument(
                f"Mode {params.mode} needs {name}.",
                details={"parameter": name, "reason": "missing", "mode": params.mode},
            )
    for name in modes[params.mode]["rejects"]:
        if name in given:
            fitting = [mode for mode, rule in modes.items() if name not in rule["rejects"]]
            raise InvalidArgument(
                f"Mode {params.mode} has no use for {name}; it belongs to mode {' or '.join(fitting)}.",
                details={
                    "parameter": name,
                    "reason": "unused_in_mode",
                    "mode": params.mode,
                    "suggestion": {"mode": fitting[0]},
                },
            )


def _hit(place: FoundPlace, weighed: WeighedQuery) -> JsonObject:
    hit: JsonObject = {"content_type": place.content_type}
    if place.content_index is not None:
        hit["content_index"] = place.content_index
    return {
        **hit,
        "snippet": snippet(place.content, weighed.terms),
        "score": round(place.score, _DECIMALS),
    }


def _about_words(page: RankedPage, filters: Filters) -> JsonObject:
    weighed = page.weighed
    meta = matching(weighed)
    if weighed.counts:
        meta["words"] = word_counts(weighed)
    if page.ranked_newest is not None:
        meta["ranked_newest"] = page.ranked_newest
    if not page.total and all(weighed.counts) and len(weighed.counts) > 1 and filters == Filters():
        meta["hints"] = [{"reason": "words_never_together"}]
    return meta


async def _about_filters(connection: Connection, tenant: str, filters: Filters, found: _Found) -> JsonObject:
    meta: JsonObject = {}
    if window := window_document(filters):
        meta["window"] = window
    if filters.dealer_name is not None:
        meta["dealers"] = await vocabulary.dealers_named(connection, tenant, filters.dealer_name)
    if not found.total and (near := await hints(connection, tenant, filters)):
        meta["hints"] = [*found.meta.get("hints", []), *near]
    return meta
