"""Interface of embedding models: convert texts to unit vectors of one space; errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from vcontract.runtime.frame.errors import OngoingOutage

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Matrix: TypeAlias = npt.NDArray[np.float32]
    """One vector a row."""

Kind = Literal["query", "document"]
UnavailableReason = Literal["not_configured", "failed", "loading"]


class ModelUnavailable(OngoingOutage):
    """No texts can be embedded at present; `cure` says what to do about it.

    The message is for the operator: it may name paths and addresses.
    """

    def __init__(self, reason: UnavailableReason, message: str, cure: str) -> None:
        super().__init__(message)
        self.reason: UnavailableReason = reason
        self.cure = cure


class EmbeddingFailed(Exception):
    """These texts could not be embedded. Others, or the same ones later, may be."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Cosines of a model that correspond to a similarity of 0.2, 0.5 and 0.8.

    `unrelated` is the median and `noise` the 99th percentile over unrelated pairs. `relevant` is the median
    over pairs of a query and a passage that answers it. `bench.calibration` measures them.
    """

    unrelated: float
    noise: float
    relevant: float

    @property
    def is_usable(self) -> bool:
        """Whether the three values rise, so that similarity can rise with the cosine."""
        return 0 < self.unrelated < self.noise < self.relevant < 1

    def points(self) -> list[float] | None:
        """The three values for the SQL functions; None (use the plain cosine) if they are not usable."""
        return [self.unrelated, self.noise, self.relevant] if self.is_usable else None


class Embedder(Protocol):
    """One model with its settings. `embed` blocks and is thread-safe."""

    @property
    def id(self) -> str:
        """Identifies the space: weights, pooling, prompts. Vectors of different IDs are never compared."""
        ...

    @property
    def dim(self) -> int: ...

    @property
    def calibration(self) -> Calibration | None: ...

    def embed(self, texts: Sequence[str], kind: Kind = "document") -> "Matrix":
        """One unit vector a text, float32[n, dim], in the order of `texts`.

        Raises: EmbeddingFailed; ModelUnavailable.
        """
        ...

    def close(self) -> None:
        """Close connections, if there are any."""
        ...
