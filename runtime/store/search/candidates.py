"""Candidates: find the passages that a search ranks, and load what the formula needs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Final, NamedTuple
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query
from vcontract.runtime.store.search.hits import VCON, QueryVector
from vcontract.runtime.store.search.ranking import ItemFeatures, Passage, Word

_MAX_RANKED_WORDS: Final = 60
"""Maximum words ranked: one bit each in a 64-bit number. Longer queries use the heaviest words."""
_MAX_LEADING_ROWS: Final = 8_000
"""Maximum index rows that a search reads, beginning with the rarest words."""
_NEIGHBOURS: Final = 2
"""Turns read on each side of a candidate."""
_CLOSE: Final = 6
"""Maximum distance in words at which two query words count as close."""


class QueryWord(NamedTuple):
    """A word of the query, as ranked and as SQL conditions."""

    number: int
    """Its position in the query."""
    ranked: Word
    weight: int
    in_passages: str
    """A tsquery for words of a passage; empty for a word found only by reading texts."""
    in_things: str
    """A tsquery for words of a whole record, which have no positions."""
    literal: str | None
    """Text that must also occur exactly."""
    holders: tuple[UUID, ...]
    """Records with a literal that contains no words, found by reading."""
    day: JsonObject | None


QueryWords = Sequence[QueryWord]


def read_words(words: Sequence[JsonObject]) -> QueryWords:
    """Read the words of `WeightedQuery.conditions()`, the heaviest ones."""
    chosen = sorted(range(len(words)), key=lambda at: -words[at]["weight"])[:_MAX_RANKED_WORDS]
    total = sum(words[at]["weight"] for at in chosen) or 1.0
    return [_read_word(at, words[at], total) for at in sorted(chosen)]


def _read_word(number: int, word: JsonObject, total: float) -> QueryWord:
    of: list[JsonObject] = word["alternatives"]
    return QueryWord(
        number,
        Word(word["weight"] / total, max((one.get("factor", 1.0) for one in of), default=1.0)),
        round(word["weight"] * 16),
        _any(one.get("sequence") or one.get("words") for one in of),
        _any(one.get("words") for one in of),
        next((one["literal"] for one in of if "literal" in one), None),
        tuple(UUID(id_) for one in of for id_ in one.get("holders", ())),
        word.get("day"),
    )


def leading_words_of(words: QueryWords, counts: Sequence[int], rows_a_thing: float) -> tuple[int, ...]:
    """Select words to look up, rarest first, until enough rows are expected; at least one."""
    order = sorted(range(len(words)), key=lambda at: -words[at].weight)
    chosen: list[int] = []
    expected = 0.0
    for at in order:
        expected += counts[words[at].number] * rows_a_thing
        if chosen and expected > _MAX_LEADING_ROWS:
            break
        chosen.append(at)
    return tuple(chosen)


def _any(conditions: Iterable[str | None]) -> str:
    given = dict.fromkeys(filter(None, conditions))
    return " | ".join(f"({one})" for one in given)


class Cut(NamedTuple):
    """The last keyword candidate of the first page, so that all pages rank the same candidates."""

    weight: int
    at: datetime | None
    id: UUID

    def document(self) -> list[object]:
        return [self.weight, self.at and self.at.isoformat(), str(self.id)]

    @classmethod
    def read(cls, document: Sequence[object]) -> "Cut":
        weight, at, id_ = document
        return cls(int(str(weight)), datetime.fromisoformat(str(at)) if at else None, UUID(str(id_)))


class Candidate(NamedTuple):
    """A row of vcontract.search_candidates: a passage, or a whole record with part None."""

    id: UUID
    part: str | None
    element: int | None
    chunk: int | None
    occurred_at: datetime | None
    weight: int | None
    cosine: float | None


@dataclass(frozen=True, slots=True)
class CandidateQuery:
    """Which candidates to look for."""

    kind: str
    conditions: JsonObject
    """Conditions in the form of vcontract.search_conditions."""
    words: QueryWords = ()
    lead: tuple[int, ...] = ()
    vector: QueryVector | None = None
    max_by_words: int = 0
    max_nearest: int = 0
    max_of_one: int = 12
    among: Sequence[UUID] | None = None
    cut: Cut | None = None
    is_exhaustive: bool = False
    """Whether to compare every vector, regardless of the number."""


async def find_candidates(connection: Connection, wanted: CandidateQuery) -> list[Candidate]:
    """Find the candidates: keyword candidates first, each half best first."""
    rows = await connection.fetch(*named_query(f"select * from {_CANDIDATES}", **_given(wanted)))  # noqa: S608
    found = [Candidate(*row) for row in rows]
    for word in wanted.words:
        if wanted.kind != VCON:
            found += [Candidate(id_, None, None, None, None, 0, None) for id_ in word.holders]
        elif word.holders:
            found += await _held_literally(connection, wanted, word)
    return found


_CANDIDATES: Final = (
    "vcontract.search_candidates(:conditions::jsonb, :kind, :among, :words::tsquery[], :weights,"
    " :lead::tsquery, :max_by_words, :max_of_one, :cut_weight, :cut_at, :cut_id, :near_space, :near,"
    " :max_nearest, :is_exhaustive)"
)


def _given(wanted: CandidateQuery) -> dict[str, object]:
    """Parameters of `_CANDIDATES`."""
    conditions = [one.in_passages if wanted.kind == VCON else one.in_things for one in wanted.words]
    held = [(words, one.weight) for words, one in zip(conditions, wanted.words, strict=True) if words]
    cut = wanted.cut or Cut(0, None, UUID(int=0))
    return {
        "conditions": dump_json(wanted.conditions).decode(),
        "kind": wanted.kind,
        "among": None if wanted.among is None else list(wanted.among),
        "words": [words for words, _ in held],
        "weights": [weight for _, weight in held],
        "lead": _any(conditions[at] for at in wanted.lead) or None,
        "max_by_words": wanted.max_by_words,
        "max_of_one": wanted.max_of_one,
        "cut_weight": None if wanted.cut is None else cut.weight,
        "cut_at": cut.at,
        "cut_id": cut.id,
        "near_space": wanted.vector.space.id if wanted.vector else None,
        "near": wanted.vector.vector if wanted.vector else None,
        "max_nearest": wanted.max_nearest if wanted.vector else 0,
        "is_exhaustive": wanted.is_exhaustive,
    }


async def _held_literally(connection: Connection, wanted: CandidateQuery, word: QueryWord) -> list[Candidate]:
    """Find the passages of a word's holders that contain it exactly."""
    rows = await connection.fetch(
        "select p.id, p.part, p.element, p.chunk, p.occurred_at, 0, null from vcontract.passage p"
        " where p.tenant = vcontract.current_tenant() and p.kind = 'vcon' and p.id = any($1)"
        " and vcontract.contains_literally(p.content, $2)"
        " and (p.occurred_at is null or p.occurred_at >= coalesce($4, '-infinity'::timestamptz)"
        " and p.occurred_at < coalesce($5, 'infinity'::timestamptz)) limit $3",
        list(word.holders),
        word.literal,
        wanted.max_by_words,
        *_window(wanted.conditions),
    )
    return [Candidate(*row) for row in rows]


