"""Data types of a search: the query vector, matching passages and matching items.

`ranking` holds the scoring formula.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from pgvector import HalfVector

from vcontract.runtime.store.embeddings import Space
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query
from vcontract.runtime.store.queries import query as query_of
from vcontract.runtime.store.search.ranking import Strength, strength_of

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

    def adjusted_for_spread(self, spread: float | None) -> "QueryVector":
        """Copy with the calibration adjusted for the standard deviation of its cosines with the stored texts.

        A small deviation means that no text is about the query. Its nearest texts are then near by chance.
        Without a deviation, return the vector unchanged.
        """
        if spread is None or self.space.calibration is None:
            return self
        unrelated, noise, _ = self.space.calibration
        return replace(
            self, shift=_SHIFT_PER_SPREAD * max(_ORDINARY_SPREAD * (noise - unrelated) - spread, 0.0)
        )


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A matching passage of a vCon."""

    vcon: UUID
    part: str
    element: int
    content: str

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


async def read_names(
    connection: Connection, tenant: str, places: Sequence[PlaceOfElement]
) -> dict[PlaceOfElement | None, str]:
    """Names of the analyses and attachments at these places: their type or purpose."""
    rows = await connection.fetch(
        *query_of(
            "names_of_places",
            tenant=tenant,
            vcons=[vcon for vcon, _, _ in places],
            parts=[part for _, part, _ in places],
            elements=[element for _, _, element in places],
        )
    )
    return {(row["vcon"], row["part"], row["element"]): row["name"] for row in rows}


VCON: Final = "vcon"
"""The kind whose passages are ranked individually. For other kinds, a candidate is the whole record."""
PassageKey = tuple[UUID, str, int, int]
"""Record, part, element and chunk."""


async def read_contents(
    connection: Connection, tenant: str, kind: str, keys: Sequence[PassageKey]
) -> dict[PassageKey, str]:
    """Load the texts of passages."""
    if not keys:
        return {}
    ids, parts, elements, chunks = map(list, zip(*keys, strict=True))
    of = "vcontract.passage p on p.tenant = :tenant and p.kind = 'vcon' and"
    if kind != VCON:
        of = "vcontract.passages_of(:ids, :kind) p on :tenant::text is not null and"
    rows = await connection.fetch(
        *named_query(
            "select p.id, p.part, p.element, p.chunk, p.content"  # noqa: S608  (one of two tables)
            " from unnest(:ids::uuid[], :parts::text[], :elements::integer[], :chunks::integer[])"
            f" k (id, part, element, chunk) join {of} p.id = k.id and p.part = k.part"
            " and p.element = k.element and p.chunk = k.chunk",
            tenant=tenant,
            ids=ids,
            parts=parts,
            elements=elements,
            chunks=chunks,
            **({} if kind == VCON else {"kind": kind}),
        )
    )
    return {(row[0], row[1], row[2], row[3]): row[4] for row in rows}
