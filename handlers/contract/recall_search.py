"""Finding evidence: what questions match in conversations, sessions, reflections and the journal."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Final
from uuid import UUID

from vcontract.handlers.contract.recall_days import NamedDays, turns_of_day
from vcontract.handlers.contract.recall_evidence import (
    Evidence,
    EvidenceReader,
    Kind,
    Question,
    ScoredHit,
    Speaker,
)
from vcontract.handlers.contract.recall_packing import AFTER, FEW_OF_BEST
from vcontract.handlers.contract.recall_text import Source
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import array
from vcontract.runtime.store.bridge.records import KINDS as BRIDGE_KINDS
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query
from vcontract.runtime.store.search.filter_conditions import Filters
from vcontract.runtime.store.search.hits import VCON, PassageKey, QueryVector, ShownPassage, read_shown
from vcontract.runtime.store.search.pages import SearchRequest
from vcontract.runtime.store.search.ranked_search import Ranked, largest_strength
from vcontract.runtime.store.search.ranking import Scored, similarity, strength_of
from vcontract.runtime.store.search.search import Search
from vcontract.runtime.store.vcons.id_prefixes import unique_beginnings
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.store.vocabulary.people import People
from vcontract.runtime.text.words import fold
from vcontract.runtime.vcon.transcript import TranscriptTurn, speaker_label_of

_INDEXED: Final[Mapping[Kind, str]] = {"reflection": "reflection", "journal": "bridge"}
_WEIGHT: Final = 0.6
"""Share of meaning, as in vcon_search."""
_MIN_SCORE_SHARE: Final = 0.4
"""Minimum score relative to a question's best."""
_MAX_RECORDS: Final = 20
_AROUND: Final = 2
"""Turns read on each side of a passage, which also fill small gaps between passages."""


