"""Searching lived experience: what filters admit, what a query finds of it, and how records are related."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from vcontract.runtime.documents.json import JsonObject, dump_json, parse_json
from vcontract.runtime.store.bridge.ids import RecordType, id_of
from vcontract.runtime.store.bridge.records import KINDS
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named, query
from vcontract.runtime.store.search.hits import QueryVector
from vcontract.runtime.store.search.recall import Recall, Source
from vcontract.runtime.text.terms import read_terms

Sort: TypeAlias = Literal["relevance", "created", "when"]


@dataclass(frozen=True, slots=True)
class Scored:
    """Records that a query found, with their relevance; `is_cut` when there may be more."""

    relevance: Mapping[str, float]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A match: its relevance when there is a query, and the group it is in."""

    id: str
    type: RecordType
    relevance: float | None
    group: str | None


@dataclass(frozen=True, slots=True)
class Page:
    """Matches in their order, how many there are in all, and all groups with their counts, in order."""

    total: int
    rows: tuple[Row, ...]
    groups: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Order:
    """How matches are sorted and grouped; `days_of_events` says what days, weeks and months are of."""

    sort: Sort
    group_by: str | None
    zone: str
    limit: int | None
    """None for every match."""

    @property
    def days_of_events(self) -> bool:
        return self.sort == "when"


class BridgeSearch:
    """Each method works within the transaction of its connection."""

    def __init__(self) -> None:
        self._recall = Recall()

    async def score(
        self, connection: Connection, tenant: str, text: str, vector: QueryVector | None, filters: JsonObject
    ) -> Scored:
        """What a query finds among the records that filters admit: by meaning or by words, clearly enough."""
        concept = await self._recall.concept(
            connection, tenant, read_terms(text), vector, kinds=tuple(KINDS.values())
        )
        relevance: dict[str, float] = {}
        is_cut = False
        for type_, kind in KINDS.items():
            source = Source(kind, "bridge_candidates", filters)
            (found,) = await self._recall.find(connection, source, [concept])
            relevance |= {id_of(type_, hit.id): hit.score for hit in found.hits if hit.matches}
            is_cut = is_cut or found.is_cut
        return Scored(relevance, is_cut)

    async def page(
        self,
        connection: Connection,
        filters: JsonObject,
        order: Order,
        *,
        relevance: Mapping[str, float] | None = None,
        distances: Mapping[str, int] | None = None,
    ) -> Page:
        """The matches: of a query those in `relevance`, else all that filters admit."""
        ids = list((relevance if relevance is not None else distances) or ())
        row = await connection.fetchrow(
            *query(
                "bridge_search",
                filters=dump_json(filters).decode(),
                ids=ids,
                scores=[None if relevance is None else relevance[id_] for id_ in ids],
                distances=[None if distances is None else distances.get(id_) for id_ in ids],
                only_scored=relevance is not None,
                sort=order.sort,
                group_by=order.group_by,
                zone=order.zone,
                days_of_events=order.days_of_events,
                most=order.limit,
            )
        )
        if row is None:
            raise LookupError("bridge_search gave no row")
        rows: list[tuple[str, RecordType, float | None, str | None]] = parse_json(row["rows"] or "[]")
        groups: list[tuple[str, int]] = parse_json(row["groups"] or "[]")
        return Page(
            row["total"], tuple(Row(*each) for each in rows), tuple((name, count) for name, count in groups)
        )

    async def count(self, connection: Connection, filters: JsonObject) -> int:
        """How many records filters admit."""
        statement = named(
            "select count(*) from vcontract.bridge_rows(:filters::jsonb)", filters=dump_json(filters).decode()
        )
        return int(await connection.fetchval(*statement))

    async def experiencers(self, connection: Connection, tenant: str, most: int) -> list[str]:
        """Who experienced the sources that are there, those with most of them first."""
        rows = await connection.fetch(
            *named(
                "select experiencer from vcontract.bridge_record where tenant = :tenant and type = 'source'"
                " group by experiencer order by count(*) desc, experiencer limit :most",
                tenant=tenant,
                most=most,
            )
        )
        return [row["experiencer"] for row in rows]
