"""Scores of exchanges, reflections and records: each equals the published formula under every filter."""

import math
import random
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final
from uuid import UUID, uuid5

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Call
from tests.effort import examples
from tests.store.filters import Filter, any_of, share
from tests.store.oracle import OraclePassage, Text, Whole, best, rank_everything, score, unit
from tests.store.test_search_scores import FIRST, VOCABULARY
from vcontract.runtime.app import App
from vcontract.runtime.embedding.vectors import half_vectors
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.store.embeddings import EmbeddingStore
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.hits import QueryVector
from vcontract.runtime.store.search.listing import as_items
from vcontract.runtime.store.search.search import Search
from vcontract.runtime.text.query import parse_query
from vcontract.runtime.text.tsvector import encode_strengths, encode_tsvector
from vcontract.runtime.text.words import indexed_words, lexeme

KINDS = {
    "reflection": ("reflection",),
    "bridge": ("bridge_source", "bridge_moment", "bridge_scene"),
    "exchange": ("exchange",),
}
"""What is stored under kinds of its own, without speakers."""
PARTS = {
    "reflection": ("text",),
    "bridge": ("summary", "narrative", "quality"),
    "exchange": ("dialog", "trace", "trace_body"),
}
PROJECTS = ("garden", "cellar", "attic")


@dataclass(frozen=True)
class Record:
    """What filters ask of a record of Bridge, beside whose it is."""

    id: str
    type: str
    created: datetime
    when: datetime | None
    """When it began, for an hour."""
    experiencers: tuple[str, ...]
    perspectives: tuple[str, ...]
    processings: tuple[str, ...]
    """Of a source there is one of each, and no others who had the experience."""
    qualities: tuple[str, ...]
    shot: str | None
    is_reviewed: bool | None
    successor: str | None
    """The one that stands in its place."""
    frames: str | None
    """Of a moment the source that it frames."""


@dataclass
class StoredItem:
    """A thing of one kind: the passages of its parts, in order."""

    kind: str
    at: datetime
    parts: dict[str, list[OraclePassage]]
    project: str = PROJECTS[0]
    """Whose it is; of a record the one who had the experience."""
    is_aside: bool = False
    """Of an exchange that a sub-agent had it."""
    record: Record | None = None
    """Of a record of Bridge."""

    @property
    def places(self) -> list[OraclePassage]:
        return [place for places in self.parts.values() for place in places]

    def whole(self) -> Whole:
        """Turns of a dialog are elements, pieces of any other part chunks of one."""
        return Whole(
            self.at,
            [
                Text(place, *((at, 0) if part == "dialog" else (0, at)))
                for part, pieces in self.parts.items()
                for at, place in enumerate(pieces)
            ],
        )


Things = dict[UUID, StoredItem]
Known = dict[str, list[Filter[StoredItem]]]
SINCE, UNTIL = FIRST + timedelta(days=15), FIRST + timedelta(days=40)
WINDOW: JsonObject = {"from": SINCE.isoformat(), "to": UNTIL.isoformat()}
NEVER: JsonObject = {"from": (FIRST + timedelta(days=900)).isoformat()}
ALWAYS: JsonObject = {"to": (FIRST + timedelta(days=900)).isoformat()}
FEW: Final = {"sidechains": {"some"}, "types": {"none", "all"}, "framed": {"none", "some"}, "exact": {"all"}}
"""By the name of a filter how many of a type its values keep, where that is not none, some and all."""


def project_id(name: str) -> UUID:
    return uuid5(UUID(int=0), name)


def is_then(at: datetime) -> bool:
    return SINCE <= at < UNTIL


def filters_of(kind: str, things: Things) -> Known:
    """Filters that things of the kind know, by name; of one name only one is given."""
    of_all: Known = {
        "time": [
            Filter(WINDOW, lambda one: is_then(one.at)),
            Filter(NEVER, lambda _: False),
            Filter(ALWAYS, lambda _: True),
        ]
    }
    if kind == "reflection":
        return of_all | {"scope": [_of_projects(names) for names in ((), ("garden",), PROJECTS)]}
    if kind == "exchange":
        places: list[tuple[tuple[str, ...], str]] = [
            ((), ""),
            (("garden",), ""),
            ((), "cellar"),
            (("attic",), "garden"),
            (PROJECTS, "cellar"),
        ]
        of_exchanges: Known = {
            "sidechains": [Filter({"sidechains": False}, lambda one: not one.is_aside)],
            "scope": [_of_folders(names, root) for names, root in places],
        }
        return of_all | of_exchanges
    return of_all | _of_records([thing.record for thing in things.values() if thing.record is not None])


