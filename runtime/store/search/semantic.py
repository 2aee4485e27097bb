"""Search over vCons by meaning, alone or together with words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

import asyncpg

from vcontract.runtime.documents.json import JsonObject, dump_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.blocks import Position, page_of_blocks
from vcontract.runtime.store.search.hits import (
    HITS_PER_ITEM,
    FoundPassage,
    Item,
    QueryVector,
    Strength,
    read_items,
    strength_of,
)
from vcontract.runtime.store.search.matching import KIND, Filters
from vcontract.runtime.store.search.ranked import VconSearch
from vcontract.runtime.store.search.weighing import WeighedQuery
from vcontract.runtime.text.query import Query

_MOST_WEAK: Final = 5


class ModelChanged(Exception):
    """The page before was of another model's space; the search has to begin again."""


@dataclass(frozen=True, slots=True)
class Similar:
    """One vCon of a semantic search: the similarity, in [0, 1], and the cosine of its best passage."""

    id: UUID
    similarity: float
    cosine: float

    @property
    def strength(self) -> Strength:
        """How far it is from what chance gives."""
        return strength_of(self.similarity, words=0)


@dataclass(frozen=True, slots=True)
class SemanticPage:
    """One page of a semantic search."""

    items: list[Similar]
    following: JsonObject | None
    """Where the next page begins, for `semantic`; None when nothing follows."""
    best_below_threshold: float | None
    """The largest similarity when a first page is empty because of the threshold."""
    only_weak: bool = False
    """Whether nothing is better than chance: then the first few come, and nothing follows."""


@dataclass(frozen=True, slots=True)
class HybridPage:
    """One page of a hybrid search."""

    items: list[Item]
    weighed: WeighedQuery
    following: JsonObject | None
    """Where the next page begins, for `hybrid`; None when nothing follows."""
    only_weak: bool = False
    """Whether nothing is better than chance: then the first few come, and nothing follows."""


@dataclass(frozen=True, slots=True)
class Excerpt(FoundPassage):
    """A passage that is similar to the query."""

    similarity: float
    cosine: float


