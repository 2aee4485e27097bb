"""Scores of searches: each equals the published formula, computed here from the texts and vectors alone."""

import math
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise, product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Call
from tests.effort import examples
from tests.store.filters import Filter, any_of, share
from vcontract.runtime.app import App
from vcontract.runtime.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.embedding.vectors import half_vectors
from vcontract.runtime.store.embeddings import EmbeddingStore
from vcontract.runtime.store.search.blocks import BLOCK
from vcontract.runtime.store.search.hits import QueryVector
from vcontract.runtime.store.search.things import ThingSearch
from vcontract.runtime.text.query import parse_query

VOCABULARY = ["kappa", "zulu", "delta", "bravo", "tango", "gamma", "sigma", "omega"]
STRENGTH = {"subject": 1.0, "party": 1.0, "dialog": 0.9, "analysis": 0.9, "attachment": 0.8}
FIRST = datetime(2025, 3, 3, 12, tzinfo=UTC)
"""A Monday."""
DAYS = {"march": (1, "%B", "March"), "tuesday": (2, "%A", "Tuesday")}
Vector = npt.NDArray[np.float32]
Key = tuple[str, int]
ORIGINALS = tuple(f"018f0000-0000-8000-8000-00000000000{number}" for number in (1, 2, 3))


@dataclass
class Place:
    """A passage of a vCon: its words, its speaker among the parties, its vector."""

    part: str
    words: list[str]
    speaker: int | None = None
    vector: Vector | None = None
    kind: str = "note"
    """The type of an analysis, the purpose of an attachment."""


@dataclass(frozen=True)
class Reachable:
    """How a party is reached, and its role."""

    role: str
    mailto: str
    tel: str


