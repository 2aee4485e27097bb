"""Search over vCons: by filters, newest first, and by words, best first."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

import asyncpg

from vcontract.runtime.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named
from vcontract.runtime.store.queries import query as query_of
from vcontract.runtime.store.search.blocks import BEFORE_ALL, Position, page_of_blocks
from vcontract.runtime.store.search.hits import HITS_PER_ITEM, Hit, Item, read_hit, read_items
from vcontract.runtime.store.search.matching import KIND, Filters, count_filtered, count_matching
from vcontract.runtime.store.search.weighing import WeighedQuery, Weighing
from vcontract.runtime.text.query import Query

_BAND: Final = 2_000
"""So many of the newest matches are ranked together."""
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
class RankedPage:
    """One page of a keyword search."""

    items: list[Item]
    total: int
    weighed: WeighedQuery
    following: JsonObject | None
    """Where the next page begins, for `ranked`; None when nothing follows."""

    @property
    def ranked_newest(self) -> int | None:
        """How many of the newest matches are ranked together, when not all are."""
        return _BAND if self.total > _BAND else None


@dataclass(frozen=True, slots=True)
class ElementsPage:
    """One page of the elements where words of a query stand."""

    places: list[Hit]
    total: int
    """vCons that match, one more than 10,000 when there are more."""
    weighed: WeighedQuery
    has_more: bool

    @property
    def ranked_newest(self) -> int | None:
        """How many of the newest matches are ranked together, when not all are."""
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

    def document(self) -> JsonObject:
        """The position for a cursor, for `_Position(**document)`."""
        inside = ("below", "newest", "oldest", "is_full", "after")
        return {name: value for name in inside if (value := getattr(self, name))}


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
        *,
        hits_per_item: int = HITS_PER_ITEM,
    ) -> RankedPage:
        """The vCons that hold the words and meet the filters, best first, from `start`.

        More than 2,000 matches are ranked in runs of 2,000, newest run first. Spelling is corrected only
        when nothing matched and a word is in no vCon; when nothing matches then either, the heaviest words
        alone are looked for.
        """
        if start:
            weighed = WeighedQuery.resumed(query, start)
            return await self._ranked(connection, tenant, weighed, filters, limit, start, hits_per_item)
        weighed = await self.weighing.weigh(connection, tenant, query)
        page = await self._ranked(connection, tenant, weighed, filters, limit, None, hits_per_item)
        async for other in self._instead(connection, tenant, weighed):
            if page.items:
                break
            found = await self._ranked(connection, tenant, other, filters, limit, None, hits_per_item)
            page = found if found.items else page
        return page

    async def _instead(
        self, connection: Connection, tenant: str, weighed: WeighedQuery
    ) -> AsyncIterator[WeighedQuery]:
        """What is looked for when nothing matches: known spellings, then the heaviest words."""
        if 0 in weighed.counts:
            corrected = await self.weighing.corrected(connection, tenant, weighed)
            if corrected is not None:
                yield corrected
        relaxed = weighed.relaxed()
        if relaxed is not None:
            yield relaxed

    async def never_together(self, connection: Connection, weighed: WeighedQuery) -> bool:
        """Whether some vCon has each of several words but none has what the query demands of them."""
        if len(weighed.counts) < 2 or not all(weighed.counts):
            return False
        demands: JsonObject = {"required": replace(weighed, heaviest=()).conditions()["required"]}
        return await count_matching(connection, demands, at_most=1) == 0

    async def missing_words(
        self, connection: Connection, weighed: WeighedQuery, ids: Sequence[UUID]
    ) -> dict[UUID, list[str]]:
        """The words of a query that each vCon lacks, as they were written."""
        rows = await connection.fetch(
            "select id, word from vcontract.missing_words($1, $2::jsonb, $3)",
            list(ids),
            _text(weighed.conditions()["words"]),
            KIND,
        )
        found: dict[UUID, list[str]] = {id_: [] for id_ in ids}
        for row in rows:
            number: int = row["word"]
            found[row["id"]].append(weighed.query.terms[number - 1].text)
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

        At most 10 elements a vCon. More than 2,000 matching vCons are ranked in runs of 2,000, newest first.
        """
        weighed, total = await self.matching(connection, tenant, query, filters)
        conditions = filters.conditions() | weighed.conditions()
        places: list[Hit] = []
        below: JsonObject = {}
        while len(places) <= limit:
            run = await connection.fetch(
                *named(
                    "select id, occurred_at from vcontract.search_newest(:conditions::jsonb, :kind, :most)",
                    conditions=_text(conditions | below),
                    kind=KIND,
                    most=_BAND,
                )
            )
            rows = await connection.fetch(
                *query_of(
                    "search_elements",
                    ids=[row["id"] for row in run],
                    words=_text(conditions["words"]),
                    kind=KIND,
                    tenant=tenant,
                    most_of_vcon=_ELEMENTS_PER_VCON,
                    most=limit + 1 - len(places),
                    offset=offset,
                )
            )
            places += [read_hit(row) for row in rows if row["part"] is not None]
            if len(run) < _BAND:
                break
            offset = max(offset - int(rows[0]["places"]), 0)
            below = {"below": Place(run[-1]["occurred_at"], run[-1]["id"]).document()}
        return ElementsPage(places[:limit], total, weighed, has_more=len(places) > limit)

    async def matching(
        self, connection: Connection, tenant: str, query: Query, filters: Filters
    ) -> tuple[WeighedQuery, int]:
        """The query as it is searched, and how many vCons match it; another one when that finds any."""
        weighed = await self.weighing.weigh(connection, tenant, query)
        total = await self.weighing.count_all(connection, tenant, filters.conditions() | weighed.conditions())
        async for other in self._instead(connection, tenant, weighed):
            if total:
                break
            if found := await count_matching(connection, filters.conditions() | other.conditions()):
                weighed, total = other, found
        return weighed, total

    async def _ranked(
        self,
        connection: Connection,
        tenant: str,
        weighed: WeighedQuery,
        filters: Filters,
        limit: int,
        start: JsonObject | None,
        hits_per_item: int,
    ) -> RankedPage:
        conditions = filters.conditions() | weighed.conditions()
        total: int | None = start["total"] if start else None

        async def read(at: Position, until: Position, size: int) -> tuple[Sequence[UUID], Position]:
            nonlocal total
            ids, following, seen = await self._block(connection, conditions, at, until, size)
            if total is None:
                is_all = seen < _BAND
                total = seen if is_all else await self.weighing.count_all(connection, tenant, conditions)
            return ids, following

        async def score(ids: Sequence[UUID]) -> list[Item]:
            return await read_items(connection, ids, conditions["words"], None, 0, hits_per_item)

        items, following = await page_of_blocks(read, score, limit, start)
        if following is not None:
            following |= {"total": total, **weighed.travelling()}
        return RankedPage(items, total or 0, weighed, following)

    async def _block(
        self, connection: Connection, conditions: JsonObject, at: Position, until: Position, size: int
    ) -> tuple[list[UUID], Position, int]:
        """Up to `size` matches as wholes, or those before `until`; what follows; how many there are."""
        position, end = _Position(**at or {}), _Position(**until or {})
        if until:
            size *= 2
            if at is None and end.after:  # the run that the first block lies in
                position = replace(end, after=None)
        ids: list[UUID] = []
        matched = 0
        while True:
            most = size + 1 - (0 if until else len(ids))
            rows = await connection.fetch(
                "select * from vcontract.search_ranked($1::jsonb, $2, $3, $4)",
                _text(conditions | position.conditions()),
                KIND,
                _BAND,
                most,
            )
            matched = matched or _matched(rows)
            if rows and position.oldest is None:
                position = _entered(position, rows[0])
            for row in rows:
                place = (row["score"], row["id"])
                is_end = position.oldest == end.oldest and place < _after(end) if until else len(ids) == size
                if is_end:
                    return ids, until or position.document(), matched
                ids.append(row["id"])
                position = replace(position, after={"score": row["score"], "id": str(row["id"])})
            if len(rows) == most:
                continue  # of those before `until` more than there were: others were added meanwhile
            if not position.is_full:
                return ids, None, matched
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


def _after(position: _Position) -> tuple[float, UUID]:
    after = position.after or BEFORE_ALL
    return after["score"], UUID(after["id"])


def _matched(rows: Sequence[asyncpg.Record]) -> int:
    return int(rows[0]["matched"]) if rows else 0


def _text(value: JsonValue) -> str:
    return dump_json(value).decode()
