"""Keyword scores: each equals the published formula, computed here from the texts alone."""

import math
import random
from dataclasses import dataclass, field

import pytest

from tests.conftest import Call
from vcontract.runtime.documents.json import JsonObject

VOCABULARY = ["kappa", "zulu", "delta", "bravo", "tango", "gamma", "sigma", "omega"]
STRENGTH = {"subject": 1.0, "party": 1.0, "dialog": 0.9, "analysis": 0.9, "attachment": 0.8}


@dataclass
class Conversation:
    """The passages of one vCon: part and words of each."""

    passages: list[tuple[str, list[str]]] = field(default_factory=list[tuple[str, list[str]]])

    def document(self) -> JsonObject:
        texts: dict[str, list[str]] = {part: [] for part in STRENGTH}
        for part, words in self.passages:
            texts[part].append(" ".join(words))
        content = {"encoding": "none", "mediatype": "text/plain"}
        return {
            **({"subject": texts["subject"][0]} if texts["subject"] else {}),
            "parties": [{"name": name} for name in texts["party"]] or [{}],
            "dialog": [{"type": "text", "body": body, **content} for body in texts["dialog"]],
            "analysis": [
                {"type": "note", "vendor": "x", "body": body, **content} for body in texts["analysis"]
            ],
            "attachments": [{"purpose": "note", "body": body, **content} for body in texts["attachment"]],
        }

    def strength(self, phrase: list[str]) -> float:
        """p * (0.7 + 0.3 * f / (f + 2)): f passages that have the phrase, p the best of their parts."""
        having = [part for part, words in self.passages if _occurs(phrase, words)]
        f = len(having)
        return max(STRENGTH[part] for part in having) * (0.7 + 0.3 * f / (f + 2)) if having else 0.0


def _occurs(phrase: list[str], words: list[str]) -> bool:
    return any(words[at : at + len(phrase)] == phrase for at in range(len(words)))


def expected_scores(corpus: list[Conversation], demands: list[list[str]]) -> list[float | None]:
    """The score of each conversation, None for those that lack a demand; a demand is a list of phrases."""
    phrases = [phrase.split() for demand in demands for phrase in demand]
    found = [sum(c.strength(phrase) > 0 for c in corpus) for phrase in phrases]
    weights = [max(round(16 * math.log(1 + len(corpus) / (1 + n))), 1) / 16 for n in found]
    return [
        sum(w * c.strength(phrase) for w, phrase in zip(weights, phrases, strict=True)) / sum(weights)
        if all(any(c.strength(phrase.split()) for phrase in demand) for demand in demands)
        else None
        for c in corpus
    ]


def random_corpus(seed: int, size: int) -> list[Conversation]:
    chance = random.Random(seed)  # noqa: S311
    corpus: list[Conversation] = []
    for _ in range(size):
        conversation = Conversation()
        rarity = [2.0**-rank for rank in range(len(VOCABULARY))]
        for part, most in (("subject", 1), ("party", 2), ("dialog", 6), ("analysis", 2), ("attachment", 2)):
            for _ in range(chance.randint(0, most)):
                words = chance.choices(VOCABULARY, rarity, k=chance.randint(1, 5))
                conversation.passages.append((part, words))
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
]


@pytest.mark.parametrize(("seed", "size"), [(1, 1), (2, 7), (3, 60)])
async def test_every_score_equals_the_formula(call: Call, seed: int, size: int) -> None:
    corpus = random_corpus(seed, size)
    ids: list[str] = []
    for conversation in corpus:
        answer = await call("create_vcon", vcon_data=conversation.document(), validate_before_insert=False)
        ids.append(answer["uuid"])

    for query, demands in QUERIES:
        page = await call("vcon_search", mode="keyword", query=query, limit=100, include=["core"])
        if page["meta"]["matching"] == "fuzzy":
            continue
        scores = {item["id"]: item["score"] for item in page["items"]}
        expected = dict(zip(ids, expected_scores(corpus, demands), strict=True))
        assert scores == {
            id_: pytest.approx(score, abs=1e-6) for id_, score in expected.items() if score is not None
        }
        assert all(0 < score <= 1 for score in scores.values())
        assert list(scores.values()) == sorted(scores.values(), reverse=True)
        assert all(item["match"]["keyword_score"] == item["score"] for item in page["items"])


@pytest.mark.parametrize("part", STRENGTH)
@pytest.mark.parametrize("times", [1, 2, 3, 40, 255])
async def test_the_frequency_of_a_word_is_its_number_of_passages_up_to_255(
    call: Call, part: str, times: int
) -> None:
    if part == "subject" and times > 1:
        times = 1
    conversation = Conversation([(part, ["kappa", "kappa"])] * times)
    await call("create_vcon", vcon_data=conversation.document(), validate_before_insert=False)

    page = await call("vcon_search", mode="keyword", query="kappa", include=["core"])

    assert page["items"][0]["score"] == pytest.approx(conversation.strength(["kappa"]), abs=1e-6)


async def test_a_word_in_all_parts_counts_by_the_best_of_them(call: Call) -> None:
    conversation = Conversation([(part, ["kappa"]) for part in STRENGTH])
    await call("create_vcon", vcon_data=conversation.document(), validate_before_insert=False)

    page = await call("vcon_search", mode="keyword", query="kappa", include=["core"])

    assert page["items"][0]["score"] == pytest.approx(0.7 + 0.3 * 5 / 7, abs=1e-6)


async def test_a_corrected_word_counts_by_its_similarity(call: Call) -> None:
    conversation = Conversation([("dialog", ["receive"])])
    await call("create_vcon", vcon_data=conversation.document(), validate_before_insert=False)

    page = await call("vcon_search", mode="keyword", query="recieve", include=["core"])

    (correction,) = page["meta"]["corrections"]
    expected = correction["similarity"] * conversation.strength(["receive"])
    assert page["items"][0]["score"] == pytest.approx(expected, abs=1e-6)


async def test_the_score_of_a_hit_is_that_of_its_place_alone(call: Call) -> None:
    conversation = Conversation(
        [("subject", ["kappa"]), ("dialog", ["kappa", "zulu"]), ("attachment", ["zulu", "zulu"])]
    )
    await call("create_vcon", vcon_data=conversation.document(), validate_before_insert=False)

    page = await call("vcon_search", mode="keyword", query="kappa zulu", include=["core"])

    once, twice = 0.7 + 0.3 / 3, 0.7 + 0.3 * 2 / 4
    hits = {hit["content_type"]: hit["score"] for hit in page["items"][0]["match"]["hits"]}
    assert hits == {
        "subject": pytest.approx(once / 2, abs=1e-6),
        "dialog": pytest.approx(0.9 * once, abs=1e-6),
        "attachment": pytest.approx(0.8 * twice / 2, abs=1e-6),
    }
