"""Scores of exchanges, reflections and records: each equals the published formula under every filter."""

import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4, uuid5

import numpy as np
import pytest

from tests.conftest import Call
from tests.store.test_search_scores import (
    DAYS,
    FIRST,
    VOCABULARY,
    Place,
    Vector,
    cosine_of,
    of_words_elsewhere,
    strengths_together,
    unit,
)
from vcontract.runtime.app import App
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.embedding.vectors import half_vectors
from vcontract.runtime.store.embeddings import EmbeddingStore
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.hits import QueryVector
from vcontract.runtime.store.search.things import ThingSearch
from vcontract.runtime.text.query import parse_query
from vcontract.runtime.text.words import encode_strengths, encode_tsvector, indexed_words, lexeme

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


@dataclass
class Thing:
    """A thing of one kind: the passages of its parts, in order."""

    kind: str
    at: datetime
    parts: dict[str, list[Place]]
    project: str = PROJECTS[0]
    """Whose it is; of a record the one who had the experience."""
    is_aside: bool = False
    """Of an exchange that a sub-agent had it, of a source that more than one tells it."""

    @property
    def places(self) -> list[Place]:
        return [place for places in self.parts.values() for place in places]

    def day(self, word: str) -> float:
        _, form, name = DAYS.get(word, (0, "", "-"))
        return 0.85 if self.at.strftime(form) == name else 0.0

    def whole(self, word: str) -> float:
        return max(_frequency(self.frequency(word)), self.day(word))

    def frequency(self, word: str) -> int:
        return sum(place.words.count(word) for place in self.places)

    def best(self, weighed: dict[str, float], query: Vector | None, weight: float) -> float:
        """The score of the best place: beside one are the pieces of its own part."""
        total = sum(weighed.values())
        whole = sum(share * self.whole(word) for word, share in weighed.items()) / total
        cosines = sorted((cosine_of(p, query) for p in self.places if p.vector is not None), reverse=True)[:2]
        near = sum(cosines) / len(cosines) if cosines else 0.0
        scores = [of_words_elsewhere(whole) if weight == 0 else (1 - weight) * of_words_elsewhere(whole) ** 3]
        for pieces in self.parts.values():
            for at, place in enumerate(pieces):
                together = strengths_together([[word] for word in weighed], place.words)
                felt = (
                    sum(
                        share
                        * max(
                            self.day(word),
                            close,
                            *(
                                factor * _frequency(pieces[at + away].words.count(word))
                                for away, factor in ((0, 1), (-1, 0.5), (1, 0.5), (-2, 0.4), (2, 0.4))
                                if 0 <= at + away < len(pieces)
                            ),
                        )
                        for (word, share), close in zip(weighed.items(), together, strict=True)
                    )
                    / total
                )
                keyword = (felt + 0.3 * whole) / 1.3
                meaning = 0.6 * cosine_of(place, query) + 0.4 * near
                if weight == 0 and any(word in place.words for word in weighed):
                    scores.append(keyword)
                elif weight and (felt or place.vector is not None):
                    scores.append((1 - weight) * keyword**3 + weight * meaning)
        return max(scores)


def _frequency(f: int) -> float:
    return 0.7 + 0.3 * f / (f + 2) if f else 0.0


Admits = Callable[[Thing], bool]
SINCE, UNTIL = FIRST + timedelta(days=15), FIRST + timedelta(days=40)
WINDOW: JsonObject = {"from": SINCE.isoformat(), "to": UNTIL.isoformat()}


def project_id(tenant: str, name: str) -> UUID:
    return uuid5(UUID(int=0), f"{tenant} {name}")


def scope(*, projects: list[str] | None = None, names: list[str] | None = None, root: str = "") -> JsonObject:
    return {"scope": {"projects": projects or [], "names": names or [], "roots": [root] if root else []}}


