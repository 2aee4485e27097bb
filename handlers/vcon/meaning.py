"""The tools search_vcons_semantic and search_vcons_hybrid."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.errors import DatabaseError
from vcontract.generated.models import vcon as models
from vcontract.generated.results import vcon as results
from vcontract.generated.results.contract import HintsEntry, WordCountsEntry
from vcontract.generated.results.vcon import (
    SearchVconsSemanticResultResultsEntryMatchedContent as _MatchedContent,
)
from vcontract.generated.results.vcon import (
    SearchVconsSemanticResultResultsEntryMatchedContentAnalysisExcerptsEntry as _AnalysisExcerpt,
)
from vcontract.handlers.contract.hints import ONLY_WEAK, hints, pending_embedding_hints
from vcontract.handlers.contract.hit_turns import TurnOfHit, Turns, locate_in_turns, turns_of
from vcontract.handlers.contract.search_words import corrections, matching, word_counts
from vcontract.handlers.services import Services, Tools
from vcontract.handlers.vcon.listing import list_vcons, named_arrays
from vcontract.handlers.vcon.searching import FILTERS, given_filters, map_query_errors
from vcontract.handlers.vcon.shown_pages import ShownPages, list_of
from vcontract.runtime.embedding.embedder import ModelUnavailable
from vcontract.runtime.embedding.service import NothingEmbedded
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.filter_conditions import Filters
from vcontract.runtime.store.search.hits import Hit, QueryVector, rounded_down
from vcontract.runtime.store.search.pages import Page, SearchRequest
from vcontract.runtime.store.search.search_params import (
    InvalidQuery,
    check_meaning,
    check_query_xor_embedding,
    read_filters,
    read_question,
)
from vcontract.runtime.text.identifiers import identifier_kind, uuid_of

_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """Parts of the result common to both tools."""

    vcons: dict[UUID, JsonObject] | None
    """vCons with the requested components, as many as fit; None if none were requested."""
    index: results.EmbeddingIndex

    def fitting(self, ids: Sequence[UUID]) -> int:
        """Number of first vCons that fit in a response."""
        vcons = self.vcons
        return sum(1 for _ in takewhile(lambda id_: vcons is None or id_ in vcons, ids))


class MeaningTools(Tools):
    """search_vcons_semantic and search_vcons_hybrid."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._shown = ShownPages()

    async def search_vcons_semantic(
        self, params: models.SearchVconsSemanticParams, ctx: ToolContext, /
    ) -> results.SearchVconsSemanticResult:
        try:
            return await self._by_meaning(params, ctx)
        except NothingEmbedded:
            if not await self._embeddings.first_vectors(ctx.tenant):
                raise _unavailable("loading", ctx) from None
        return await self._by_meaning(params, ctx)

    async def _by_meaning(
        self, params: models.SearchVconsSemanticParams, ctx: ToolContext
    ) -> results.SearchVconsSemanticResult:
        with map_query_errors():
            filters = read_filters(given_filters(params, FILTERS))
            if params.query is not MISSING and (kind := identifier_kind(params.query)):
                tool: str = "search_vcons_content"
                arguments: JsonObject = {"query": params.query}
                if kind == "uuid":
                    tool, arguments = "get_vcon", {"uuid": uuid_of(params.query)}
                raise InvalidQuery(
                    "identifier_query",
                    "query",
                    f"The query is nothing but an identifier ({kind}), which has no meaning to compare;"
                    f" {tool} finds it exactly.",
                    {"tool": tool, "arguments": arguments},
                    kind=kind,
                )
            vector = await self._vector(ctx, params.query, params.embedding)
        threshold = None if params.threshold is MISSING else params.threshold
        async with self._database.reading(ctx.tenant) as connection:
            request = SearchRequest(filters, params.offset + params.limit, vector=vector, threshold=threshold)
            page = await self._search.find(connection, ctx.tenant, request)
            items, is_more = self._shown.page(list_of(params, ctx), page.items, params.offset, params.limit)
            ids = [item.id for item in items]
            passages = [hit for item in items for hit in item.hits]
            turns = await turns_of(self._vcons, connection, ctx.tenant, passages)
            beside = await self._beside(connection, ctx, vector, ids, params.include_components)
            if not ids and beside.index["pending"] and not beside.index["embedded"]:
                raise NothingEmbedded
            best_below = page.best_below_threshold
            why = await self._hints(
                connection,
                ctx,
                params,
                page,
                ids,
                filters,
                beside.index,
                vector.space.id,
                best_below=best_below,
            )
        found: list[results.SearchVconsSemanticResultResultsEntry] = []
        for item in items[: beside.fitting(ids)]:
            entry: results.SearchVconsSemanticResultResultsEntry = {
                "vcon_id": str(item.id),
                "similarity_score": round(item.similarity, _DECIMALS),
                "cosine": round(item.cosine or 0.0, _DECIMALS),
                "strength": item.strength,
                "matched_content": _matched(item.hits, turns),
            }
            if beside.vcons is not None:
                entry["vcon"] = beside.vcons[item.id]
            found.append(entry)
        result: results.SearchVconsSemanticResult = {
            "success": True,
            "count": len(found),
            "results": found,
            "has_more": is_more or page.following is not None,
            "index": beside.index,
        }
        if page.best_below_threshold is not None:
            # both are rounded down, so that they pass when used as a threshold
            result["best_below_threshold"] = rounded_down(page.best_below_threshold, _DECIMALS)
            threshold = rounded_down(page.best_below_threshold, 2)
            result["suggestions"] = [f"Nothing is that similar; threshold {threshold} returns something."]
        elif not found and beside.index["pending"]:
            result["suggestions"] = ["Not all passages have vectors yet; search_vcons_content finds words."]
        if why:
            result["hints"] = why
        return result

    async def search_vcons_hybrid(
        self, params: models.SearchVconsHybridParams, ctx: ToolContext, /
    ) -> results.SearchVconsHybridResult:
        with map_query_errors():
            filters = read_filters(given_filters(params, FILTERS))
            query = read_question(params.query)
            vector = await self._vector(ctx, params.query, MISSING)
        async with self._database.reading(ctx.tenant) as connection:
            request = SearchRequest(
                filters, params.offset + params.limit, query, vector, weight=params.semantic_weight
            )
            page = await self._search.find(connection, ctx.tenant, request)
            weighed = page.weighed
            assert weighed is not None, "words were searched"
            items, is_more = self._shown.page(list_of(params, ctx), page.items, params.offset, params.limit)
            ids = [item.id for item in items]
            beside = await self._beside(connection, ctx, vector, ids, params.include_components)
            worded = {item.id: hit for item in items for hit in reversed(item.hits) if "own" in hit.because}
            turns = await turns_of(self._vcons, connection, ctx.tenant, worded.values())
            words = word_counts(weighed)
            why = await self._hints(
                connection, ctx, params, page, ids, filters, beside.index, vector.space.id, words=words
            )
        terms = weighed.terms
        found: list[results.SearchVconsHybridResultResultsEntry] = []
        for item in items[: beside.fitting(ids)]:
            entry: results.SearchVconsHybridResultResultsEntry = {
                "vcon_id": str(item.id),
                "combined_score": round(item.score, _DECIMALS),
                "keyword_score": round(item.keyword_score, _DECIMALS),
                "semantic_score": round(item.similarity, _DECIMALS),
                "strength": item.strength,
            }
            if item.id in worded:
                members, text = locate_in_turns(turns, worded[item.id], terms)
                entry = {**entry, **members, "snippet": text}
            if beside.vcons is not None:
                entry["vcon"] = beside.vcons[item.id]
            found.append(in_order(results.SearchVconsHybridResultResultsEntry, entry))
        result: results.SearchVconsHybridResult = {
            "success": True,
            "count": len(found),
            "results": found,
            "matching": matching(weighed),
            "has_more": is_more or page.following is not None,
            "index": beside.index,
        }
        if weighed.corrections:
            result["corrections"] = corrections(weighed)
        if why:
            result["hints"] = why
        return in_order(results.SearchVconsHybridResult, result)

    async def _vector(
        self, ctx: ToolContext, query: str | MISSING, embedding: Sequence[float] | MISSING
    ) -> QueryVector:
        """Return the vector of the query, or the given one.

        Raises: InvalidQuery; DatabaseError when no model is usable.
        """
        check_query_xor_embedding(query=query is not MISSING, embedding=embedding is not MISSING)
        try:
            if embedding is not MISSING:
                return await self._embeddings.given(ctx.tenant, embedding)
            sentence = "" if query is MISSING else query
            check_meaning(sentence)
            return await self._embeddings.query(ctx.tenant, sentence)
        except ModelUnavailable as error:
            # the message may contain paths, so it is only logged; the client gets a suggestion
            raise _unavailable(error.reason, ctx) from error

    async def _hints(
        self,
        connection: Connection,
        ctx: ToolContext,
        params: models.SearchVconsSemanticParams | models.SearchVconsHybridParams,
        page: Page,
        shown: Sequence[UUID],
        filters: Filters,
        index: results.EmbeddingIndex,
        space: int,
        *,
        words: Sequence[WordCountsEntry] = (),
        best_below: float | None = None,
    ) -> list[HintsEntry]:
        """Explain why no results are shown, none above chance, or not all."""
        pending: list[HintsEntry] = []
        if index["pending"]:
            pending = await pending_embedding_hints(connection, space, filters, _by_words(params.query))
        if shown:
            return [*pending, ONLY_WEAK] if page.only_weak else pending
        return await hints(
            connection,
            ctx.tenant,
            filters,
            self._vocabulary,
            is_further=params.offset > 0,
            found=pending,
            words=words,
            best_below=best_below,
        )

    async def _beside(
        self,
        connection: Connection,
        ctx: ToolContext,
        vector: QueryVector,
        ids: Sequence[UUID],
        components: Sequence[str] | MISSING,
    ) -> _Surroundings:
        vcons: dict[UUID, JsonObject] | None = None
        if components is not MISSING:
            listed = await list_vcons(self._vcons, connection, ctx, ids, named_arrays(components))
            vcons = dict(zip(ids, listed, strict=False))
        coverage = await self._embeddings.store.coverage(connection, ctx.tenant)
        return _Surroundings(
            vcons,
            {
                "model": vector.space.model,
                "embedded": coverage.embedded,
                "pending": coverage.pending,
            },
        )


