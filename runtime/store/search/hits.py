"""Hits: the passages of a thing that match, with their scores; the formula is in `ranking`."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from pgvector import HalfVector

from vcontract.runtime.store.embeddings import Space
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import query as query_of
from vcontract.runtime.store.search.ranking import Strength, strength_of

PlaceOfElement = tuple[UUID, str, int]
"""A vCon, the part and the index of an element."""

HITS_PER_ITEM: Final = 3
_ORDINARY_SPREAD: Final = 0.31
"""The standard deviation of a query's cosines, as a share of what lies between `unrelated` and `noise`."""
_DECISIVE: Final = 8.0
"""How much more a cosine has to be where the deviation is less; chosen on one half of bench.relevance."""


@dataclass(frozen=True, slots=True)
class QueryVector:
    """What is looked for: a unit vector and the space it belongs to."""

    space: Space
    vector: HalfVector
    shift: float = 0.0
    """By how much chance brings larger cosines than for an ordinary query."""

    @property
    def calibration(self) -> tuple[float, ...] | None:
        """The cosines that mean a similarity of 0.2, 0.5 and 0.8 for this query; None when none are known."""
        if self.space.calibration is None:
            return None
        unrelated, noise, relevant = self.space.calibration
        shift = min(self.shift, (1 - relevant) / 2)
        return unrelated, noise + shift, relevant + shift

    def against(self, spread: float | None) -> "QueryVector":
        """The same, asked of texts whose cosines with it have this standard deviation.

        A query about something that no text is about is nearly equally far from all of them; then the best
        few are near by chance. Where the deviation is not known, the query counts as an ordinary one.
        """
        if spread is None or self.space.calibration is None:
            return self
        unrelated, noise, _ = self.space.calibration
        return replace(self, shift=_DECISIVE * max(_ORDINARY_SPREAD * (noise - unrelated) - spread, 0.0))


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage of a vCon that speaks for it."""

    vcon: UUID
    part: str
    element: int
    content: str

    @property
    def content_type(self) -> str:
        """The part by the name that clients know; what an agent's tools did is its trace."""
        return "trace" if self.part == "trace_body" else self.part

    @property
    def content_index(self) -> int | None:
        """The position of the element in its array; None for a part that has none."""
        return None if self.content_type in ("subject", "trace") else self.element


@dataclass(frozen=True, slots=True)
class Hit(FoundPassage):
    """A place that words, meaning or both speak for."""

    score: float
    strength: float
    """Of the query's words here, in [0, 1]."""
    similarity: float
    because: tuple[str, ...]
    """What speaks for it: own, together, beside, speaker, subject, day, meaning."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that matches, with its best places; all scores are in [0, 1]."""

    id: UUID
    score: float
    """That of its best place."""
    keyword_score: float
    """What the words say of that place."""
    meaning_score: float
    """What its vector says."""
    similarity: float
    """Of its best passage; 0 when no vector is looked for or none is there."""
    cosine: float | None
    hits: tuple[Hit, ...]
    hit_count: int
    further: tuple[Hit, ...] = ()
    """The next best places, where they are asked for."""

    @property
    def strength(self) -> Strength:
        """How far it is from what chance gives."""
        return strength_of(self.similarity, words=max((hit.strength for hit in self.hits), default=0.0))


def rounded_down(score: float, decimals: int) -> float:
    """`score` as it is shown: never more than it is."""
    # 0.29 * 100 is 28.999999999999996, so what is that near to a step is on it
    scale = float(10**decimals)
    return math.floor(score * scale + 1e-9) / scale


async def read_names(
    connection: Connection, tenant: str, places: Sequence[PlaceOfElement]
) -> dict[PlaceOfElement | None, str]:
    """What the analyses and attachments among these places are called: by their type or their purpose."""
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