class EvidenceSearch:
    """Finds evidence; each method works in the transaction of its connection."""

    def __init__(self, vcons: VconStore, search: Search) -> None:
        self._vcons = vcons
        self._search = search

    async def find(
        self,
        connection: Connection,
        tenant: str,
        questions: Sequence[Question],
        filters: Filters,
        kinds: Collection[Kind],
        *,
        most: int,
        depth: int = 1,
        speaker: str | None = None,
    ) -> Evidence:
        """Find passages of these kinds for the questions, best first, with their turns.

        At most `most` per question, among `depth` times the candidates of a search page. With `speaker`, only
        turns of speakers whose name contains all its words, and turns around them.
        """
        evidence = Evidence()
        hits: list[ScoredHit] = []
        matching: dict[UUID, int] = defaultdict(int)
        for number, question in enumerate(questions):
            found, words = await self._found(connection, tenant, question, filters, kinds, evidence, depth)
            days = NamedDays.of(question.words, question.text)
            evidence.days.append(days)
            scored = [(kind, one) for kind, thing in found for one in thing.scored]
            if days.is_all:
                said = await _of_day(connection, tenant, scored, days)
                scored += [(kind, one) for kind, one in said if filters.was_said(one.passage.at)]
            of_question = _hits(scored, days, number, most, question.vector)
            evidence.is_every_place = evidence.is_every_place and len(of_question) < most
            hits += of_question
            near = max((_similarity(one.cosine, question.vector) for _, one in found), default=0.0)
            evidence.best.append((words, near))
            for id_, count in _better_than_chance(found, question.vector).items():
                matching[id_] = max(matching[id_], count)
        evidence.matching = len(matching)
        evidence.has_hits = bool(hits)
        await self._read(connection, tenant, evidence, hits, matching, speaker)
        return evidence

    async def _found(
        self,
        connection: Connection,
        tenant: str,
        question: Question,
        filters: Filters,
        kinds: Collection[Kind],
        evidence: Evidence,
        depth: int,
    ) -> tuple[list[tuple[str, Ranked]], float]:
        """Find records for a question, each with its kind in the index.

        Also returns the largest share of its words in one passage.
        """
        found: list[tuple[str, Ranked]] = []
        words = 0.0
        if wanted := {"conversation", "session"} & {*kinds}:
            transcripts = None if len(wanted) > 1 else wanted == {"session"}
            request = SearchRequest(
                replace(filters, transcripts=transcripts),
                limit=1,
                query=question.words,
                vector=question.vector,
                weight=_WEIGHT,
            )
            best = await self._search.best(connection, tenant, request, depth)
            assert best.asked.weighed is not None, "a question has words"
            evidence.weighed.append(best.asked.weighed)
            evidence.is_complete = evidence.is_complete and not best.is_cut
            said = list(_said_within(filters, best.ranked.values()))
            words = largest_strength(said, best.asked)
            found += [(VCON, one) for one in said]
        window = _window(filters)
        for kind, indexed in _INDEXED.items():
            if kind in kinds:
                asked = await self._search.ask(
                    connection, tenant, question.words, question.vector, kinds=_stored(indexed)
                )
                listed = await self._search.listed(
                    connection, indexed, window, asked, most=depth * _MAX_RECORDS
                )
                of_kind = [listed.ranked[one.id] for one in listed.things if one.id in listed.ranked]
                words = max(words, largest_strength(of_kind, asked))
                found += [(indexed, one) for one in of_kind]
        return found, words

    async def _read(
        self,
        connection: Connection,
        tenant: str,
        evidence: Evidence,
        hits: Sequence[ScoredHit],
        matching: Mapping[UUID, int],
        speaker: str | None,
    ) -> None:
        """Load the sources, passages and lines of hits into the evidence."""
        of_vcons = [hit for hit in hits if hit.kind == VCON]
        others = [hit for hit in hits if hit.kind != VCON]
        evidence.sources |= await self._conversations(
            connection, tenant, {hit.source for hit in of_vcons}, matching
        )
        evidence.sources |= await _records(connection, tenant, {hit.source for hit in others}, matching)
        shown = await _shown(connection, tenant, of_vcons, others)
        turns = await self._turns(connection, tenant, of_vcons, shown)
        for id_, of_vcon in turns.items():
            if id_ in evidence.sources:
                last = max((turn.number for turn in of_vcon), default=-1)
                evidence.sources[id_] = replace(evidence.sources[id_], last_turn=last)
        terms = [term for weighed in evidence.weighed for term in weighed.terms]
        reader = EvidenceReader(turns, shown, terms, evidence)
        wanted = (
            None
            if speaker is None
            else await _spoken_by(connection, tenant, speaker, {hit.source for hit in of_vcons})
        )
        # subjects last: the head has one unless nothing else of its conversation was found
        for hit in sorted(
            hits, key=lambda hit: (hit.key[1] == "subject", -hit.score, hit.question, str(hit.key))
        ):
            if hit.source in evidence.sources:
                reader.add(hit, wanted)
        evidence.places.sort(key=lambda place: -place.score)

    async def _turns(
        self,
        connection: Connection,
        tenant: str,
        hits: Sequence[ScoredHit],
        shown: Mapping[PassageKey, ShownPassage],
    ) -> dict[UUID, Sequence[TranscriptTurn]]:
        """Return the turns of hits and around them, in order, from shown passages where these know them."""
        spoken = [hit for hit in hits if hit.scored.passage.part in ("dialog", "analysis")]
        unknown = {hit.source for hit in spoken if hit.key not in shown or shown[hit.key].turn is None}
        turns: dict[UUID, list[TranscriptTurn]] = {hit.source: [] for hit in hits}
        for (id_, _, _, chunk), one in shown.items():
            if one.turn is not None and chunk == 0 and id_ not in unknown:
                turns[id_].append(one.turn)
        for of_vcon in turns.values():
            of_vcon.sort(key=attrgetter("number"))
        if not unknown:
            return {**turns}
        around = sorted(place for place in _dialogs_around(hits, 1) if place[0] in unknown)
        return {**turns, **await self._vcons.turns(connection, tenant, sorted(unknown), around)}

    async def _conversations(
        self, connection: Connection, tenant: str, ids: Collection[UUID], matching: Mapping[UUID, int]
    ) -> dict[UUID, Source]:
        if not ids:
            return {}
        stored = await self._vcons.load(connection, tenant, sorted(ids), ("parties", "version"))
        beginnings = await unique_beginnings(connection, tenant, sorted(ids))
        rows = await connection.fetch(
            *named_query(
                "select v.uuid, exists (select from vcontract.transcript t"
                "  where t.tenant = v.tenant and t.vcon = v.uuid) as is_session"
                " from vcontract.vcon v where v.tenant = :tenant and v.uuid = any(:ids)",
                tenant=tenant,
                ids=sorted(ids),
            )
        )
        sessions = {row["uuid"] for row in rows if row["is_session"]}
        sources: dict[UUID, Source] = {}
        for one in stored:
            parties = array(one.arrays.get("parties"))
            people = dict.fromkeys(speaker_label_of(parties, index) for index in range(len(parties)))
            sources[one.uuid] = Source(
                str(one.uuid),
                "session" if one.uuid in sessions else "conversation",
                beginnings[one.uuid],
                one.began_at,
                one.subject,
                tuple(people),
                matching.get(one.uuid, 0),
                version=one.version,
            )
        return sources


