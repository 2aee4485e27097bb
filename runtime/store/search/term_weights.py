"""Weight each word of a query by rarity, and correct the spelling of unknown words."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, NamedTuple
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject, parse_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.filter_conditions import COUNTED_TO, KIND, conditions_alone, count_each
from vcontract.runtime.store.search.languages import ANY_LANGUAGE, SpokenLanguages
from vcontract.runtime.store.vocabulary.count_cache import CountCache
from vcontract.runtime.store.vocabulary.people import keys_in, names_in
from vcontract.runtime.text.query import Query, Term, correction, of_another_stem
from vcontract.runtime.text.query_dates import days_of
from vcontract.runtime.text.words import STOP_WORDS, fold, one_slip_apart

VCONS: Final = (KIND,)
WEIGHT_STEPS: Final = 16
_EXACT_SEQUENCES: Final = 1_000
_NEAR: Final = 0.45
_NEAR_BY_ONE_SLIP: Final = 0.3
"""Swapped letters leave a short word few common trigrams: recieve and receive share a third."""
_MIN_CORRECTABLE_LENGTH: Final = 4
"""Minimum length of a word to correct: foo is one letter from fox and from for."""
_CANDIDATES: Final = 50
_NEAREST: Final = 3
_MAX_CORRECTED_WORDS: Final = 6
"""Maximum unknown words to correct. A cursor holds the corrections."""
_FORMS: Final = 200
"""Known words checked for a prefix, shortest first."""
_MAX_LISTED_FORMS: Final = 12
_PASSAGES_TO_A_REPEAT: Final = 25
"""Additional passages of a conversation per additional passage with the same word."""
_MAX_SEARCHED_FORMS: Final = 12
"""Maximum words whose stem is shorter than their prefix. A cursor holds them."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A spelling searched in place of a word in no vCon."""

    word: str
    used: str
    similarity: float


@dataclass(frozen=True, slots=True)
class WeightedQuery:
    """A query with the weight of each term. Scores depend on nothing else, so pages agree."""

    query: Query
    counts: tuple[int, ...]
    """Number of vCons with each term; empty on later pages, which do not count again."""
    weights: tuple[int, ...]
    """In sixteenths."""
    corrections: tuple[Correction, ...] = ()
    heaviest: tuple[int, ...] = ()
    """Terms of which one is enough, because no vCon has all; empty if all are required."""
    known: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """Known words by prefix; empty on later pages."""
    forms: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """Those with a stem that does not begin with the prefix."""
    names: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """Other names of people that the query names, by query word."""
    holders: Mapping[str, Sequence[UUID]] = field(default_factory=dict[str, Sequence[UUID]])
    """Records with a literal, found by reading, instead of the words in it."""
    rows_a_thing: float = 1.0
    """Average number of passages of a vCon that contain one of its words; larger for longer vCons."""
    passages: float = 0.0
    """About how many passages the tenant has; 0 on later pages."""
    pending: int | None = None
    """The tenant's passages that wait for a vector; None on later pages, and without an active space."""
    size: int | None = None
    """Number of the tenant's records of the weighed kinds, to 10,000; None on later pages."""

    @property
    def is_relaxed(self) -> bool:
        return bool(self.heaviest)

    @property
    def terms(self) -> tuple[Term, ...]:
        """Terms as searched, with corrections applied."""
        return tuple(self._corrected(term) for term in self.query.terms)

    def cursor_state(self) -> JsonObject:
        """State for `resumed`, so that the next page has equal scores."""
        words = [term.text for term in self.query.terms]
        every = (*self.query.terms, *self.query.excluded)
        languages = sorted({language for term in every for language in term.languages})
        return {
            "weights": bytes(self.weights).hex(),
            "corrections": [[words.index(c.word), c.used, c.similarity] for c in self.corrections],
            "languages": languages,
            "heaviest": list(self.heaviest),
            **({"forms": {**self.forms}} if self.forms else {}),
            **({"names": {**self.names}} if self.names else {}),
        }

    @classmethod
    def resumed(cls, query: Query, start: JsonObject) -> "WeightedQuery":
        """Restore the weights and corrections of the first page."""
        words = [term.text for term in query.terms]
        sealed: list[tuple[int, str, float]] = start["corrections"]
        corrections = tuple(Correction(words[at], used, similarity) for at, used, similarity in sealed)
        forms: JsonObject = start.get("forms", {})
        names: JsonObject = start.get("names", {})
        query = query.in_languages(start["languages"]).with_forms(forms, start["languages"]).with_names(names)
        weights = tuple(bytes.fromhex(start["weights"]))
        return cls(query, (), weights, corrections, tuple(start["heaviest"]), forms=forms, names=names)

    def relaxed(self) -> "WeightedQuery | None":
        """Return the query with its heaviest words as alternatives; None if each term is needed."""
        known = [at for at, count in enumerate(self.counts) if count]
        if len(self.query.demands) < 2 or not known:
            return None
        least = max(self.weights[at] for at in known) / 2
        return replace(self, heaviest=tuple(at for at in known if self.weights[at] >= least))

    def conditions(self) -> JsonObject:
        """Convert to the form of the SQL functions: what must occur, and its weight."""
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
        if term.literal is not None and term.literal in self.holders:
            return [{"literal": term.literal, "holders": [str(id_) for id_ in self.holders[term.literal]]}]
        corrections = [c for c in self.corrections if c.word == term.text]
        if not corrections:
            alternatives: list[JsonObject] = term.document()["alternatives"]
            return alternatives
        return [
            {**alternative, "factor": c.similarity}
            for c in corrections
            for alternative in correction(term, [c.used]).document()["alternatives"]
        ]


