"""Lists of what a query finds of any kind: exchanges, reflections, bridge records, turns of conversations.

migrations/functions/kinds.sql says which kinds there are.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final, NamedTuple
from uuid import UUID

from vcontract.runtime.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.documents.values import is_array, is_object
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.candidates import (
    Candidate,
    QueryWords,
    Wanted,
    find_candidates,
    read_contents,
    read_words,
)
from vcontract.runtime.store.search.hits import Item, QueryVector
from vcontract.runtime.store.search.ranking import (
    CHANCE,
    WEIGHTS,
    Strength,
    combine,
    coverage,
    similarity,
    strength_of,
    thing_strength,
)
from vcontract.runtime.store.search.search import Ranked, items_of, rank
from vcontract.runtime.store.search.weighing import WeighedQuery, Weighing
from vcontract.runtime.text.query import Query, Term

MEANING: Final = 0.6
"""The share of meaning in a score of words and meaning."""
MOST_LISTED: Final = 3_000
MAX_LISTED_BY_MEANING: Final = 600
MAX_RANKED: Final = 200
"""Things scored passage by passage."""
MOST_WEAK: Final = 10
"""So many that are no better than chance follow the last that is, or come when none is."""
_READING_SECONDS: Final = 0.5
_NO_TIME: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked for: weighed words, and a vector; one of them may be missing."""

    tenant: str
    weighed: WeighedQuery | None
    vector: QueryVector | None
    conditions: JsonObject
    """What the words demand, and what each weighs, as the SQL functions of search take them."""
    is_read: bool = False
    """Whether a part of the query was found by reading the texts only."""

    @property
    def weight(self) -> float:
        """The share of meaning."""
        if self.vector is None:
            return 0.0
        return 1.0 if self.weighed is None else MEANING

    @property
    def calibration(self) -> tuple[float, ...] | None:
        return None if self.vector is None else self.vector.calibration

    @property
    def terms(self) -> tuple[Term, ...]:
        """What the words stand for, to show where they occur."""
        return () if self.weighed is None else self.weighed.terms


class Thing(NamedTuple):
    """A thing with what words and meaning say of it as a whole; a tuple, because a search makes thousands."""

    id: UUID
    occurred_at: datetime
    score: float
    words: float
    """How strongly it holds the words, in [0, 1]."""
    coverage: float
    """The share of the words, by weight, that stand in it."""
    similarity: float

    element: int | None = None
    """The index of a dialog, whose `id` is that of its vCon."""

    @property
    def strength(self) -> Strength:
        """How far it is from what chance gives."""
        return strength_of(self.similarity, words=self.words)

    @property
    def text_score(self) -> float:
        """What its words say, in [0, 1): all words of a query give at least 0.7."""
        return 0.7 * self.coverage + 0.3 * self.words

    @property
    def evidence(self) -> float:
        """What thresholds are compared with: similarity and words, the lesser adding to the greater."""
        low, high = sorted((self.similarity, self.text_score))
        return high + 0.5 * low * (1 - high)


@dataclass(frozen=True, slots=True)
class Found:
    """What a query finds of one kind, best first, then newer first."""

    kind: str
    asked: Asked
    things: Sequence[Thing]
    is_cut: bool
    """Whether there may be more."""
    ranked: Mapping[UUID, Ranked] = field(default_factory=dict[UUID, Ranked])
    """Those that were scored passage by passage."""


class _Best(NamedTuple):
    """A thing by its best candidates."""

    id: UUID
    score: float
    share: float
    """Of the words that it holds, by weight."""
    cosine: float | None


def _best_of_each(candidates: Sequence[Candidate], words: QueryWords, weight: float) -> list[_Best]:
    """The things of candidates in the order in which they are worth a look, the best first."""
    total = sum(word.weight for word in words) or 1
    shares: dict[UUID, float] = {}
    cosines: dict[UUID, float] = {}
    for one in candidates:
        shares[one.id] = max(shares.get(one.id, 0.0), (one.weight or 0) / total)
        if one.cosine is not None:
            cosines[one.id] = max(cosines.get(one.id, -1.0), one.cosine)
    found = [
        _Best(
            id_,
            combine(WEIGHTS.own * share, max(cosines.get(id_, 0.0), 0.0), weight),
            share,
            cosines.get(id_),
        )
        for id_, share in shares.items()
    ]
    found.sort(key=lambda one: (-one.score, one.id))
    return found


