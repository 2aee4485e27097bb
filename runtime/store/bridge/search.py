"""Search of bridge records: filtering, scoring, sorting and grouping."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject, dump_json, parse_json
from vcontract.runtime.store.bridge.ids import RecordType, uid_of
from vcontract.runtime.store.bridge.records import KINDS
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query, query
from vcontract.runtime.store.search.hits import QueryVector
from vcontract.runtime.store.search.listing import MAX_WEAK_HITS, as_items, better_than_chance
from vcontract.runtime.store.search.ranking import Strength
from vcontract.runtime.store.search.search import Search
from vcontract.runtime.text.query import Query

_KIND: Final = "bridge"
_MAX_PASSAGE_SCORED: Final = 200
"""Number of top records scored passage by passage. The others follow by the score of the whole record."""
_SCORE_OF_REQUESTED_ID: Final = 2.0
"""Score of a record whose id is the query. Higher than any other score."""

Sort: TypeAlias = Literal["relevance", "created", "when"]


@dataclass(frozen=True, slots=True)
class RelevanceScores:
    """Relevance and strength of the records a query found, by their UUID in the index."""

    relevance: Mapping[UUID, float]
    strengths: Mapping[UUID, Strength]
    is_cut: bool
    """Whether there may be more."""

    @property
    def only_weak(self) -> bool:
        """Whether there are results and all of them are weak."""
        return bool(self.strengths) and all(strength == "weak" for strength in self.strengths.values())

    def without_weak(self) -> "RelevanceScores":
        """A copy without weak results. Unchanged if all results are weak."""
        if self.only_weak:
            return self
        kept = {uid: score for uid, score in self.relevance.items() if self.strengths.get(uid) != "weak"}
        return RelevanceScores(kept, self.strengths, self.is_cut)

    def with_first(self, id_: str) -> "RelevanceScores":
        """A copy that ranks the record with this id first."""
        return RelevanceScores(
            {**self.relevance, uid_of(id_): _SCORE_OF_REQUESTED_ID}, self.strengths, self.is_cut
        )


@dataclass(frozen=True, slots=True)
class BridgeMatch:
    """A match: its relevance if there is a query, and its group."""

    id: str
    type: RecordType
    relevance: float | None
    group: str | None


@dataclass(frozen=True, slots=True)
class Page:
    """One page of sorted matches, the total, and every group with its count."""

    total: int
    rows: tuple[BridgeMatch, ...]
    groups: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class SortAndGroup:
    """Sorting and grouping of matches, by event time or by creation time."""

    sort: Sort
    group_by: str | None
    zone: str
    limit: int | None
    """None for all matches."""

    @property
    def groups_by_event_time(self) -> bool:
        """Whether days are those of the events, and not those on which they were written down."""
        return self.sort != "created"


class BridgeSearch:
    """Queries over bridge records. Every method runs in the caller's transaction."""

    def __init__(self, search: Search) -> None:
        self._search = search

    async def score(
        self,
        connection: Connection,
        tenant: str,
        words: Query,
        vector: QueryVector | None,
        filters: JsonObject,
    ) -> RelevanceScores:
        """Score the records that pass `filters` and match the query.

        The list ends a few results after the last one better than chance.
        """
        kinds = tuple(KINDS.values())
        asked = await self._search.ask(connection, tenant, words, vector, kinds=kinds)
        found = await self._search.listed(connection, _KIND, {"bridge": filters}, asked)
        listed = better_than_chance(found.things)
        items = await as_items(connection, found, [thing.id for thing in listed[:_MAX_PASSAGE_SCORED]])
        if all(item.strength == "weak" for item in items):
            items, listed = items[:MAX_WEAK_HITS], []
        relevance = {item.id: item.score for item in items}
        strengths: dict[UUID, Strength] = {item.id: item.strength for item in items}
        least = items[-1].score if items else 0.0
        for thing in listed[_MAX_PASSAGE_SCORED:]:
            relevance[thing.id] = min(thing.score, least)
            strengths[thing.id] = thing.strength
        return RelevanceScores(relevance, strengths, found.is_cut)

    async def page(
        self,
        connection: Connection,
        filters: JsonObject,
        order: SortAndGroup,
        *,
        relevance: Mapping[UUID, float] | None = None,
        distances: Mapping[str, int] | None = None,
    ) -> Page:
        """Matches sorted and grouped.

        With `relevance` only those records, otherwise all that pass `filters`.
        """
        near = None if distances is None else {uid_of(id_): away for id_, away in distances.items()}
        uids = list((relevance if relevance is not None else near) or ())
        if relevance is not None:
            filters = {**filters, "uids": [str(uid) for uid in uids]}
        row = await connection.fetchrow(
            *query(
                "bridge_search",
                filters=dump_json(filters).decode(),
                uids=uids,
                scores=[None if relevance is None else relevance[uid] for uid in uids],
                distances=[None if near is None else near.get(uid) for uid in uids],
                sort=order.sort,
                group_by=order.group_by,
                zone=order.zone,
                days_of_events=order.groups_by_event_time,
                most=order.limit,
            )
        )
        if row is None:
            raise LookupError("bridge_search gave no row")
        rows: list[tuple[str, RecordType, float | None, str | None]] = parse_json(row["rows"] or "[]")
        groups: list[tuple[str, int]] = parse_json(row["groups"] or "[]")
        return Page(
            row["total"],
            tuple(BridgeMatch(*each) for each in rows),
            tuple((name, count) for name, count in groups),
        )

    async def count(self, connection: Connection, filters: JsonObject) -> int:
        """Count the filtered records."""
        statement = named_query(
            "select count(*) from vcontract.bridge_rows(:filters::jsonb)", filters=dump_json(filters).decode()
        )
        return int(await connection.fetchval(*statement))

    async def experiencers(self, connection: Connection, tenant: str, most: int) -> list[str]:
        """Experiencers of the stored sources, most frequent first."""
        rows = await connection.fetch(
            *named_query(
                "select experiencer from vcontract.bridge_record where tenant = :tenant and type = 'source'"
                " group by experiencer order by count(*) desc, experiencer limit :most",
                tenant=tenant,
                most=most,
            )
        )
        return [row["experiencer"] for row in rows]