def _of_projects(names: Sequence[str]) -> Filter[StoredItem]:
    ids = [str(project_id(name)) for name in names]
    return Filter({"scope": {"projects": ids, "names": [], "roots": []}}, lambda one: one.project in names)


def _of_folders(names: Sequence[str], root: str) -> Filter[StoredItem]:
    roots = [f"/home/ann/{root}/"] if root else []
    return Filter(
        {"scope": {"projects": [], "names": list(names), "roots": roots}},
        lambda one: one.project in (*names, root),
    )


def _of_records(records: list[Record]) -> Known:
    superseded = next(record.id for record in records if record.successor)
    framed = {record.frames for record in records if not record.successor}

    def of(name: str, value: JsonValue, admits: Callable[[Record], bool]) -> Filter[StoredItem]:
        return Filter({"bridge": {name: value}}, lambda one: one.record is not None and admits(one.record))

    def one_of(name: str, value: str, having: Callable[[Record], Sequence[str | None]]) -> Filter[StoredItem]:
        return of(name, value, lambda record: value in having(record))

    def whose(name: str) -> Filter[StoredItem]:
        return Filter(
            {"bridge": {"experiencer": name}},
            lambda one: one.record is not None and name in (one.project, *one.record.experiencers),
        )

    def listed(name: str, values: list[str], of_record: Callable[[Record], str]) -> Filter[StoredItem]:
        return of(name, [*values], lambda record: of_record(record) in values)

    def with_all(*qualities: str) -> Filter[StoredItem]:
        return of("qualities", [*qualities], lambda record: {*qualities} <= {*record.qualities})

    def judged(is_reviewed: bool) -> Filter[StoredItem]:
        return of("reviewed", is_reviewed, lambda record: record.is_reviewed is is_reviewed)

    def in_frame(is_framed: bool) -> Filter[StoredItem]:
        return of(
            "framed",
            is_framed,
            lambda record: record.type == "source" and (record.id in framed) is is_framed,
        )

    shots = ("crossing-threshold", "sustained-attention", "holding-opposites")
    return {
        "types": [
            listed("types", types, lambda record: record.type)
            for types in ([], ["source"], ["moment", "scene"], ["source", "moment", "scene"])
        ],
        "ids": [
            listed("ids", ids, lambda record: record.id)
            for ids in ([], ["mom_unknown"], [record.id for record in records[::2]])
        ]
        + [listed("ids", [record.id for record in records], lambda record: record.id)],
        "created": [
            of("created", WINDOW, lambda record: is_then(record.created)),
            of("created", NEVER, lambda _: False),
            of("created", ALWAYS, lambda _: True),
        ],
        "when": [
            of("when", WINDOW, lambda record: record.when is not None and is_then(record.when)),
            of("when", NEVER, lambda _: False),
            of("when", ALWAYS, lambda record: record.when is not None),
            of("timeless", True, lambda record: record.when is None),
        ],
        "experiencer": [whose(name) for name in (*PROJECTS, "everyone", "nobody")],
        "perspective": [
            one_of("perspective", name, lambda record: record.perspectives) for name in ("I", "we", "they")
        ],
        "processing": [
            one_of("processing", name, lambda record: record.processings)
            for name in ("during", "right-after", "crafted")
        ],
        "qualities": [
            with_all(),
            with_all("embodied"),
            with_all("embodied", "spatial"),
            with_all("temporal", "temporal"),
            with_all("temporal", "purposive"),
        ],
        "shot": [one_of("shot", shot, lambda record: (record.shot,)) for shot in shots],
        "reviewed": [judged(True), judged(False)],
        "framed": [in_frame(True), in_frame(False)],
        "exact": [Filter({"bridge": {"exact": superseded}}, lambda _: True)],
    }


