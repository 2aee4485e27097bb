"""Search past conversations: from a validated request to data and text of the response."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from vcontract.generated.errors import SemanticUnavailable
from vcontract.generated.models import memory as models
from vcontract.generated.results.memory import (
    MemorySearchResult,
    MemorySearchResultResultsEntry,
    MemorySearchResultResultsEntryMoreEntry,
    MemorySearchResultScope,
)
from vcontract.handlers.memory.matching import Conversation, folded, matching_conversations, matching_items
from vcontract.handlers.memory.request import Mode, Request, read_request
from vcontract.handlers.memory.results_layout import nothing_found, results_text
from vcontract.handlers.services import Tools
from vcontract.handlers.session.scopes import Scope, scope_of
from vcontract.handlers.vcon.searching import map_query_errors
from vcontract.runtime.embedding.embedder import ModelUnavailable
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.envelope import Document, in_order
from vcontract.runtime.imports.transcripts.summaries import one_line
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.hits import Hit, Item, QueryVector, rounded_down
from vcontract.runtime.store.search.listing import KindResults, ScoredItem, as_items
from vcontract.runtime.store.search.search_params import read_query, read_question
from vcontract.runtime.store.transcripts import conversations as store
from vcontract.runtime.text.excerpts import excerpt
from vcontract.runtime.text.query import Query

KIND: Final = "exchange"
_BLOCK: Final = 40
"""Conversations scored passage by passage at once, regardless of the page size."""
_EXCHANGES_SCORED: Final = 3
_SNIPPET: Final = 240
_DECIMALS: Final = 2


@dataclass(slots=True)
class _Outcome:
    """Search results before formatting."""

    mode: Mode
    conversations: list[Conversation]
    found: Sequence[KindResults]
    items: Sequence[Mapping[UUID, Item]]
    """Exchanges with passage scores for each query."""
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
        """Whether results are shown, but none better than chance."""
        return bool(self.conversations) and all(
            conversation.strength == "weak" for conversation in self.conversations
        )


class SearchingTools(Tools):
    """Implements `generated.protocols.MemorySearchingTools`."""

    async def search(
        self, params: models.MemorySearchParams, ctx: ToolContext, /
    ) -> Document[MemorySearchResult]:
        request = read_request(params)
        vectors, mode = await self._vectors(request, ctx)
        async with self._database.reading(ctx.tenant) as connection:
            scope = await scope_of(connection, ctx.tenant, request.project, related=False)
            outcome = await self._find(connection, ctx.tenant, request, scope, vectors, mode)
            page = outcome.conversations[request.offset : request.offset + request.limit]
            results = await self._results(connection, ctx.tenant, request, outcome, page)
            pending = outcome.found[0].asked.pending
            reach = await self._embeddings.store.reach(connection, ctx.tenant, pending)
            if not page:
                outcome.notes += scope.suggestions()
                outcome.notes += await self._why_nothing(
                    connection, ctx.tenant, request, scope, vectors, outcome
                )
        total = len(outcome.conversations)
        _note(outcome, mode_asked=request.mode, coverage=reach.share, total=total)
        facts: MemorySearchResult = {
            "success": True,
            "results": results,
            "total": total,
            "returned": len(results),
            "total_is_exact": not outcome.is_cut and (outcome.mode == "text" or reach.share == 1),
            "mode_used": outcome.mode,
            "embedding_coverage": rounded_down(reach.share, _DECIMALS),
            "scope": self._scope(request),
        }
        if (follows := request.offset + len(results)) < total and results:
            facts["next_offset"] = follows
        if outcome.relaxed:
            facts["relaxed"] = True
        if not results:
            facts["message"] = nothing_found()
        if outcome.notes:
            facts["notes"] = outcome.notes
        text = None if params.response_format == "json" else results_text(facts)
        return Document(in_order(MemorySearchResult, facts), text)

    def _scope(self, request: Request) -> MemorySearchResultScope:
        scope: MemorySearchResultScope = {"sidechains": False}
        if request.after:
            scope["after"] = request.after.isoformat()
        if request.before:
            scope["before"] = request.before.isoformat()
        if request.project is not None:
            scope["project"] = request.project
        return in_order(MemorySearchResultScope, scope)

    async def _vectors(self, request: Request, ctx: ToolContext) -> tuple[list[QueryVector | None], Mode]:
        """Vector of each query, as the mode requires, and the mode that is possible."""
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

    async def _find(
        self,
        connection: Connection,
        tenant: str,
        request: Request,
        scope: Scope,
        vectors: Sequence[QueryVector | None],
        mode: Mode,
        *,
        dates: bool = True,
    ) -> _Outcome:
        filters = request.filters(dates=dates)
        if scope.filters:
            filters["scope"] = scope.filters

        async def find(*, any_word: bool) -> list[KindResults]:
            found: list[KindResults] = []
            for query, vector in zip(request.queries, vectors, strict=True):
                with map_query_errors():
                    words = _words_of(query, mode, any_word=any_word)
                asked = await self._search.ask(connection, tenant, words, vector, kinds=(KIND,))
                found.append(await self._search.listed(connection, KIND, filters, asked))
            return found

        every = mode == "text" and not request.is_array
        found = await find(any_word=not every)
        any_word = every and not found[0].things
        if any_word:
            found = await find(any_word=True)
            any_word = bool(found[0].things)
        matches = matching_items(found, mode, is_array=request.is_array)
        exchanges = await store.exchanges_of(connection, tenant, {id_ for one in matches for id_ in one})
        conversations = matching_conversations(matches, exchanges)
        known: list[dict[UUID, Item]] = [{} for _ in found]
        for start in range(0, request.offset + request.limit, _BLOCK):
            block = conversations[start : start + _BLOCK]
            scored = max(_EXCHANGES_SCORED, request.exchanges)
            for of_concept, more in zip(
                known, await self._items(connection, found, block, scored), strict=True
            ):
                of_concept |= more
            conversations[start : start + _BLOCK] = sorted(
                (each.scored(known) for each in block), key=Conversation.order
            )
        return _Outcome(mode, folded(conversations), found, known, any_word)

    async def _items(
        self,
        connection: Connection,
        found: Sequence[KindResults],
        conversations: Sequence[Conversation],
        most: int,
    ) -> list[dict[UUID, Item]]:
        """Score the best exchanges of conversations, up to `most` each, for each query."""
        items: list[dict[UUID, Item]] = []
        for number, one in enumerate(found):
            ids = [id_ for each in conversations for id_ in each.best_of(number, most)]
            items.append({item.id: item for item in await as_items(connection, one, ids)})
        return items

    async def _results(
        self,
        connection: Connection,
        tenant: str,
        request: Request,
        outcome: _Outcome,
        page: Sequence[Conversation],
    ) -> list[MemorySearchResultResultsEntry]:
        others = {found.shown.vcon: found.others() for found in page}
        shown = {
            found.shown.vcon: [
                found.things[found.strongest][found.shown.id],
                *others[found.shown.vcon][: request.exchanges - 1],
            ]
            for found in page
        }
        places = await self._places(
            connection, outcome, [thing.id for each in shown.values() for thing in each]
        )
        lines = await store.lines_of(
            connection,
            tenant,
            [
                (found.shown.vcon, places[thing.id].element)
                for found in page
                for thing in shown[found.shown.vcon]
                if thing.id in places and places[thing.id].part == "dialog"
            ],
        )
        newer = await store.newest_summaries(connection, tenant, [found.shown.vcon for found in page])
        results: list[MemorySearchResultResultsEntry] = []
        for found in page:
            vcon = found.shown.vcon
            matches = [
                _match(found.exchanges[thing.id], thing, places.get(thing.id), lines, outcome)
                for thing in shown[vcon]
            ]
            result = _result(request, outcome, found, matches[0], newer.get(vcon))
            if matches[1:]:
                result["more"] = matches[1:]
            left = [each for each in others[vcon][request.exchanges - 1 :] if each.strength != "weak"]
            if left:
                result["more_exchanges"] = len(left)
            results.append(in_order(MemorySearchResultResultsEntry, result))
        return results

    async def _places(
        self, connection: Connection, outcome: _Outcome, ids: Sequence[UUID]
    ) -> dict[UUID, Hit]:
        """Best passage of each exchange for the concept it fits best."""
        places: dict[UUID, Hit] = {}
        for found, known in zip(outcome.found, outcome.items, strict=True):
            matching = {thing.id for thing in found.things}
            unknown = [id_ for id_ in ids if id_ in matching and id_ not in known]
            items = {**known, **{i.id: i for i in await as_items(connection, found, unknown)}}
            for id_ in ids:
                hits = items[id_].hits if id_ in items else ()
                if hits and (id_ not in places or places[id_].score < hits[0].score):
                    places[id_] = hits[0]
        return places

    async def _why_nothing(
        self,
        connection: Connection,
        tenant: str,
        request: Request,
        scope: Scope,
        vectors: Sequence[QueryVector | None],
        outcome: _Outcome,
    ) -> list[str]:
        searched = await store.count(connection, tenant)
        notes = [f"Searched: {_conversations(searched)}, those of sub-agents left aside."]
        if outcome.conversations:
            return [*notes, f"The last of {len(outcome.conversations)} comes before offset {request.offset}."]
        best = [
            (query, found.things[0].evidence)
            for query, found in zip(request.queries, outcome.found, strict=True)
            if found.things
        ]
        if request.is_array:
            scores = ", ".join(f"{query} {rounded_down(score, _DECIMALS):.2f}" for query, score in best)
            notes += [f"No conversation holds all concepts; best scores: {scores}."] if best else []
        if request.after or request.before:
            without = await self._find(connection, tenant, request, scope, vectors, outcome.mode, dates=False)
            left_out = len(without.conversations)
            if left_out:
                notes.append(f"Without the date filter: {_conversations(left_out)}.")
        return notes


def _words_of(query: str, mode: Mode, *, any_word: bool) -> Query | None:
    """Parse a query for this mode. None if only meaning is searched."""
    if mode == "vector":
        return None
    if any_word:
        return read_question(query, by_meaning=mode == "both", literal=True)
    return read_query(query, literal=True)


def _conversations(number: int) -> str:
    return f"{number} conversation{'' if number == 1 else 's'}"


def _match(
    exchange: store.FoundExchange,
    thing: ScoredItem,
    place: Hit | None,
    lines: Mapping[tuple[UUID, int], int],
    outcome: _Outcome,
) -> MemorySearchResultResultsEntryMoreEntry:
    """Build an exchange's text and line that show why it matched."""
    terms = [term for found in outcome.found for term in found.asked.terms]
    line = exchange.line_start
    if place is not None and place.part == "dialog":
        line = lines.get((exchange.vcon, place.element), line)
    return {
        "exchange": exchange.number,
        "line_start": exchange.line_start,
        "line_end": exchange.line_end,
        "match_line": line,
        "date": exchange.started_at.date().isoformat(),
        "score": rounded_down(thing.score, _DECIMALS),
        "strength": thing.strength,
        "snippet": "" if place is None else excerpt(place.content, terms, _SNIPPET),
    }


def _result(
    request: Request,
    outcome: _Outcome,
    conversation: Conversation,
    match: MemorySearchResultResultsEntryMoreEntry,
    summary: str | None,
) -> MemorySearchResultResultsEntry:
    shown = conversation.shown
    result: MemorySearchResultResultsEntry = {
        "path": shown.path,
        "project": shown.project,
        "date": shown.started_at.date().isoformat(),
        "score": rounded_down(conversation.score, _DECIMALS),
        "summary": one_line(summary or shown.summary),
        "snippet": match["snippet"],
        "line_start": shown.line_start,
        "line_end": shown.line_end,
        "match_line": match["match_line"],
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
    """Notes for the reader of the result, one sentence each."""
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
        outcome.notes.append(f"There may be more than {total}; not all near exchanges were compared.")
