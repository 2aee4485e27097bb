"""Memory search tools.

Two return full answers. `quick_search` returns the first result, and `get_more_results` pages the rest.
"""

from collections import Counter
from typing import Final

from pydantic import MISSING

from vcontract.generated.models import session as models
from vcontract.generated.results.session import (
    SessionGetMoreResultsResult,
    SessionQuickSearchResult,
    SessionReflectOnPastResult,
    SessionSearchByConceptResult,
)
from vcontract.handlers.session.lists import MAX_LIST_LENGTH, next_page
from vcontract.handlers.session.memory_search import (
    DEFAULT_MIN_SCORE,
    MemoryResults,
    other_terms,
    requested_kinds,
    requested_project,
    search_errors,
)
from vcontract.handlers.session.result_rendering import MAX_QUICK_CONTENT_LENGTH
from vcontract.handlers.session.services import SessionTools
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.hits import rounded_down

_MAX_FILES: Final = 20


class SearchingTools(SessionTools):
    """The tools that search the memory."""

    async def reflect_on_past(
        self, params: models.SessionReflectOnPastParams, ctx: ToolContext, /
    ) -> SessionReflectOnPastResult:
        """Search the memory with a minimum score."""
        question = await self._memory.prepare(ctx, params.query)
        with search_errors():
            async with self._database.reading(ctx.tenant) as connection:
                recalled = await self._memory.search(
                    connection,
                    ctx,
                    question,
                    requested_project(params.project),
                    params.min_score,
                    related=params.include_related_projects,
                    kinds=requested_kinds(params.kinds),
                )
                answer = await self._answer(connection, ctx, recalled, params.limit, params.min_score)
        following = await self._lists.following(ctx, params.query, recalled.references, params.limit)
        if following is not None:
            answer["next"] = following
        return await self._cache.in_chunks(ctx, answer)

    async def search_by_concept(
        self, params: models.SessionSearchByConceptParams, ctx: ToolContext, /
    ) -> SessionSearchByConceptResult:
        """Search the memory without a minimum score, and count related files on request."""
        question = await self._memory.prepare(ctx, params.concept)
        with search_errors():
            async with self._database.reading(ctx.tenant) as connection:
                recalled = await self._memory.search(
                    connection,
                    ctx,
                    question,
                    requested_project(params.project),
                    None,
                    kinds=requested_kinds(params.kinds),
                )
                answer = await self._answer(
                    connection,
                    ctx,
                    recalled,
                    params.limit,
                    None,
                    with_files=params.include_files,
                )
        if params.include_files:
            counts = Counter(
                path
                for result in answer["results"]
                for path in dict.fromkeys(file["path"] for file in result.get("files", ()))
            )
            answer["related_files"] = [
                {"path": path, "count": count} for path, count in counts.most_common(_MAX_FILES)
            ]
        following = await self._lists.following(
            ctx, params.concept, recalled.references, params.limit, with_files=params.include_files
        )
        if following is not None:
            answer["next"] = following
        return await self._cache.in_chunks(ctx, answer)

    async def quick_search(
        self, params: models.SessionQuickSearchParams, ctx: ToolContext, /
    ) -> SessionQuickSearchResult:
        """Return the best result, and a key for the rest."""
        question = await self._memory.prepare(ctx, params.query)
        project = requested_project(params.project)
        with search_errors():
            async with self._database.reading(ctx.tenant) as connection:
                recalled = await self._memory.search(
                    connection, ctx, question, project, params.min_score, kinds=requested_kinds(params.kinds)
                )
                top = await self._renderer.results(
                    connection,
                    ctx.tenant,
                    recalled.references[:1],
                    recalled.found,
                    most=MAX_QUICK_CONTENT_LENGTH,
                )
        kept = await self._lists.keep(ctx, params.query, project, recalled.references)
        answer: SessionQuickSearchResult = {
            "success": True,
            "total_count": len(recalled.references),
            "top_result": top[0] if top else None,
            "has_more": len(recalled.references) > 1,
            "cache_key": kept.key,
            "search_strategy": recalled.question.strategy,
            "scope": recalled.scope.document(recalled.sources),
        }
        if suggestions := recalled.suggestions(params.min_score):
            answer["suggestions"] = suggestions
        if recalled.notice is not None:
            answer["notice"] = recalled.notice
        if len(recalled.references) > 1:
            answer["next"] = next_page(ctx, params.query, kept.key, 1)
        return answer

    async def get_more_results(
        self, params: models.SessionGetMoreResultsParams, ctx: ToolContext, /
    ) -> SessionGetMoreResultsResult:
        """Return a page of an earlier search."""
        question = await self._memory.prepare(ctx, params.query)
        project = requested_project(params.project)
        with search_errors():
            async with self._database.reading(ctx.tenant) as connection:
                if params.cache_key is MISSING:
                    kept = await self._lists.newest(connection, ctx, params.query, project)
                else:
                    kept = await self._lists.of_key(connection, ctx, params.query, params.cache_key)
                if kept is None:
                    recalled = await self._memory.search(
                        connection, ctx, question, project, DEFAULT_MIN_SCORE
                    )
                    references, found = recalled.references[:MAX_LIST_LENGTH], recalled.found
                else:
                    references = kept.references
                    found = await self._memory.asked_again(connection, ctx.tenant, question)
                page = references[params.offset : params.offset + params.limit]
                with_files = kept is not None and kept.with_files
                results = await self._renderer.results(
                    connection, ctx.tenant, page, found, with_files=with_files
                )
            kept = kept or await self._lists.keep(ctx, params.query, project, references)
        follows = params.offset + len(page)
        answer: SessionGetMoreResultsResult = {
            "success": True,
            "results": results,
            "has_more": follows < len(references),
            "total_available": len(references),
            "cache_key": kept.key,
        }
        if "offset" not in params.model_fields_set and len(references) > 1:
            answer["notice"] = (
                f"offset was not sent and defaults to {params.offset}: the results before that are left out,"
                " of which quick_search shows the first only. Send offset 1 for all of them."
            )
        if gone := len(page) - len(results):
            answer["gone"] = gone
        if follows < len(references):
            # a chunked answer replaces has_more and cache_key, so repeat those of the list in `next`
            answer["next"] = next_page(ctx, params.query, kept.key, follows, params.limit)
        return await self._cache.in_chunks(ctx, answer)

    async def _answer(
        self,
        connection: Connection,
        ctx: ToolContext,
        recalled: MemoryResults,
        limit: int,
        least: float | None,
        *,
        with_files: bool = False,
    ) -> SessionSearchByConceptResult:
        shown = recalled.references[:limit]
        below = recalled.below if recalled.is_poor else ()
        # in the snapshot of the search, so nothing that it found is missing
        rendered = await self._renderer.results(
            connection, ctx.tenant, [*shown, *below], recalled.found, with_files=with_files
        )
        answer: SessionSearchByConceptResult = {
            "success": True,
            "results": rendered[: len(shown)],
            "total_found": len(recalled.references),
            "total_is_exact": not recalled.is_cut,
            "search_strategy": recalled.question.strategy,
            "scope": recalled.scope.document(recalled.sources),
        }
        if recalled.best_below is not None:
            answer["best_below_threshold"] = rounded_down(recalled.best_below, 3)
        suggestions = recalled.suggestions(least)
        suggestions += other_terms(recalled.question, rendered[len(shown) :])
        if suggestions:
            answer["suggestions"] = suggestions
        if recalled.notice is not None:
            answer["notice"] = recalled.notice
        if recalled.question.vector is not None:
            reach = await self._embeddings.store.reach(connection, ctx.tenant, recalled.pending)
            if reach.share < 1:
                answer["embedding_coverage"] = int(reach.share * 1_000) / 1_000
                answer["total_is_exact"] = False
        return in_order(SessionSearchByConceptResult, answer)