def _thing(one: Ranked, words: QueryWords, calibration: Sequence[float] | None) -> Thing:
    of_query = [word.ranked for word in words]
    return Thing(
        one.id,
        one.at or _NO_TIME,
        one.scored[0].score,
        thing_strength(of_query, one.whole),
        coverage(of_query, one.whole.words),
        similarity(one.cosine, calibration),
    )


class ThingSearch:
    """The searches of every tenant; each method works within the transaction of its connection."""

    def __init__(self) -> None:
        self._weighing = Weighing()

    async def asked(
        self,
        connection: Connection,
        tenant: str,
        query: Query | None,
        vector: QueryVector | None,
        *,
        kinds: Sequence[str],
    ) -> Asked:
        """What a query and a vector look for among things that are stored under `kinds`."""
        if query is None:
            return Asked(tenant, None, vector, {"words": []})
        weighed = await self._weighing.weigh(connection, tenant, query, kinds)
        return Asked(tenant, weighed, vector, weighed.conditions())

    async def find(
        self,
        connection: Connection,
        kind: str,
        filters: JsonObject,
        asked: Asked,
        *,
        most: int = MOST_LISTED,
    ) -> Found:
        """What is found of a kind under `filters`, as vcontract.search_conditions takes them, at most `most`.

        The best 200 are scored passage by passage, before the others, which are scored as wholes.
        """
        resolved = await self._with_readings(connection, kind, filters, asked)
        conditions = {**filters, **resolved.conditions}
        words = read_words(conditions.pop("words"))
        wanted = Wanted(
            kind,
            conditions,
            words,
            tuple(range(len(words))) if resolved.weight < 1 else (),
            vector=resolved.vector,
            max_by_words=most,
            max_nearest=MAX_LISTED_BY_MEANING,
        )
        candidates = await find_candidates(connection, wanted)
        by_words = sum(one.weight is not None for one in candidates)
        nearest = [one.cosine for one in candidates if one.cosine is not None]
        calibration = resolved.calibration
        is_cut = by_words >= most or (
            len(nearest) >= MAX_LISTED_BY_MEANING and similarity(min(nearest), calibration) >= CHANCE
        )
        first = _best_of_each(candidates, words, resolved.weight)
        chosen = {one.id for one in first[:MAX_RANKED]}
        known = await _rank(
            connection, kind, resolved, words, [one for one in candidates if one.id in chosen]
        )
        things = [_thing(one, words, calibration) for one in known]
        least = min((thing.score for thing in things), default=1.0)
        things += await self._unranked(connection, kind, resolved, words, first[MAX_RANKED:], least)
        things.sort(key=lambda thing: (-thing.score, -thing.occurred_at.timestamp(), thing.id))
        return Found(kind, resolved, things, is_cut, {one.id: one for one in known})

    async def items(
        self, connection: Connection, found: Found, ids: Sequence[UUID], hits_per_item: int = 1
    ) -> list[Item]:
        """Things of what was found with their best passages, best first, then the larger uuid."""
        known = {id_: found.ranked[id_] for id_ in ids if id_ in found.ranked}
        if unknown := [id_ for id_ in ids if id_ not in known]:
            words = read_words(found.asked.conditions["words"])
            candidates = [Candidate(id_, None, None, None, None, 0, None) for id_ in unknown]
            more = await _rank(connection, found.kind, found.asked, words, candidates)
            known |= {one.id: one for one in more}
        shown = sorted(known.values(), key=lambda one: one.key, reverse=True)
        return await items_of(
            connection, found.asked.tenant, found.kind, shown, found.asked.vector, hits_per_item
        )

    @staticmethod
    def dialogs(found: Found, vcons: Sequence[UUID]) -> list[Thing]:
        """The dialogs of vCons that words or meaning speak for, each by itself, best first."""
        calibration = found.asked.calibration
        turns = [
            Thing(
                id_,
                scored.passage.at or found.ranked[id_].at or _NO_TIME,
                scored.score,
                scored.strength,
                scored.strength,
                similarity(scored.passage.cosine, calibration),
                scored.passage.element,
            )
            for id_ in vcons
            if id_ in found.ranked
            for scored in found.ranked[id_].scored
            if scored.passage.part == "dialog"
        ]
        turns.sort(key=lambda turn: (-turn.score, -turn.occurred_at.timestamp(), turn.id, turn.element))
        return turns

    async def dialog_texts(
        self, connection: Connection, found: Found, places: Sequence[tuple[UUID, int]]
    ) -> dict[tuple[UUID, int], str]:
        """Of dialogs the passage that speaks most for each."""
        words = read_words(found.asked.conditions["words"])
        candidates = [Candidate(id_, "dialog", element, 0, None, 0, None) for id_, element in places]
        known = await _rank(connection, "vcon", found.asked, words, candidates)
        wanted = {*places}
        keys = [
            (one.id, "dialog", scored.passage.element, scored.passage.chunk)
            for one in known
            for scored in one.scored
            if scored.passage.part == "dialog" and (one.id, scored.passage.element) in wanted
        ]
        texts = await read_contents(connection, found.asked.tenant, "vcon", keys)
        return {(id_, element): text for (id_, _, element, _), text in texts.items()}

    @staticmethod
    async def _unranked(
        connection: Connection,
        kind: str,
        asked: Asked,
        words: QueryWords,
        others: Sequence[_Best],
        least: float,
    ) -> list[Thing]:
        """Things as wholes, none better than `least`."""
        if not others:
            return []
        rows = await connection.fetch(
            "select id, occurred_at from vcontract.search_document"
            " where tenant = $1 and kind = any(vcontract.stored_kinds($2)) and id = any($3)",
            asked.tenant,
            kind,
            [one.id for one in others],
        )
        at = {row["id"]: row["occurred_at"] for row in rows}
        calibration = asked.calibration
        return [
            Thing(
                one.id,
                at[one.id],
                min(one.score, least),
                WEIGHTS.own * one.share,
                one.share,
                similarity(one.cosine, calibration),
            )
            for one in others
            if one.id in at
        ]

    async def _with_readings(
        self, connection: Connection, kind: str, filters: JsonObject, asked: Asked
    ) -> Asked:
        """The query with what holds a literal that no index finds: one without words, or a part of a word."""
        if asked.weighed is None:
            return asked
        conditions, is_read = asked.conditions, False
        for term in asked.weighed.terms:
            if term.literal is None:
                continue
            alternatives: list[JsonObject] = term.document()["alternatives"]
            if "holders" not in alternatives[0]:
                demand = filters | {"required": [alternatives]}
                if await connection.fetchval(
                    "select vcontract.search_count($1::jsonb, $2, 1)", _text(demand), kind
                ):
                    continue
            holders: list[UUID] = await connection.fetchval(
                "select vcontract.search_by_reading($1::jsonb, $2, $3, $4, $5)",
                *(_text(filters), kind, term.literal, MOST_LISTED, _READING_SECONDS),
            )
            conditions = _held(conditions, term.literal, holders)
            is_read = is_read or bool(holders)
        return replace(asked, conditions=conditions, is_read=is_read)


