"""Searching the memory: what a query finds in exchanges, dialogs and reflections, in one order."""

import contextlib
import math
import re
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.errors import MemoryUnavailable, SearchFailed, ValidationError
from vcontract.generated.results.session import MemoryResult, MemoryResultMatchesEntry
from vcontract.handlers.session.current import CurrentSessions
from vcontract.handlers.session.finding import find_session
from vcontract.handlers.session.scopes import Scope, scope_of
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents.findings import counted
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.embedding.embedder import ModelUnavailable, UnavailableReason
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.postgres.faults import QUERY_ERRORS, classify
from vcontract.runtime.store.search import remembered
from vcontract.runtime.store.search.hits import QueryVector
from vcontract.runtime.store.search.recall import FLOOR, Concept, Found, Hit, Recall, Source, rounded_down
from vcontract.runtime.store.search.remembered import Origin
from vcontract.runtime.text.terms import Terms, read_terms
from vcontract.runtime.text.words import STOP_WORDS
from vcontract.runtime.workspace.rules import Rules

GOOD: Final = 0.7
"""What has every word of a query scores as much."""
SOURCES: Final = ("conversation", "reflection")

_KINDS: Final = ("exchange", "reflection", "vcon")
_CANDIDATES: Final = "session_candidates"
_MOST_OF_CONVERSATION: Final = 3
_FEW: Final = 3
_OTHER_TERMS: Final = 3
_BELOW: Final = 5
_WORD: Final = re.compile(r"[^\W\d_]{5,}")
_WHY_NO_MEANING: Final[dict[UnavailableReason, str]] = {
    "not_configured": "no embedding model is configured",
    "failed": "the embedding model does not work",
    "loading": "the embedding model is still being loaded",
}


@dataclass(frozen=True, slots=True)
class Reference:
    """One result of a list, as it is kept: what it is and how it was found."""

    kind: str
    id: UUID
    element: int | None
    at: datetime
    score: float
    matched_by: str
    more: int = 0
    """Further matches in its conversation, which stand further down in the list."""
    matches: tuple[MemoryResultMatchesEntry, ...] = ()
    """Paths of it that matched."""

    def document(self) -> JsonObject:
        return {
            "kind": self.kind,
            "id": str(self.id),
            "element": self.element,
            "at": self.at.isoformat(),
            "score": self.score,
            "matched_by": self.matched_by,
            "more": self.more,
            "matches": list(self.matches),
        }

    @classmethod
    def read(cls, document: JsonObject) -> "Reference":
        known: JsonObject = dict(document)
        known["id"] = UUID(document["id"])
        known["at"] = datetime.fromisoformat(document["at"])
        known["matches"] = tuple(document["matches"])
        return cls(**known)

    @property
    def hit(self) -> Hit:
        return Hit(self.id, self.at, 0.0, 0.0, 0.0, self.score, self.element)


@dataclass(frozen=True, slots=True)
class Question:
    """A query as it is searched: its terms, and its vector where meaning can be searched."""

    terms: Terms
    vector: QueryVector | None
    notice: str | None
    """Why meaning is not searched."""

    @property
    def strategy(self) -> str:
        return "semantic" if self.vector is not None else "text_fallback"


@dataclass(frozen=True, slots=True)
class Recalled:
    """Everything that a question finds, in order."""

    question: Question
    scope: Scope
    references: Sequence[Reference]
    below: Sequence[Reference]
    """The best that did not reach the score that was asked for."""
    is_cut: bool
    scores_below: Sequence[float] = ()
    concept: Concept | None = None

    @property
    def best_below(self) -> float | None:
        """The best score that was not enough, where meaning was searched and little was found."""
        is_told = self.question.vector is not None and len(self.references) < _FEW and self.scores_below
        return self.scores_below[0] if is_told else None

    @property
    def is_poor(self) -> bool:
        """Whether meaning was searched and nothing good was found, so that another query may find more."""
        best = self.references[0].score if self.references else 0.0
        return self.question.vector is not None and best < GOOD

    def suggestions(self, least: float) -> list[str]:
        """What to send instead."""
        found = self.scope.suggestions()
        if self.is_poor and (best := self.best_below) is not None:
            lower = math.floor(best * 20 + 1e-9) / 20
            count = len(self.references) + sum(score >= lower for score in self.scores_below)
            found.append(
                f"Best match below min_score {least:g} scored {rounded_down(best, 2):g}; "
                f"{counted(count, 'result')} with min_score {lower:g}."
            )
        return found