@dataclass
class Conversation:
    """The passages of one vCon."""

    places: list[Place] = field(default_factory=list[Place])
    at: datetime = FIRST
    tags: dict[str, str] = field(default_factory=dict[str, str])
    reached: list[Reachable] = field(default_factory=list[Reachable])
    """Of each party, if any."""
    vendors: list[str] = field(default_factory=list[str])
    """Of each analysis, if any."""
    dealer: tuple[int, str] | None = None
    original: str | None = None
    """What it amends."""

    def document(self) -> JsonObject:
        content = {"encoding": "none", "mediatype": "text/plain"}
        texts = {part: [" ".join(p.words) for p in self.of(part)] for part in STRENGTH}
        document: JsonObject = {
            **({"subject": texts["subject"][0]} if texts["subject"] else {}),
            "created_at": self.at.isoformat(),
            "parties": [{"name": name} for name in texts["party"]] or [{}],
            "dialog": [
                {"type": "text", "parties": [place.speaker or 0], "body": body, **content}
                for place, body in zip(self.of("dialog"), texts["dialog"], strict=True)
            ],
            "analysis": [
                {"type": place.kind, "vendor": "x", "body": body, **content}
                for place, body in zip(self.of("analysis"), texts["analysis"], strict=True)
            ],
            "attachments": [
                {"purpose": place.kind, "body": body, **content}
                for place, body in zip(self.of("attachment"), texts["attachment"], strict=True)
            ],
        }
        for party, reached in zip(document["parties"], self.reached, strict=False):
            party |= asdict(reached)
        for analysis, vendor in zip(document["analysis"], self.vendors, strict=False):
            analysis["vendor"] = vendor
        if self.original is not None:
            document["amended"] = {"uuid": self.original}
        beside: list[tuple[str, JsonValue]] = []
        if self.dealer is not None:
            beside.append(("strolid_dealer", dict(zip(("id", "name"), self.dealer, strict=True))))
        if self.tags:
            beside.append(("tags", [f"{key}:{value}" for key, value in self.tags.items()]))
        document["attachments"] += [
            {"purpose": purpose, "encoding": "json", "body": dump_json(body).decode()}
            for purpose, body in beside
        ]
        return document

    def of(self, part: str) -> list[Place]:
        return [place for place in self.places if place.part == part]

    def says(self, part: str, text: str) -> bool:
        return any(text in " ".join(place.words) for place in self.of(part))

    def whole(self, phrase: list[str]) -> float:
        """p * (0.7 + 0.3 * f / (f + 2)) for f passages with it, p the best of their parts; 0.85 of a day."""
        having = [place.part for place in self.places if _count(phrase, place.words)]
        f = len(having)
        own = max(STRENGTH[part] for part in having) * (0.7 + 0.3 * f / (f + 2)) if having else 0.0
        return max(own, self.day(phrase))

    def day(self, phrase: list[str]) -> float:
        _, form, name = DAYS.get(" ".join(phrase), (0, "", "-"))
        return 0.85 if self.at.strftime(form) == name else 0.0

    def own(self, phrase: list[str], place: Place) -> float:
        f = _count(phrase, place.words)
        if not f:
            return 0.0
        return 0.7 + 0.3 * f / (f + 2) if len(phrase) == 1 else 0.8

    def felt(self, phrase: list[str], place: Place) -> float:
        """The greatest of own, beside, speaker and day."""
        strengths = [self.own(phrase, place)]
        if place.part != "party":
            strengths.append(self.day(phrase))
        if place.part == "dialog":
            turns = self.of("dialog")
            at = next(number for number, turn in enumerate(turns) if turn is place)
            for away, share in ((1, 0.5), (2, 0.4)):
                for beside in (at - away, at + away):
                    if 0 <= beside < len(turns):
                        strengths.append(share * self.own(phrase, turns[beside]))
            parties = self.of("party")
            if parties and _count(phrase, parties[place.speaker or 0].words):
                strengths.append(1.0)
        return max(strengths)

    def score_as_whole(self, weighed: list[tuple[list[str], float]]) -> float:
        """How strongly it holds the words, whatever the place."""
        total = sum(share for _, share in weighed)
        return sum(share * self.whole(phrase) for phrase, share in weighed) / total

    def score(self, weighed: list[tuple[list[str], float]], query: Vector | None, weight: float) -> float:
        """That of the best place; of words alone the best where a word stands."""
        whole = of_words_elsewhere(self.score_as_whole(weighed))
        scored = self.scored_places(weighed, query, weight)
        return max([whole if weight == 0 else (1 - weight) * whole**3, *(score for _, score in scored)])

    def scored_places(
        self, weighed: list[tuple[list[str], float]], query: Vector | None, weight: float
    ) -> list[tuple[Place, float]]:
        """The places that words or meaning speak for; of words alone those where a word stands."""
        total = sum(share for _, share in weighed)
        phrases = [phrase for phrase, _ in weighed]
        whole = self.score_as_whole(weighed)
        cosines = [cosine_of(place, query) for place in self.places if place.vector is not None]
        best = sum(sorted(cosines, reverse=True)[:2]) / min(len(cosines), 2) if cosines else 0.0
        scored: list[tuple[Place, float]] = []
        for place in self.places:
            together = strengths_together(phrases, place.words)
            felt = sum(
                share * max(self.felt(phrase, place), near)
                for (phrase, share), near in zip(weighed, together, strict=True)
            )
            felt /= total
            keyword = (felt + 0.3 * whole) / 1.3
            if weight == 0:
                if any(self.own(phrase, place) for phrase, _ in weighed):
                    scored.append((place, keyword))
            elif felt or place.vector is not None:
                meaning = 0.6 * (cosine_of(place, query) if place.vector is not None else 0) + 0.4 * best
                scored.append((place, (1 - weight) * keyword**3 + weight * meaning))
        return scored


def of_words_elsewhere(whole: float) -> float:
    return 0.3 * whole / 1.3


def _count(phrase: list[str], words: list[str]) -> int:
    return len(_places(phrase, words))


def _places(phrase: list[str], words: list[str]) -> list[int]:
    return [at for at in range(len(words)) if words[at : at + len(phrase)] == phrase]


def strengths_together(phrases: list[list[str]], words: list[str]) -> list[float]:
    """Of each phrase, and of the next one, 1 where that follows it, and 0.9 where that is near."""
    strengths = [0.0] * len(phrases)
    for at, (one, other) in enumerate(pairwise(phrases)):
        ones, others = _places(one, words), _places(other, words)
        after = [away for a in ones for b in others if (away := b - a - len(one) + 1) > 0]
        before = [away for a in ones for b in others if (away := a - b - len(other) + 1) > 0]
        near = 1.0 if min(after, default=9) <= 3 else 0.9 if min(after + before, default=9) <= 6 else 0.0
        strengths[at] = max(strengths[at], near)
        strengths[at + 1] = near
    return strengths


