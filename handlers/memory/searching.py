"""The search of past conversations: from a checked request to the facts and the text of its answer."""

from collections.abc import Mapping, Sequence
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
from vcontract.handlers.memory.matching import Conversation, folded, matching_conversations, matching_things
from vcontract.handlers.memory.request import Mode, Request, read_request
from vcontract.handlers.memory.results_layout import nothing_found, results_text
from vcontract.handlers.vcon.searching import in_own_words
from vcontract.runtime.context import ToolContext
from vcontract.runtime.embedding.embedder import ModelUnavailable
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.envelope import Document, in_order
from vcontract.runtime.imports.transcripts.preparing import one_line
from vcontract.runtime.store.postgres.database import Connection, Database
from vcontract.runtime.store.search.hits import Item, QueryVector
from vcontract.runtime.store.search.questions import read_query
from vcontract.runtime.store.search.things import Found, ThingSearch, rounded_down
from vcontract.runtime.store.transcripts import conversations as store
from vcontract.runtime.text.excerpts import excerpt

KIND: Final = "exchange"
_BLOCK: Final = 40
"""So many conversations are scored place by place together, whatever the size of a page."""
_EXCHANGES_SCORED: Final = 3
_SNIPPET: Final = 240
_DECIMALS: Final = 2


@dataclass(slots=True)
class _Outcome:
    """What a search found, before it is told."""

    mode: Mode
    conversations: list[Conversation]
    found: Sequence[Found]
    items: Sequence[Mapping[UUID, Item]]
    """Exchanges as each query scores them place by place."""
    any_word: bool = False
    notes: list[str] = field(default_factory=list[str])

    @property
    def is_cut(self) -> bool:
        return any(found.is_cut for found in self.found)

    @property
    def relaxed(self) -> bool:
        return self.any_word or any(found.asked.is_read for found in self.found)

    @property
    def only_weak(self) -> bool:
        """Whether something is shown, and nothing better than what chance gives."""
        return bool(self.conversations) and all(
            conversation.strength == "weak" for conversation in self.conversations
        )


class Searcher:
    """Implements `generated.protocols.MemorySearchingTools`."""

    def __init__(self, database: Database, embeddings: Embeddings, *, sidechains: bool) -> None:
        self._database = database
        self._embeddings = embeddings
        self._sidechains = sidechains
        self._things = ThingSearch()

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
        filters = request.filters(sidechains=self._sidechains, dates=dates)

        async def find(*, any_word: bool) -> list[Found]:
            found: list[Found] = []
            for query, vector in zip(request.queries, vectors, strict=True):
                with in_own_words():
                    words = None if mode == "vector" else read_query(query, any_word=any_word, literal=True)
                asked = await self._things.asked(connection, tenant, words, vector, kinds=(KIND,))
                found.append(await self._things.find(connection, KIND, filters, asked))
            return found

        every = mode == "text" and not request.is_array
        found = await find(any_word=not every)
        any_word = every and not found[0].things
        if any_word:
            found = await find(any_word=True)
            any_word = bool(found[0].things)
        matches = matching_things(found, mode, is_array=request.is_array)
        exchanges = await store.exchanges_of(connection, tenant, {id_ for one in matches for id_ in one})
        conversations = matching_conversations(matches, exchanges)
        items = await self._items(connection, found, conversations[:_BLOCK])
        scored = sorted((each.scored(items) for each in conversations[:_BLOCK]), key=Conversation.order)
        return _Outcome(mode, folded([*scored, *conversations[_BLOCK:]]), found, items, any_word)

    async def _items(
        self, connection: Connection, found: Sequence[Found], conversations: Sequence[Conversation]
    ) -> list[dict[UUID, Item]]:
        """The best exchanges of conversations, as each query scores them place by place."""
        items: list[dict[UUID, Item]] = []
        for number, one in enumerate(found):
            ids = [id_ for each in conversations for id_ in each.best_of(number, _EXCHANGES_SCORED)]
            items.append({item.id: item for item in await self._things.items(connection, one, ids)})
        return items

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
        for number, (found, known) in enumerate(zip(outcome.found, outcome.items, strict=True)):
            ids = [each.shown.id for each in page if each.strongest == number]
            more = await self._things.items(connection, found, [id_ for id_ in ids if id_ not in known])
            for item in (*(known[id_] for id_ in ids if id_ in known), *more):
                if item.hits:
                    snippets[item.id] = excerpt(item.hits[0].content, found.asked.terms, _SNIPPET)
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
            (query, found.things[0].evidence)
            for query, found in zip(request.queries, outcome.found, strict=True)
            if found.things
        ]
        if request.is_array:
            told = ", ".join(f"{query} {rounded_down(score, _DECIMALS):.2f}" for query, score in best)
            notes += [f"No conversation holds all concepts; best scores: {told}."] if best else []
        if request.after or request.before:
            without = await self._search(connection, tenant, request, vectors, outcome.mode, dates=False)
            left_out = len(without.conversations)
            if left_out:
                notes.append(f"Without the date filter: {_conversations(left_out)}.")
        return notes


def _conversations(number: int) -> str:
    return f"{number} conversation{'' if number == 1 else 's'}"


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
            for query, score in zip(request.queries, conversation.scores, strict=True)
        ]
    elif (thing := conversation.things[0].get(shown.id)) is not None:
        if outcome.mode != "text":
            result["similarity"] = rounded_down(thing.similarity, _DECIMALS)
        if outcome.mode != "vector":
            result["text_score"] = rounded_down(thing.text_score, _DECIMALS)
    result["strength"] = conversation.strength
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
    if outcome.only_weak:
        outcome.notes.append("Nothing is nearer to the query than chance; these are the nearest.")
    if outcome.mode != "text" and coverage < 1:
        outcome.notes.append(f"{int(coverage * 100)} % of the text can be found by meaning so far.")
    if outcome.is_cut:
        outcome.notes.append(f"There may be more than {total}: not all that is near was looked at.")