def _window(conditions: JsonObject) -> list[datetime | None]:
    """Bounds of the time when passages were said; None is unbounded."""
    edges = (conditions.get("said_from"), conditions.get("said_to"))
    return [None if edge is None else datetime.fromisoformat(edge) for edge in edges]


_FeatureRow = tuple[UUID, str | None, int | None, datetime | None, int, int]
"""A record, the part and element of a name of it, its time, its query words as bits, and its size."""


@dataclass(frozen=True, slots=True)
class Context:
    """Input of the formula: candidates with their neighbours, and their records."""

    passages: list[Passage]
    things: dict[UUID, ItemFeatures]


@dataclass(frozen=True, slots=True)
class FoundCandidates:
    """Candidates among the passages of vCons, and what `context` needs of them."""

    candidates: list[Candidate]
    words: QueryWords
    passages: Sequence[Passage]
    of_things: Sequence[_FeatureRow]

    def context(self, chosen: Sequence[Candidate]) -> Context:
        """Return some candidates with their neighbours, and their records."""
        if len(chosen) == len(self.candidates):
            ids = dict.fromkeys(one.id for one in chosen)
            return _context(self.words, [*self.passages], self.of_things, ids)
        places = {place for one in chosen for place in _places_around(one)}
        passages = [
            one
            for one in self.passages
            if (one.thing, one.part, one.element, None if one.part == "dialog" else one.chunk) in places
        ]
        ids = dict.fromkeys(one.id for one in chosen)
        return _context(self.words, passages, [row for row in self.of_things if row[0] in ids], ids)