class TermWeigher:
    """Weights queries of every tenant; each method works in the transaction of its connection."""

    def __init__(self) -> None:
        self._steady = CountCache()
        self._spoken = SpokenLanguages()

    async def weigh(
        self, connection: Connection, tenant: str, query: Query, kinds: Sequence[str] = VCONS
    ) -> WeightedQuery:
        """Compute the weight of each term: ln(1 + N / (1 + n)) if n of the N records of `kinds` have it.

        Terms are looked up in all languages of these records, and by all names of the people they name.
        """
        languages = self._spoken.known(tenant, kinds)
        known, forms = await known_forms(connection, query, languages or ())
        keys = keys_in(query)
        as_read = query.in_languages(languages or ()).with_forms(forms, languages or ())
        facts = await self._facts(connection, tenant, as_read.terms, kinds, keys.values())
        if languages is None and facts.counts[ANY_LANGUAGE]:
            languages = await self._spoken.read(connection, tenant, kinds)
            known, forms = await known_forms(connection, query, languages)
            as_read = query.in_languages(languages).with_forms(forms, languages)
        names = names_in(facts.aliases, keys)
        query = as_read.with_names(names)
        counts = await self._term_counts(connection, tenant, query.terms, kinds, facts.counts)
        size = facts.counts[""]
        passages_a_thing = facts.passages / max(facts.things, size, 1)
        return WeightedQuery(
            query,
            tuple(counts),
            tuple(word_weight(size, count) for count in counts),
            known=known,
            forms=forms,
            names=names,
            rows_a_thing=1 + passages_a_thing / _PASSAGES_TO_A_REPEAT,
            passages=size * passages_a_thing,
            pending=facts.pending,
            size=size,
        )

    async def corrected(
        self, connection: Connection, tenant: str, weighed: WeightedQuery
    ) -> WeightedQuery | None:
        """Correct the few unknown words of a query; None if a word has no similar spelling."""
        if weighed.counts.count(0) > _MAX_CORRECTED_WORDS:
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
            used = correction(term, [c.used for c in near])
            counts += await self._term_counts(connection, tenant, [used])
        weights = await self._weights(connection, tenant, counts)
        return replace(weighed, weights=weights, corrections=tuple(corrections))

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
            # a spelling is known while any form of the word is stored, perhaps not this one
            (count,) = await self._term_counts(connection, tenant, [correction(term, [row["word"]])])
            if count:
                near.append(Correction(term.text, row["word"], round(row["similarity"], 3)))
            if len(near) == _NEAREST:
                break
        return near

    async def count_all(self, connection: Connection, tenant: str, conditions: JsonObject) -> int:
        """Like `count_matching`, but counts above 10,000 may be some seconds old."""
        text = conditions_alone(conditions)
        known = self._steady.get(tenant, text)
        if known is not None and known > COUNTED_TO:
            return known
        (count,) = await count_each(connection, [text])
        self._steady.put(tenant, text, count)
        return count

    async def _facts(
        self,
        connection: Connection,
        tenant: str,
        terms: Sequence[Term],
        kinds: Sequence[str],
        names: Collection[str],
    ) -> "_Facts":
        """Read what a query is weighed by, in one statement."""
        words = ["", ANY_LANGUAGE, *map(_any_words, terms)]
        known = self._known_counts(tenant, words, kinds)
        unknown = [word for word in dict.fromkeys(words) if word not in known]
        row = await connection.fetchrow(
            "select * from vcontract.query_facts($1, $2, $3, $4)",
            list(kinds),
            unknown,
            COUNTED_TO + 1,
            list(names),
        )
        assert row is not None, "the function returns one row"
        known |= self._remembered(tenant, kinds, zip(unknown, row["counts"], strict=True))
        return _Facts(
            known,
            [] if row["aliases"] is None else parse_json(row["aliases"]),
            max(row["passages"], 0.0),
            row["things"],
            row["pending"],
        )

    async def _term_counts(
        self,
        connection: Connection,
        tenant: str,
        terms: Sequence[Term],
        kinds: Sequence[str] = VCONS,
        known: Mapping[str, int] = MappingProxyType({}),
    ) -> list[int]:
        """Count records with each term, to 10,000. For a frequent phrase, count those with all its words.

        `known` has counts of this transaction.
        """
        words = [_any_words(term) for term in terms]
        counted = await self._counts(connection, tenant, words, kinds, known)
        counts = [count if word else 0 for word, count in zip(words, counted, strict=True)]
        demands: dict[int, str] = {}
        for at, term in enumerate(terms):
            alternatives: list[JsonObject] = term.document()["alternatives"]
            is_sequence = any("<->" in one.get("sequence", "") for one in alternatives)
            if kinds == VCONS and counts[at] <= _EXACT_SEQUENCES and is_sequence:
                demands[at] = conditions_alone({"required": [alternatives]})
        if demands:
            exact = await count_each(connection, [*demands.values()])
            for at, count in zip(demands, exact, strict=True):
                counts[at] = count
        return counts

    async def _counts(
        self,
        connection: Connection,
        tenant: str,
        words: Sequence[str],
        kinds: Sequence[str],
        known: Mapping[str, int] = MappingProxyType({}),
    ) -> list[int]:
        """Count records with some words ('' counts all). Large counts may be some seconds old."""
        counts = {**self._known_counts(tenant, words, kinds), **known}
        if unknown := [word for word in dict.fromkeys(words) if word not in counts]:
            found = await connection.fetchval(
                "select vcontract.count_things($1, $2, $3)", list(kinds), unknown, COUNTED_TO + 1
            )
            counts |= self._remembered(tenant, kinds, zip(unknown, found, strict=True))
        return [counts[word] for word in words]

    def _known_counts(self, tenant: str, words: Sequence[str], kinds: Sequence[str]) -> dict[str, int]:
        scope = ",".join(kinds)
        found = {word: self._steady.get(tenant, f"{scope}:{word}") for word in words}
        return {word: count for word, count in found.items() if count is not None}

    def _remembered(
        self, tenant: str, kinds: Sequence[str], counted: Iterable[tuple[str, int]]
    ) -> dict[str, int]:
        """Cache the large ones of these counts, and return all."""
        scope, counts = ",".join(kinds), dict(counted)
        for word, count in counts.items():
            self._steady.put(tenant, f"{scope}:{word}", count)
        return counts

    async def _weights(
        self, connection: Connection, tenant: str, counts: Sequence[int], kinds: Sequence[str] = VCONS
    ) -> tuple[int, ...]:
        (size,) = await self._counts(connection, tenant, [""], kinds)
        return tuple(word_weight(size, count) for count in counts)