def cosine_of(place: Place, query: Vector | None) -> float:
    if query is None or place.vector is None:
        return 0.0
    return min(max(float(place.vector @ query), 0.0), 1.0)


def weights_of(corpus: list[Conversation], phrases: list[list[str]]) -> list[tuple[list[str], float]]:
    """ln(1 + N / (1 + n)) in sixteenths, n of the N conversations having a phrase."""
    found = [sum(any(_count(p, place.words) for place in c.places) for c in corpus) for p in phrases]
    return [
        (phrase, max(round(16 * math.log(1 + len(corpus) / (1 + n))), 1) / 16)
        for phrase, n in zip(phrases, found, strict=True)
    ]


def random_corpus(seed: int, size: int, *, embedded: bool = False) -> list[Conversation]:
    chance = random.Random(seed)  # noqa: S311
    vectors = np.random.default_rng(seed)
    corpus: list[Conversation] = []
    for _ in range(size):
        conversation = Conversation(at=FIRST + timedelta(days=chance.randint(0, 60)))
        rarity = [2.0**-rank for rank in range(len(VOCABULARY))]
        parties = 0
        for part, most in (("subject", 1), ("party", 2), ("dialog", 6), ("analysis", 2), ("attachment", 2)):
            for _ in range(chance.randint(0, most)):
                place = Place(part, chance.choices(VOCABULARY, rarity, k=chance.randint(1, 5)))
                parties += part == "party"
                if part == "dialog":
                    place.speaker = chance.randrange(max(parties, 1))
                if embedded and part != "party" and chance.random() < 0.8:
                    place.vector = unit(vectors.standard_normal(384) + 0.5)
                conversation.places.append(place)
        corpus.append(conversation)
    return corpus


def unit(vector: npt.NDArray[np.float64]) -> Vector:
    rounded: Vector = (vector / np.linalg.norm(vector)).astype(np.float16).astype(np.float32)
    return rounded


QUERIES: list[tuple[str, list[list[str]]]] = [
    ("kappa", [["kappa"]]),
    ("omega", [["omega"]]),
    ("kappa zulu", [["kappa"], ["zulu"]]),
    ("delta bravo kappa", [["delta"], ["bravo"], ["kappa"]]),
    ("kappa OR omega", [["kappa", "omega"]]),
    ("tango OR gamma delta", [["tango", "gamma"], ["delta"]]),
    ('"kappa zulu"', [["kappa zulu"]]),
    ('"zulu kappa" delta', [["zulu kappa"], ["delta"]]),
    ('"kappa kappa kappa" OR sigma', [["kappa kappa kappa", "sigma"]]),
    ("kappa OR march", [["kappa", "march"]]),
    ("zulu OR tuesday OR march", [["zulu", "tuesday", "march"]]),
]


async def store(call: Call, corpus: list[Conversation]) -> list[str]:
    ids: list[str] = []
    for conversation in corpus:
        answer = await call("create_vcon", vcon_data=conversation.document(), validate_before_insert=False)
        ids.append(answer["uuid"])
    return ids


async def put_vectors(app: App, tenant: str, ids: list[str], corpus: list[Conversation]) -> None:
    """Store the vectors of the places beside their passages."""
    rows = [
        (id_, place.part, number, place.vector)
        for id_, conversation in zip(ids, corpus, strict=True)
        for part in STRENGTH
        for number, place in enumerate(conversation.of(part))
        if place.vector is not None
    ]
    async with app.database.writing(tenant) as connection:
        await connection.execute(
            "insert into vcontract.embedding (tenant, kind, id, part, element, chunk, space, vector)"
            " select $1, 'vcon', id, part, element, 0, 1, vector"
            " from unnest($2::uuid[], $3::text[], $4::integer[], $5::halfvec[])"
            "  x (id, part, element, vector)",
            tenant,
            [row[0] for row in rows],
            [row[1] for row in rows],
            [row[2] for row in rows],
            half_vectors(np.stack([row[3] for row in rows])),
        )
        await connection.execute("delete from vcontract.embedding_task where tenant = $1", tenant)


