"""Search over vCons: by filters, newest first, and by words, best first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

import asyncpg

from vcontract.runtime.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.matching import KIND, Filters, count_filtered, count_matching
from vcontract.runtime.store.search.weighing import WeighedQuery, Weighing
from vcontract.runtime.text.query import Query

_BAND: Final = 2_000
"""So many of the newest matches are ranked together."""
_PLACES_PER_VCON: Final = 3
_ELEMENTS_PER_VCON: Final = 10


@dataclass(frozen=True, slots=True)
class Place:
    """A vCon's place in time: newer first, then the larger uuid."""

    at: datetime
    id: UUID

    def document(self) -> JsonObject:
        return {"at": self.at.isoformat(), "id": str(self.id)}

    @classmethod
    def read(cls, document: JsonObject) -> "Place":
        return cls(datetime.fromisoformat(document["at"]), UUID(document["id"]))


@dataclass(frozen=True, slots=True)
class NewestPage:
    """One page of a search without words."""

    ids: list[UUID]
    total: int
    following: JsonObject | None
    """Where the next page begins, for `newest`; None when nothing follows."""


@dataclass(frozen=True, slots=True)
class ListedPage:
    """One page of a search without words, by its offset."""

    ids: list[UUID]
    total: int
    """Exact to 10,000; one more when there are more."""
    has_more: bool


@dataclass(frozen=True, slots=True)
class Ranked:
    """One vCon of a keyword search with its score in [0, 1]."""

    id: UUID
    score: float


@dataclass(frozen=True, slots=True)
class RankedPage:
    """One page of a keyword search."""

    items: list[Ranked]
    total: int
    weighed: WeighedQuery
    following: JsonObject | None
    """Where the next page begins, for `ranked`; None when nothing follows."""

    @property
    def ranked_newest(self) -> int | None:
        """How many of the newest matches are ranked together, when not all are."""
        return _BAND if self.total > _BAND else None


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
class FoundPlace(FoundPassage):
    """A passage where words of the query stand."""

    score: float


@dataclass(frozen=True, slots=True)
class ElementsPage:
    """One page of the elements where words of a query stand."""

    places: list[FoundPlace]
    total: int
    """vCons that match, one more than 10,000 when there are more."""
    weighed: WeighedQuery
    has_more: bool

    @property
    def ranked_newest(self) -> int | None:
        """How many of the newest matches were ranked, when not all were."""
        return _BAND if self.total > _BAND else None


@dataclass(slots=True)
class _Position:
    """How far a ranked search has come: the band it is in, and the last item of the page before."""

    below: JsonObject | None = None
    newest: JsonObject | None = None
    oldest: JsonObject | None = None
    is_full: bool = False
    after: JsonObject | None = None

    def conditions(self) -> JsonObject:
        inside = {"newest": self.newest, "oldest": self.oldest, "after": self.after}
        given = inside if self.oldest else {"below": self.below}
        return {name: value for name, value in given.items() if value is not None}