def _by_words(query: str | MISSING) -> JsonObject:
    """The call that finds by words what has no vector yet."""
    if query is MISSING:
        return {"tool": "search_vcons", "arguments": {}}
    return {"tool": "search_vcons_content", "arguments": {"query": query}}


def _unavailable(reason: str, ctx: ToolContext) -> DatabaseError:
    return DatabaseError(
        "Search by meaning is not available now; search_vcons_content finds words.",
        details={
            "reason": "semantic_unavailable",
            "cause": reason,
            "retryable": reason == "loading",
            "correlation_id": ctx.correlation_id,
        },
        suggestions=["Use search_vcons_content with the words to find."],
    )


def _matched(excerpts: Sequence[Hit], turns: Turns) -> _MatchedContent:
    """Group excerpts by part of the vCon, with their positions."""
    matched: _MatchedContent = {}
    for excerpt in excerpts:
        members, text = locate_in_turns(turns, excerpt, ())
        relevance, index = round(excerpt.similarity, _DECIMALS), excerpt.element
        match excerpt.content_type:
            case "subject":
                matched["subject"] = text
            case "dialog":
                matched.setdefault("dialog_excerpts", []).append(
                    {"dialog_index": index, **members, "text": text, "relevance": relevance}
                )
            case "analysis":
                matched.setdefault("analysis_excerpts", []).append(
                    _analysis_excerpt(index, excerpt.name, members, text, relevance)
                )
            case "attachment":
                matched.setdefault("attachment_excerpts", []).append(
                    {"attachment_index": index, "text": text, "relevance": relevance}
                )
            case _:
                matched.setdefault("trace_excerpts", []).append({"text": text, "relevance": relevance})
    return in_order(_MatchedContent, matched)


def _analysis_excerpt(
    index: int, type_: str | None, members: TurnOfHit, text: str, relevance: float
) -> _AnalysisExcerpt:
    excerpt: _AnalysisExcerpt = {"analysis_index": index, "text": text, "relevance": relevance}
    excerpt = {**excerpt, **members}
    if type_ is not None:
        excerpt["type"] = type_
    return in_order(_AnalysisExcerpt, excerpt)
