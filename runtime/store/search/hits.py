"""Data types of a search: the query vector, matching passages and matching items.

`ranking` holds the scoring formula.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple
from uuid import UUID

import asyncpg
from pgvector import HalfVector

from vcontract.runtime.frame.documents.json import parse_json
from vcontract.runtime.store.embeddings import Space
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query
from vcontract.runtime.store.queries import query as query_of
from vcontract.runtime.store.search.ranking import Strength, strength_of

if TYPE_CHECKING:
    from vcontract.runtime.store.embeddings import Matrix
    from vcontract.runtime.vcon.transcript import TranscriptTurn

PlaceOfElement = tuple[UUID, str, int]
"""A vCon, the part and the index of an element."""

HITS_PER_ITEM: Final = 3
_ORDINARY_SPREAD: Final = 0.31
"""Typical standard deviation of a query's cosines, as a fraction of `noise - unrelated`."""
_SHIFT_PER_SPREAD: Final = 8.0
"""Slope by which thresholds rise as the spread of cosines falls; tuned on one half of bench.relevance."""


@dataclass(frozen=True, slots=True)
class QueryVector:
    """Unit vector of a query, with its embedding space."""

    space: Space
    vector: HalfVector
    shift: float = 0.0
    """Amount added to the calibration, because unrelated texts reach higher cosines with this query."""

    @property
    def calibration(self) -> tuple[float, ...] | None:
        """Cosines that map to similarities of 0.2, 0.5 and 0.8. None if the space is not calibrated."""
        if self.space.calibration is None:
            return None
        unrelated, noise, relevant = self.space.calibration
        shift = min(self.shift, (1 - relevant) / 2)
        return unrelated, noise + shift, relevant + shift

    def adjusted_for(self, sample: "Matrix | None") -> "QueryVector":
        """Copy with the calibration adjusted for the spread of its cosines with a sample of texts.

        A small deviation means that no text is about the query. Its nearest texts are then near by chance.
        Without a sample, return the vector unchanged.
        """
        if sample is None or self.space.calibration is None:
            return self
        spread = self.spread_in(sample)
        unrelated, noise, _ = self.space.calibration
        return replace(
            self, shift=_SHIFT_PER_SPREAD * max(_ORDINARY_SPREAD * (noise - unrelated) - spread, 0.0)
        )

    def spread_in(self, sample: "Matrix") -> float:
        """Standard deviation of the cosines with the vectors of a sample."""
        return float((sample.astype(float) @ self.vector.to_numpy().astype(float)).std())


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A matching passage of a vCon."""

    vcon: UUID
    part: str
    element: int
    content: str
    name: str | None = field(default=None, kw_only=True)
    """Type of its analysis, or purpose of its attachment."""
    turn: "TranscriptTurn | None" = field(default=None, kw_only=True)
    """The turn that it is, if known without its vCon."""

    @property
    def content_type(self) -> str:
        """Name of the part in the API. `trace_body` is `trace`."""
        return "trace" if self.part == "trace_body" else self.part

    @property
    def content_index(self) -> int | None:
        """Index of the element in its array; None for a part without one."""
        return None if self.content_type in ("subject", "trace") else self.element


@dataclass(frozen=True, slots=True)
class Hit(FoundPassage):
    """A passage that matches by words, by meaning, or by both."""

    score: float
    strength: float
    """Strength of the word match in this passage, in [0, 1]."""
    similarity: float
    because: tuple[str, ...]
    """Reasons for the match: own, together, beside, speaker, subject, day, meaning."""


@dataclass(frozen=True, slots=True)
class Item:
    """One search result with its best passages. All scores are in [0, 1]."""

    id: UUID
    score: float
    """Score of the best passage."""
    keyword_score: float
    """Word score of the best passage."""
    meaning_score: float
    """Vector score of the best passage."""
    similarity: float
    """Similarity of the best passage. 0 without a query vector or a passage vector."""
    cosine: float | None
    hits: tuple[Hit, ...]
    hit_count: int
    more_hits: tuple[Hit, ...] = ()
    """Further passages, if requested."""

    @property
    def strength(self) -> Strength:
        """Strength of the match: strong, fair or weak. Weak is no better than chance."""
        return strength_of(self.similarity, words=max((hit.strength for hit in self.hits), default=0.0))


def rounded_down(score: float, decimals: int) -> float:
    """Round `score` down for display."""
    # 0.29 * 100 is 28.999999999999996, so add an epsilon before rounding down
    scale = float(10**decimals)
    return math.floor(score * scale + 1e-9) / scale


VCON: Final = "vcon"
"""The kind whose passages are ranked individually. For other kinds, a candidate is the whole record."""
PassageKey = tuple[UUID, str, int, int]
"""Record, part, element and chunk."""


class ShownPassage(NamedTuple):
    """The text of a passage."""

    content: str
    name: str | None = None
    """Type of its analysis, or purpose of its attachment."""
    turn: "TranscriptTurn | None" = None
    """The turn that it is; None if that depends on other dialogs or on transcripts of its vCon."""


async def read_shown(
    connection: Connection, tenant: str, kind: str, keys: Sequence[PassageKey]
) -> dict[PassageKey, ShownPassage]:
    """Load the texts of passages; of vCons with the names and turns of their elements."""
    from vcontract.runtime.vcon.transcript import TRANSCRIPT_TYPES

    if not keys:
        return {}
    ids, parts, elements, chunks = map(list, zip(*keys, strict=True))
    named = {"ids": ids, "parts": parts, "elements": elements, "chunks": chunks}
    if kind == VCON:
        rows = await connection.fetch(
            *query_of("shown_passages", tenant=tenant, types=list(TRANSCRIPT_TYPES), **named)
        )
    else:
        rows = await connection.fetch(
            *named_query(
                "select p.id, p.part, p.element, p.chunk, p.content"
                " from unnest(:ids::uuid[], :parts::text[], :elements::integer[], :chunks::integer[])"
                " k (id, part, element, chunk) join vcontract.passages_of(:ids, :kind) p"
                " on p.id = k.id and p.part = k.part and p.element = k.element and p.chunk = k.chunk",
                kind=kind,
                **named,
            )
        )
    shown: dict[PassageKey, ShownPassage] = {}
    for row in rows:
        name, turn = _named_turn(row) if kind == VCON else (None, None)
        shown[row[0], row[1], row[2], row[3]] = ShownPassage(row[4], name, turn)
    return shown


@lru_cache(maxsize=4_096)
def _label_of(party: str) -> str:
    """Label of a party, a JSON document; that of `{}` if it is called by its number."""
    from vcontract.runtime.vcon.transcript import speaker_label_of

    return speaker_label_of([parse_json(party)], 0)


def _named_turn(row: asyncpg.Record) -> "tuple[str | None, TranscriptTurn | None]":
    """Name and turn of a row of `shown_passages`."""
    from vcontract.runtime.vcon.transcript import TranscriptTurn

    if row["party"] is None:
        return row["name"], None
    speaker = _label_of(row["party"])
    if row["speaker"] and speaker == _label_of("{}"):
        return row["name"], None  # it is called by its number
    turn = TranscriptTurn(speaker, "", at=row["occurred_at"], dialog=row["element"], number=row["element"])
    return row["name"], turn