@pytest.mark.parametrize(("seed", "size"), [(1, 1), (2, 7), (3, 60)])
async def test_every_keyword_score_equals_the_formula(call: Call, seed: int, size: int) -> None:
    corpus = random_corpus(seed, size)
    ids = await store(call, corpus)

    for query, demands in QUERIES:
        page = await call("vcon_search", mode="keyword", query=query, limit=100, include=["core"])
        if page["meta"]["matching"] != "exact":
            continue
        phrases = [phrase.split() for demand in demands for phrase in demand]
        weighed = weights_of(corpus, phrases)
        expected = {
            id_: conversation.score(weighed, None, 0)
            for id_, conversation in zip(ids, corpus, strict=True)
            if all(
                any(_count(p.split(), place.words) for p in demand for place in conversation.places)
                for demand in demands
            )
        }
        scores = {item["id"]: item["score"] for item in page["items"]}
        assert scores == pytest.approx(expected, abs=1e-6), query
        assert all(0 < score <= 1 for score in scores.values())
        wholes = {id_: c.score_as_whole(weighed) for id_, c in zip(ids, corpus, strict=True)}
        blocks = [list(scores)[at : at + BLOCK] for at in range(0, len(scores), BLOCK)]
        for block, following in pairwise([*blocks, []]):
            assert block == sorted(block, key=lambda id_: (scores[id_], id_), reverse=True)
            assert (
                min(map(wholes.__getitem__, block))
                >= max(map(wholes.__getitem__, following), default=0) - 1e-9
            )
        assert all(item["match"]["keyword_score"] == item["score"] for item in page["items"])


@pytest.mark.parametrize("weight", [0, 0.3, 0.6, 1])
async def test_every_hybrid_score_equals_the_formula(
    call: Call, app: App, tenant: str, weight: float
) -> None:
    corpus = random_corpus(5, 40, embedded=True)
    ids = await store(call, corpus)
    await put_vectors(app, tenant, ids, corpus)
    query = unit(np.random.default_rng(9).standard_normal(384) + 0.5)
    for text in ("kappa", "delta bravo omega", "zulu tuesday march"):
        page = await call(
            "vcon_search",
            mode="hybrid",
            query=text,
            embedding=query.tolist(),
            semantic_weight=weight,
            threshold=0,
            limit=100,
            include=["core"],
        )
        weighed = weights_of(corpus, [[word] for word in text.split()])
        expected = {
            id_: conversation.score(weighed, query, weight)
            for id_, conversation in zip(ids, corpus, strict=True)
            if (weight < 1 and any(conversation.whole(phrase) for phrase, _ in weighed))
            or (weight > 0 and any(place.vector is not None for place in conversation.places))
        }
        scores = {item["id"]: item["score"] for item in page["items"]}
        assert scores == pytest.approx(expected, abs=1e-6), text
        assert list(scores.values()) == sorted(scores.values(), reverse=True)


Known = dict[str, list[Filter[Conversation]]]
ROLES, ADDRESSES, NUMBERS = (
    ("buyer", "seller"),
    ("ann@left.example", "bob@right.example"),
    ("+15550100", "+15550200"),
)


def marked_corpus(size: int) -> list[Conversation]:
    """Conversations with what filters ask for; each has a place of every kind with the word `shared`."""
    chance = random.Random(23)  # noqa: S311
    corpus = random_corpus(13, size, embedded=True)
    for one in corpus:
        subject = one.of("subject")
        if subject:
            subject[0].words.append("shared")
        else:
            one.places.append(Place("subject", ["shared"]))
        one.places += [
            Place("party", ["shared"]),
            Place("analysis", ["shared"], kind="digest"),
            Place("attachment", ["shared"], kind="scan"),
        ]
        for place in one.of("analysis") + one.of("attachment"):
            place.kind = chance.choice(("note", "score")) if place.kind == "note" else place.kind
        one.tags = {
            "side": chance.choice(("left", "right")),
            "seen": chance.choice(("yes", "no")),
            "all": "yes",
        }
        one.reached = [
            Reachable(chance.choice(ROLES), chance.choice(ADDRESSES), chance.choice(NUMBERS))
            for _ in one.of("party")[:-1]
        ] + [Reachable("Witness", "all@common.example", "+4930")]
        one.vendors = [chance.choice(("x", "y")) for _ in one.of("analysis")[:-1]] + ["common"]
        one.dealer = chance.choice(((815, "Iron Motors"), (816, "Gate Motors"), (7, "Tin Motors")))
        one.original = chance.choice((None, *ORIGINALS[:2]))
    return corpus