def _places_around(one: Candidate) -> Iterator[tuple[UUID, str | None, int, int | None]]:
    """Places of a passage and its neighbours: turns, or pieces of one text."""
    element, chunk = one.element or 0, one.chunk or 0
    for near in range(-_NEIGHBOURS, _NEIGHBOURS + 1):
        if one.part == "dialog":
            yield one.id, one.part, element + near, None
        else:
            yield one.id, one.part, element, chunk + near


async def find_with_context(
    connection: Connection, tenant: str, wanted: CandidateQuery, vector: QueryVector | None
) -> FoundCandidates:
    """Find the candidates among the passages of vCons with their context, in one statement.

    `vector` is that of the passages' cosines. No word of the query may have holders.
    """
    bits = _Bits(wanted.words)
    sql = _context_of_vcons(bits, _FOUND, with_vector=vector is not None)
    candidates, passages, of_things = await _read(connection, tenant, bits, vector, sql, _given(wanted))
    return FoundCandidates(candidates, wanted.words, passages, of_things)


async def read_context(
    connection: Connection,
    tenant: str,
    kind: str,
    words: QueryWords,
    vector: QueryVector | None,
    candidates: Sequence[Candidate],
) -> Context:
    """Load the candidates with their neighbours, and what their records contain, in one statement.

    For kinds other than vCons, which are small, every passage is read.
    """
    ids = dict.fromkeys(one.id for one in candidates)
    if not ids:
        return Context([], {})
    bits, with_vector = _Bits(words), vector is not None
    if kind == VCON:
        sql = _context_of_vcons(bits, _GIVEN, with_vector=with_vector)
        given: dict[str, object] = {
            "of": [one.id for one in candidates],
            "parts": [one.part for one in candidates],
            "elements": [one.element for one in candidates],
            "chunks": [one.chunk for one in candidates],
        }
    else:
        sql = _context_of_records(bits, with_vector=with_vector)
        given = {"ids": list(ids), "kind": kind}
    _, passages, of_things = await _read(connection, tenant, bits, vector, sql, given)
    return _context(words, passages, of_things, ids)


async def _read(
    connection: Connection,
    tenant: str,
    bits: "_Bits",
    vector: QueryVector | None,
    sql: str,
    given: Mapping[str, object],
) -> tuple[list[Candidate], list[Passage], list[_FeatureRow]]:
    """Read the rows of a statement of context: candidates, passages, and what records contain."""
    parameters = {**given, **bits.parameters, **bits.of_things, "tenant": tenant}
    if vector is not None:
        parameters |= {"space": vector.space.id, "vector": vector.vector}
    candidates: list[tuple[int, Candidate]] = []
    passages: list[Passage] = []
    of_things: list[_FeatureRow] = []
    for what, number, id_, part, element, chunk, at, bits_, pairs, speaker, cosine in await connection.fetch(
        *named_query(sql, **parameters)
    ):
        if what == _CANDIDATE:
            candidates.append((number, Candidate(id_, part, element, chunk, at, bits_, cosine)))
        elif what == _PASSAGE:
            passages.append(Passage(id_, part, element, chunk, bits_, pairs, speaker, at, cosine))
        else:
            of_things.append((id_, part, element, at, bits_, pairs))
    candidates.sort(key=itemgetter(0))
    return [one for _, one in candidates], passages, of_things


def _context(
    words: QueryWords, passages: list[Passage], of_things: Iterable[_FeatureRow], ids: Iterable[UUID]
) -> Context:
    things = _features(words, of_things, ids)
    only_in_passages = _Bits(words).only_in_passages
    for thing in things.values():
        thing.words &= ~only_in_passages
    for passage in passages:
        things[passage.thing].words |= passage.words & only_in_passages
    return Context(passages, things)


