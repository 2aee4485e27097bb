"""The benchmark at scale: its vectors, its exact answers, its tables."""

import io

import numpy as np
import pytest
from rich.console import Console

from bench.measure import Timing
from bench.scale.ours import Measured
from bench.scale.peers import PeerResult, installed_peers
from bench.scale.table import Import, Scale, show
from bench.scale.vectors import Vectors, nearest, recall


def test_vectors_are_of_unit_length_and_the_same_for_the_same_seed() -> None:
    one, other = Vectors(seed=3), Vectors(seed=3)

    assert np.allclose(np.linalg.norm(one.passages(0, 50), axis=1), 1, atol=1e-5)
    assert np.array_equal(one.passages(0, 50), other.passages(0, 50))
    assert not np.array_equal(one.passages(0, 50), one.queries(50))


def test_a_query_is_much_nearer_to_some_passages_than_to_most() -> None:
    vectors = Vectors()

    cosines = vectors.queries(20) @ vectors.passages(0, 5_000).T

    assert np.median(np.max(cosines, axis=1)) > 0.4
    assert abs(float(np.median(cosines))) < 0.05


def test_the_exact_answer_names_each_owner_once_best_first() -> None:
    vectors = np.eye(4, 3, dtype=np.float32)
    vectors[3] = (0.8, 0.6, 0)
    query = np.array([1, 0, 0], np.float32)

    assert nearest(vectors, [7, 8, 9, 7], query, 2) == [7, 8]


@pytest.mark.parametrize(
    ("found", "exact", "share"), [([1, 2, 3], [3, 2, 1], 1.0), ([1, 5], [1, 2], 0.5), ([], [], 1.0)]
)
def test_recall_is_the_share_of_the_exact_answer(found: list[int], exact: list[int], share: float) -> None:
    assert recall(found, exact) == share


def test_a_report_shows_growth_and_peers_side_by_side() -> None:
    fast, slow = Timing(1, 2, 5), Timing(3, 4, 5)
    scale = Scale(
        [Import(100, 100, 500, 2.0, 1.0)],
        {100: [Measured("semantic", fast, slow, 0.99)], 1_000: [Measured("semantic", slow, None, 1.0)]},
        [PeerResult("Peer", "1.2", 7, {"semantic": slow}, {"semantic": 0.5})],
    )
    printed = io.StringIO()

    show(scale, Console(file=printed, width=200))

    assert "250" in printed.getvalue()
    assert "1.00 (0.990)" in printed.getvalue()
    assert "3.00 (0.500)" in printed.getvalue()
    assert "3.00" in printed.getvalue()
    assert "raw at 1,000" in printed.getvalue()


def test_peers_are_optional() -> None:
    assert set(installed_peers()) <= {"SQLite FTS5 + sqlite-vec", "LanceDB", "Chroma"}
