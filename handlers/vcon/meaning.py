"""Searches by meaning: vCons similar to a sentence, alone or together with its words."""

from collections.abc import Sequence
from itertools import takewhile
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.errors import DatabaseError, ValidationError
from vcontract.generated.models import vcon as models
from vcontract.handlers.search_words import matching
from vcontract.handlers.vcon.base import VconToolset
from vcontract.handlers.vcon.listing import list_vcons, named_arrays
from vcontract.handlers.vcon.searching import read_search_filters, read_words
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents import JsonObject
from vcontract.runtime.embedding.embedder import ModelUnavailable
from vcontract.runtime.embedding.service import UnusableVector
from vcontract.runtime.snippets import snippet
from vcontract.runtime.store.database import Connection
from vcontract.runtime.store.semantic import Excerpt, QueryVector, SemanticPage

_DECIMALS = 6
_FILTERS = ("start_date", "end_date", "tags")


class MeaningTools(VconToolset):
    """search_vcons_semantic and search_vcons_hybrid."""

    async def search_vcons_semantic(
        self, params: models.SearchVconsSemanticParams, ctx: ToolContext, /
    ) -> models.SearchVconsSemanticResult:
        filters = read_search_filters({name: getattr(params, name) for name in _FILTERS})
        vector = await self._vector(params, ctx)
        async with self._database.reading(ctx.tenant) as connection:
            page = await self._semantic.semantic(
                connection,
                vector,
                filters,
                threshold=params.threshold,
                limit=params.limit,
                offset=params.offset,
            )
            ids = [item.id for item in page.items]
            excerpts = await self._semantic.excerpts(connection, vector, ids, threshold=params.threshold)
            types = await _analysis_types(connection, ctx.tenant, ids)
            vcons = await self._asked(connection, ctx, ids, params.include_components)
            index = await self._index(connection, ctx, vector)
        items = page.items
        if vcons is not None:
            items = list(takewhile(lambda item: item.id in vcons, items))
        results: list[JsonObject] = [
            {
                "vcon_id": str(item.id),
                "similarity_score": round(item.similarity, _DECIMALS),
                "cosine": round(item.cosine, _DECIMALS),
                "matched_content": _matched(excerpts[item.id], types),
                **({"vcon": vcons[item.id]} if vcons is not None else {}),
            }
            for item in items
        ]
        return models.SearchVconsSemanticResult.model_validate(
            {
                "count": len(results),
                "results": results,
                "has_more": page.following is not None or len(items) < len(page.items),
                "index": index,
                **_nearest(page),
            }
        )

    async def search_vcons_hybrid(
        self, params: models.SearchVconsHybridParams, ctx: ToolContext, /
    ) -> models.SearchVconsHybridResult:
        filters = read_search_filters({name: getattr(params, name) for name in _FILTERS})
        query = read_words(params.query, any_word=True)
        vector = await self._query_vector(params.query, ctx)
        async with self._database.reading(ctx.tenant) as connection:
            page = await self._semantic.hybrid(
                connection,
                ctx.tenant,
                vector,
                query,
                filters,
                weight=params.semantic_weight,
                limit=params.limit,
                offset=params.offset,
            )
            ids = [item.id for item in page.items]
            places = await self._search.places(connection, page.weighed, ids) if ids else {}
            vcons = await self._asked(connection, ctx, ids, params.include_components)
            index = await self._index(connection, ctx, vector)
        items = page.items
        if vcons is not None:
            items = list(takewhile(lambda item: item.id in vcons, items))
        terms = page.weighed.terms
        results: list[JsonObject] = [
            {
                "vcon_id": str(item.id),
                "combined_score": round(item.score, _DECIMALS),
                "keyword_score": round(item.keyword_score, _DECIMALS),
                "semantic_score": round(item.semantic_score, _DECIMALS),
                **({"snippet": snippet(places[item.id][0].content, terms)} if places[item.id] else {}),
                **({"vcon": vcons[item.id]} if vcons is not None else {}),
            }
            for item in items
        ]
        result: JsonObject = {
            "count": len(results),
            "results": results,
            **matching(page.weighed),
            "has_more": page.following is not None or len(items) < len(page.items),
            "index": index,
        }
        return models.SearchVconsHybridResult.model_validate(result)

    async def _vector(self, params: models.SearchVconsSemanticParams, ctx: ToolContext) -> QueryVector:
        """What is looked for: the query's meaning, or the vector that was given."""
        if params.query is not MISSING and params.embedding is not MISSING:
            raise ValidationError(
                "query and embedding are both given; one of them says what to find.",
                details={"parameter": "embedding", "reason": "query_and_embedding"},
                suggestions=["Leave out embedding."],
            )
        if params.query is not MISSING:
            return await self._query_vector(params.query, ctx)
        if params.embedding is MISSING:
            raise ValidationError(
                "Give query, a sentence whose meaning to find, or embedding, a vector to compare with.",
                details={"parameter": "query", "reason": "missing"},
            )
        try:
            return await self._embeddings.given(ctx.tenant, params.embedding)
        except UnusableVector as error:
            raise ValidationError(
                f"embedding: {error}.",
                details={"parameter": "embedding", "reason": "unusable_vector", "expected": error.expected},
            ) from None
        except ModelUnavailable as error:
            raise _unavailable(error, ctx) from None

    async def _query_vector(self, text: str, ctx: ToolContext) -> QueryVector:
        try:
            return await self._embeddings.query(ctx.tenant, text)
        except ModelUnavailable as error:
            raise _unavailable(error, ctx) from None

    async def _asked(
        self,
        connection: Connection,
        ctx: ToolContext,
        ids: Sequence[UUID],
        components: Sequence[str] | MISSING,
    ) -> dict[UUID, JsonObject] | None:
        """The vCons with the components asked for, as many as fit; None when none were asked for."""
        if components is MISSING:
            return None
        listed = await list_vcons(self._vcons, connection, ctx, ids, named_arrays(components))
        return dict(zip(ids, listed, strict=False))

    async def _index(self, connection: Connection, ctx: ToolContext, vector: QueryVector) -> JsonObject:
        coverage = (await self._embeddings.status(connection, ctx.tenant)).coverage
        return {"model": vector.space.model, "embedded": coverage.embedded, "pending": coverage.pending}