def filters_of_vcons() -> Known:
    """Filters of vCons, by name; of one name only one is given."""

    def within(first: str, last: str) -> Filter[Conversation]:
        begin, end = (datetime.fromisoformat(day).replace(tzinfo=UTC) for day in (first, last))
        return Filter(
            {"start_date": first, "end_date": last}, lambda one: begin <= one.at < end + timedelta(days=1)
        )

    def tagged(key: str, value: str) -> Filter[Conversation]:
        return Filter({"tags": {key: value}}, lambda one: one.tags.get(key) == value)

    def about(text: str) -> Filter[Conversation]:
        return Filter({"subject": text}, lambda one: one.says("subject", text))

    def with_party(
        name: str | None, role: str | None, email: str | None, tel: str | None
    ) -> Filter[Conversation]:
        """One party has all of it."""
        asked = {"party_name": name, "party_role": role, "party_email": email, "party_tel": tel}
        return Filter(
            {key: value for key, value in asked.items() if value is not None},
            lambda one: any(
                (name is None or name in " ".join(party.words))
                and (role is None or role.lower() == reached.role.lower())
                and (email is None or email in reached.mailto)
                and (tel is None or digits(tel) in digits(reached.tel))
                for party, reached in zip(one.of("party"), one.reached, strict=True)
            ),
        )

    def analysed(type_: str | None, vendor: str | None) -> Filter[Conversation]:
        """One analysis has both."""
        asked = {"analysis_type": type_, "analysis_vendor": vendor}
        return Filter(
            {key: value for key, value in asked.items() if value is not None},
            lambda one: any(
                type_ in (None, place.kind) and vendor in (None, made_by)
                for place, made_by in zip(one.of("analysis"), one.vendors, strict=True)
            ),
        )

    def attached(purpose: str) -> Filter[Conversation]:
        return Filter(
            {"attachment_type": purpose}, lambda one: any(p.kind == purpose for p in one.of("attachment"))
        )

    def dealt(number: int | None, name: str | None) -> Filter[Conversation]:
        asked = {"dealer_id": None if number is None else str(number), "dealer_name": name}
        return Filter(
            {key: value for key, value in asked.items() if value is not None},
            lambda one: (
                one.dealer is not None
                and number in (None, one.dealer[0])
                and (name or "").lower() in one.dealer[1].lower()
            ),
        )

    def version_of(original: str) -> Filter[Conversation]:
        return Filter({"version_of": original}, lambda one: one.original == original)

    return {
        "dates": [
            within("2025-03-20", "2025-04-10"),
            within("2025-01-01", "2025-12-31"),
            within("2026-01-01", "2026-12-31"),
        ],
        "tag": [tagged("side", "left"), tagged("side", "neither"), tagged("all", "yes")],
        "another tag": [tagged("seen", "yes"), tagged("seen", "no"), tagged("seen", "")],
        "subject": [about("kappa"), about("a"), about("shared"), about("nobody")],
        "party": [
            with_party(*asked)
            for asked in (
                *product((None, "zulu"), (None, "BUYER"), (None, "@left"), (None, "555-01")),
                (None, "seller", "bob@", "555-02"),
                ("shared", "witness", "all@common.example", "+49 30"),
                ("shared", "buyer", None, None),
            )
            if any(asked)
        ],
        "analysis": [
            analysed(*asked)
            for asked in product((None, "note", "digest"), (None, "x", "common"))
            if any(asked)
        ],
        "attachment": [attached(purpose) for purpose in ("note", "scan", "photo")],
        "dealer": [
            dealt(*asked)
            for asked in ((815, None), (None, "iron"), (7, "tin"), (815, "gate"), (None, "MOTORS"), (9, None))
        ],
        "version": [version_of(original) for original in ORIGINALS],
    }


def digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


