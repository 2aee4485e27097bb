"""Made-up vectors: unit vectors in clusters, as embeddings of texts lie, the same for the same seed."""

from typing import TypeAlias

import numpy as np

DIMENSION = 384
CLUSTERS = 2_000
SPREAD = 0.9
"""Length of the noise beside the unit vector of the cluster; neighbors then have cosines around 0.55."""
TOPICS = 3
"""Clusters of a stretch of a conversation."""
STRETCH = 100
"""Turns after which a conversation turns to other topics."""

Matrix: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.float32]]
Numbers: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int64]]


class Vectors:
    """Vectors for a corpus, and for questions that have answers in it."""

    def __init__(self, seed: int = 1) -> None:
        self._seed = seed
        self._centers = _unit(np.random.default_rng(seed).standard_normal((CLUSTERS, DIMENSION)))

    def passages(self, owners: Numbers, elements: Numbers) -> Matrix:
        """A vector for each passage, by the number of its conversation and its place there."""
        chance = np.random.default_rng((self._seed, 1, int(owners[0]), int(elements[0]), len(owners)))
        topics = chance.integers(0, TOPICS, len(owners))
        clusters = (owners * 1_000_003 + elements // STRETCH * 10_007 + topics * 101) * 2_654_435_761 >> 8
        return _near(chance, self._centers[clusters % CLUSTERS])

    def queries(self, count: int) -> Matrix:
        """Vectors as those of questions: near passages, equal to none."""
        chance = np.random.default_rng((self._seed, 2))
        return _near(chance, self._centers[chance.integers(0, CLUSTERS, count)])

    def answered_by(self, passages: Matrix) -> Matrix:
        """A vector for each passage, as that of a question it answers: a cosine of about 0.74 with it."""
        return _near(np.random.default_rng((self._seed, 3)), passages)


def _near(chance: np.random.Generator, vectors: Matrix) -> Matrix:
    return _unit(vectors + chance.standard_normal(vectors.shape) * (SPREAD / np.sqrt(DIMENSION)))


def _unit(matrix: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Matrix:
    result: Matrix = (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)
    return result