async def words_of_vcons(
    connection: Connection, tenant: str, words: QueryWords, ids: Sequence[UUID]
) -> dict[UUID, int]:
    """Query words in vCons, as bits: all words of a phrase, and the words in a literal."""
    bits = _Bits(words)
    rows = await connection.fetch(
        *named_query(
            f"select p.id, {bits.whole} from vcontract.search_document p"  # noqa: S608
            " where p.tenant = :tenant and p.kind = 'vcon' and p.id = any(:ids)",
            tenant=tenant,
            ids=list(ids),
            **bits.of_things,
        )
    )
    return {row[0]: row[1] for row in rows}


def _features(
    words: QueryWords, rows: Iterable[_FeatureRow], ids: Iterable[UUID]
) -> dict[UUID, ItemFeatures]:
    things = {id_: ItemFeatures() for id_ in ids}
    for id_, part, element, at, of_row, size in rows:
        thing = things[id_]
        if part is None:
            assert at is not None, "every record has a time"
            thing.words, thing.days, thing.at, thing.size = of_row, _days(words, at), at, size
        elif part == "subject":
            thing.subject |= of_row
        elif element is not None:
            thing.parties[element] = thing.parties.get(element, 0) | of_row
    return things


class _Bits:
    """SQL that computes the query words in a passage p, as bits of a number."""

    def __init__(self, words: QueryWords) -> None:
        self.of_words: dict[str, object] = {}
        """Parameters of `held`."""
        of_close: dict[str, object] = {}
        self.of_things: dict[str, object] = {}
        """Parameters of `whole`."""
        self.only_in_passages = 0
        """Bits of words that a whole record alone does not show: phrases and literals."""
        held: list[str] = []
        close: list[str] = []
        whole: list[str] = []
        before: QueryWord | None = None
        for at, word in enumerate(words):
            condition, literal = word.in_passages, word.literal
            holds: list[str] = []
            if condition:
                self.of_words[f"w{at}"] = condition
                holds.append(f"p.words @@ :w{at}::tsquery")
            if literal is not None:
                self.of_words[f"l{at}"] = literal
                holds.append(f"vcontract.contains_literally(p.content, :l{at})")
            held.append(f"({' and '.join(holds) or 'false'})::integer::bigint << {at}")
            if word.in_things:
                self.of_things[f"t{at}"] = word.in_things
                whole.append(f"(p.words @@ :t{at}::tsquery)::integer::bigint << {at}")
            if literal is not None or condition != word.in_things:
                self.only_in_passages |= 1 << at
            if condition and before and before.in_passages and before.literal is None is literal:
                of_close[f"c{at}"] = _close(before.in_passages, condition)
                # positions are only compared if both words occur
                both = f"p.words @@ :w{at - 1}::tsquery and p.words @@ :w{at}::tsquery"
                close.append(f"({both} and p.words @@ :c{at}::tsquery)::integer::bigint << {at - 1}")
            before = word
        self.held = _sum(held)
        self.close = _sum(close)
        """Words close to the next word."""
        self.whole = _sum(whole)
        """Words in a whole record p."""
        self.parameters = self.of_words | of_close


def _sum(bits: Iterable[str]) -> str:
    return " | ".join(f"({one})" for one in bits) or "0::bigint"


def _close(one: str, other: str) -> str:
    """A tsquery for two words at most six words apart, in either order."""
    return " | ".join(
        f"(({first}) <{away}> ({second}))"
        for first, second in ((one, other), (other, one))
        for away in range(1, _CLOSE + 1)
    )


_CANDIDATE, _PASSAGE, _THING = 0, 1, 2
"""Kinds of rows of a statement of context. The pairs of a whole record are the number of its words."""
_FOUND: Final = f"select c.*, row_number() over () as number from {_CANDIDATES} c"  # noqa: S608
_GIVEN: Final = (
    "select c.*, null::timestamptz as occurred_at, null::integer as weight, null::double precision as cosine,"
    " null::bigint as number"
    " from unnest(:of::uuid[], :parts::text[], :elements::integer[], :chunks::integer[])"
    " c (id, part, element, chunk)"
)


