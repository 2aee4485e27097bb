"""Vectors: validate, normalize, average, and convert to the database's half precision."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pgvector import HalfVector

from vcontract.runtime.embedding.embedder import EmbeddingFailed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from vcontract.runtime.embedding.embedder import Matrix

_MIN_NORM = 1e-12


def unit_rows(matrix: "npt.NDArray[np.floating]", count: int, dim: int) -> "Matrix":
    """Normalize the rows.

    Raises: EmbeddingFailed for another shape, a value that is not finite, or a vector of zeros.
    """
    import numpy as np

    if matrix.shape != (count, dim):
        raise EmbeddingFailed(f"the model gave vectors of shape {matrix.shape}; expected {(count, dim)}")
    if not np.isfinite(matrix).all():
        raise EmbeddingFailed("the model gave a vector with values that are not finite")
    # by the largest value first, because squares of large numbers overflow
    largest = np.abs(matrix).max(axis=1, keepdims=True, initial=0)
    if count and largest.min() < _MIN_NORM:
        raise EmbeddingFailed("the model gave a vector of zeros")
    scaled = matrix / largest
    result: Matrix = (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(np.float32, copy=False)
    return result


def mean_direction(one: "Matrix", other: "Matrix") -> "Matrix":
    """Return the normalized weighted means of `one` (weight 2) and `other`: vectors, or rows of
    them, of unit length.
    """
    import numpy as np

    total = 2 * one + other
    result: Matrix = total / np.linalg.norm(total, axis=-1, keepdims=True)
    return result


def half_vectors(rows: "Iterable[Matrix]") -> list[HalfVector]:
    """Convert each vector to the database's format."""
    return [HalfVector(row) for row in rows]
