"""Things: what a query finds of any kind, as wholes first and then place by place.

migrations/functions/kinds.sql says which kinds there are; the scores are those of functions/scoring.sql.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

import asyncpg

from vcontract.runtime.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.documents.values import is_array, is_object
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.hits import Item, QueryVector, Strength, read_items, strength_of
from vcontract.runtime.store.search.languages import SpokenLanguages
from vcontract.runtime.store.search.matching import COUNTED_TO
from vcontract.runtime.store.search.weighing import WeighedQuery, known_forms, word_weight
from vcontract.runtime.store.vocabulary.steady import SteadyCounts
from vcontract.runtime.text.query import Query, Term

MEANING: Final = 0.6
"""The share of meaning in a score of words and meaning."""
MOST_LISTED: Final = 3_000
MOST_WEAK: Final = 10
"""So many that are no better than chance follow the last that is, or come when none is."""
_READING_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked for: weighed words, and a vector; one of them may be missing."""

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
    """What a query finds of one kind, best first as wholes, then newer first."""

    kind: str
    asked: Asked
    things: Sequence[Thing]
    is_cut: bool
    """Whether there may be more."""


class ThingSearch:
    """The searches of every tenant; each method works within the transaction of its connection."""

    def __init__(self) -> None:
        self._steady = SteadyCounts()
        self._spoken = SpokenLanguages()

    async def asked(
        self,
        connection: Connection,
        tenant: str,
        query: Query | None,
        vector: QueryVector | None,
        *,
        kinds: Sequence[str],
    ) -> Asked:
        """What a query and a vector look for among things that are stored under `kinds`.

        The weight of a term is ln(1 + N / (1 + n)) where n of the N things of these kinds have its words.
        """
        if query is None:
            return Asked(None, vector, {"words": []})
        languages = await self._spoken.of(connection, tenant, kinds)
        _, forms = await known_forms(connection, query, languages)
        query = query.in_languages(languages).with_forms(forms, languages)
        counts = await self._counts(connection, tenant, ["", *map(_any_words, query.terms)], kinds)
        size, having = counts[0], counts[1:]
        weights = tuple(
            word_weight(size, count if _any_words(term) else 0)
            for term, count in zip(query.terms, having, strict=True)
        )
        weighed = WeighedQuery(query, tuple(having), weights)
        return Asked(weighed, vector, weighed.conditions())

    async def find(
        self,
        connection: Connection,
        kind: str,
        filters: JsonObject,
        asked: Asked,
        *,
        most: int = MOST_LISTED,
    ) -> Found:
        """What is found of a kind under `filters`, as vcontract.search_conditions takes them.

        Where only the best are wanted, `most` of them, fewer others come along, and sooner.
        """
        resolved = await self._with_readings(connection, kind, filters, asked)
        vector = asked.vector
        rows = await connection.fetch(
            "select * from vcontract.search_things($1::jsonb, $2, $3, $4, $5, $6, $7)",
            _text(filters | resolved.conditions),
            kind,
            vector.space.id if vector else None,
            vector.vector if vector else None,
            vector.calibration if vector else None,
            resolved.weight,
            most,
        )
        things = [Thing(*tuple(row)[:-1]) for row in rows]
        return Found(kind, resolved, things, is_cut=bool(rows and rows[0]["is_cut"]))

    async def items(
        self, connection: Connection, found: Found, ids: Sequence[UUID], hits_per_item: int = 1
    ) -> list[Item]:
        """Things of what was found, scored place by place, best first."""
        asked = found.asked
        if not ids:
            return []
        return await read_items(
            connection,
            ids,
            asked.conditions["words"],
            asked.vector,
            asked.weight,
            hits_per_item,
            kind=found.kind,
        )

    async def dialogs(self, connection: Connection, found: Found, vcons: Sequence[UUID]) -> list[Thing]:
        """The dialogs of vCons that words or meaning speak for, each by itself, best first."""
        rows = await self._dialogs(connection, found, vcons, None)
        return [
            Thing(id_, at, score, words, words, similarity, element)
            for id_, element, at, score, words, similarity, _ in rows
        ]

    async def dialog_texts(
        self, connection: Connection, found: Found, places: Sequence[tuple[UUID, int]]
    ) -> dict[tuple[UUID, int], str]:
        """Of dialogs the passage that speaks most for each."""
        vcons, elements = [place[0] for place in places], [place[1] for place in places]
        rows = await self._dialogs(connection, found, vcons, elements)
        return {(row["id"], row["element"]): row["content"] for row in rows}

    async def _dialogs(
        self, connection: Connection, found: Found, vcons: Sequence[UUID], elements: Sequence[int] | None
    ) -> Sequence[asyncpg.Record]:
        if not vcons:
            return []
        vector = found.asked.vector
        return await connection.fetch(
            "select * from vcontract.search_dialogs($1, $2, $3::jsonb, $4, $5, $6, $7, $8)",
            list(vcons),
            elements,
            dump_json(found.asked.conditions["words"]).decode(),
            vector.space.id if vector else None,
            vector.vector if vector else None,
            vector.calibration if vector else None,
            found.asked.weight,
            MOST_LISTED,
        )

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
        return Asked(asked.weighed, asked.vector, conditions, is_read)

    async def _counts(
        self, connection: Connection, tenant: str, words: Sequence[str], kinds: Sequence[str]
    ) -> list[int]:
        """How many things of these kinds have some words, of '' how many there are; large ones may be old."""
        scope = ",".join(sorted(kinds))
        known = {word: self._steady.get(tenant, f"{scope}:{word}") for word in dict.fromkeys(words)}
        unknown = [word for word, count in known.items() if count is None]
        if unknown:
            numbers = await connection.fetchval(
                "select vcontract.count_things($1, $2, $3)", list(kinds), unknown, COUNTED_TO
            )
            for word, count in zip(unknown, numbers, strict=True):
                known[word] = count
                self._steady.put(tenant, f"{scope}:{word}", count)
        return [known[word] or 0 for word in words]


def better_than_chance(things: Sequence[Thing]) -> list[Thing]:
    """The things in their order up to the last that is better than chance, and some weak ones after it."""
    last = max((at for at, thing in enumerate(things, start=1) if thing.strength != "weak"), default=0)
    return list(things[: last + MOST_WEAK])


def rounded_down(score: float, decimals: int) -> float:
    """`score` as it is shown: never more than it is."""
    # 0.29 * 100 is 28.999999999999996, so what is that near to a step is on it
    scale = float(10**decimals)
    return math.floor(score * scale + 1e-9) / scale


def _any_words(term: Term) -> str:
    """A tsquery for whatever may have the term; empty for one without words."""
    alternatives: list[JsonObject] = term.document()["alternatives"]
    return " | ".join(f"({each['words']})" for each in alternatives if "words" in each)


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
