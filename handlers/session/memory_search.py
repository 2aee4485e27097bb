"""Memory search: one ranked list of matching exchanges, dialogs and reflections."""

import contextlib
import math
import re
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.errors import SearchFailed, ValidationError
from vcontract.generated.results.session import MemoryResult, MemoryResultMatchesEntry
from vcontract.handlers.session.current_session import CurrentSessions
from vcontract.handlers.session.scopes import Scope, scope_of
from vcontract.handlers.vcon.searching import map_query_errors
from vcontract.runtime.embedding.embedder import ModelUnavailable, UnavailableReason
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.findings import counted
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.unicode_cleanup import fold_name
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.postgres.error_mapping import QUERY_ERRORS, classify
from vcontract.runtime.store.search import memory_rows
from vcontract.runtime.store.search.hits import QueryVector, rounded_down
from vcontract.runtime.store.search.listing import (
    MAX_CANDIDATES_READ,
    KindResults,
    ScoredItem,
    better_than_chance,
)
from vcontract.runtime.store.search.memory_rows import Origin
from vcontract.runtime.store.search.ranked_search import HybridQuery
from vcontract.runtime.store.search.search import Search
from vcontract.runtime.store.search.search_params import read_question
from vcontract.runtime.text.query import Query
from vcontract.runtime.text.words import STOP_WORDS

DEFAULT_MIN_SCORE: Final = 0.7
"""Default minimum score. A result with every word of the query reaches it."""
SOURCES: Final = ("conversation", "reflection")
KINDS: Final = ("exchange", "reflection", "dialog")

_INDEXED: Final = {"exchange": "exchange", "reflection": "reflection", "dialog": "vcon"}
"""Index kind searched for each kind of result."""
_MAX_DIALOG_VCONS: Final = 100
"""Maximum number of vCons whose dialogs are scored."""
_CHANCE: Final = 0.5
_MAX_HITS_PER_CONVERSATION: Final = 3
_FEW_RESULTS: Final = 3
_OTHER_TERMS: Final = 3
_MAX_BELOW: Final = 5
_OF_REFLECTION: Final = 1.0
_OF_PROJECT: Final = 0.5
"""Log-odds that a reflection, and a record of the session's project, has over others with its score."""
_MOST_PREFERRED: Final = 1_000
"""Results below the minimum score whose project is looked up."""
_MAX_WEAK_HITS: Final = 5
"""Number of results returned when all are weak. Unlike `listing.MAX_WEAK_HITS` it bounds the answer."""
_SPEAKER: Final = re.compile(r"^(?:User|Assistant|Tools):", re.MULTILINE)
_WORD: Final = re.compile(r"[^\W\d_]{5,}")
_WHY_NO_MEANING: Final[dict[UnavailableReason, str]] = {
    "not_configured": "no embedding model is configured",
    "failed": "the embedding model does not work",
    "loading": "the embedding model is still being loaded",
}


@dataclass(frozen=True, slots=True)
class MemoryMatch:
    """One result as stored for paging: its identity and how it matched."""

    kind: str
    id: UUID
    element: int | None
    at: datetime
    score: float
    matched_by: str
    strength: str = ""
    """Strength of the match: strong, fair or weak. Empty if not computed."""
    more: int = 0
    """Number of further matches from the same conversation, listed later."""
    matches: tuple[MemoryResultMatchesEntry, ...] = ()
    """File paths in this result that matched."""

    def to_json(self) -> JsonObject:
        return {
            "kind": self.kind,
            "id": str(self.id),
            "element": self.element,
            "at": self.at.isoformat(),
            "score": self.score,
            "matched_by": self.matched_by,
            "strength": self.strength,
            "more": self.more,
            "matches": list(self.matches),
        }

    @classmethod
    def from_json(cls, document: JsonObject) -> "MemoryMatch":
        known: JsonObject = dict(document)
        known["id"] = UUID(document["id"])
        known["at"] = datetime.fromisoformat(document["at"])
        known["matches"] = tuple(document["matches"])
        return cls(**known)


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """A prepared query: its words, and its vector if semantic search is available."""

    text: str
    words: Query
    vector: QueryVector | None
    notice: str | None
    """Reason why semantic search is unavailable. None if it is available."""

    @property
    def strategy(self) -> str:
        return "semantic" if self.vector is not None else "text_fallback"