class MemorySearch:
    """Searches the memory."""

    def __init__(
        self, recall: Recall, embeddings: Embeddings, rules: Rules, sessions: CurrentSessions
    ) -> None:
        self._recall = recall
        self._embeddings = embeddings
        self._rules = rules
        self._sessions = sessions

    async def question(self, ctx: ToolContext, query: str) -> Question:
        """The query with its vector; without a model the words alone, unless meaning is demanded.

        Raises: ValidationError; MemoryUnavailable.
        """
        text = query.replace("\0", " ").strip()  # no text holds it
        if not text:
            raise ValidationError(
                "The query is empty but for white space.",
                details={"parameter": "query", "reason": "no_searchable_words"},
            )
        await self._sessions.note_use(ctx)
        try:
            vector = await self._embeddings.query(ctx.tenant, text)
        except ModelUnavailable as error:
            # its message stays with the operator, who may see paths and addresses
            why = _WHY_NO_MEANING[error.reason]
            if self._rules.require_semantic:
                raise MemoryUnavailable(
                    f"The memory cannot be searched by meaning: {why}.",
                    details={"reason": "embeddings", "retryable": True},
                    suggestions=[error.cure],
                ) from error
            notice = f"Meaning cannot be searched ({why}): found by words, min_score is not applied."
            return Question(read_terms(text), None, notice)
        return Question(read_terms(text), vector, None)

    async def project_of(self, connection: Connection, ctx: ToolContext, project: str | None) -> str | None:
        """The project that is searched: the one given, or the session's where the operator says so."""
        if project is not None or self._rules.default_scope == "all":
            return project
        try:
            session = await find_session(connection, ctx, self._sessions.held, None, None)
        except ValidationError:
            return None
        return None if session is None else session.root

    async def recalled(
        self,
        connection: Connection,
        ctx: ToolContext,
        question: Question,
        project: str | None,
        least: float,
        *,
        related: bool = True,
    ) -> Recalled:
        """What the question finds with at least that score; words alone find whatever has one of them."""
        wanted = await self.project_of(connection, ctx, project)
        scope = await scope_of(connection, ctx.tenant, wanted, related=related)
        if scope.is_unknown:
            return Recalled(question, scope, [], [], is_cut=False)
        found, concept = await self._found(connection, ctx.tenant, question, scope)
        every = [_reference(one.kind, hit, question) for one in found for hit in one.hits]
        every.sort(key=lambda ref: (-ref.score, -ref.at.timestamp(), str(ref.id), ref.element or 0))
        floor = least if question.vector is not None else 0.0
        kept = [ref for ref in every if ref.score >= floor - 1e-9 and ref.score > 0]
        below = [ref for ref in every if ref.score < floor - 1e-9]
        references = await arranged(connection, ctx.tenant, kept)
        cut = any(one.is_cut for one in found)
        return Recalled(
            question, scope, references, below[:_BELOW], cut, [ref.score for ref in below], concept
        )

    async def _found(
        self, connection: Connection, tenant: str, question: Question, scope: Scope
    ) -> tuple[list[Found], Concept]:
        least = FLOOR if question.vector is not None else 0.0
        concept = await self._recall.concept(
            connection, tenant, question.terms, question.vector, kinds=_KINDS, least=least
        )
        found: list[Found] = []
        for kind in _KINDS:
            [one] = await self._recall.find(connection, Source(kind, _CANDIDATES, scope.filters), [concept])
            found.append(one if kind != "vcon" else await self._recall.dialogs(connection, one))
        return found, concept

    async def concept_of(self, connection: Connection, tenant: str, question: Question) -> Concept:
        """What a question looks for, to show where it stands in results that are known."""
        return await self._recall.concept(
            connection, tenant, question.terms, question.vector, kinds=_KINDS, least=0.0
        )


async def arranged(connection: Connection, tenant: str, references: Sequence[Reference]) -> list[Reference]:
    """All of them in their order, but of each conversation three first, and the others at the end.

    The last of the three tells how many follow of its conversation. An exchange that a resumed session
    has copied comes once, from the session it was said in first.
    """
    exchanges = [ref.id for ref in references if ref.kind == "exchange"]
    origins = await remembered.origins_of(connection, tenant, exchanges) if exchanges else {}
    first: list[Reference] = []
    others: list[Reference] = []
    places: dict[UUID, list[int]] = {}
    for reference in _each_once(references, origins):
        origin = origins.get(reference.id)
        of_conversation = places.setdefault(reference.id if origin is None else origin.vcon, [])
        if len(of_conversation) < _MOST_OF_CONVERSATION:
            of_conversation.append(len(first))
            first.append(reference)
        else:
            last = of_conversation[-1]
            first[last] = replace(first[last], more=first[last].more + 1)
            others.append(reference)
    return first + others


def _each_once(references: Sequence[Reference], origins: Mapping[UUID, Origin]) -> list[Reference]:
    """Of exchanges with the same words at the same time that of the oldest session, where the first stood."""
    kept: dict[object, Reference] = {}
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


def other_terms(question: Question, below: Iterable[MemoryResult]) -> list[str]:
    """Up to three other words to search for: those that most of what scored just below has."""
    said = question.terms.text.casefold()
    words = Counter(word for result in below for word in set(_WORD.findall(result["content"].casefold())))
    telling = [word for word, _ in words.most_common() if word not in STOP_WORDS and word not in said]
    return [f"Search for: {word}" for word in telling[:_OTHER_TERMS]]


def _reference(kind: str, hit: Hit, question: Question) -> Reference:
    score = hit.score if question.vector is not None else hit.text_score
    if question.vector is None or hit.similarity < FLOOR <= hit.coverage:
        matched_by = "text"
    elif hit.similarity >= FLOOR and hit.coverage >= FLOOR:
        matched_by = "both"
    else:
        matched_by = "semantic" if hit.similarity >= hit.text_score else "text"
    return Reference(kind, hit.id, hit.element, hit.occurred_at, score, matched_by)


def found_of(kind: str, concept: Concept) -> Found:
    """A finding of nothing yet, to ask for the places of references."""
    return Found(kind, concept, [], is_cut=False, relaxed=False)


def given(project: str | MISSING | None) -> str | None:
    """The project that a caller names."""
    # no project's name holds U+0000, and the store cannot be asked for it
    return None if project is MISSING or project is None else project.replace("\0", "\ufffd")


@contextlib.contextmanager
def searching() -> Generator[None]:
    """A query that fails though the store answers is told as a failed search.

    Raises: SearchFailed.
    """
    try:
        yield
    except QUERY_ERRORS as error:
        fault = classify(error)
        if fault is None or fault.reason != "internal":
            raise
        raise SearchFailed(details={"reason": "query", "retryable": False}) from error
