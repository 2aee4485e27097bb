"""Synthetic vectors: unit vectors in clusters, the same for the same seed, as embeddings of texts lie."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

DIMENSION = 384
CLUSTERS = 2_000
SPREAD = 0.9
"""Length of the noise beside the unit vector of the cluster; neighbours then have cosines around 0.55."""

Matrix: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.float32]]
Vector: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float32]]


class Vectors:
    """Vectors for a corpus, and for questions that have answers in it."""

    def __init__(self, seed: int = 1) -> None:
        self._seed = seed
        self._centers = _unit(np.random.default_rng(seed).standard_normal((CLUSTERS, DIMENSION)))

    def passages(self, start: int, count: int) -> Matrix:
        """`count` vectors; the same for the same seed and start."""
        return self._near(np.random.default_rng((self._seed, 1, start)), count)

    def queries(self, count: int) -> Matrix:
        """Vectors as those of questions: near passages, equal to none."""
        return self._near(np.random.default_rng((self._seed, 2)), count)

    def _near(self, chance: np.random.Generator, count: int) -> Matrix:
        centers = self._centers[chance.integers(0, CLUSTERS, count)]
        noise = chance.standard_normal((count, DIMENSION)) * (SPREAD / np.sqrt(DIMENSION))
        return _unit(centers + noise)


def nearest(vectors: Matrix, owners: Sequence[int], query: Vector, most: int) -> list[int]:
    """The owners of the vectors most similar to `query`, each once, best first: the exact answer."""
    found: dict[int, None] = {}
    order = np.argsort(-(vectors @ query), kind="stable")
    for place in order:
        found.setdefault(owners[int(place)])
        if len(found) == most:
            break
    return list(found)


def recall(found: Sequence[int], exact: Sequence[int]) -> float:
    """The share of the exact answer that was found; 1 when there is nothing to find."""
    return len(set(found) & set(exact)) / len(exact) if exact else 1.0


def _unit(matrix: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Matrix:
    result: Matrix = (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)
    return result
