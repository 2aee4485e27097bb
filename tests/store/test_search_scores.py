"""Scores of searches: each equals the published formula, computed here from the texts and vectors alone."""

import math
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import product
from uuid import UUID

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Call
from tests.effort import examples
from tests.shown import shown_turns
from tests.store.filters import Filter, any_of, share
from tests.store.oracle import (
    OraclePassage,
    Text,
    Vector,
    Weighed,
    Whole,
    cosine_of,
    holds,
    rank_everything,
    score,
    unit,
)
from tests.store.oracle import best as best_of
from vcontract.runtime.app import App
from vcontract.runtime.embedding.vectors import half_vectors
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.store.embeddings import EmbeddingStore
from vcontract.runtime.store.search.hits import QueryVector
from vcontract.runtime.store.search.search import Search
from vcontract.runtime.text.query import parse_query

VOCABULARY = ["kappa", "zulu", "delta", "bravo", "tango", "gamma", "sigma", "omega"]
PARTS = ("subject", "party", "dialog", "analysis", "attachment")
FIRST = datetime(2025, 3, 3, 12, tzinfo=UTC)
"""A Monday."""
ORIGINALS = tuple(f"018f0000-0000-8000-8000-00000000000{number}" for number in (1, 2, 3))


@dataclass(frozen=True)
class Reachable:
    """How a party is reached, and its role."""

    role: str
    mailto: str
    tel: str


@dataclass
class Conversation:
    """The passages of one vCon."""

    places: list[OraclePassage] = field(default_factory=list[OraclePassage])
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
        texts = {part: [" ".join(p.words) for p in self.of(part)] for part in PARTS}
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

    def of(self, part: str) -> list[OraclePassage]:
        return [place for place in self.places if place.part == part]

    def says(self, part: str, text: str) -> bool:
        return any(text in " ".join(place.words) for place in self.of(part))

    def whole(self) -> Whole:
        return Whole(
            self.at, [Text(place, number) for part in PARTS for number, place in enumerate(self.of(part))]
        )


def wholes_of(corpus: dict[str, Conversation]) -> dict[UUID, Whole]:
    return {UUID(id_): conversation.whole() for id_, conversation in corpus.items()}


def scores_of(
    corpus: dict[str, Conversation], weighed: Weighed, query: Vector | None, weight: float
) -> dict[str, float]:
    """The scores of the conversations that match, by the formula."""
    return {str(id_): best for id_, best in best_of(score(wholes_of(corpus), weighed, query, weight)).items()}


def in_order(items: Sequence[JsonObject]) -> bool:
    """Whether items come best first, then with the larger uuid."""
    keys = [(item["score"], item["id"]) for item in items]
    return keys == sorted(keys, reverse=True)


def weights_of(corpus: list[Conversation], phrases: list[list[str]]) -> list[tuple[list[str], float]]:
    """ln(1 + N / (1 + n)) in sixteenths, n of the N conversations having a phrase."""
    found = [sum(any(holds(p, place.words) for place in c.places) for c in corpus) for p in phrases]
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
                place = OraclePassage(part, chance.choices(VOCABULARY, rarity, k=chance.randint(1, 5)))
                parties += part == "party"
                if part == "dialog":
                    place.speaker = chance.randrange(max(parties, 1))
                if embedded and part != "party" and chance.random() < 0.8:
                    place.vector = unit(vectors.standard_normal(384) + 0.5)
                conversation.places.append(place)
        corpus.append(conversation)
    return corpus


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
        for part in PARTS
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


@pytest.fixture(autouse=True)
def _everything_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    rank_everything(monkeypatch)