def is_shown(thing: StoredItem, filters: JsonObject) -> bool:
    """Whether a record is not superseded, where Bridge asks, or asked for by its id."""
    record, bridge = thing.record, filters.get("bridge")
    if record is None or bridge is None:
        return True
    return record.successor is None or bridge.get("exact") == record.id


@dataclass(frozen=True)
class Stored:
    """A store with the random things of each kind."""

    app: App
    tenant: str

    async def check(self, kind: str, mode: str, text: str, asked_for: Sequence[Filter[StoredItem]]) -> None:
        """Under each filter just what it admits is found, with the scores of the formula, best first."""
        search, things = Search(), random_things(kind)
        wholes = {id_: thing.whole() for id_, thing in things.items()}
        near = unit(np.random.default_rng(9).standard_normal(384) + 0.5)
        async with self.app.database.reading(self.tenant) as connection:
            (space,) = await EmbeddingStore().spaces(connection)
            vector = QueryVector(space, half_vectors(near[None])[0]) if mode != "words" else None
            words = None if mode == "meaning" else parse_query(text, any_word=True)
            asked = await search.ask(connection, self.tenant, words, vector, kinds=KINDS[kind])
            weight = {"words": 0.0, "meaning": 1.0, "both": 0.6}[mode]
            weighed = [(["-"], 1.0)] if words is None else weights(things.values(), text)
            query = None if vector is None else near
            # of things that are not vCons every passage is read, whatever found them
            of_all = best(score(wholes, weighed, query, weight, reads_all=True))
            for each in asked_for:
                found = await search.listed(connection, kind, each.given, asked)
                items = await as_items(connection, found, [thing.id for thing in found.things])

                expected = {
                    id_: of_all[id_]
                    for id_, thing in things.items()
                    if id_ in of_all and each.admits(thing) and is_shown(thing, each.given)
                }
                scores = {item.id: item.score for item in items}
                assert scores == pytest.approx(expected, abs=1e-6), (text, each.given)
                order = [(item.score, item.id) for item in items]
                assert order == sorted(order, reverse=True)
                listed = [thing.score for thing in found.things]
                assert listed == sorted(listed, reverse=True)


def weights(things: Collection[StoredItem], text: str) -> list[tuple[list[str], float]]:
    """ln(1 + N / (1 + n)) in sixteenths, n of the N things having a word."""
    return [
        ([word], max(round(16 * math.log(1 + len(things) / (1 + n))), 1) / 16)
        for word in text.split()
        for n in [sum(any(word in place.words for place in thing.places) for thing in things)]
    ]


@pytest.fixture(autouse=True)
def _everything_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    rank_everything(monkeypatch)


@pytest.fixture
async def stored(call: Call, app: App, tenant: str) -> Stored:
    transcripts = {name: await _transcript(call) for name in PROJECTS}
    async with app.database.writing(tenant) as connection:
        for kind in KINDS:
            await _put(connection, tenant, random_things(kind), transcripts if kind == "exchange" else {})
    return Stored(app, tenant)


TEXTS = ("kappa", "delta bravo omega", "zulu tuesday march")
MODES = ("words", "meaning", "both")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MODES)
async def test_things_of_every_kind_score_by_the_formula_under_each_of_their_filters(
    stored: Stored, kind: str, mode: str
) -> None:
    each = [one for values in filters_of(kind, random_things(kind)).values() for one in values]

    for text in TEXTS:
        await stored.check(kind, mode, text, [Filter({}, lambda _: True), *each])


@st.composite
def any_filters(draw: st.DrawFn) -> tuple[str, Filter[StoredItem]]:
    """A kind, and some of its filters."""
    kind = draw(st.sampled_from([*KINDS]))
    things = random_things(kind)
    return kind, draw(any_of(filters_of(kind, things), [*things.values()]))