@dataclass(frozen=True, slots=True)
class MemoryResults:
    """All results of a query, in order."""

    question: MemoryQuery
    scope: Scope
    references: Sequence[MemoryMatch]
    below: Sequence[MemoryMatch]
    """The best results below the minimum score."""
    is_cut: bool
    scores_below: Sequence[float] = ()
    found: Mapping[str, KindResults] = field(default_factory=dict[str, KindResults])
    """Search results by kind."""
    is_fallback: bool = False
    """Whether nothing reached the default score, so the nearest results are returned instead."""
    kinds: Sequence[str] = KINDS
    added: str = ""
    """The session's project, if only its nearest results are included, below the default score."""

    @property
    def pending(self) -> int | None:
        """The tenant's passages that wait for a vector; None if they were not counted."""
        return next((of_kind.asked.pending for of_kind in self.found.values()), None)

    @property
    def sources(self) -> list[str]:
        """Sources that were searched."""
        return [source for source in SOURCES if source in {source_of(kind) for kind in self.kinds}]

    @property
    def best_below(self) -> float | None:
        """Highest score below the minimum. None without semantic search, or if enough was found."""
        is_few = self.is_fallback or len(self.references) < _FEW_RESULTS
        is_told = self.question.vector is not None and is_few and self.scores_below
        return self.scores_below[0] if is_told else None

    @property
    def is_poor(self) -> bool:
        """Whether no result of semantic search reaches the default score. Another query may find more."""
        best = max((reference.score for reference in self.references), default=0.0)
        return self.question.vector is not None and best < DEFAULT_MIN_SCORE

    @property
    def notice(self) -> str | None:
        """Caveat for the client, if any."""
        if self.question.notice is not None:
            return self.question.notice
        if self.is_fallback and self.references:
            return f"Nothing scores {DEFAULT_MIN_SCORE:g}: these are the nearest; strength says how near."
        if self.added:
            return f"Nothing of {self.added} scores {DEFAULT_MIN_SCORE:g}: its nearest are included."
        if self.references and all(reference.strength == "weak" for reference in self.references):
            return "Nothing is nearer to the query than chance; these are the nearest."
        return None

    def suggestions(self, least: float | None) -> list[str]:
        """Suggested changes to the query."""
        found = self.scope.suggestions()
        if least is not None and self.is_poor and (best := self.best_below) is not None:
            lower = math.floor(best * 20 + 1e-9) / 20
            shown = 0 if self.is_fallback else len(self.references)
            count = shown + sum(score >= lower for score in self.scores_below)
            found.append(
                f"Best match below min_score {least:g} scored {rounded_down(best, 2):g}; "
                f"{counted(count, 'result')} with min_score {lower:g}."
            )
        return found