@dataclass(frozen=True)
class Marked:
    """What a test asks about, and how."""

    call: Call
    corpus: dict[str, Conversation]
    query: Vector

    async def check(self, mode: str, asked_for: Sequence[Filter[Conversation]]) -> None:
        """Under each filter just what it admits is found, with the scores of the formula, best first."""
        weighed = weights_of([*self.corpus.values()], [["kappa"], ["zulu"]])
        asked: dict[str, JsonObject] = {
            "keyword": {"query": "kappa OR zulu"},
            "semantic": {"embedding": self.query.tolist(), "threshold": 0},
            "hybrid": {"query": "kappa zulu", "embedding": self.query.tolist(), "threshold": 0},
        }

        def expected(one: Conversation) -> float | None:
            """The score, of meaning alone the cosine; None where nothing speaks for it."""
            has_words = any(one.whole(phrase) for phrase, _ in weighed)
            cosines = [cosine_of(place, self.query) for place in one.places if place.vector is not None]
            if mode == "semantic":
                return max(cosines, default=None)
            if not has_words and (mode == "keyword" or not cosines):
                return None
            return one.score(weighed, *((None, 0) if mode == "keyword" else (self.query, 0.6)))

        for each in asked_for:
            page = await self.call(
                "vcon_search", mode=mode, filters=each.given, limit=100, include=["core"], **asked[mode]
            )

            assert page["ok"], (each.given, page["error"])
            scores = {
                item["id"]: item["match"]["cosine"] if mode == "semantic" else item["score"]
                for item in page["items"]
            }
            admitted = {id_: expected(one) for id_, one in self.corpus.items() if each.admits(one)}
            assert scores == pytest.approx(
                {id_: score for id_, score in admitted.items() if score is not None}, abs=1e-6
            ), each.given
            assert list(scores.values()) == sorted(scores.values(), reverse=True)


@pytest.fixture
async def marked(call: Call, app: App, tenant: str) -> Marked:
    corpus = marked_corpus(40)
    ids = await store(call, corpus)
    await put_vectors(app, tenant, ids, corpus)
    query = unit(np.random.default_rng(9).standard_normal(384) + 0.5)
    return Marked(call, dict(zip(ids, corpus, strict=True)), query)


MODES = ("keyword", "semantic", "hybrid")


@pytest.mark.parametrize("mode", MODES)
async def test_a_filter_keeps_what_it_admits_with_the_scores_of_the_formula(
    marked: Marked, mode: str
) -> None:
    await marked.check(mode, [one for values in filters_of_vcons().values() for one in values])


@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(asked_for=any_of(filters_of_vcons(), marked_corpus(40)), mode=st.sampled_from(MODES))
async def test_filters_narrow_one_another(marked: Marked, asked_for: Filter[Conversation], mode: str) -> None:
    await marked.check(mode, [asked_for])


def test_every_filter_is_tried_where_it_keeps_none_some_and_all() -> None:
    corpus = marked_corpus(40)

    for name, values in filters_of_vcons().items():
        kept = {share(value, corpus) for value in values}
        assert kept == {"none", "some", "all"} - ({"all"} if name in ("another tag", "version") else set())


OF_GARDEN: JsonObject = {"scope": {"projects": [], "names": ["garden"], "roots": []}, "transcripts": False}
SINCE, UNTIL = FIRST + timedelta(days=15), FIRST + timedelta(days=40)
WITHIN: JsonObject = {"from": SINCE.isoformat(), "to": UNTIL.isoformat()}


@pytest.mark.parametrize("mode", ["words", "meaning", "both"])
async def test_each_turn_that_sessions_remember_has_the_score_of_the_formula(
    call: Call, app: App, tenant: str, mode: str
) -> None:
    corpus = random_corpus(17, 30, embedded=True)
    ids = await store(call, corpus)
    await put_vectors(app, tenant, ids, corpus)
    for id_ in ids[::2]:
        await call("add_tag", vcon_uuid=id_, key="project", value="Garden")
    query = unit(np.random.default_rng(9).standard_normal(384) + 0.5)
    weight = {"words": 0.0, "meaning": 1.0, "both": 0.6}[mode]
    search = ThingSearch()
    async with app.database.reading(tenant) as connection:
        (space,) = await EmbeddingStore().spaces(connection)
        vector = QueryVector(space, half_vectors(query[None])[0]) if mode != "words" else None
        for text in ("kappa", "delta bravo omega", "zulu tuesday march"):
            words = None if mode == "meaning" else parse_query(text, any_word=True)
            asked = await search.asked(connection, tenant, words, vector, kinds=("vcon",))
            phrases = [["-"]] if words is None else [[word] for word in text.split()]
            for filters in ({}, WITHIN, OF_GARDEN, WITHIN | OF_GARDEN):
                found = await search.find(connection, "vcon", filters, asked)
                turns = await search.dialogs(connection, found, [thing.id for thing in found.things])

                expected = {
                    (id_, turn): score
                    for number, (id_, one) in enumerate(zip(ids, corpus, strict=True))
                    if ("from" not in filters or SINCE <= one.at < UNTIL)
                    and ("scope" not in filters or number % 2 == 0)
                    for place, score in one.scored_places(
                        weights_of(corpus, phrases), None if vector is None else query, weight
                    )
                    for turn, each in enumerate(one.of("dialog"))
                    if each is place
                }
                assert expected, filters
                assert {(str(turn.id), turn.element): turn.score for turn in turns} == pytest.approx(
                    expected, abs=1e-6
                ), (text, filters)


