"""Group vectors by direction: deterministic spherical k-means in few dimensions.

scikit-learn does the same, but adds about 100 MB with SciPy, for these few lines of numpy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_CLUSTERS: Final = 12
_DIMENSIONS: Final = 24
_MIN_DIMENSIONS: Final = 3
"""Principal components that are kept: fewer make distances clearer and rounds cheaper."""
_VECTORS_A_DIMENSION: Final = 8
"""Few vectors keep fewer dimensions, in which not each is far from all others."""
_MAX_FITTED: Final = 3_000
"""Vectors from which centres are learned; all others are assigned to them."""
_ROUNDS: Final = 25
_STARTS: Final = 3
_MIN_SIZE: Final = 3
_MEAN_SIZE: Final = 10
"""Vectors that a cluster should have on average."""
_NEARLY: Final = 0.92
"""The most clusters are taken whose separation is at least this share of the best."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """The cluster of each vector, and how near each is to its centre."""

    of: Sequence[int]
    nearness: Sequence[float]
    """Cosine with the centre, in the reduced space."""
    count: int


def clusters(vectors: "NDArray[np.float32]") -> Clusters:
    """Group vectors into up to `MAX_CLUSTERS`, as many as separate them best. Deterministic.

    Source: Dhillon and Modha, Concept Decompositions for Large Sparse Text Data (2001), spherical k-means;
    Rousseeuw, Silhouettes (1987), here by distances to centres.
    """
    import numpy as np

    size = len(vectors)
    most = min(MAX_CLUSTERS, max(2, size // _MEAN_SIZE))
    if size < 2 * _MIN_SIZE:
        return Clusters([0] * size, [1.0] * size, min(size, 1))
    rows = _reduced(vectors)
    fitted = rows[:: -(-size // _MAX_FITTED)]
    tried = [_centres(fitted, count) for count in range(2, most + 1)]
    scores = [_separation(fitted, centres) for centres in tried]
    best = next(
        centres
        for centres, score in zip(reversed(tried), reversed(scores), strict=True)
        if score >= _NEARLY * max(scores)
    )
    near = rows @ best.T
    chosen = near.argmax(axis=1)
    nearness: NDArray[np.float64] = near[np.arange(size), chosen]
    return Clusters(chosen.tolist(), nearness.tolist(), len(best))


def _reduced(vectors: "NDArray[np.float32]") -> "NDArray[np.float64]":
    """Directions from the mean in the plane of largest variance, of length 1."""
    import numpy as np

    rows = vectors.astype(np.float64)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    rows -= rows.mean(axis=0)
    _, axes = np.linalg.eigh(rows.T @ rows)
    kept = min(_DIMENSIONS, max(_MIN_DIMENSIONS, len(rows) // _VECTORS_A_DIMENSION))
    axes = axes[:, : -kept - 1 : -1]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), range(axes.shape[1])])
    rows = rows @ axes
    directions: NDArray[np.float64] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return directions


def _centres(rows: "NDArray[np.float64]", count: int) -> "NDArray[np.float64]":
    """The best centres of some starts with fixed seeds."""
    import numpy as np

    best, best_fit = rows[:count], -np.inf
    for seed in range(_STARTS):
        centres = _begin(rows, count, np.random.default_rng(seed))
        for _ in range(_ROUNDS):
            chosen = (rows @ centres.T).argmax(axis=1)
            sums = (chosen[:, None] == np.arange(count)).T.astype(np.float64) @ rows
            lengths = np.linalg.norm(sums, axis=1, keepdims=True)
            moved = np.where(lengths > 1e-12, sums / np.maximum(lengths, 1e-12), centres)
            if np.allclose(moved, centres, atol=1e-9):
                break
            centres = moved
        fit = float((rows @ centres.T).max(axis=1).sum())
        if fit > best_fit + 1e-9:
            best, best_fit = centres, fit
    return best


def _begin(rows: "NDArray[np.float64]", count: int, random: "np.random.Generator") -> "NDArray[np.float64]":
    """Choose vectors that are far from those chosen before (k-means++)."""
    import numpy as np

    chosen = [int(random.integers(len(rows)))]
    away = 1 - rows @ rows[chosen[0]]
    while len(chosen) < count:
        weights = np.cumsum(np.maximum(away, 0) ** 2)
        place = int((weights < random.random() * weights[-1]).sum())
        chosen.append(min(place, len(rows) - 1))
        away = np.minimum(away, 1 - rows @ rows[chosen[-1]])
    return rows[chosen].copy()


def _separation(rows: "NDArray[np.float64]", centres: "NDArray[np.float64]") -> float:
    """Mean of how much nearer each vector is to its centre than to the next one, from -1 to 1."""
    import numpy as np

    away = np.sqrt(np.maximum(2 - 2 * (rows @ centres.T), 0))
    nearest = np.partition(away, 1, axis=1)[:, :2]
    return float(((nearest[:, 1] - nearest[:, 0]) / np.maximum(nearest[:, 1], 1e-12)).mean())