class _Facts(NamedTuple):
    """A row of vcontract.query_facts."""

    counts: dict[str, int]
    aliases: list[list[str]]
    passages: float
    things: float
    pending: int | None


async def known_forms(
    connection: Connection, query: Query, languages: Sequence[str]
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Known words for each prefix of the query, and those with a stem that does not begin with it."""
    known: dict[str, list[str]] = {}
    forms: dict[str, list[str]] = {}
    for prefix in query.prefixes:
        rows = await connection.fetch("select vcontract.spellings_of($1, $2)", prefix, _FORMS)
        words: list[str] = [row[0] for row in rows]
        known[prefix] = words[:_MAX_LISTED_FORMS]
        if of_another := of_another_stem(prefix, words, languages)[:_MAX_SEARCHED_FORMS]:
            forms[prefix] = of_another
    return known, forms


def _any_words(term: Term) -> str:
    """A tsquery that matches any record that may have the term; empty if the term has no words."""
    alternatives: list[JsonObject] = term.document()["alternatives"]
    return " | ".join(f"({each['words']})" for each in alternatives if "words" in each)


def _is_one_slip(word: str, spelling: str) -> bool:
    return len(word) >= _MIN_CORRECTABLE_LENGTH and one_slip_apart(word, spelling)


def word_weight(size: int, count: int) -> int:
    """ln(1 + size / (1 + count)) in sixteenths, 1 to 255: rare words count more."""
    weight = math.log(1 + size / (1 + min(count, COUNTED_TO)))
    return min(max(round(weight * WEIGHT_STEPS), 1), 255)