class VconSearch:
    """The searches of every tenant; each method works within the transaction of its connection."""

    def __init__(self) -> None:
        self.weighing = Weighing()

    async def newest(
        self, connection: Connection, tenant: str, filters: Filters, limit: int, start: JsonObject | None
    ) -> NewestPage:
        """The vCons that meet the filters, newest first, from `start` (`following` of the page before)."""
        conditions = filters.conditions()
        below = {"below": start["below"]} if start else {}
        rows = await connection.fetch(
            "select id, occurred_at from vcontract.search_newest($1::jsonb, $2, $3)",
            _text(conditions | below),
            KIND,
            limit + 1,
        )
        page = rows[:limit]
        if start:
            total = int(start["total"])
        elif len(rows) <= limit:
            total = len(rows)
        else:
            total = await count_filtered(connection, tenant, filters)
        following = None
        if len(rows) > limit:
            last = Place(page[-1]["occurred_at"], page[-1]["id"])
            following = {"below": last.document(), "total": total}
        return NewestPage([row["id"] for row in page], total, following)

    async def ranked(
        self,
        connection: Connection,
        tenant: str,
        query: Query,
        filters: Filters,
        limit: int,
        start: JsonObject | None,
    ) -> RankedPage:
        """The vCons that hold the words and meet the filters, best first, from `start`.

        More than 2,000 matches are ranked in runs of 2,000, newest run first. Spelling is corrected only
        when nothing matched and a word is in no vCon.
        """
        if start:
            weighed = WeighedQuery.resumed(query, start)
        else:
            weighed = await self.weighing.weigh(connection, tenant, query)
        page = await self._ranked(connection, tenant, weighed, filters, limit, start)
        if page.items or start or 0 not in weighed.counts:
            return page
        corrected = await self.weighing.corrected(connection, tenant, weighed)
        if corrected is None:
            return page
        return await self._ranked(connection, tenant, corrected, filters, limit, None)

    async def never_together(self, connection: Connection, weighed: WeighedQuery) -> bool:
        """Whether some vCon has each of several words but none has what the query demands of them."""
        if len(weighed.counts) < 2 or not all(weighed.counts):
            return False
        demands: JsonObject = {"required": weighed.conditions()["required"]}
        return await count_matching(connection, demands, at_most=1) == 0

    async def places(
        self, connection: Connection, weighed: WeighedQuery, ids: Sequence[UUID]
    ) -> dict[UUID, list[FoundPlace]]:
        """Where the words stand in each vCon, best place first, one place an element."""
        rows = await connection.fetch(
            "select id, part, element, content, score from vcontract.search_places($1, $2::jsonb, $3, $4)",
            list(ids),
            _text(weighed.conditions()),
            KIND,
            _PLACES_PER_VCON,
        )
        found: dict[UUID, list[FoundPlace]] = {id_: [] for id_ in ids}
        for row in rows:
            found[row["id"]].append(_place(row))
        return found

    async def listed(
        self, connection: Connection, tenant: str, filters: Filters, limit: int, offset: int
    ) -> ListedPage:
        """The vCons that meet the filters, newest first, from `offset`."""
        rows = await connection.fetch(
            "select id from vcontract.search_newest($1::jsonb, $2, $3) offset $4",
            _text(filters.conditions()),
            KIND,
            offset + limit + 1,
            offset,
        )
        has_more = len(rows) > limit
        is_beyond = offset > 0 and not rows
        if has_more or is_beyond:
            total = await count_filtered(connection, tenant, filters)
        else:
            total = offset + len(rows)
        return ListedPage([row["id"] for row in rows[:limit]], total, has_more)

    async def elements(
        self,
        connection: Connection,
        tenant: str,
        query: Query,
        filters: Filters,
        limit: int,
        offset: int,
    ) -> ElementsPage:
        """The elements that hold words of the query, in vCons that match it as a whole, best first.

        At most 10 elements a vCon; of more than 2,000 matching vCons those of the newest 2,000.
        """
        weighed, total = await self._matching(connection, tenant, query, filters)
        newest = await connection.fetch(
            "select id from vcontract.search_newest($1::jsonb, $2, $3)",
            _text(filters.conditions() | weighed.conditions()),
            KIND,
            _BAND,
        )
        rows = await connection.fetch(
            "select p.id, p.part, p.element, p.content, p.score"
            " from vcontract.search_places($1, $2::jsonb, $3, $4) p"
            " join vcontract.search_document d on d.tenant = $5 and d.kind = $3 and d.id = p.id"
            " order by p.score desc, d.occurred_at desc, p.id desc, p.part, p.element limit $6 offset $7",
            [row["id"] for row in newest],
            _text(weighed.conditions()),
            KIND,
            _ELEMENTS_PER_VCON,
            tenant,
            limit + 1,
            offset,
        )
        return ElementsPage([_place(row) for row in rows[:limit]], total, weighed, has_more=len(rows) > limit)

    async def _matching(
        self, connection: Connection, tenant: str, query: Query, filters: Filters
    ) -> tuple[WeighedQuery, int]:
        """The query as it is searched, and how many vCons match it; corrected when that finds any."""
        weighed = await self.weighing.weigh(connection, tenant, query)
        total = await count_matching(connection, filters.conditions() | weighed.conditions())
        if total or 0 not in weighed.counts:
            return weighed, total
        corrected = await self.weighing.corrected(connection, tenant, weighed)
        if corrected is None:
            return weighed, total
        return corrected, await count_matching(connection, filters.conditions() | corrected.conditions())

    async def _ranked(
        self,
        connection: Connection,
        tenant: str,
        weighed: WeighedQuery,
        filters: Filters,
        limit: int,
        start: JsonObject | None,
    ) -> RankedPage:
        conditions = filters.conditions() | weighed.conditions()
        position = _Position(**start["position"]) if start else _Position()
        items: list[Ranked] = []
        total: int | None = start["total"] if start else None
        while True:
            rows = await connection.fetch(
                "select * from vcontract.search_ranked($1::jsonb, $2, $3, $4)",
                _text(conditions | position.conditions()),
                KIND,
                _BAND,
                limit + 1 - len(items),
            )
            if rows and position.oldest is None:
                position = _entered(position, rows[0])
            if total is None:
                full = bool(rows) and position.is_full
                total = await count_matching(connection, conditions) if full else _matched(rows)
            for row in rows:
                if len(items) == limit:
                    return RankedPage(items, total, weighed, _following(weighed, position, total))
                items.append(Ranked(row["id"], row["score"]))
                position = replace(position, after={"score": row["score"], "id": str(row["id"])})
            if not position.is_full:
                return RankedPage(items, total, weighed, None)
            position = _Position(below=position.oldest)


def _entered(position: _Position, row: asyncpg.Record) -> _Position:
    """The position once its band is known from the first row of it."""
    return replace(
        position,
        below=None,
        newest=Place(row["newest_at"], row["newest_id"]).document(),
        oldest=Place(row["oldest_at"], row["oldest_id"]).document(),
        is_full=row["matched"] >= _BAND,
    )


def _matched(rows: Sequence[asyncpg.Record]) -> int:
    return int(rows[0]["matched"]) if rows else 0


def _following(weighed: WeighedQuery, position: _Position, total: int) -> JsonObject:
    inside: JsonObject = {
        name: getattr(position, name) for name in ("below", "newest", "oldest", "is_full", "after")
    }
    begun = {name: value for name, value in inside.items() if value}
    return {"position": begun, "total": total, **weighed.travelling()}


def _place(row: asyncpg.Record) -> FoundPlace:
    return FoundPlace(row["id"], row["part"], row["element"], row["content"], row["score"])


def _text(value: JsonValue) -> str:
    return dump_json(value).decode()