@pytest.mark.parametrize(("seed", "size"), [(1, 1), (2, 7), (3, 60)])
async def test_every_keyword_score_equals_the_formula(call: Call, seed: int, size: int) -> None:
    corpus = random_corpus(seed, size)
    stored = dict(zip(await store(call, corpus), corpus, strict=True))

    for query, demands in QUERIES:
        page = await call("vcon_search", mode="keyword", query=query, limit=100, include=["core"])
        if page["meta"]["matching"] != "exact":
            continue
        phrases = [phrase.split() for demand in demands for phrase in demand]
        matching = {
            id_
            for id_, conversation in stored.items()
            if all(
                any(holds(p.split(), place.words) for p in demand for place in conversation.places)
                for demand in demands
            )
        }
        expected = scores_of(stored, weights_of(corpus, phrases), None, 0)
        scores = {item["id"]: item["score"] for item in page["items"]}
        assert matching <= expected.keys()
        assert scores == pytest.approx({id_: expected[id_] for id_ in matching}, abs=1e-6), query
        assert all(0 < score <= 1 for score in scores.values())
        assert in_order(page["items"])
        assert all(item["match"]["keyword_score"] == item["score"] for item in page["items"])


@pytest.mark.parametrize("weight", [0, 0.3, 0.6, 1])
async def test_every_hybrid_score_equals_the_formula(
    call: Call, app: App, tenant: str, weight: float
) -> None:
    corpus = random_corpus(5, 40, embedded=True)
    ids = await store(call, corpus)
    await put_vectors(app, tenant, ids, corpus)
    stored = dict(zip(ids, corpus, strict=True))
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
        scores = {item["id"]: item["score"] for item in page["items"]}
        assert scores == pytest.approx(scores_of(stored, weighed, query, weight), abs=1e-6), text
        assert in_order(page["items"])


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
            one.places.append(OraclePassage("subject", ["shared"]))
        one.places += [
            OraclePassage("party", ["shared"]),
            OraclePassage("analysis", ["shared"], kind="digest"),
            OraclePassage("attachment", ["shared"], kind="scan"),
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

        if mode == "semantic":
            expected = {
                id_: max(cosines)
                for id_, one in self.corpus.items()
                if (
                    cosines := [
                        cosine for p in one.places if (cosine := cosine_of(p, self.query)) is not None
                    ]
                )
            }
        else:
            expected = scores_of(
                self.corpus, weighed, *((None, 0) if mode == "keyword" else (self.query, 0.6))
            )
        for each in asked_for:
            page = await self.call(
                "vcon_search", mode=mode, filters=each.given, limit=100, include=["core"], **asked[mode]
            )

            assert page["ok"], (each.given, page["error"])
            scores = {
                item["id"]: item["match"]["cosine"] if mode == "semantic" else item["score"]
                for item in page["items"]
            }
            admitted = {
                id_: score
                for id_, one in self.corpus.items()
                if each.admits(one) and (score := expected.get(id_)) is not None
            }
            assert scores == pytest.approx(admitted, abs=1e-6), each.given
            assert mode == "semantic" or in_order(page["items"])
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
    wholes = wholes_of(dict(zip(ids, corpus, strict=True)))
    await put_vectors(app, tenant, ids, corpus)
    for id_ in ids[::2]:
        await call("add_tag", vcon_uuid=id_, key="project", value="Garden")
    query = unit(np.random.default_rng(9).standard_normal(384) + 0.5)
    weight = {"words": 0.0, "meaning": 1.0, "both": 0.6}[mode]
    search = Search()
    async with app.database.reading(tenant) as connection:
        (space,) = await EmbeddingStore().spaces(connection)
        vector = QueryVector(space, half_vectors(query[None])[0]) if mode != "words" else None
        for text in ("kappa", "delta bravo omega", "zulu tuesday march"):
            words = None if mode == "meaning" else parse_query(text, any_word=True)
            asked = await search.ask(connection, tenant, words, vector, kinds=("vcon",))
            phrases = [["-"]] if words is None else [[word] for word in text.split()]
            of_all = score(wholes, weights_of(corpus, phrases), None if vector is None else query, weight)
            for filters in ({}, WITHIN, OF_GARDEN, WITHIN | OF_GARDEN):
                found = await search.listed(connection, "vcon", filters, asked)
                turns = found.dialogs([thing.id for thing in found.things])

                expected = {
                    (id_, one.passage.element): one.score
                    for id_, scored in of_all.items()
                    if ("from" not in filters or SINCE <= wholes[id_].at < UNTIL)
                    and ("scope" not in filters or str(id_) in ids[::2])
                    for one in scored
                    if one.passage.part == "dialog"
                }
                assert expected, filters
                assert {(turn.id, turn.element): turn.score for turn in turns} == pytest.approx(
                    expected, abs=1e-6
                ), (text, filters)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("times", [1, 2, 40, 150])
async def test_a_word_counts_alike_in_every_part_however_often_it_occurs(
    call: Call, part: str, times: int
) -> None:
    await store(call, [Conversation([OraclePassage(part, ["kappa"] * times)])])

    page = await call("vcon_search", mode="keyword", query="kappa", include=["core"])

    assert page["items"][0]["score"] == pytest.approx(0.8, abs=1e-6)


async def test_a_corrected_word_counts_by_its_similarity(call: Call) -> None:
    await store(call, [Conversation([OraclePassage("dialog", ["receive"])])])

    page = await call("vcon_search", mode="keyword", query="recieve", include=["core"])

    (correction,) = page["meta"]["corrections"]
    assert page["items"][0]["score"] == pytest.approx(0.8 * correction["similarity"], abs=1e-6)


async def test_a_hit_tells_what_speaks_for_it(call: Call) -> None:
    conversation = Conversation(
        [
            OraclePassage("party", ["tango"]),
            OraclePassage("party", ["gamma"]),
            OraclePassage("dialog", ["kappa"], 0),
            OraclePassage("dialog", ["zulu"], 1),
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
        ("dialog", 1): ["own", "beside", "speaker", "day"],
        ("party", 1): ["own"],
    }
    (neighbour,) = page["items"][0]["match"]["hits"][0]["neighbours"]
    assert (neighbour["turn"], neighbour["snippet"]) == (0, "<mark>kappa</mark>")


async def test_words_close_together_come_before_the_same_words_apart(call: Call) -> None:
    filler = ["tango"] * 9
    texts = {
        "in sequence": ["kappa", "zulu", *filler, "delta"],
        "near": ["zulu", "tango", "kappa", *filler, "delta"],
        "apart": ["kappa", *filler, "zulu", *filler, "delta"],
        "in two turns": ["kappa"],
    }
    corpus = [
        Conversation([OraclePassage("dialog", words), OraclePassage("subject", ["omega"])])
        for words in texts.values()
    ]
    corpus[-1].places.append(OraclePassage("dialog", ["zulu"]))
    ids = dict(zip(await store(call, corpus), texts, strict=True))

    page = await call("vcon_search", mode="keyword", query="kappa zulu", include=["core"])

    order = [ids[item["id"]] for item in page["items"]]
    assert {*order[:2]} == {"in sequence", "near"}
    assert order[2:] == ["apart", "in two turns"]
    because = [item["match"]["hits"][0]["because"] for item in page["items"]]
    assert because == [["own", "together"], ["own", "together"], ["own"], ["own", "beside"]]


async def test_hits_per_item_says_how_many_come_and_more_hits_how_many_do_not(call: Call) -> None:
    await store(
        call, [Conversation([OraclePassage("dialog", ["kappa", f"turn{number}"]) for number in range(60)])]
    )

    # turns next to each other are one hit, of three turns at most
    for asked, hits, shown in (({}, 2, 4), ({"hits_per_item": 1}, 1, 2), ({"hits_per_item": 10}, 5, 14)):
        page = await call("vcon_search", mode="keyword", query="kappa", include=["core"], **asked)
        match = page["items"][0]["match"]
        assert len(match["hits"]) == hits
        assert (len(shown_turns(match["hits"])), match["more_hits"]) == (shown, 60 - shown)
