"""Search over vCons: by filters, newest first, and by words, best first."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from uuid import UUID

import asyncpg

from vcontract.runtime.documents import JsonObject, JsonValue, dump_json
from vcontract.runtime.query import Query, Term, correction
from vcontract.runtime.store.database import Connection
from vcontract.runtime.words import fold, one_slip_apart

KIND: Final = "vcon"
COUNTED_TO: Final = 10_000
"""Counts are exact up to here."""

_BAND: Final = 2_000
"""So many of the newest matches are ranked together."""
_EXACT_SEQUENCES: Final = 1_000
_STEADY_COUNT: Final = 1_000
"""A count this large changes a weight so little that it may be some seconds old."""
_STEADY_SECONDS: Final = 10.0
WEIGHT_STEPS: Final = 16
_NEAR: Final = 0.45
_NEAR_BY_ONE_SLIP: Final = 0.3
"""Two swapped letters leave a short word few trigrams of its own: recieve and receive share a third."""
_CANDIDATES: Final = 50
_NEAREST: Final = 3
_MOST_CORRECTED: Final = 6
"""A query with more unknown words is not a misspelled one; a cursor holds the corrections of these."""
_PLACES_PER_VCON: Final = 3
_ELEMENTS_PER_VCON: Final = 10


@dataclass(frozen=True, slots=True)
class Filters:
    """What every result must meet. Texts are folded, `party_tel` is digits, tag values are text."""

    created_from: datetime | None = None
    created_to: datetime | None = None
    subject: str | None = None
    party_name: str | None = None
    party_email: str | None = None
    party_tel: str | None = None
    dealer_id: str | None = None
    dealer_name: str | None = None
    tags: tuple[tuple[str, str], ...] = ()

    def conditions(self) -> JsonObject:
        """The filters as the SQL functions of search take them."""
        conditions: JsonObject = {
            "from": self.created_from and self.created_from.isoformat(),
            "to": self.created_to and self.created_to.isoformat(),
            "subject": self.subject,
            "party_name": self.party_name,
            "party_email": self.party_email,
            "party_tel": self.party_tel,
            "dealer_id": self.dealer_id,
            "dealer_name": self.dealer_name,
            "tags": [{"key": key, "value": value} for key, value in self.tags] or None,
        }
        return {name: value for name, value in conditions.items() if value is not None}


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
class Correction:
    """A spelling that was searched in place of a word no vCon has."""

    word: str
    used: str
    similarity: float


@dataclass(frozen=True, slots=True)
class WeighedQuery:
    """A query with the weight of each of its terms; scores depend on nothing else, so pages agree."""

    query: Query
    counts: tuple[int, ...]
    """How many vCons have each term; empty on later pages, which do not count again."""
    weights: tuple[int, ...]
    """In sixteenths."""
    corrections: tuple[Correction, ...] = ()

    @property
    def is_fuzzy(self) -> bool:
        return bool(self.corrections)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms as searched, corrected ones in place of those they replace."""
        return tuple(self._corrected(term) for term in self.query.terms)

    def travelling(self) -> JsonObject:
        """What the next page needs for equal scores, for `resumed`."""
        words = [term.text for term in self.query.terms]
        return {
            "weights": bytes(self.weights).hex(),
            "corrections": [[words.index(c.word), c.used, c.similarity] for c in self.corrections],
        }

    @classmethod
    def resumed(cls, query: Query, start: JsonObject) -> "WeighedQuery":
        """The weights and corrections of page one, so that scores stay what they were there."""
        words = [term.text for term in query.terms]
        sealed: list[tuple[int, str, float]] = start["corrections"]
        corrections = tuple(Correction(words[at], used, similarity) for at, used, similarity in sealed)
        return cls(query, (), tuple(bytes.fromhex(start["weights"])), corrections)

    def conditions(self) -> JsonObject:
        """The words as the SQL functions of search take them: what must occur, and what it weighs."""
        return {
            "required": [
                [alternative for term in demand for alternative in self._alternatives(term)]
                for demand in self.query.demands
            ],
            "excluded": [
                alternative for term in self.query.excluded for alternative in term.document()["alternatives"]
            ],
            "words": [
                {"weight": weight / WEIGHT_STEPS, "alternatives": self._alternatives(term)}
                for term, weight in zip(self.query.terms, self.weights, strict=True)
            ],
        }

    def _corrected(self, term: Term) -> Term:
        used = [c.used for c in self.corrections if c.word == term.text]
        return correction(term, used) if used else term

    def _alternatives(self, term: Term) -> list[JsonObject]:
        factors = [c.similarity for c in self.corrections if c.word == term.text]
        alternatives: list[JsonObject] = self._corrected(term).document()["alternatives"]
        for alternative, factor in zip(alternatives, factors, strict=False):
            alternative["factor"] = factor
        return alternatives


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