async def _rank(
    connection: Connection, kind: str, asked: Asked, words: QueryWords, candidates: Sequence[Candidate]
) -> list[Ranked]:
    vector = asked.vector if asked.weight > 0 else None
    return await rank(connection, asked.tenant, kind, words, vector, asked.weight, candidates)


def better_than_chance(things: Sequence[Thing]) -> list[Thing]:
    """The things in their order up to the last that is better than chance, and some weak ones after it."""
    last = max((at for at, thing in enumerate(things, start=1) if thing.strength != "weak"), default=0)
    return list(things[: last + MOST_WEAK])


def rounded_down(score: float, decimals: int) -> float:
    """`score` as it is shown: never more than it is."""
    # 0.29 * 100 is 28.999999999999996, so what is that near to a step is on it
    scale = float(10**decimals)
    return math.floor(score * scale + 1e-9) / scale


def _held(value: JsonValue, literal: str, holders: Sequence[UUID]) -> JsonObject:
    """The conditions with the things that hold a literal in place of its words."""

    def replaced(value: JsonValue) -> JsonValue:
        if is_array(value):
            return [replaced(each) for each in value]
        if not is_object(value):
            return value
        if value.get("literal") == literal:
            return {"literal": literal, "holders": [str(id_) for id_ in holders]}
        return {name: replaced(member) for name, member in value.items()}

    result = replaced(value)
    assert is_object(result), "conditions are an object"
    return result


def _text(value: JsonObject) -> str:
    return dump_json(value).decode()