def _unavailable(error: ModelUnavailable, ctx: ToolContext) -> DatabaseError:
    """The message stays with the operator, who may see paths; the client is told what works instead."""
    return DatabaseError(
        "Search by meaning is not available now; search_vcons_content finds words.",
        details={
            "reason": "semantic_unavailable",
            "cause": error.reason,
            "retryable": error.reason == "loading",
            "correlation_id": ctx.correlation_id,
        },
        suggestions=["Use search_vcons_content with the words to find."],
    )


async def _analysis_types(
    connection: Connection, tenant: str, ids: Sequence[UUID]
) -> dict[tuple[UUID, int], str]:
    rows = await connection.fetch(
        "select vcon, index, type from vcontract.analysis"
        " where tenant = $1 and vcon = any($2) and type is not null",
        tenant,
        list(ids),
    )
    return {(row["vcon"], row["index"]): row["type"] for row in rows}


def _matched(excerpts: Sequence[Excerpt], types: dict[tuple[UUID, int], str]) -> JsonObject:
    matched: JsonObject = {}
    for excerpt in excerpts:
        text = snippet(excerpt.content, ())
        relevance = round(excerpt.similarity, _DECIMALS)
        if excerpt.part == "subject":
            matched["subject"] = text
        elif excerpt.part == "dialog":
            entry: JsonObject = {"dialog_index": excerpt.element, "text": text, "relevance": relevance}
            matched.setdefault("dialog_excerpts", []).append(entry)
        elif excerpt.part == "analysis":
            kind = types.get((excerpt.vcon, excerpt.element))
            matched.setdefault("analysis_excerpts", []).append(
                {
                    "analysis_index": excerpt.element,
                    **({"type": kind} if kind is not None else {}),
                    "text": text,
                    "relevance": relevance,
                }
            )
    return matched


def _nearest(page: SemanticPage) -> JsonObject:
    """What a search that found nothing says about the threshold."""
    best = page.best_below_threshold
    if best is None:
        return {}
    # rounded down, so that sending it back finds what it was taken from
    reachable = int(best * 100) / 100
    return {
        "best_below_threshold": round(best, _DECIMALS),
        "suggestions": [f"Nothing is that similar; threshold {reachable} returns something."],
    }