@dataclass(slots=True)
class SteadyCounts:
    """Large counts of this process, kept for some seconds: good enough for weights."""

    counts: dict[tuple[str, str], tuple[float, int]] = field(
        default_factory=dict[tuple[str, str], tuple[float, int]]
    )

    def get(self, tenant: str, what: str) -> int | None:
        entry = self.counts.get((tenant, what))
        return entry[1] if entry and entry[0] > time.monotonic() else None

    def put(self, tenant: str, what: str, count: int) -> None:
        if count >= _STEADY_COUNT:
            if len(self.counts) > 10_000:
                self.counts.clear()
            self.counts[tenant, what] = (time.monotonic() + _STEADY_SECONDS, count)


class VconSearch:
    """The searches of every tenant; each method works within the transaction of its connection."""

    def __init__(self) -> None:
        self._steady = SteadyCounts()

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
            total = await self._count(connection, conditions)
        following = None
        if len(rows) > limit:
            last = Place(page[-1]["occurred_at"], page[-1]["id"])
            following = {"below": last.document(), "total": total}
        return NewestPage([row["id"] for row in page], total, following)

    async def weigh(self, connection: Connection, tenant: str, query: Query) -> WeighedQuery:
        """The weight of each term: ln(1 + N / (1 + n)), n of the tenant's N vCons having it."""
        counts = [await self._term_count(connection, tenant, term) for term in query.terms]
        size = await self._size(connection, tenant)
        return WeighedQuery(query, tuple(counts), tuple(word_weight(size, count) for count in counts))

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
        weighed = WeighedQuery.resumed(query, start) if start else await self.weigh(connection, tenant, query)
        page = await self._ranked(connection, tenant, weighed, filters, limit, start)
        if page.items or start or 0 not in weighed.counts:
            return page
        corrected = await self.corrected(connection, tenant, weighed)
        if corrected is None:
            return page
        return await self._ranked(connection, tenant, corrected, filters, limit, None)

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
        self, connection: Connection, filters: Filters, limit: int, offset: int
    ) -> tuple[list[UUID], int, bool]:
        """The vCons that meet the filters, newest first, from `offset`; how many; and whether more follow."""
        conditions = filters.conditions()
        rows = await connection.fetch(
            "select id from vcontract.search_newest($1::jsonb, $2, $3) offset $4",
            _text(conditions),
            KIND,
            offset + limit + 1,
            offset,
        )
        has_more = len(rows) > limit
        total = await self._count(connection, conditions) if has_more or not rows else offset + len(rows)
        return [row["id"] for row in rows[:limit]], total, has_more

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
        weighed = await self.weigh(connection, tenant, query)
        total = await self._count(connection, filters.conditions() | weighed.conditions())
        if total or 0 not in weighed.counts:
            return weighed, total
        corrected = await self.corrected(connection, tenant, weighed)
        if corrected is None:
            return weighed, total
        return corrected, await self._count(connection, filters.conditions() | corrected.conditions())

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
                total = await self._count(connection, conditions) if full else _matched(rows)
            for row in rows:
                if len(items) == limit:
                    return RankedPage(items, total, weighed, _following(weighed, position, total))
                items.append(Ranked(row["id"], row["score"]))
                position = replace(position, after={"score": row["score"], "id": str(row["id"])})
            if not position.is_full:
                return RankedPage(items, total, weighed, None)
            position = _Position(below=position.oldest)

    async def corrected(
        self, connection: Connection, tenant: str, weighed: WeighedQuery
    ) -> WeighedQuery | None:
        """The query with known spellings for its few unknown words; None when a word has none near it."""
        if weighed.counts.count(0) > _MOST_CORRECTED:
            return None
        corrections: list[Correction] = []
        counts: list[int] = []
        for term, count in zip(weighed.query.terms, weighed.counts, strict=True):
            if count:
                counts.append(count)
                continue
            near = await self._near(connection, tenant, term) if term.correctable else []
            if not near:
                return None
            corrections += near
            counts.append(
                await self._term_count(connection, tenant, correction(term, [c.used for c in near]))
            )
        size = await self._size(connection, tenant)
        weights = tuple(word_weight(size, count) for count in counts)
        return WeighedQuery(weighed.query, weighed.counts, weights, tuple(corrections))

    async def _near(self, connection: Connection, tenant: str, term: Term) -> list[Correction]:
        rows = await connection.fetch(
            "select word, similarity from vcontract.near_spellings($1, $2, $3)",
            fold(term.text),
            _NEAR_BY_ONE_SLIP,
            _CANDIDATES,
        )
        near: list[Correction] = []
        for row in rows:
            if row["similarity"] < _NEAR and not one_slip_apart(fold(term.text), row["word"]):
                continue
            # a spelling stays known after its last vCon is gone
            if await self._term_count(connection, tenant, correction(term, [row["word"]])):
                near.append(Correction(term.text, row["word"], round(row["similarity"], 3)))
            if len(near) == _NEAREST:
                break
        return near

    async def _term_count(self, connection: Connection, tenant: str, term: Term) -> int:
        """How many vCons have a term, to 10,000; of a frequent sequence, those with all its words."""
        alternatives: list[JsonObject] = term.document()["alternatives"]
        loose = [{"words": alternative["words"]} for alternative in alternatives]
        count = await self._steady_count(connection, tenant, {"required": [loose]})
        if count <= _EXACT_SEQUENCES and any("sequence" in alternative for alternative in alternatives):
            return await self._steady_count(connection, tenant, {"required": [alternatives]})
        return count

    async def _steady_count(self, connection: Connection, tenant: str, conditions: JsonObject) -> int:
        """As `_count`, but a large count may be some seconds old: good enough for weights."""
        text = _text(conditions)
        known = self._steady.get(tenant, text)
        if known is None:
            known = await self._count(connection, conditions)
            self._steady.put(tenant, text, known)
        return known

    async def _count(self, connection: Connection, conditions: JsonObject) -> int:
        """How many vCons meet conditions; one more than 10,000 when there are more."""
        text = _text({name: value for name, value in conditions.items() if name != "words"})
        return int(
            await connection.fetchval(
                "select vcontract.search_count($1::jsonb, $2, $3)", text, KIND, COUNTED_TO + 1
            )
        )

    async def _size(self, connection: Connection, tenant: str) -> int:
        known = self._steady.get(tenant, "")
        if known is None:
            known = int(
                await connection.fetchval("select count(*) from vcontract.vcon where tenant = $1", tenant)
            )
            self._steady.put(tenant, "", known)
        return known


def word_weight(size: int, count: int) -> int:
    """ln(1 + size / (1 + count)) in sixteenths, 1 to 255: the rarer a word, the more it counts."""
    weight = math.log(1 + size / (1 + min(count, COUNTED_TO)))
    return min(max(round(weight * WEIGHT_STEPS), 1), 255)


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
