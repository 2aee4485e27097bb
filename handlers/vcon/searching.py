"""Searches: vCons by metadata, and the places in them where words stand."""

from itertools import takewhile
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.errors import AmbiguousQuery, InvalidArgument, ValidationError
from vcontract.generated.models import vcon as models
from vcontract.generated.models.contract import SearchFilters
from vcontract.generated.results import vcon as results
from vcontract.handlers.contract.search_filters import read_filters
from vcontract.handlers.contract.search_words import corrections, matching, read_query, word_counts
from vcontract.handlers.vcon.base import VconToolset
from vcontract.handlers.vcon.listing import list_vcons, named_arrays
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents.json import JsonObject, JsonValue
from vcontract.runtime.envelope import in_order
from vcontract.runtime.store.search.matching import COUNTED_TO, Filters
from vcontract.runtime.store.search.ranked import FoundPlace
from vcontract.runtime.store.search.weighing import WeighedQuery
from vcontract.runtime.text.query import Query
from vcontract.runtime.text.snippets import snippet

_DECIMALS = 6


class SearchTools(VconToolset):
    """search_vcons and search_vcons_content."""

    async def search_vcons(
        self, params: models.SearchVconsParams, ctx: ToolContext, /
    ) -> results.SearchVconsResult:
        names = ("subject", "party_name", "party_email", "party_tel", "start_date", "end_date", "tags")
        filters = read_search_filters({name: getattr(params, name) for name in names})
        components = ["parties"] if params.include_components is MISSING else params.include_components
        async with self._database.reading(ctx.tenant) as connection:
            page = await self._search.listed(connection, ctx.tenant, filters, params.limit, params.offset)
            vcons = await list_vcons(self._vcons, connection, ctx, page.ids, named_arrays(components))
        result: results.SearchVconsResult = {
            "success": True,
            "count": len(vcons),
            "vcons": vcons,
            "has_more": page.has_more or len(vcons) < len(page.ids),
            "total": min(page.total, COUNTED_TO),
        }
        if page.total > COUNTED_TO:
            result["total_relation"] = "at_least"
        return result

    async def search_vcons_content(
        self, params: models.SearchVconsContentParams, ctx: ToolContext, /
    ) -> results.SearchVconsContentResult:
        names = ("start_date", "end_date", "tags")
        filters = read_search_filters({name: getattr(params, name) for name in names})
        query = read_words(params.query)
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
        result: results.SearchVconsContentResult = {
            "success": True,
            "count": len(places),
            "results": [
                _result(place, weighed, vcons, with_snippet=params.include_snippets) for place in places
            ],
            "matching": matching(weighed),
            "word_counts": word_counts(weighed),
            "has_more": page.has_more or len(places) < len(page.places),
            "total": min(page.total, COUNTED_TO),
        }
        if weighed.corrections:
            result["corrections"] = corrections(weighed)
        if page.total > COUNTED_TO:
            result["total_relation"] = "at_least"
        if page.ranked_newest is not None:
            result["ranked_newest"] = page.ranked_newest
        return in_order(results.SearchVconsContentResult, result)


def read_search_filters(given: JsonObject) -> Filters:
    """The filters among these parameters, MISSING ones left out.

    Raises: ValidationError.
    """
    members = {name: value for name, value in given.items() if value is not MISSING}
    try:
        return read_filters(SearchFilters.model_validate(members))
    except (AmbiguousQuery, InvalidArgument) as error:
        raise in_this_family(error) from None


def read_words(text: str, *, any_word: bool = False) -> Query:
    """The parsed query; with `any_word` no single word must occur.

    Raises: ValidationError.
    """
    try:
        return read_query(text, any_word=any_word)
    except (AmbiguousQuery, InvalidArgument) as error:
        raise in_this_family(error) from None


def in_this_family(error: AmbiguousQuery | InvalidArgument) -> ValidationError:
    """The same error under the code of this toolset, its suggestion where this envelope has it."""
    details = dict(error.details or {})
    parameter = str(details.get("parameter", _PARAMETERS.get(details["reason"], "query")))
    suggestion: JsonObject | None = details.pop("suggestion", None)
    suggestions = [] if suggestion is None else [_here(suggestion)]
    return ValidationError(
        error.message.replace("filters.", ""),
        details={**details, "parameter": parameter.removeprefix("filters.")},
        suggestions=suggestions,
    )


def _here(suggestion: JsonObject) -> JsonValue:
    """What vcon_search would be sent, as the tools of this toolset take it."""
    if suggestion.get("mode") == "metadata":
        return "search_vcons lists conversations without words."
    return suggestion.get("filters", suggestion)


_PARAMETERS = {
    "empty_window": "end_date",
    "too_few_digits": "party_tel",
    "query_and_embedding": "embedding",
}


def _result(
    place: FoundPlace, weighed: WeighedQuery, vcons: dict[UUID, JsonObject], *, with_snippet: bool
) -> results.SearchVconsContentResultResultsEntry:
    result: results.SearchVconsContentResultResultsEntry = {
        "vcon_id": str(place.vcon),
        "content_type": place.content_type,
        "relevance_score": round(place.score, _DECIMALS),
    }
    if place.content_index is not None:
        result["content_index"] = place.content_index
    if with_snippet:
        result["snippet"] = snippet(place.content, weighed.terms)
    if place.vcon in vcons:
        result["vcon"] = vcons[place.vcon]
    return in_order(results.SearchVconsContentResultResultsEntry, result)