class MemorySearch:
    """Prepares queries and runs them over exchanges, dialogs and reflections."""

    def __init__(self, search: Search, embeddings: Embeddings, sessions: CurrentSessions) -> None:
        self._search = search
        self._embeddings = embeddings
        self._sessions = sessions

    async def prepare(self, ctx: ToolContext, query: str) -> MemoryQuery:
        """Prepare a query. Without an embedding model it has words only.

        Raises: ValidationError for a query that is empty or cannot be searched.
        """
        text = query.replace("\0", " ").strip()  # no stored text contains U+0000
        if not text:
            raise ValidationError(
                "The query contains only white space.",
                details={"parameter": "query", "reason": "no_searchable_words"},
            )
        with map_query_errors():
            words = read_question(text, literal=True)
        await self._sessions.note_use(ctx)
        try:
            vector = await self._embeddings.query(ctx.tenant, text)
        except ModelUnavailable as error:
            with map_query_errors():
                words = read_question(text, by_meaning=False, literal=True)
            # the error's message may contain paths and addresses, so only the operator sees it
            why = _WHY_NO_MEANING[error.reason]
            notice = f"Meaning cannot be searched ({why}): found by words, min_score is not applied."
            return MemoryQuery(text, words, None, notice)
        return MemoryQuery(text, words, vector, None)

    async def search(
        self,
        connection: Connection,
        ctx: ToolContext,
        question: MemoryQuery,
        project: str | None,
        least: float | None,
        *,
        related: bool = True,
        kinds: Sequence[str] = KINDS,
    ) -> MemoryResults:
        """Results with at least the score `least`. Without a vector, any result with one of the words.

        If nothing reaches the default score, return the nearest few. With `least` None, return results better
        than chance and a few weak ones.
        """
        scope = await scope_of(connection, ctx.tenant, project, related=related)
        if scope.is_unknown:
            return MemoryResults(question, scope, [], [], is_cut=False, kinds=kinds)
        asked = await self.weigh(connection, ctx.tenant, question)
        filters: JsonObject = {"scope": scope.filters} if scope.filters else {}
        found = {kind: await self._of_kind(connection, kind, filters, asked) for kind in kinds}
        enough, below = _matches(question, found, least)
        preferred = await self._preferred(connection, ctx, project, [*enough, *below[:_MOST_PREFERRED]])
        is_fallback = not enough and least == DEFAULT_MIN_SCORE
        added: Sequence[MemoryMatch] = ()
        if is_fallback or (least is None and all(one.strength == "weak" for one in enough)):
            enough = sorted(enough or below, key=preferred.order)[:_MAX_WEAK_HITS]
        elif least == DEFAULT_MIN_SCORE and question.vector is not None:
            added = preferred.nearest(enough, below)
            below = [one for one in below if one not in added]
        enough = sorted([*enough, *added], key=preferred.order)
        return MemoryResults(
            question,
            scope,
            await limit_per_conversation(connection, ctx.tenant, enough),
            below[:_MAX_BELOW],
            any(of_kind.is_cut for of_kind in found.values()),
            [one.score for one in below],
            found,
            is_fallback,
            kinds,
            preferred.project if added else "",
        )

    async def _preferred(
        self, connection: Connection, ctx: ToolContext, project: str | None, matches: Sequence[MemoryMatch]
    ) -> "_Preferred":
        """Return which results come before others with the same score."""
        session = None if project is not None else await self._sessions.only(connection, ctx)
        if session is None or session.project is None:
            return _Preferred()
        scope: JsonObject = {
            "projects": [session.project],
            "names": [fold_name(session.project_name)],
            "roots": [] if session.root is None else [session.root],
        }
        ids = {kind: {one.id for one in matches if one.kind == kind} for kind in KINDS}
        within = await memory_rows.in_projects(connection, ctx.tenant, scope, ids)
        return _Preferred(session.project_name, frozenset(within))

    async def _of_kind(
        self, connection: Connection, kind: str, filters: JsonObject, asked: HybridQuery
    ) -> KindResults:
        most = MAX_CANDIDATES_READ
        if kind == "dialog":
            filters = {**filters, "transcripts": False}
            most = _MAX_DIALOG_VCONS  # dialogs are scored only for the best vCons
        return await self._search.listed(connection, _INDEXED[kind], filters, asked, most=most)

    async def asked_again(
        self, connection: Connection, tenant: str, question: MemoryQuery
    ) -> dict[str, KindResults]:
        """What renders results of an earlier search: the weighted query, and nothing found."""
        asked = await self.weigh(connection, tenant, question)
        return {kind: KindResults(_INDEXED[kind], asked, (), is_cut=False) for kind in KINDS}

    async def weigh(self, connection: Connection, tenant: str, question: MemoryQuery) -> HybridQuery:
        """Weighted terms of a query, for searching and for highlighting."""
        return await self._search.ask(
            connection, tenant, question.words, question.vector, kinds=tuple(_INDEXED.values())
        )


@dataclass(frozen=True, slots=True)
class _Preferred:
    """What comes first where scores are about equal: reflections, and results of the session's project."""

    project: str = ""
    within: frozenset[UUID] = frozenset()
    """Results of that project."""

    def order(self, one: MemoryMatch) -> tuple[float, float, str, int]:
        """Sort key: best first by score and preference, then newest first, then id."""
        score = min(max(rounded_down(one.score, 3), 0.001), 0.999)
        odds = math.log(score / (1 - score))
        preference = _OF_REFLECTION * (one.kind == "reflection") + _OF_PROJECT * (one.id in self.within)
        return -(odds + preference), *_order(one)[1:]

    def nearest(self, enough: Sequence[MemoryMatch], below: Sequence[MemoryMatch]) -> list[MemoryMatch]:
        """The nearest few of the project, if `enough` has none of it."""
        if any(one.id in self.within for one in enough):
            return []
        return sorted((one for one in below if one.id in self.within), key=self.order)[:_MAX_WEAK_HITS]


def _matches(
    question: MemoryQuery, found: Mapping[str, KindResults], least: float | None
) -> tuple[list[MemoryMatch], list[MemoryMatch]]:
    """Results with at least the score `least`, and those below by score."""
    floor = least if least is not None and question.vector is not None else 0.0
    enough: list[MemoryMatch] = []
    below: list[MemoryMatch] = []
    for kind, of_kind in found.items():
        listed = better_than_chance(of_kind.things) if least is None else of_kind.things
        kept, others = _split_by_score(listed, floor)
        if kind == "dialog":
            near = (kept or others[:_MAX_WEAK_HITS])[:_MAX_DIALOG_VCONS]
            kept, others = _split_by_score(of_kind.dialogs([thing.id for thing in near]), floor)
        enough += [_reference(question, kind, thing) for thing in kept]
        below += [_reference(question, kind, thing) for thing in others]
    return enough, sorted(below, key=_order)


def source_of(kind: str) -> str:
    """Public name of the source of a kind."""
    return "reflection" if kind == "reflection" else "conversation"


