"""Weighing: how much each word of a query counts, and the known spellings in place of unknown words."""

import math
from dataclasses import dataclass, replace
from typing import Final

from vcontract.runtime.documents.json import JsonObject, dump_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.languages import SpokenLanguages
from vcontract.runtime.store.search.matching import COUNTED_TO, KIND, count_matching
from vcontract.runtime.store.vocabulary.steady import SteadyCounts
from vcontract.runtime.text.days import days_of
from vcontract.runtime.text.query import Query, Term, correction
from vcontract.runtime.text.words import STOP_WORDS, fold, one_slip_apart

WEIGHT_STEPS: Final = 16
_EXACT_SEQUENCES: Final = 1_000
_NEAR: Final = 0.45
_NEAR_BY_ONE_SLIP: Final = 0.3
"""Two swapped letters leave a short word few trigrams of its own: recieve and receive share a third."""
_SHORTEST_SLIP: Final = 4
"""Letters of a word in which a slip can be told from another word: foo is one slip from fox and from for."""
_CANDIDATES: Final = 50
_NEAREST: Final = 3
_MOST_CORRECTED: Final = 6
"""A query with more unknown words is not a misspelled one; a cursor holds the corrections of these."""


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
    heaviest: tuple[int, ...] = ()
    """The terms of which one is enough, because no vCon has all that is demanded; none while all is."""

    @property
    def is_relaxed(self) -> bool:
        return bool(self.heaviest)

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
            "languages": sorted({language for term in self.query.terms for language in term.languages}),
            "heaviest": list(self.heaviest),
        }

    @classmethod
    def resumed(cls, query: Query, start: JsonObject) -> "WeighedQuery":
        """The weights and corrections of page one, so that scores stay what they were there."""
        words = [term.text for term in query.terms]
        sealed: list[tuple[int, str, float]] = start["corrections"]
        corrections = tuple(Correction(words[at], used, similarity) for at, used, similarity in sealed)
        query = query.in_languages(start["languages"])
        weights = tuple(bytes.fromhex(start["weights"]))
        return cls(query, (), weights, corrections, tuple(start["heaviest"]))

    def relaxed(self) -> "WeighedQuery | None":
        """The query that one of its heaviest words meets; None when each demand is needed by itself."""
        known = [at for at, count in enumerate(self.counts) if count]
        if len(self.query.demands) < 2 or not known:
            return None
        least = max(self.weights[at] for at in known) / 2
        return replace(self, heaviest=tuple(at for at in known if self.weights[at] >= least))

    def conditions(self) -> JsonObject:
        """The words as the SQL functions of search take them: what must occur, and what it weighs."""
        terms = self.query.terms
        demands = (tuple(terms[at] for at in self.heaviest),) if self.is_relaxed else self.query.demands
        days = days_of([term.text for term in terms])
        return {
            "required": [
                [alternative for term in demand for alternative in self._alternatives(term)]
                for demand in demands
            ],
            "excluded": [
                alternative for term in self.query.excluded for alternative in term.document()["alternatives"]
            ],
            "words": [
                {
                    "weight": weight / WEIGHT_STEPS,
                    "alternatives": self._alternatives(term),
                    **({"day": day} if day else {}),
                }
                for term, weight, day in zip(terms, self.weights, days, strict=True)
            ],
        }

    def _corrected(self, term: Term) -> Term:
        used = [c.used for c in self.corrections if c.word == term.text]
        return correction(term, used) if used else term

    def _alternatives(self, term: Term) -> list[JsonObject]:
        corrections = [c for c in self.corrections if c.word == term.text]
        if not corrections:
            alternatives: list[JsonObject] = term.document()["alternatives"]
            return alternatives
        return [
            {**alternative, "factor": c.similarity}
            for c in corrections
            for alternative in correction(term, [c.used]).document()["alternatives"]
        ]


class Weighing:
    """Weighs queries for every tenant; each method works within the transaction of its connection."""

    def __init__(self) -> None:
        self._steady = SteadyCounts()
        self._spoken = SpokenLanguages()

    async def weigh(self, connection: Connection, tenant: str, query: Query) -> WeighedQuery:
        """The weight of each term: ln(1 + N / (1 + n)), n of the tenant's N vCons having it.

        The terms are looked for in every language that the vCons are written in.
        """
        query = query.in_languages(await self._spoken.of(connection, tenant, (KIND,)))
        counts = [await self._term_count(connection, tenant, term) for term in query.terms]
        size = await self._size(connection, tenant)
        return WeighedQuery(query, tuple(counts), tuple(word_weight(size, count) for count in counts))

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
            if row["word"] in STOP_WORDS:
                continue
            if row["similarity"] < _NEAR and not _is_one_slip(fold(term.text), row["word"]):
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
        """As `count_matching`, but a large count may be some seconds old: good enough for weights."""
        text = dump_json(conditions).decode()
        known = self._steady.get(tenant, text)
        if known is None:
            known = await count_matching(connection, conditions)
            self._steady.put(tenant, text, known)
        return known

    async def _size(self, connection: Connection, tenant: str) -> int:
        known = self._steady.get(tenant, "")
        if known is None:
            known = int(
                await connection.fetchval("select count(*) from vcontract.vcon where tenant = $1", tenant)
            )
            self._steady.put(tenant, "", known)
        return known


def _is_one_slip(word: str, spelling: str) -> bool:
    return len(word) >= _SHORTEST_SLIP and one_slip_apart(word, spelling)


def word_weight(size: int, count: int) -> int:
    """ln(1 + size / (1 + count)) in sixteenths, 1 to 255: the rarer a word, the more it counts."""
    weight = math.log(1 + size / (1 + min(count, COUNTED_TO)))
    return min(max(round(weight * WEIGHT_STEPS), 1), 255)