class SemanticSearch:
    """The searches of every tenant; each method works within the transaction of its connection."""

    def __init__(self, search: VconSearch) -> None:
        self._weighing = search.weighing

    async def semantic(
        self,
        connection: Connection,
        vector: QueryVector,
        filters: Filters,
        *,
        threshold: float | None,
        limit: int,
        start: JsonObject | None = None,
    ) -> SemanticPage:
        """The vCons with a passage at least `threshold` similar, best first, then the larger uuid.

        Without a threshold all have, but of those that are no better than chance only five come.

        The page begins at `start`, `following` of the page before.

        Raises: ModelChanged.
        """
        _check_model(vector, start)
        seen = int(start["seen"]) if start else 0
        conditions = filters.conditions() | {"calibration": vector.calibration}
        rest = {"threshold": threshold or 0.0, **({"after": start["after"]} if start else {})}
        found = await self._similar(connection, vector, conditions | rest, seen, limit + 1)
        items = found[:limit]
        if threshold is None and not start and _is_chance(found):
            return SemanticPage(found[:_MOST_WEAK], None, None, only_weak=True)
        best: float | None = None
        if not found and not start:
            nearest = await self._similar(connection, vector, conditions, 0, 1)
            best = nearest[0].similarity if nearest else None
        following = None
        if len(found) > limit:
            last = items[-1]
            following = _following(vector, last.similarity, last.id, seen + len(items))
        return SemanticPage(items, following, best)

    async def hybrid(
        self,
        connection: Connection,
        tenant: str,
        vector: QueryVector,
        query: Query,
        filters: Filters,
        *,
        weight: float,
        limit: int,
        threshold: float | None = None,
        start: JsonObject | None = None,
        hits_per_item: int = HITS_PER_ITEM,
    ) -> HybridPage:
        """The vCons that words and meaning speak for, best first; `threshold` is on the score.

        `query` is of `parse_query(text, any_word=True)`: its exclusions and phrases bind, its words do not.
        With weight 0 only what has a word is listed, with weight 1 only what has a vector. Spelling is
        corrected when no vCon has any of the words. The page begins at `start` (`following` of the page
        before).

        Raises: ModelChanged.
        """
        _check_model(vector, start)
        if start:
            weighed = WeighedQuery.resumed(query, start)
        else:
            weighed = await self._weighing.weigh(connection, tenant, query)
            if not any(weighed.counts):
                weighed = await self._weighing.corrected(connection, tenant, weighed) or weighed
        conditions = filters.conditions() | weighed.conditions()

        async def scored(at: Position, most: int) -> list[asyncpg.Record]:
            return await connection.fetch(
                "select id, score from vcontract.search_hybrid($1::jsonb, $2, $3, $4, $5, $6, $7)",
                dump_json(conditions | ({"after": at["after"]} if at else {})).decode(),
                KIND,
                vector.space.id,
                vector.vector,
                weight,
                at["seen"] if at else 0,
                most,
            )

        async def read(at: Position, until: Position, size: int) -> tuple[Sequence[UUID], Position]:
            if until:
                end = (until["after"]["score"], UUID(until["after"]["id"]))
                rows = await scored(at, most := 2 * size)
                while len(rows) == most and _place(rows[-1]) >= end:  # others were added meanwhile
                    rows = await scored(at, most := 4 * most)
                return [row["id"] for row in rows if _place(row) >= end], until
            rows = await scored(at, size + 1)
            ids = [row["id"] for row in rows[:size]]
            if len(rows) <= size:
                return ids, None
            last = rows[size - 1]
            seen = size + (at["seen"] if at else 0)
            return ids, {"after": {"score": last["score"], "id": str(last["id"])}, "seen": seen}

        async def score(ids: Sequence[UUID]) -> list[Item]:
            return await read_items(connection, ids, conditions["words"], vector, weight, hits_per_item)

        items, following = await page_of_blocks(read, score, limit, start, least=threshold or 0.0)
        if threshold is None and not start and _is_chance(items):
            return HybridPage(items[:_MOST_WEAK], weighed, None, only_weak=True)
        if following is not None:
            following |= {"model": vector.space.model, **weighed.travelling()}
        return HybridPage(items, weighed, following)

    async def excerpts(
        self,
        connection: Connection,
        vector: QueryVector,
        ids: Sequence[UUID],
        *,
        threshold: float = 0.0,
        most: int = 3,
    ) -> dict[UUID, list[Excerpt]]:
        """The passages of each vCon that are at least `threshold` similar, best first.

        At most `most` of each part (subject, dialog, analysis, attachment), and one of an element.
        """
        rows = await connection.fetch(
            "select id, part, element, content, score, cosine"
            " from vcontract.similar_passages($1, $2, $3, $4, $5, $6, $7)",
            list(ids),
            KIND,
            vector.space.id,
            vector.vector,
            vector.calibration,
            threshold,
            most,
        )
        found: dict[UUID, list[Excerpt]] = {id_: [] for id_ in ids}
        for row in rows:
            found[row["id"]].append(Excerpt(*row))
        return found

    async def _similar(
        self, connection: Connection, vector: QueryVector, conditions: JsonObject, seen: int, most: int
    ) -> list[Similar]:
        rows = await connection.fetch(
            "select id, score, cosine from vcontract.search_semantic($1::jsonb, $2, $3, $4, $5, $6)",
            dump_json(conditions).decode(),
            KIND,
            vector.space.id,
            vector.vector,
            seen,
            most,
        )
        return [Similar(*row) for row in rows]


def as_before(vector: QueryVector, start: JsonObject | None) -> QueryVector:
    """The vector by the scale of the page before, which `start` follows: the pages of a list have one."""
    return replace(vector, shift=start.get("shift", vector.shift)) if start else vector


def _is_chance(found: Sequence[Similar | Item]) -> bool:
    """Whether there is something, and nothing better than what chance gives."""
    return bool(found) and all(item.strength == "weak" for item in found)


def _place(row: asyncpg.Record) -> tuple[float, UUID]:
    return row["score"], row["id"]


def _following(vector: QueryVector, score: float, id_: UUID, seen: int) -> JsonObject:
    """Where the page after a vCon begins, when `seen` of them came up to it."""
    after: JsonObject = {"score": score, "id": str(id_)}
    return {"model": vector.space.model, "shift": vector.shift, "after": after, "seen": seen}


def _check_model(vector: QueryVector, start: JsonObject | None) -> None:
    if start and start["model"] != vector.space.model:
        raise ModelChanged(f"the page before was of {start['model']}, and {vector.space.model} is active")
