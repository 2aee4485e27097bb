"""The search of past conversations: from a checked request to the facts and the text of its answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from vcontract.generated.errors import SemanticUnavailable
from vcontract.generated.models import memory as models
from vcontract.generated.results.memory import (
    MemorySearchResult,
    MemorySearchResultResultsEntry,
    MemorySearchResultScope,
)
from vcontract.handlers.memory.matching import Conversation, any_term, folded, matching_conversations, rule
from vcontract.handlers.memory.request import Mode, Request, read_request
from vcontract.handlers.memory.results_layout import nothing_found, results_text
from vcontract.runtime.context import ToolContext
from vcontract.runtime.embedding.embedder import ModelUnavailable
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.envelope import Document, in_order
from vcontract.runtime.imports.transcripts.preparing import one_line
from vcontract.runtime.store.postgres.database import Connection, Database
from vcontract.runtime.store.search.hits import QueryVector
from vcontract.runtime.store.search.recall import Found, Hit, Recall, Source, rounded_down
from vcontract.runtime.store.transcripts import conversations as store
from vcontract.runtime.text.excerpts import excerpt
from vcontract.runtime.text.terms import read_terms

KIND: Final = "exchange"
_CANDIDATES: Final = "memory_candidates"
_SNIPPET: Final = 240
_DECIMALS: Final = 2


@dataclass(slots=True)
class _Outcome:
    """What a search found, before it is told."""

    mode: Mode
    conversations: list[Conversation]
    found: Sequence[Found]
    any_word: bool = False
    notes: list[str] = field(default_factory=list[str])

    @property
    def is_cut(self) -> bool:
        return any(found.is_cut for found in self.found)

    @property
    def relaxed(self) -> bool:
        return self.any_word or any(found.relaxed for found in self.found)


class Searcher:
    """Implements `generated.protocols.MemorySearchingTools`."""

    def __init__(self, database: Database, embeddings: Embeddings, *, sidechains: bool) -> None:
        self._database = database
        self._embeddings = embeddings
        self._sidechains = sidechains
        self._recall = Recall()

    async def search(
        self, params: models.MemorySearchParams, ctx: ToolContext, /
    ) -> Document[MemorySearchResult]:
        request = read_request(params)
        vectors, mode = await self._vectors(request, ctx)
        async with self._database.reading(ctx.tenant) as connection:
            outcome = await self._search(connection, ctx.tenant, request, vectors, mode)
            page = outcome.conversations[: request.limit]
            results = await self._results(connection, ctx.tenant, request, outcome, page)
            coverage = await self._embeddings.store.coverage(connection, ctx.tenant)
            if not page:
                outcome.notes += await self._why_nothing(connection, ctx.tenant, request, vectors, outcome)
        total = len(outcome.conversations)
        _note(outcome, mode_asked=request.mode, coverage=coverage.share, total=total)
        facts: MemorySearchResult = {
            "success": True,
            "results": results,
            "total": total,
            "returned": len(results),
            "total_is_exact": not outcome.is_cut,
            "mode_used": outcome.mode,
            "embedding_coverage": rounded_down(coverage.share, _DECIMALS),
            "scope": self._scope(request),
        }
        if outcome.relaxed:
            facts["relaxed"] = True
        if not results:
            facts["message"] = nothing_found()
        if outcome.notes:
            facts["notes"] = outcome.notes
        text = None if params.response_format == "json" else results_text(facts)
        return Document(in_order(MemorySearchResult, facts), text)

    def _scope(self, request: Request) -> MemorySearchResultScope:
        scope: MemorySearchResultScope = {"sidechains": self._sidechains}
        if request.after:
            scope["after"] = request.after.isoformat()
        if request.before:
            scope["before"] = request.before.isoformat()
        return in_order(MemorySearchResultScope, scope)

    async def _vectors(self, request: Request, ctx: ToolContext) -> tuple[list[QueryVector | None], Mode]:
        """The vector of each query, as far as the mode wants them, and the mode that they allow."""
        nothing: list[QueryVector | None] = [None for _ in request.queries]
        if request.mode == "text":
            return nothing, "text"
        try:
            return [
                await self._embeddings.query(ctx.tenant, query) for query in request.queries
            ], request.mode
        except ModelUnavailable as error:
            if request.mode == "both":
                return nothing, "text"
            raise SemanticUnavailable(
                "Search by meaning is not available now; mode text finds words.",
                details={
                    "reason": error.reason,
                    "retryable": error.reason == "loading",
                    "suggestion": {"mode": "text"},
                },
                suggestions=["Send mode: text."],
            ) from error

    async def _search(
        self,
        connection: Connection,
        tenant: str,
        request: Request,
        vectors: Sequence[QueryVector | None],
        mode: Mode,
        *,
        dates: bool = True,
    ) -> _Outcome:
        terms = [read_terms(query) for query in request.queries]
        filters = request.filters(sidechains=self._sidechains, dates=dates)
        source = Source(KIND, _CANDIDATES, filters)

        async def find(least: float) -> list[Found]:
            concepts = [
                await self._recall.concept(
                    connection,
                    tenant,
                    None if mode == "vector" else of_query,
                    vector,
                    kinds=(KIND,),
                    least=least,
                )
                for of_query, vector in zip(terms, vectors, strict=True)
            ]
            return await self._recall.find(connection, source, concepts)

        every = mode == "text" or request.is_array
        found = await find(1.0 if every else 0.5)
        matches = rule(mode, is_array=request.is_array)
        any_word = False
        if mode == "text" and not request.is_array and not any(map(matches, found[0].hits)):
            found, matches = await find(0.0), any_term
            any_word = bool(found[0].hits)
        ids = {hit.id for one in found for hit in one.hits if matches(hit)}
        exchanges = await store.exchanges_of(connection, tenant, ids)
        conversations = folded(matching_conversations(found, exchanges, matches))
        return _Outcome(mode, conversations, found, any_word)

    async def _results(
        self,
        connection: Connection,
        tenant: str,
        request: Request,
        outcome: _Outcome,
        page: Sequence[Conversation],
    ) -> list[MemorySearchResultResultsEntry]:
        snippets = await self._snippets(connection, outcome, page)
        newer = await store.newest_summaries(connection, tenant, [found.shown.vcon for found in page])
        return [
            _result(request, outcome, found, snippets.get(found.shown.id, ""), newer.get(found.shown.vcon))
            for found in page
        ]

    async def _snippets(
        self, connection: Connection, outcome: _Outcome, page: Sequence[Conversation]
    ) -> dict[UUID, str]:
        """Of each exchange shown, the text around what speaks for it most: that of its best concept."""
        snippets: dict[UUID, str] = {}
        for number, found in enumerate(outcome.found):
            hits = [
                hit
                for conversation in page
                if (hit := conversation.hits[number]) is not None and hit is _strongest(conversation)
            ]
            places = await self._recall.places(connection, found, hits) if hits else {}
            for (id_, _), place in places.items():
                snippets[id_] = excerpt(place.content, found.concept.terms, _SNIPPET)
        return snippets

    async def _why_nothing(
        self,
        connection: Connection,
        tenant: str,
        request: Request,
        vectors: Sequence[QueryVector | None],
        outcome: _Outcome,
    ) -> list[str]:
        searched = await store.count(connection, tenant, sidechains=self._sidechains)
        aside = "" if self._sidechains else ", those of sub-agents left aside"
        notes = [f"Searched: {_conversations(searched)}{aside}."]
        best = [
            (query, found.hits[0].score)
            for query, found in zip(request.queries, outcome.found, strict=True)
            if found.hits
        ]
        if request.is_array:
            told = ", ".join(f"{query} {rounded_down(score, _DECIMALS):.2f}" for query, score in best)
            notes += [f"No conversation holds all concepts; best scores: {told}."] if best else []
        elif best:
            notes.append(f"Best score, too low to count: {rounded_down(best[0][1], _DECIMALS):.2f}.")
        if request.after or request.before:
            without = await self._search(connection, tenant, request, vectors, outcome.mode, dates=False)
            left_out = len(without.conversations)
            if left_out:
                notes.append(f"Without the date filter: {_conversations(left_out)}.")
        return notes


def _conversations(number: int) -> str:
    return f"{number} conversation{'' if number == 1 else 's'}"


def _strongest(conversation: Conversation) -> Hit:
    """The exchange shown, as the concept scored it that it fits best."""
    return max((hit for hit in conversation.hits if hit is not None), key=lambda hit: hit.score)


def _result(
    request: Request, outcome: _Outcome, conversation: Conversation, snippet: str, summary: str | None
) -> MemorySearchResultResultsEntry:
    shown = conversation.shown
    result: MemorySearchResultResultsEntry = {
        "path": shown.path,
        "project": shown.project,
        "date": shown.started_at.date().isoformat(),
        "score": rounded_down(conversation.score, _DECIMALS),
        "summary": one_line(summary or shown.summary),
        "snippet": snippet,
        "line_start": shown.line_start,
        "line_end": shown.line_end,
        "exchange": shown.number,
        "exchanges": shown.exchanges,
        "session_id": shown.session,
        "vcon_uuid": str(shown.vcon),
        "harness": shown.harness,
    }
    if shown.git_branch:
        result["git_branch"] = shown.git_branch
    if request.is_array:
        result["concepts"] = [
            {"query": query, "score": rounded_down(score, _DECIMALS)}
            for query, score in zip(request.queries, conversation.concept_scores, strict=True)
        ]
    elif (hit := conversation.hits[0]) is not None:
        if outcome.mode != "text":
            result["similarity"] = rounded_down(hit.similarity, _DECIMALS)
        if outcome.mode != "vector":
            result["text_score"] = rounded_down(hit.text_score, _DECIMALS)
    if conversation.also_in:
        result["also_in"] = list(conversation.also_in)
    return result


def _note(outcome: _Outcome, *, mode_asked: Mode, coverage: float, total: int) -> None:
    """What a reader has to know about the answer, in a sentence each."""
    if outcome.mode != mode_asked:
        outcome.notes.append("Searched by text only: search by meaning is not available now.")
    if outcome.any_word:
        outcome.notes.append("No exchange has every word; these have some of them.")
    elif outcome.relaxed:
        outcome.notes.append("A part of the query is no word of its own and was found by reading the texts.")
    if outcome.mode != "text" and coverage < 1:
        outcome.notes.append(f"{int(coverage * 100)} % of the text can be found by meaning so far.")
    if outcome.is_cut:
        outcome.notes.append(f"There may be more than {total}: not all that is near was looked at.")
