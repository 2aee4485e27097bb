"""Search over vCons by meaning, alone or together with words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from pgvector import HalfVector

from vcontract.runtime.documents.json import JsonObject, dump_json
from vcontract.runtime.store.embeddings import Space
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.matching import KIND, Filters
from vcontract.runtime.store.search.ranked import FoundPassage, VconSearch
from vcontract.runtime.store.search.weighing import WeighedQuery
from vcontract.runtime.text.query import Query

LEAST_SIMILARITY: Final = 0.5
"""A hybrid search lists a vCon without any of the words from this similarity up."""


class ModelChanged(Exception):
    """The page before was of another model's space; the search has to begin again."""


@dataclass(frozen=True, slots=True)
class QueryVector:
    """What is looked for: a unit vector and the space it belongs to."""

    space: Space
    vector: HalfVector


@dataclass(frozen=True, slots=True)
class Similar:
    """One vCon of a semantic search: the similarity, in [0, 1], and the cosine of its best passage."""

    id: UUID
    similarity: float
    cosine: float


@dataclass(frozen=True, slots=True)
class SemanticPage:
    """One page of a semantic search."""

    items: list[Similar]
    following: JsonObject | None
    """Where the next page begins, for `semantic`; None when nothing follows."""
    best_below_threshold: float | None
    """The largest similarity when a first page is empty because of the threshold."""


@dataclass(frozen=True, slots=True)
class Blended:
    """One vCon of a hybrid search; all scores are in [0, 1]."""

    id: UUID
    score: float
    keyword_score: float
    semantic_score: float
    cosine: float | None
    """None when no passage of it has a vector."""


@dataclass(frozen=True, slots=True)
class HybridPage:
    """One page of a hybrid search."""

    items: list[Blended]
    weighed: WeighedQuery
    following: JsonObject | None
    """Where the next page begins, for `hybrid`; None when nothing follows."""


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
        threshold: float,
        limit: int,
        start: JsonObject | None = None,
        offset: int = 0,
    ) -> SemanticPage:
        """The vCons with a passage at least `threshold` similar, best first, then the larger uuid.

        The page begins at `start` (`following` of the page before) or after `offset` vCons; give one of them.

        Raises: ModelChanged.
        """
        _check_model(vector, start)
        seen = int(start["seen"]) if start else 0
        conditions = filters.conditions() | {"calibration": vector.space.calibration}
        rest = {"threshold": threshold, **({"after": start["after"]} if start else {})}
        found = await self._similar(connection, vector, conditions | rest, seen, offset + limit + 1)
        items = found[offset : offset + limit]
        best: float | None = None
        if not found and not start:
            nearest = await self._similar(connection, vector, conditions, 0, 1)
            best = nearest[0].similarity if nearest else None
        following = None
        if len(found) > offset + limit:
            last = items[-1]
            following = _following(vector, last.similarity, last.id, seen + offset + len(items))
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
        offset: int = 0,
    ) -> HybridPage:
        """The vCons that words and meaning speak for, best first, then the larger uuid.

        The score is `weight` * similarity + (1 - `weight`) * keyword score, and `threshold` is on it. `query`
        is of `parse_query(text, any_word=True)`: its phrases and exclusions bind, its words do not. Listed is
        what has a word or a similarity of 0.5; with weight 0 the former alone, with weight 1 the latter.
        Spelling is corrected when no vCon has any of the words. The page begins at `start` (`following` of
        the page before) or after `offset` vCons; give one of them.

        Raises: ModelChanged.
        """
        _check_model(vector, start)
        seen = int(start["seen"]) if start else 0
        if start:
            weighed = WeighedQuery.resumed(query, start)
        else:
            weighed = await self._weighing.weigh(connection, tenant, query)
            if not any(weighed.counts):
                weighed = await self._weighing.corrected(connection, tenant, weighed) or weighed
        conditions = filters.conditions() | weighed.conditions()
        conditions |= {"calibration": vector.space.calibration}
        conditions |= {} if threshold is None else {"threshold": threshold}
        conditions |= {"after": start["after"]} if start else {}
        rows = await connection.fetch(
            "select id, score, keyword_score, semantic_score, cosine"
            " from vcontract.search_hybrid($1::jsonb, $2, $3, $4, $5, $6, $7)",
            dump_json(conditions).decode(),
            KIND,
            vector.space.id,
            vector.vector,
            weight,
            seen,
            offset + limit + 1,
        )
        items = [Blended(*row) for row in rows[offset : offset + limit]]
        following = None
        if len(rows) > offset + limit:
            last = items[-1]
            following = _following(vector, last.score, last.id, seen + offset + len(items))
            following |= weighed.travelling()
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
            vector.space.calibration,
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


def _following(vector: QueryVector, score: float, id_: UUID, seen: int) -> JsonObject:
    """Where the page after a vCon begins, when `seen` of them came up to it."""
    return {"model": vector.space.model, "after": {"score": score, "id": str(id_)}, "seen": seen}


def _check_model(vector: QueryVector, start: JsonObject | None) -> None:
    if start and start["model"] != vector.space.model:
        raise ModelChanged(f"the page before was of {start['model']}, and {vector.space.model} is active")
