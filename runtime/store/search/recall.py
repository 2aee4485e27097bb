"""Recall: the one search of exchanges, dialogs, reflections and bridge records, by words and by meaning.

migrations/functions/recall.sql says what a thing is, how its passages are found, and defines the scores.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from pgvector import HalfVector

from vcontract.runtime.documents.json import JsonObject, dump_json, parse_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.hits import QueryVector
from vcontract.runtime.store.search.languages import SpokenLanguages
from vcontract.runtime.store.search.matching import COUNTED_TO
from vcontract.runtime.store.search.weighing import WEIGHT_STEPS, word_weight
from vcontract.runtime.store.vocabulary.steady import SteadyCounts
from vcontract.runtime.text.query import quote_lexeme
from vcontract.runtime.text.terms import Term, Terms

FLOOR: Final = 0.5
"""A thing matches from this similarity, or from this coverage, up."""
DIALOG: Final = "dialog"
"""The kind of the things that `Recall.dialogs` finds."""


@dataclass(frozen=True, slots=True)
class Source:
    """The things that are searched: one kind of them, and the filters that they have to meet."""

    kind: str
    function: str
    """The security definer function of a toolset, by its name in the schema; see functions/recall.sql."""
    filters: JsonObject
    """What that function makes its conditions of."""


@dataclass(frozen=True, slots=True)
class Concept:
    """What is looked for: the weighed terms of a query, and its vector; one of them may be missing."""

    query: JsonObject
    """As the SQL functions of recall take it."""
    vector: QueryVector | None
    terms: Sequence[Term]
    """What its words stand for, to show where they occur."""


class Hit(NamedTuple):
    """A thing with its scores in [0, 1]; whether it matches is for the toolset to say.

    A tuple, because a search makes thousands.
    """

    id: UUID
    occurred_at: datetime
    similarity: float
    coverage: float
    text_score: float
    score: float
    """Of similarity and text score together: the one where the other is not looked for."""
    element: int | None = None
    """The index of a dialog, whose `id` is that of its vCon."""

    @property
    def key(self) -> tuple[UUID, int | None]:
        return self.id, self.element

    @property
    def matches(self) -> bool:
        """Whether meaning or words speak for it clearly enough."""
        return self.similarity >= FLOOR or self.coverage >= FLOOR

    @property
    def has_every_term(self) -> bool:
        return self.coverage >= 1


@dataclass(frozen=True, slots=True)
class Found:
    """What one concept finds: every thing that has any score, best first, then newer first, then by id."""

    kind: str
    concept: Concept
    hits: list[Hit]
    is_cut: bool
    """Whether there may be more: not all text matches, or not all of the near ones were looked at."""
    relaxed: bool
    """Whether a literal was found by scanning only."""


@dataclass(frozen=True, slots=True)
class Place:
    """The passage that shows best why a thing was found."""

    part: str
    element: int
    chunk: int
    content: str
    coverage: float
    similarity: float


class Recall:
    """The searches of every tenant; each method works within the transaction of its connection."""

    def __init__(self) -> None:
        self._steady = SteadyCounts()
        self._spoken = SpokenLanguages()

    async def concept(
        self,
        connection: Connection,
        tenant: str,
        terms: Terms | None,
        vector: QueryVector | None,
        *,
        kinds: Sequence[str],
        least: float = FLOOR,
    ) -> Concept:
        """What `terms` and `vector` look for among things of `kinds`; terms None leaves words out of account.

        The weight of a term is ln(1 + N / (1 + n)) where n of the N things of these kinds have its words.
        `least` is the coverage that a thing must have to be found by its words where there are too many to
        look at them all: 1 for every term, 0 for any of them.
        """
        if terms is not None:
            terms = terms.in_languages(await self._spoken.of(connection, tenant, kinds))
        found = terms.terms if terms is not None else ()
        weights = await self._weights(connection, tenant, found, kinds)
        query: JsonObject = {
            "text": terms.text if terms is not None else "",
            "terms": [_document(term, weight) for term, weight in zip(found, weights, strict=True)],
            "least": least,
            "calibration": vector.space.calibration if vector is not None else None,
        }
        return Concept(query, vector, found)

    async def find(self, connection: Connection, source: Source, concepts: Sequence[Concept]) -> list[Found]:
        """What each concept finds, all scored on the same things: those that any of them may find."""
        function = f"vcontract.{source.function}($1, $2::jsonb, $3::jsonb, $4, $5)"
        ids: set[UUID] = set()
        resolved: list[Concept] = []
        is_cut = False
        for concept in concepts:
            row = await connection.fetchrow(
                f"select resolved, ids, is_cut from {function}",  # noqa: S608 - the name is ours
                source.kind,
                _text(source.filters),
                *_arguments(concept),
            )
            assert row is not None, "a function that gives one row"
            ids.update(row["ids"])
            is_cut = is_cut or row["is_cut"]
            resolved.append(replace(concept, query=parse_json(row["resolved"])))
        found: list[Found] = []
        for concept in resolved:
            rows = await connection.fetch(
                "select id, occurred_at, similarity, coverage, text_score, score"
                " from vcontract.recall_scores($1, $2, $3::jsonb, $4, $5)",
                source.kind,
                list(ids),
                *_arguments(concept),
            )
            hits = [Hit(*row) for row in rows]
            found.append(_found(source.kind, concept, hits, is_cut=is_cut))
        return found

    async def dialogs(self, connection: Connection, vcons: Found) -> Found:
        """The dialogs of the vCons found (a source of kind `vcon`), each scored by itself."""
        rows = await connection.fetch(
            "select id, occurred_at, similarity, coverage, text_score, score, element"
            " from vcontract.recall_dialogs($1, $2::jsonb, $3, $4)",
            [hit.id for hit in vcons.hits],
            *_arguments(vcons.concept),
        )
        return _found(DIALOG, vcons.concept, [Hit(*row) for row in rows], is_cut=vcons.is_cut)

    async def places(
        self, connection: Connection, found: Found, hits: Sequence[Hit]
    ) -> dict[tuple[UUID, int | None], Place]:
        """By `Hit.key`, the passage of each hit that shows best why it was found."""
        rows = await connection.fetch(
            "select * from vcontract.recall_passages($1, $2, $3, $4::jsonb, $5, $6)",
            found.kind,
            [hit.id for hit in hits],
            [hit.element for hit in hits],
            *_arguments(found.concept),
        )
        return {
            (row["id"], row["element_of"]): Place(
                row["part"],
                row["element"],
                row["chunk"],
                row["content"],
                row["coverage"],
                row["similarity"],
            )
            for row in rows
        }

    async def _weights(
        self, connection: Connection, tenant: str, terms: Sequence[Term], kinds: Sequence[str]
    ) -> list[float]:
        """The weight of each term; that of a term without words is the largest."""
        if not terms:
            return []
        words = [_tsquery(term) for term in terms]
        scope = ",".join(sorted(kinds))
        counts: dict[str, int] = {}
        for known in dict.fromkeys(["", *words]):
            count = self._steady.get(tenant, f"{scope}:{known}")
            if count is not None:
                counts[known] = count
        unknown = [word for word in dict.fromkeys(["", *words]) if word not in counts]
        if unknown:
            numbers = await connection.fetchval(
                "select vcontract.recall_counts($1, $2, $3)", list(kinds), unknown, COUNTED_TO
            )
            for word, count in zip(unknown, numbers, strict=True):
                counts[word] = count
                self._steady.put(tenant, f"{scope}:{word}", count)
        size = counts[""]
        return [word_weight(size, counts[word] if word else 0) / WEIGHT_STEPS for word in words]


def rounded_down(score: float, decimals: int) -> float:
    """`score` as it is shown: never more than it is."""
    # 0.29 * 100 is 28.999999999999996, so what is that near to a step is on it
    scale = float(10**decimals)
    return math.floor(score * scale + 1e-9) / scale


def _document(term: Term, weight: float) -> JsonObject:
    document: JsonObject = {"weight": weight}
    if term.lexemes:
        document["words"] = _tsquery(term)
    if term.is_literal:
        document["literal"] = term.text
    return document


def _tsquery(term: Term) -> str:
    return (" & " if term.is_literal else " | ").join(map(quote_lexeme, term.lexemes))


def _arguments(concept: Concept) -> tuple[str, int | None, HalfVector | None]:
    vector = concept.vector
    if vector is None:
        return _text(concept.query), None, None
    return _text(concept.query), vector.space.id, vector.vector


def _found(kind: str, concept: Concept, hits: list[Hit], *, is_cut: bool) -> Found:
    hits.sort(key=lambda hit: (-hit.score, -hit.occurred_at.timestamp(), hit.id, hit.element or 0))
    return Found(kind, concept, hits, is_cut, relaxed=bool(concept.query.get("relaxed")))


def _text(value: JsonObject) -> str:
    return dump_json(value).decode()
