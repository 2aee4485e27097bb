"""The tools search_vcons and search_vcons_content."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from itertools import takewhile
from uuid import UUID

from pydantic import MISSING, BaseModel

from vcontract.generated.errors import ValidationError
from vcontract.generated.models import vcon as models
from vcontract.generated.results import vcon as results
from vcontract.generated.results.contract import HintsEntry, WordCountsEntry
from vcontract.handlers.contract.hints import hints, uuid_hints, word_hints
from vcontract.handlers.contract.hit_turns import Turns, locate_in_turns, turns_of
from vcontract.handlers.contract.search_words import corrections, matching, word_counts
from vcontract.handlers.services import Tools
from vcontract.handlers.vcon.listing import list_vcons, named_arrays
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.filter_conditions import COUNTED_TO, Filters
from vcontract.runtime.store.search.hits import Hit
from vcontract.runtime.store.search.search_params import InvalidQuery, read_filters, read_query
from vcontract.runtime.store.search.term_weights import WeightedQuery

_DECIMALS = 6
FILTERS = (
    *("start_date", "end_date", "tags"),
    *("party_role", "analysis_type", "analysis_vendor", "attachment_type"),
)
"""Filters of every search."""


class SearchingTools(Tools):
    """search_vcons and search_vcons_content."""

    async def search_vcons(
        self, params: models.SearchVconsParams, ctx: ToolContext, /
    ) -> results.SearchVconsResult:
        names = ("subject", "party_name", "party_email", "party_tel", *FILTERS)
        with map_query_errors():
            filters = read_filters(given_filters(params, names))
        components = ["parties"] if params.include_components is MISSING else params.include_components
        async with self._database.reading(ctx.tenant) as connection:
            page = await self._search.newest(
                connection, ctx.tenant, filters, params.limit, offset=params.offset
            )
            vcons = await list_vcons(self._vcons, connection, ctx, page.ids, named_arrays(components))
            why = [] if vcons else await self._why(connection, ctx, filters, page.total)
        result: results.SearchVconsResult = {
            "success": True,
            "count": len(vcons),
            "vcons": vcons,
            "has_more": page.following is not None,
            "total": min(page.total, COUNTED_TO),
        }
        if page.total > COUNTED_TO:
            result["total_relation"] = "at_least"
        if why:
            result["hints"] = why
        return result

    async def search_vcons_content(
        self, params: models.SearchVconsContentParams, ctx: ToolContext, /
    ) -> results.SearchVconsContentResult:
        with map_query_errors():
            filters = read_filters(given_filters(params, FILTERS))
            query = read_query(params.query)
        async with self._database.reading(ctx.tenant) as connection:
            page = await self._search.elements(
                connection, ctx.tenant, query, filters, params.limit, params.offset
            )
            places, vcons = page.places, dict[UUID, JsonObject]()
            if params.include_components is not MISSING:
                ids = list(dict.fromkeys(place.vcon for place in places))
                arrays = named_arrays(params.include_components)
                listed = await list_vcons(self._vcons, connection, ctx, ids, arrays)
                vcons = dict(zip(ids, listed, strict=False))
                places = list(takewhile(lambda place: place.vcon in vcons, places))
            weighed = page.weighed
            turns = await turns_of(self._vcons, connection, ctx.tenant, places)
            words, why = word_counts(weighed), list[HintsEntry]()
            if not places:
                apart = [
                    *await uuid_hints(connection, ctx.tenant, params.query, "get_vcon", "uuid"),
                    *await word_hints(self._search, connection, weighed, page.total),
                ]
                why = await self._why(connection, ctx, filters, page.total, apart, words)
        result: results.SearchVconsContentResult = {
            "success": True,
            "count": len(places),
            "results": [
                _result(place, weighed, vcons, turns, with_snippet=params.include_snippets)
                for place in places
            ],
            "matching": matching(weighed),
            "word_counts": words,
            "has_more": page.has_more,
            "total": min(page.total, COUNTED_TO),
        }
        if weighed.corrections:
            result["corrections"] = corrections(weighed)
        if page.total > COUNTED_TO:
            result["total_relation"] = "at_least"
        if why:
            result["hints"] = why
        return in_order(results.SearchVconsContentResult, result)

    async def _why(
        self,
        connection: Connection,
        ctx: ToolContext,
        filters: Filters,
        total: int,
        found: Sequence[HintsEntry] = (),
        words: Sequence[WordCountsEntry] = (),
    ) -> list[HintsEntry]:
        """Explain why a page of `total` matches is empty."""
        return await hints(
            connection, ctx.tenant, filters, self._vocabulary, is_further=total > 0, found=found, words=words
        )


def given_filters(params: BaseModel, names: Iterable[str]) -> JsonObject:
    """The given filters with these names."""
    return params.model_dump(include=set(names))


@contextmanager
def map_query_errors() -> Generator[None]:
    """Convert invalid queries to ValidationError."""
    try:
        yield
    except InvalidQuery as refused:
        suggestions: list[JsonValue] = [] if refused.instead is None else [refused.instead]
        if refused.reason == "no_searchable_words" and not suggestions:
            suggestions = ["search_vcons lists conversations without words."]
        raise ValidationError(
            str(refused),
            details={"parameter": refused.parameter, "reason": refused.reason, **refused.facts},
            suggestions=suggestions,
        ) from None


def _result(
    place: Hit,
    weighed: WeightedQuery,
    vcons: dict[UUID, JsonObject],
    turns: Turns,
    *,
    with_snippet: bool,
) -> results.SearchVconsContentResultResultsEntry:
    members, text = locate_in_turns(turns, place, weighed.terms)
    result: results.SearchVconsContentResultResultsEntry = {
        "vcon_id": str(place.vcon),
        "content_type": place.content_type,
        "relevance_score": round(place.score, _DECIMALS),
    }
    if place.content_index is not None:
        result["content_index"] = place.content_index
    result = {**result, **members}
    if with_snippet:
        result["snippet"] = text
    if place.vcon in vcons:
        result["vcon"] = vcons[place.vcon]
    return in_order(results.SearchVconsContentResultResultsEntry, result)
