"""The benchmark at scale: its vectors, its calls, its peers, and the page that shows a run."""

import asyncio
import inspect
from pathlib import Path

import numpy as np
import pytest

from bench.corpus import Corpus
from bench.scale import calls
from bench.scale.lengths import Shape
from bench.scale.peers import EMBEDDED, Passages, PeerQuery, measure_peer, peers
from bench.scale.tables import grown
from bench.scale.vectors import Vectors
from tests.house import ROOT

OWNERS, ELEMENTS = np.arange(5_000) % 50, np.arange(5_000) // 50


def test_vectors_are_of_unit_length_and_the_same_for_the_same_seed() -> None:
    one, other = Vectors(seed=3), Vectors(seed=3)

    assert np.allclose(np.linalg.norm(one.passages(OWNERS, ELEMENTS), axis=1), 1, atol=1e-5)
    assert np.array_equal(one.passages(OWNERS, ELEMENTS), other.passages(OWNERS, ELEMENTS))


def test_passages_of_one_conversation_are_nearer_to_each_other_than_to_most() -> None:
    vectors = Vectors().passages(OWNERS, ELEMENTS)

    cosines = vectors[:50] @ vectors.T

    same = OWNERS[:50, None] == OWNERS
    assert np.quantile(cosines[same], 0.75) > 0.3
    assert abs(float(np.median(cosines[~same]))) < 0.05


def test_every_tool_has_a_typical_call_or_a_reason_to_have_none() -> None:
    source = inspect.getsource(calls)

    tools = {file.stem for file in (ROOT / "spec" / "tools").glob("*/*.yaml")}

    assert {name for name in tools if f'"{name}"' not in source} == set()


@pytest.mark.parametrize("name", EMBEDDED)
def test_a_peer_finds_the_passage_that_holds_the_words_and_is_nearest(name: str, tmp_path: Path) -> None:
    made = {key[0]: (key, peer) for key, peer in peers(tmp_path, "").items()}
    if name not in made:
        pytest.skip(f"{name} is not installed: pip install '.[peers]'")
    key, peer = made[name]
    vectors = Vectors().passages(OWNERS[:400], ELEMENTS[:400])
    texts = [f"turn {number} about harbors" for number in range(400)]
    asked = PeerQuery("turn 7", vectors[7].tolist())

    result = asyncio.run(measure_peer(key, peer, Passages(texts, vectors, [42] * 400), [asked], 1))

    assert result.bytes > 0
    assert asyncio.run(peer.search(asked))[0] == 7


def test_a_shape_counts_turns_words_and_speakers() -> None:
    shape = Shape.of("three", [[("Ann", "Yes, yes"), ("Bob", "No")], [("Ann", "Yes")], []])

    assert (shape.conversations, shape.turns, shape.words, shape.speakers) == (
        2,
        (1, 1, 2),
        (1, 1, 2),
        (1, 1, 2),
    )
    assert (shape.distinct, shape.shares) == (2, (1.0, 1.0, 1.0))


def test_a_corpus_as_in_life_has_long_and_short_conversations_over_years() -> None:
    corpus = Corpus(as_in_life=True)

    turns = [len(corpus.vcon(number)["dialog"]) for number in range(200)]
    years = {corpus.vcon(number)["created_at"][:4] for number in range(20)}

    assert min(turns) < 10
    assert 300 <= max(turns) <= 1_000
    assert corpus.kind(500).turns == (10_000, 10_000)
    assert len(years) >= 4


def test_growth_is_the_ratio_of_the_largest_size_to_the_smallest() -> None:
    run = {"calls": {"now": {"20": {"a": {"p50": 3.0}}, "5": {"a": {"p50": 2.0}, "b": {"p50": 1.0}}}}}

    assert grown(run) == {"a": 1.5}