@settings(
    max_examples=examples(120), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(asked_for=any_filters(), mode=st.sampled_from(MODES), text=st.sampled_from(TEXTS))
async def test_filters_of_a_kind_narrow_one_another(
    stored: Stored, asked_for: tuple[str, Filter[StoredItem]], mode: str, text: str
) -> None:
    kind, filters = asked_for

    await stored.check(kind, mode, text, [filters])


@pytest.mark.parametrize("kind", KINDS)
def test_every_filter_is_tried_where_it_keeps_none_some_and_all(kind: str) -> None:
    things = random_things(kind)

    for name, values in filters_of(kind, things).items():
        shares = {
            share(value, [thing for thing in things.values() if thing.kind == stored_as])
            for value in values
            for stored_as in KINDS[kind]
        }
        assert shares == FEW.get(name, {"none", "some", "all"}), name


@lru_cache
def random_things(kind: str) -> Things:
    """Sixty of a kind, of some projects and two months; most of their passages with a vector."""
    chance, vectors = random.Random(kind), np.random.default_rng(7)  # noqa: S311

    def place(part: str) -> OraclePassage:
        words = chance.choices(VOCABULARY, [2.0**-rank for rank in range(8)], k=chance.randint(1, 5))
        has_vector = part != "trace_body" and chance.random() < 0.8
        return OraclePassage(
            part, words, vector=unit(vectors.standard_normal(384) + 0.5) if has_vector else None
        )

    things = {
        UUID(int=chance.getrandbits(128)): StoredItem(
            chance.choice(KINDS[kind]),
            FIRST + timedelta(days=chance.randint(0, 60)),
            {part: [place(part) for _ in range(chance.randint(1, 4))] for part in PARTS[kind]},
            chance.choice(PROJECTS),
            chance.random() < 0.4,
        )
        for _ in range(60)
    }
    if kind == "bridge":
        _describe_records(things, chance)
    return things


def _describe_records(things: Things, chance: random.Random) -> None:
    """Scenes are alike in all that filters ask for; every third moment is superseded by the one before."""
    sources, last = list[str](), None
    for number, (id_, thing) in enumerate(things.items()):
        type_ = thing.kind.removeprefix("bridge_")
        is_source, is_moment = type_ == "source", type_ == "moment"
        name = f"{'src' if is_source else type_[:3]}_{id_}"
        reported: tuple[str, ...] = (chance.choice(("I", "we")),)
        done: tuple[str, ...] = (chance.choice(("during", "right-after")),)
        has_time = number % 4 != 0 or type_ == "scene"
        successor = last if is_moment and number % 3 == 0 else None
        shot: str | None = chance.choice(("crossing-threshold", "sustained-attention"))
        is_reviewed: bool | None = chance.random() < 0.5
        felt = (*chance.sample(("embodied", "spatial", "emotional"), chance.randint(0, 3)), "temporal")
        whose: tuple[str, ...] = (chance.choice(PROJECTS),)
        if is_source:
            shot, is_reviewed, whose = None, None, ()
        elif not is_moment:
            reported, done, whose = ("I", "we"), ("during", "right-after"), ("everyone",)
            shot, is_reviewed = "crossing-threshold", True
        thing.record = Record(
            id=name,
            type=type_,
            created=thing.at + timedelta(days=20 * has_time),
            when=thing.at if has_time else None,
            experiencers=whose,
            perspectives=reported,
            processings=done,
            qualities=felt if is_moment else (),
            shot=shot,
            is_reviewed=is_reviewed,
            successor=successor,
            frames=chance.choice(sources) if is_moment and sources else None,
        )
        if is_source:
            sources.append(name)
        elif is_moment and successor is None:
            last = name


async def _transcript(call: Call) -> UUID:
    """The vCon of a transcript, before anything is said in it."""
    created = await call("create_vcon", vcon_data={"vcon": "0.4.0", "parties": [{}]})
    return UUID(created["uuid"])


async def _put(
    connection: Connection, tenant: str, things: dict[UUID, StoredItem], transcripts: dict[str, UUID]
) -> None:
    """Store the things, those of one project as exchanges of one transcript."""
    for name, vcon in transcripts.items():
        await connection.execute(
            "insert into vcontract.transcript (tenant, vcon, harness, session, sidechain, project, cwd,"
            " summary, source_path, source_size, source_mtime_ns, imported_bytes, imported_hash,"
            " archive_path, archive_size, archive_hash, lines, exchanges, malformed, redactions,"
            " started_at, ended_at, imported_at, given) values ($1, $2, 'claude', $3, false, $3, $4,"
            " '', $3, 0, 0, 0, '', $3, 0, '', 0, 0, 0, 0, $5, $5, $5, '{}')",
            *(tenant, vcon, name, f"/home/ann/{name}/src", FIRST),
        )
    said: Counter[str] = Counter()
    for number, (id_, thing) in enumerate(things.items(), start=1):
        await _describe(connection, tenant, id_, thing)
        counts = Counter(word for place in thing.places for word in place.words)
        await connection.execute(
            "insert into vcontract.search_document values ($1, $2, $3, $4, $5)",
            *(tenant, thing.kind, id_, thing.at),
            encode_strengths({lexeme(word): ("A", count) for word, count in counts.items()}),
        )
        begin = said[thing.project]
        said[thing.project] += len(thing.parts.get("dialog", ()))
        if thing.kind == "exchange":
            await connection.execute(
                "insert into vcontract.transcript_exchange (tenant, vcon, number, id, line_start, line_end,"
                " dialog_from, dialog_to, started_at, ended_at, sidechain)"
                " values ($1, $2, $3, $4, 0, 0, $5, $6, $7, $7, $8)",
                *(tenant, transcripts[thing.project], number, id_),
                *(begin, said[thing.project], thing.at, thing.is_aside),
            )
        for part, pieces in thing.parts.items():
            for at, place in enumerate(pieces):
                where = (thing.kind, id_, part, 0, at)
                if thing.kind == "exchange":
                    element, chunk = (begin + at, 0) if part == "dialog" else (number, at)
                    where = ("vcon", transcripts[thing.project], part, element, chunk)
                await connection.execute(
                    "insert into vcontract.passage (tenant, kind, id, part, element, chunk, content, words)"
                    " values ($1, $2, $3, $4, $5, $6, $7, $8)",
                    *(tenant, *where, " ".join(place.words)),
                    encode_tsvector(indexed_words(" ".join(place.words))),
                )
                if place.vector is not None:
                    await connection.execute(
                        "insert into vcontract.embedding values ($1, $2, $3, $4, $5, $6, 1, $7)",
                        *(tenant, *where, half_vectors(place.vector[None])[0]),
                    )


async def _describe(connection: Connection, tenant: str, id_: UUID, thing: StoredItem) -> None:
    """Store what filters ask of a reflection or a record."""
    if thing.kind == "reflection":
        project = project_id(thing.project)
        await connection.execute(
            "insert into vcontract.project values ($1, $2, $3, $3, $3, $4) on conflict do nothing",
            *(tenant, project, thing.project, thing.at),
        )
        await connection.execute(
            "insert into vcontract.reflection (tenant, id, project, content, digest, tags, redactions,"
            " stored_at) values ($1, $2, $3, '', '', '{}', 0, $4)",
            *(tenant, id_, project, thing.at),
        )
    elif thing.record is not None:
        await _put_record(connection, tenant, id_, thing, thing.record)


async def _put_record(
    connection: Connection, tenant: str, id_: UUID, thing: StoredItem, record: Record
) -> None:
    is_source = record.type == "source"
    await connection.execute(
        "insert into vcontract.bridge_record (tenant, id, uid, type, experiencer, experiencer_folded,"
        " when_start, when_end, when_zone, when_precision, created, content, content_type, perspective,"
        " processing, emoji, summary, narrative, shot, reviewed, auto_generated, experiencers, perspectives,"
        " processings, reframed_by)"
        " values ($1, $2, $3, $4, $5, $5, $6, $7, 'UTC', 'hour', $8, $9, $9, $10, $11,"
        " $12, $12, $12, $13, $14, $14, $15, $16, $17, $18)",
        *(tenant, record.id, id_, record.type, thing.project),
        *(record.when, record.when and record.when + timedelta(hours=1), record.created),
        *(("", record.perspectives[0], record.processings[0], None) if is_source else (None, None, None, "")),
        *(record.shot, record.is_reviewed, record.experiencers),
        *(((), ()) if is_source else (record.perspectives, record.processings)),
        record.successor,
    )
    await connection.executemany(
        "insert into vcontract.bridge_quality values ($1, $2, $3, $4, '')",
        [(tenant, record.id, position, quality) for position, quality in enumerate(record.qualities)],
    )
    if record.frames is not None:
        await connection.execute(
            "insert into vcontract.bridge_link (tenant, holder, position, kind, member)"
            " values ($1, $2, 0, 'frames', $3)",
            *(tenant, record.id, record.frames),
        )