@pytest.mark.parametrize("times", [1, 2, 3, 40, 150])
async def test_the_frequency_of_a_word_counts_ever_less(call: Call, times: int) -> None:
    conversation = Conversation([Place("dialog", ["kappa"] * times)])
    await store(call, [conversation])

    page = await call("vcon_search", mode="keyword", query="kappa", include=["core"])

    expected = conversation.score([(["kappa"], 1)], None, 0)
    assert page["items"][0]["score"] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("part", STRENGTH)
async def test_a_word_of_a_part_counts_as_the_part_does(call: Call, part: str) -> None:
    conversation = Conversation([Place(part, ["kappa"])])
    await store(call, [conversation])

    page = await call("vcon_search", mode="keyword", query="kappa", include=["core"])

    assert page["items"][0]["score"] == pytest.approx((0.8 + 0.3 * 0.8 * STRENGTH[part]) / 1.3, abs=1e-6)


async def test_a_corrected_word_counts_by_its_similarity(call: Call) -> None:
    conversation = Conversation([Place("dialog", ["receive"])])
    await store(call, [conversation])

    page = await call("vcon_search", mode="keyword", query="recieve", include=["core"])

    (correction,) = page["meta"]["corrections"]
    expected = correction["similarity"] * conversation.score([(["receive"], 1)], None, 0)
    assert page["items"][0]["score"] == pytest.approx(expected, abs=1e-6)


async def test_a_hit_tells_what_speaks_for_it(call: Call) -> None:
    conversation = Conversation(
        [
            Place("party", ["tango"]),
            Place("party", ["gamma"]),
            Place("dialog", ["kappa"], 0),
            Place("dialog", ["zulu"], 1),
        ]
    )
    await store(call, [conversation])

    page = await call(
        "vcon_search", mode="keyword", query="kappa OR gamma OR zulu OR march", include=["core"]
    )

    hits = {
        (hit["content_type"], hit["content_index"]): hit["because"]
        for hit in page["items"][0]["match"]["hits"]
    }
    assert hits == {
        ("dialog", 0): ["own", "beside", "day"],
        ("dialog", 1): ["own", "beside", "speaker", "day"],
        ("party", 1): ["own"],
    }


async def test_words_in_sequence_come_before_the_same_words_near_and_those_before_words_apart(
    call: Call,
) -> None:
    filler = ["tango"] * 9
    texts = {
        "in sequence": ["kappa", "zulu", *filler, "delta"],
        "near": ["zulu", "tango", "kappa", *filler, "delta"],
        "apart": ["kappa", *filler, "zulu", *filler, "delta"],
        "in two turns": ["kappa"],
    }
    corpus = [Conversation([Place("dialog", words), Place("subject", ["omega"])]) for words in texts.values()]
    corpus[-1].places.append(Place("dialog", ["zulu"]))
    ids = dict(zip(await store(call, corpus), texts, strict=True))

    page = await call("vcon_search", mode="keyword", query="kappa zulu", include=["core"])

    assert [ids[item["id"]] for item in page["items"]] == list(texts)
    because = [item["match"]["hits"][0]["because"] for item in page["items"]]
    assert because == [["own", "together"], ["own", "together"], ["own"], ["own", "beside"]]


async def test_hits_per_item_says_how_many_come_and_more_hits_how_many_do_not(call: Call) -> None:
    await store(call, [Conversation([Place("dialog", ["kappa", f"turn{number}"]) for number in range(60)])])

    for asked, shown in (({}, 3), ({"hits_per_item": 1}, 1), ({"hits_per_item": 10}, 10)):
        page = await call("vcon_search", mode="keyword", query="kappa", include=["core"], **asked)
        match = page["items"][0]["match"]
        assert (len(match["hits"]), match["more_hits"]) == (shown, 60 - shown)