async def _shown(
    connection: Connection, tenant: str, of_vcons: Sequence[ScoredHit], others: Sequence[ScoredHit]
) -> dict[PassageKey, ShownPassage]:
    """Load the texts of hits, and of the turns around those in vCons."""
    keys = {hit.key for hit in of_vcons}
    # a second piece shows that a turn is cut
    keys |= {(id_, "dialog", element, at) for id_, element in _dialogs_around(of_vcons) for at in (0, 1)}
    further = {(id_, "dialog", element, 0) for id_, element in _dialogs_around(of_vcons, 1)} - keys
    shown = await read_shown(connection, tenant, VCON, sorted(keys | further))
    # a further turn is not shown: it shows that its conversation goes on
    shown |= {key: shown[key]._replace(content="") for key in further & shown.keys()}
    for indexed in {hit.kind for hit in others}:
        own = [hit.key for hit in others if hit.kind == indexed]
        shown |= await read_shown(connection, tenant, indexed, own)
    return shown


async def _of_day(
    connection: Connection, tenant: str, scored: Iterable[tuple[str, Scored]], days: NamedDays
) -> list[tuple[str, Scored]]:
    """Turns of the requested day in the found conversations."""
    ids = {one.passage.thing for kind, one in scored if kind == VCON}
    best = max((one.score for _, one in scored), default=0.0)
    return [(VCON, one) for one in await turns_of_day(connection, tenant, ids, days, best)]


def _hits(
    scored: Sequence[tuple[str, Scored]],
    days: NamedDays,
    question: int,
    most: int,
    vector: QueryVector | None,
) -> list[ScoredHit]:
    """The best passages, at most `most`, relative to the best score; named days raise scores."""
    raised = sorted(((days.score(one), kind, one) for kind, one in scored), key=lambda each: -each[0])
    best = raised[0][0] if raised else 0.0
    if best <= 0:
        return []
    return [
        ScoredHit(kind, one, score / best, question, _is_hit(one, vector))
        for score, kind, one in raised[:most]
        if score >= _MIN_SCORE_SHARE * best
    ]


def _better_than_chance(found: Iterable[tuple[str, Ranked]], vector: QueryVector | None) -> dict[UUID, int]:
    """Number of displayable passages above chance by record; records without any are absent."""
    things = [thing for _, thing in found]
    least = _MIN_SCORE_SHARE * max((thing.scored[0].score for thing in things), default=0.0)
    counts = {
        thing.id: sum(_is_hit(one, vector) for one in thing.scored if one.score >= least) for thing in things
    }
    return {id_: count for id_, count in counts.items() if count}


def _is_hit(one: Scored, vector: QueryVector | None) -> bool:
    """Whether its own words, or its meaning, are above chance."""
    words = one.strength if one.passage.words else 0.0
    return strength_of(_similarity(one.passage.cosine, vector), words=words) != "weak"