def _context_of_vcons(bits: _Bits, source: str, *, with_vector: bool) -> str:
    """SQL for the candidates of a source with their context."""
    # Each row by its primary key (offset 0): the planner expects more candidates than there are.
    vectors = (
        """ left join lateral (
            select e.vector from vcontract.embedding e where e.space = :space and e.tenant = :tenant
                and e.kind = 'vcon' and e.id = p.id and e.part = p.part and e.element = p.element
                and e.chunk = p.chunk
            offset 0) e on true"""
        if with_vector
        else ""
    )
    return f"""
        with candidate as materialized (
            {source}
        ), place as materialized (
            select distinct c.id, c.part, c.element + g as element, null::integer as chunk
            from candidate c, generate_series(-{_NEIGHBOURS}, {_NEIGHBOURS}) g where c.part = 'dialog'
            union all
            select distinct c.id, c.part, c.element, c.chunk + g
            from candidate c, generate_series(-{_NEIGHBOURS}, {_NEIGHBOURS}) g where c.part <> 'dialog'
        )
        select {_CANDIDATE} as what, c.number, c.id, c.part, c.element, c.chunk, c.occurred_at,
            c.weight::bigint as bits, null::bigint as pairs, null::integer as speaker, c.cosine
        from candidate c where c.number is not null
        union all
        select {_PASSAGE}, null, p.id, p.part, p.element, p.chunk, p.occurred_at, {bits.held}, {bits.close},
            p.speaker, {_cosine(with_vector)}
        from place x cross join lateral (
            select * from vcontract.passage p where p.tenant = :tenant and p.kind = 'vcon' and p.id = x.id
                and p.part = x.part and p.element = x.element and (x.chunk is null or p.chunk = x.chunk)
            offset 0
        ) p{vectors}
        union all
        select {_THING}, null, p.id, null, null, null, p.occurred_at, {bits.whole}, length(p.words), null,
            null
        from (select distinct id from candidate) i cross join lateral (
            select * from vcontract.search_document p
            where p.tenant = :tenant and p.kind = 'vcon' and p.id = i.id
            offset 0
        ) p
        union all
        select {_THING}, null, p.id, p.part, p.element, null, null, p.held, 0, null, null
        from (select distinct id from candidate) i cross join lateral (
            select p.id, p.part, p.element, {bits.held} as held from vcontract.passage p
            where p.tenant = :tenant and p.kind = 'vcon' and p.id = i.id and p.part in ('party', 'subject')
            offset 0
        ) p where p.held <> 0"""  # noqa: S608  (pieces of this module, values as parameters)


def _context_of_records(bits: _Bits, *, with_vector: bool) -> str:
    """SQL for all passages of records of another kind, and what the records contain."""
    vectors = (
        " left join vcontract.vectors_of(:ids, :kind, :space) e"
        " on e.id = p.id and e.part = p.part and e.element = p.element and e.chunk = p.chunk"
        if with_vector
        else ""
    )
    return f"""
        select {_PASSAGE} as what, null::bigint as number, p.id, p.part, p.element, p.chunk,
            null::timestamptz as at, {bits.held}, {bits.close}, null::integer as speaker,
            {_cosine(with_vector)}
        from vcontract.passages_of(:ids, :kind) p{vectors}
        union all
        select {_THING}, null, p.id, null, null, null, p.occurred_at, {bits.whole}, length(p.words), null,
            null
        from vcontract.search_document p
        where p.tenant = :tenant and p.kind = any(vcontract.stored_kinds(:kind)) and p.id = any(:ids)
        """  # noqa: S608  (pieces of this module, values as parameters)


def _cosine(with_vector: bool) -> str:
    return "-(e.vector <#> :vector)" if with_vector else "null::double precision"


def _days(words: QueryWords, at: datetime) -> int:
    """Words that name the day of this time: weekday (Monday is 1), month, day of the month or year."""
    of = {"weekday": at.isoweekday(), "month": at.month, "day": at.day, "year": at.year}
    return sum(
        1 << number
        for number, word in enumerate(words)
        if word.day is not None and any(of.get(name) == value for name, value in word.day.items())
    )
