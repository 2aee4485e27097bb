"""Searches by meaning and words: whole answers, and a quick one that is read on."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from pydantic import MISSING

from vcontract.generated.errors import ValidationError
from vcontract.generated.models import session as models
from vcontract.handlers.session.base import next_call, now, searching, subject_of
from vcontract.handlers.session.chunks import ChunkTools, digest_of, new_key
from vcontract.handlers.session.presenting import MOST_OF_QUICK_CONTENT, Presenting
from vcontract.handlers.session.recalling import Question, Recalled, Reference, empty_answer, other_terms
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.sessions import result_cache
from vcontract.runtime.store.sessions.projects import fold_name
from vcontract.runtime.store.sessions.result_cache import Entry

_LISTS: Final = "list"
_MORE: Final = "get_more_results"
_LONGEST_LIST: Final = 1_000
_LEAST_OF_CONCEPTS: Final = 0.5
_LEAST: Final = 0.7
_FEW: Final = 3
_MOST_FILES: Final = 20


class SearchTools(Presenting, ChunkTools):
    """The tools that search the memory."""

    async def reflect_on_past(
        self, params: models.SessionReflectOnPastParams, ctx: ToolContext, /
    ) -> models.SessionReflectOnPastResult:
        question = await self.question(ctx, params.query)
        with searching():
            async with self._database.reading(ctx.tenant) as connection:
                recalled = await self.recalled(
                    connection,
                    ctx,
                    question,
                    given(params.project),
                    params.min_score,
                    related=params.include_related_projects,
                )
                answer = await self._answer(connection, ctx, recalled, params.limit, params.min_score)
        return models.SessionReflectOnPastResult.model_validate(await self.in_chunks(ctx, answer))

    async def search_by_concept(
        self, params: models.SessionSearchByConceptParams, ctx: ToolContext, /
    ) -> models.SessionSearchByConceptResult:
        question = await self.question(ctx, params.concept)
        with searching():
            async with self._database.reading(ctx.tenant) as connection:
                recalled = await self.recalled(
                    connection, ctx, question, given(params.project), _LEAST_OF_CONCEPTS
                )
                answer = await self._answer(
                    connection,
                    ctx,
                    recalled,
                    params.limit,
                    _LEAST_OF_CONCEPTS,
                    with_files=params.include_files,
                )
        if params.include_files:
            counts = Counter(
                path for result in answer["results"] for path in {file["path"] for file in result["files"]}
            )
            answer["related_files"] = [
                {"path": path, "count": count} for path, count in counts.most_common(_MOST_FILES)
            ]
        return models.SessionSearchByConceptResult.model_validate(await self.in_chunks(ctx, answer))

    async def quick_search(
        self, params: models.SessionQuickSearchParams, ctx: ToolContext, /
    ) -> models.SessionQuickSearchResult:
        question = await self.question(ctx, params.query)
        project = given(params.project)
        with searching():
            async with self._database.reading(ctx.tenant) as connection:
                recalled = await self.recalled(connection, ctx, question, project, params.min_score)
                concept = recalled.concept or await self.concept_of(connection, ctx.tenant, question)
                top = await self.results(
                    connection, ctx.tenant, recalled.references[:1], concept, most=MOST_OF_QUICK_CONTENT
                )
        key = await self._keep_list(ctx, params.query, project, recalled.references)
        answer: JsonObject = {
            "total_count": len(recalled.references),
            "top_result": top[0] if top else None,
            "has_more": len(recalled.references) > 1,
            "cache_key": key,
            **empty_answer(recalled, params.min_score),
        }
        answer.pop("best_below_threshold", None)
        if len(recalled.references) > 1:
            answer["next"] = next_call(ctx, _MORE, query=params.query, cache_key=key, offset=1)
        return models.SessionQuickSearchResult.model_validate(answer)

    async def get_more_results(
        self, params: models.SessionGetMoreResultsParams, ctx: ToolContext, /
    ) -> models.SessionGetMoreResultsResult:
        question = await self.question(ctx, params.query)
        key = None if params.cache_key is MISSING else params.cache_key
        with searching():
            key, references = await self._list(ctx, question, params.query, given(params.project), key)
            page = references[params.offset : params.offset + params.limit]
            async with self._database.reading(ctx.tenant) as connection:
                concept = await self.concept_of(connection, ctx.tenant, question)
                results = await self.results(connection, ctx.tenant, page, concept)
        follows = params.offset + len(page)
        answer: JsonObject = {
            "results": results,
            "has_more": follows < len(references),
            "total_available": len(references),
            "cache_key": key,
        }
        if follows < len(references):
            # in a chunk has_more and cache_key are the chunk's own, so the list would be lost
            answer["next"] = next_call(
                ctx, _MORE, query=params.query, cache_key=key, offset=follows, limit=params.limit
            )
        if gone := len(page) - len(results):
            answer["gone"] = gone
        return models.SessionGetMoreResultsResult.model_validate(await self.in_chunks(ctx, answer))

    async def _answer(
        self,
        connection: Connection,
        ctx: ToolContext,
        recalled: Recalled,
        limit: int,
        least: float,
        *,
        with_files: bool = False,
    ) -> JsonObject:
        concept = recalled.concept or await self.concept_of(connection, ctx.tenant, recalled.question)
        shown = recalled.references[:limit]
        answer: JsonObject = {
            "results": await self.results(connection, ctx.tenant, shown, concept, with_files=with_files),
            "total_found": len(recalled.references),
            "total_is_exact": not recalled.is_cut,
            **empty_answer(recalled, least),
        }
        if len(recalled.references) < _FEW and recalled.question.vector is not None:
            below = await self.results(connection, ctx.tenant, recalled.below, concept)
            suggestions = [*answer.get("suggestions", []), *other_terms(recalled.question, below)]
            if suggestions:
                answer["suggestions"] = suggestions
        if recalled.question.vector is not None:
            coverage = await self._embeddings.store.coverage(connection, ctx.tenant)
            if coverage.share < 1:
                answer["embedding_coverage"] = int(coverage.share * 1_000) / 1_000
        return answer

    async def _list(
        self, ctx: ToolContext, question: Question, query: str, project: str | None, key: str | None
    ) -> tuple[str, Sequence[Reference]]:
        """The list that is paged: the one named, the newest of this query, or a new one.

        Raises: ValidationError for a key that is unknown, or of another query.
        """
        if key is not None:
            entry = await self.kept(ctx, key)
            if entry.tool != _LISTS:
                raise ValidationError(
                    "This cache_key belongs to the chunks of an answer, not to a list of results.",
                    details={"parameter": "cache_key", "reason": "chunks"},
                    suggestions=["Read chunks with get_cached_chunk; next of a chunk has the list's key."],
                )
            if entry.query_digest != digest_of(query):
                raise ValidationError(
                    "This cache_key belongs to another query.",
                    details={"parameter": "cache_key", "reason": "other_query"},
                    suggestions=["Send the query of the search that gave the cache_key."],
                )
            return key, _references(entry)
        async with self._database.reading(ctx.tenant) as connection:
            entries = await result_cache.newest(
                connection, ctx.tenant, subject_of(ctx), _LISTS, digest_of(query), now()
            )
            wanted = _folded(project)
            for entry in entries:
                if entry.content["project"] == wanted:
                    return entry.key, _references(entry)
            recalled = await self.recalled(connection, ctx, question, project, _LEAST)
        made = await self._keep_list(ctx, query, project, recalled.references)
        return made, recalled.references[:_LONGEST_LIST]

    async def _keep_list(
        self, ctx: ToolContext, query: str, project: str | None, references: Sequence[Reference]
    ) -> str:
        key, at = new_key(), now()
        content: JsonObject = {
            "project": _folded(project),
            "references": [reference.document() for reference in references[:_LONGEST_LIST]],
        }
        expires = at + timedelta(seconds=self._rules.cache_seconds)
        await self.keep_entry(ctx, Entry(key, _LISTS, digest_of(query), content, at, expires))
        return key


def _references(entry: Entry) -> list[Reference]:
    return [Reference.read(document) for document in entry.content["references"]]


def given(project: str | MISSING | None) -> str | None:
    # no project's name holds U+0000, and the store cannot be asked for it
    return None if project is MISSING or project is None else project.replace("\0", "\ufffd")


def _folded(project: str | None) -> str | None:
    return None if project is None else fold_name(project)