def _dialogs_around(hits: Collection[ScoredHit], further: int = 0) -> set[tuple[UUID, int]]:
    """Dialogs of hits and around them; more following ones for the best conversation.

    `further` ones show that a conversation continues.
    """
    best = max(hits, key=lambda hit: hit.score).source if hits else None
    places = [(hit.source, hit.scored.passage.element) for hit in hits if hit.scored.passage.part == "dialog"]
    return {
        (source, near)
        for source, element in places
        for near in range(
            max(element - _AROUND, 0),
            element + (_AROUND if source != best else FEW_OF_BEST + AFTER) + further + 1,
        )
    }


def _said_within(filters: Filters, found: Iterable[Ranked]) -> Iterator[Ranked]:
    """Drop surrounding turns outside the requested period."""
    for one in found:
        scored = [place for place in one.scored if filters.was_said(place.passage.at)]
        if scored:
            cosines = [place.passage.cosine for place in scored if place.passage.cosine is not None]
            yield one._replace(scored=scored, cosine=max(cosines, default=None))


def _window(filters: Filters) -> JsonObject:
    """Date conditions for records, which have a single time."""
    starts = [edge for edge in (filters.created_from, filters.said_from) if edge is not None]
    ends = [edge for edge in (filters.created_to, filters.said_to) if edge is not None]
    return Filters(created_from=max(starts, default=None), created_to=min(ends, default=None)).conditions()


def _similarity(cosine: float | None, vector: QueryVector | None) -> float:
    return 0.0 if vector is None else similarity(cosine, vector.calibration)


async def _spoken_by(connection: Connection, tenant: str, name: str, vcons: Collection[UUID]) -> Speaker:
    """Find a speaker by name or role, including addresses and numbers in these vCons."""
    called = (await People.of(connection, tenant)).called(name)
    having_role: defaultdict[UUID, set[str]] = defaultdict(set)
    rows = await connection.fetch(
        *named_query(
            "select vcon, coalesce(nullif(name_folded, ''), nullif(email_folded, ''), tel_digits) as who"
            " from vcontract.party where tenant = :tenant and vcon = any(:vcons)"
            " and vcontract.folded(doc ->> 'role') = :role",
            tenant=tenant,
            vcons=list(vcons),
            role=fold(name),
        )
    )
    for row in rows:
        having_role[row["vcon"]].add(row["who"] or fold(name))
    if not called:
        return Speaker(name, called, having_role)
    rows = await connection.fetch(
        *named_query(
            "select distinct name_folded from vcontract.party where tenant = :tenant and vcon = any(:vcons)"
            " and (email_folded = any(:called) or tel_digits = any(:called))",
            tenant=tenant,
            vcons=list(vcons),
            called=list(called),
        )
    )
    return Speaker(name, called | {row["name_folded"] for row in rows if row["name_folded"]}, having_role)


def _stored(indexed: str) -> tuple[str, ...]:
    return tuple(BRIDGE_KINDS.values()) if indexed == "bridge" else (indexed,)


async def _records(
    connection: Connection, tenant: str, ids: Collection[UUID], matching: Mapping[UUID, int]
) -> dict[UUID, Source]:
    """Load reflections and bridge records as sources."""
    if not ids:
        return {}
    rows = await connection.fetch(
        *named_query(
            "select id as uid, id::text as id, 'reflection' as kind, stored_at as at, '' as person"
            " from vcontract.reflection where tenant = :tenant and id = any(:ids)"
            " union all select uid, id, 'journal', coalesce(when_start, created), experiencer"
            " from vcontract.bridge_record where tenant = :tenant and uid = any(:ids)",
            tenant=tenant,
            ids=sorted(ids),
        )
    )
    return {
        row["uid"]: Source(
            row["id"],
            row["kind"],
            row["id"],
            row["at"],
            people=(row["person"],) if row["person"] else (),
            hits=matching.get(row["uid"], 0),
        )
        for row in rows
    }
