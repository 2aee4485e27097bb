"""Interface of embedding models: convert texts to unit vectors of one space; errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

from vcontract.runtime.frame.errors import OngoingOutage

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Matrix: TypeAlias = npt.NDArray[np.float32]
    """One vector a row."""

Kind = Literal["query", "document"]
UnavailableReason = Literal["not_configured", "failed", "loading"]

MAX_WINDOW_TOKENS: Final = 254
LATE: Final = f"/late/{MAX_WINDOW_TOKENS}/own"
"""Suffix of the ID of an embedder that reads conversations in windows; the rest identifies its queries."""


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


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a conversation. The speaker belongs to its context, not to its vector."""

    speaker: str | None
    text: str


class WindowEmbedder(Protocol):
    """Embeds turns in their context: several turns of a conversation in one pass. Thread-safe."""

    @property
    def max_tokens(self) -> int:
        """Maximum tokens of a window."""
        ...

    def count_tokens(self, turns: Sequence[Turn]) -> list[int]:
        """Tokens of each turn in a window, with its speaker: at most `max_tokens`."""
        ...

    def embed_windows(self, windows: "Sequence[Sequence[Turn]]") -> "list[Matrix]":
        """One unit vector a turn for each window, in order. Other windows do not change the result.

        Raises: EmbeddingFailed.
        """
        ...


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

    @property
    def windows(self) -> WindowEmbedder | None:
        """Embeds the turns of conversations; None if the model returns one vector for each text only."""
        ...

    def embed(self, texts: Sequence[str], kind: Kind = "document") -> "Matrix":
        """One unit vector a text, float32[n, dim], in the order of `texts`.

        Raises: EmbeddingFailed; ModelUnavailable.
        """
        ...

    def close(self) -> None:
        """Close connections, if there are any."""
        ...


def queries_of(model: str) -> str:
    """The part of an embedder's ID that identifies how it embeds queries."""
    return model.removesuffix(LATE)