def filters_of(kind: str, tenant: str) -> list[tuple[JsonObject, Admits]]:
    """Filters that things of the kind know, and what each admits."""

    def is_then(thing: Thing) -> bool:
        return SINCE <= thing.at < UNTIL

    of_all: list[tuple[JsonObject, Admits]] = [({}, lambda _: True), (WINDOW, is_then)]
    if kind == "reflection":
        of_garden = scope(projects=[str(project_id(tenant, "garden"))])
        return [
            *of_all,
            (of_garden, lambda one: one.project == "garden"),
            (WINDOW | of_garden, lambda one: is_then(one) and one.project == "garden"),
        ]
    if kind == "exchange":
        return [
            *of_all,
            ({"sidechains": False}, lambda one: not one.is_aside),
            (scope(names=["garden"]), lambda one: one.project == "garden"),
            (scope(root="/home/ann/cellar/"), lambda one: one.project == "cellar"),
            (
                WINDOW | {"sidechains": False} | scope(names=["attic"], root="/home/ann/garden"),
                lambda one: is_then(one) and not one.is_aside and one.project in ("attic", "garden"),
            ),
        ]
    return [
        *of_all,
        ({"bridge": {"types": ["moment", "scene"]}}, lambda one: one.kind != "bridge_source"),
        ({"bridge": {"experiencer": "cellar"}}, lambda one: one.project == "cellar"),
        ({"bridge": {"when": WINDOW}}, is_then),
        ({"bridge": {"perspective": "we"}}, lambda one: one.kind == "bridge_source" and one.is_aside),
        (
            {"bridge": {"when": WINDOW, "types": ["source", "scene"], "experiencer": "garden"}},
            lambda one: is_then(one) and one.kind != "bridge_moment" and one.project == "garden",
        ),
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", ["words", "meaning", "both"])
async def test_things_of_every_kind_score_by_the_formula_under_each_of_their_filters(
    call: Call, app: App, tenant: str, kind: str, mode: str
) -> None:
    things = random_things(kind)
    query = unit(np.random.default_rng(9).standard_normal(384) + 0.5)
    transcripts = [await _transcript(call) for _ in PROJECTS] if kind == "exchange" else []
    async with app.database.writing(tenant) as connection:
        await _put(connection, tenant, things, dict(zip(PROJECTS, transcripts, strict=False)))
        search = ThingSearch()
        (space,) = await EmbeddingStore().spaces(connection)
        vector = QueryVector(space, half_vectors(query[None])[0]) if mode != "words" else None
        for text in ("kappa", "delta bravo omega", "zulu tuesday march"):
            words = None if mode == "meaning" else parse_query(text, any_word=True)
            asked = await search.asked(connection, tenant, words, vector, kinds=KINDS[kind])
            weight = {"words": 0.0, "meaning": 1.0, "both": 0.6}[mode]
            weighed = (
                {"-": 1.0}
                if words is None
                else {
                    word: max(round(16 * math.log(1 + len(things) / (1 + n))), 1) / 16
                    for word in text.split()
                    for n in [sum(any(word in p.words for p in thing.places) for thing in things.values())]
                }
            )
            for filters, admits in filters_of(kind, tenant):
                found = await search.find(connection, kind, filters, asked)
                items = await search.items(connection, found, [thing.id for thing in found.things])

                expected = {
                    id_: thing.best(weighed, None if vector is None else query, weight)
                    for id_, thing in things.items()
                    if admits(thing)
                    and (
                        (words is not None and any(thing.whole(word) for word in weighed))
                        or (vector is not None and any(place.vector is not None for place in thing.places))
                    )
                }
                scores = {item.id: item.score for item in items}
                assert expected, filters
                assert scores == pytest.approx(expected, abs=1e-6), (text, filters)
                assert list(scores.values()) == sorted(scores.values(), reverse=True)


def random_things(kind: str) -> dict[UUID, Thing]:
    """Sixty of a kind, of some projects and two months; most of their passages with a vector."""
    chance, vectors = random.Random(7), np.random.default_rng(7)  # noqa: S311

    def place(part: str) -> Place:
        words = chance.choices(VOCABULARY, [2.0**-rank for rank in range(8)], k=chance.randint(1, 5))
        has_vector = part != "trace_body" and chance.random() < 0.8
        return Place(part, words, vector=unit(vectors.standard_normal(384) + 0.5) if has_vector else None)

    return {
        uuid4(): Thing(
            chance.choice(KINDS[kind]),
            FIRST + timedelta(days=chance.randint(0, 60)),
            {part: [place(part) for _ in range(chance.randint(1, 4))] for part in PARTS[kind]},
            chance.choice(PROJECTS),
            chance.random() < 0.4,
        )
        for _ in range(60)
    }


async def _transcript(call: Call) -> UUID:
    """The vCon of a transcript, before anything is said in it."""
    created = await call("create_vcon", vcon_data={"vcon": "0.4.0", "parties": [{}]})
    return UUID(created["uuid"])


async def _put(
    connection: Connection, tenant: str, things: dict[UUID, Thing], transcripts: dict[str, UUID]
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


async def _describe(connection: Connection, tenant: str, id_: UUID, thing: Thing) -> None:
    """Store what filters ask of a reflection or a record."""
    if thing.kind == "reflection":
        project = project_id(tenant, thing.project)
        await connection.execute(
            "insert into vcontract.project values ($1, $2, $3, $3, $3, $4) on conflict do nothing",
            *(tenant, project, thing.project, thing.at),
        )
        await connection.execute(
            "insert into vcontract.reflection (tenant, id, project, content, digest, tags, redactions,"
            " stored_at) values ($1, $2, $3, '', '', '{}', 0, $4)",
            *(tenant, id_, project, thing.at),
        )
    elif thing.kind != "exchange":
        type_ = thing.kind.removeprefix("bridge_")
        is_source = type_ == "source"
        await connection.execute(
            "insert into vcontract.bridge_record (tenant, id, uid, type, experiencer, experiencer_folded,"
            " when_start, when_end, when_zone, when_precision, created, content, content_type, perspective,"
            " processing, emoji, summary, narrative, shot, reviewed, auto_generated)"
            " values ($1, $2, $3, $4, $5, $5, $6, $7, 'UTC', 'day', $6, $8, $8, $9, $10, $11, $11, $11, $12,"
            " $13, $13)",
            *(tenant, f"{'src' if is_source else type_[:3]}_{id_}", id_, type_, thing.project, thing.at),
            *(thing.at + timedelta(seconds=1), "" if is_source else None),
            *(("we" if thing.is_aside else "I", "during") if is_source else (None, None)),
            *((None, None, None) if is_source else ("", "sustained-attention", False)),
        )