def _reference(question: MemoryQuery, kind: str, thing: ScoredItem) -> MemoryMatch:
    score, by = (thing.evidence, _matched_by(thing)) if question.vector else (thing.text_score, "text")
    return MemoryMatch(kind, thing.id, thing.element, thing.occurred_at, score, by, thing.strength)


def _order(one: MemoryMatch) -> tuple[float, float, str, int]:
    """Sort key: displayed score descending, then newest first, then id."""
    return -rounded_down(one.score, 3), -one.at.timestamp(), str(one.id), one.element or 0


def _split_by_score(things: Sequence[ScoredItem], floor: float) -> tuple[list[ScoredItem], list[ScoredItem]]:
    """Split things by evidence: at or above `floor`, and below it.

    With floor 0, drop those without evidence.
    """
    enough = [thing for thing in things if thing.evidence >= floor - 1e-9 and thing.evidence > 0]
    return enough, [thing for thing in things if thing.evidence < floor - 1e-9]


def _matched_by(thing: ScoredItem) -> str:
    has_meaning, has_words = thing.similarity >= _CHANCE, thing.coverage >= _CHANCE
    if has_meaning == has_words:
        return "both" if has_words else "semantic" if thing.similarity >= thing.text_score else "text"
    return "semantic" if has_meaning else "text"


async def limit_per_conversation(
    connection: Connection, tenant: str, references: Sequence[MemoryMatch]
) -> list[MemoryMatch]:
    """Reorder results so that each conversation has at most three; move the rest to the end.

    The third counts the rest. Drop copies of an exchange in resumed sessions, and keep the original.
    """
    exchanges = [ref.id for ref in references if ref.kind == "exchange"]
    origins = await memory_rows.origins_of(connection, tenant, exchanges) if exchanges else {}
    first: list[MemoryMatch] = []
    others: list[MemoryMatch] = []
    places: dict[UUID, list[int]] = {}
    for reference in _each_once(references, origins):
        origin = origins.get(reference.id)
        of_conversation = places.setdefault(reference.id if origin is None else origin.vcon, [])
        if len(of_conversation) < _MAX_HITS_PER_CONVERSATION:
            of_conversation.append(len(first))
            first.append(reference)
        else:
            last = of_conversation[-1]
            first[last] = replace(first[last], more=first[last].more + 1)
            others.append(reference)
    return first + others


def _each_once(references: Sequence[MemoryMatch], origins: Mapping[UUID, Origin]) -> list[MemoryMatch]:
    """Remove duplicate exchanges, keeping that of the oldest session at the position of the first."""
    kept: dict[object, MemoryMatch] = {}
    for reference in references:
        origin = origins.get(reference.id)
        known: object = (reference.kind, reference.id, reference.element)
        if origin is not None and origin.digest is not None:
            known = origin.digest, origin.started_at
            before = kept.get(known)
            if before is not None and origins[before.id].age <= origin.age:
                continue
        kept[known] = reference
    return list(kept.values())


def other_terms(question: MemoryQuery, below: Iterable[MemoryResult]) -> list[str]:
    """Up to three alternative search terms: long words of one nearby result that are rare in the others.

    Results no nearer than chance give none.
    """
    said = question.text.casefold()
    texts = [
        Counter(_WORD.findall(_SPEAKER.sub("", result["content"]).casefold()))
        for result in below
        if result.get("strength") != "weak"
    ]
    in_texts = Counter(word for words in texts for word in words)
    most = {word: max(words[word] for words in texts) for word in in_texts}
    telling = sorted(
        (word for word in in_texts if word not in STOP_WORDS and word not in said),
        key=lambda word: (in_texts[word] - most[word], -len(word)),
    )
    return [f"Search for: {word}" for word in telling[:_OTHER_TERMS]]


def requested_project(project: str | MISSING | None) -> str | None:
    """Project named in the parameters, or None."""
    # no project name contains U+0000, which PostgreSQL rejects
    return None if project is MISSING or project is None else project.replace("\0", "\ufffd")


def requested_kinds(kinds: Sequence[str] | MISSING) -> Sequence[str]:
    """The kinds of results that a caller wants."""
    return KINDS if kinds is MISSING else [kind for kind in KINDS if kind in kinds]


@contextlib.contextmanager
def search_errors() -> Generator[None]:
    """Convert query errors inside the block to SearchFailed. Errors of an unavailable store pass through.

    Raises: SearchFailed.
    """
    try:
        yield
    except QUERY_ERRORS as error:
        fault = classify(error)
        if fault is None or fault.reason != "internal":
            raise
        raise SearchFailed(details={"reason": "query", "retryable": False}) from error
