"""Run a sentence transformer in ONNX form on the CPU."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from vcontract.runtime.embedding.embedder import ModelUnavailable
from vcontract.runtime.embedding.vectors import unit_rows

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

    from vcontract.runtime.embedding.embedder import Matrix

Pooling = Literal["mean", "cls"]
"""How the vectors of tokens become one: their mean, or that of the first token."""

_STATES_RANK = 3
"""Rank of an output with a state for each token; a model that pools by itself returns none."""


class Tokenizer(Protocol):
    """Converts texts to token IDs. `first` and `last` are the IDs that a model expects around them."""

    first: list[int]
    last: list[int]

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """The IDs of each text, not truncated, without `first` and `last`."""
        ...


PADDED_TOKENS = 256
"""Maximum tokens of a batch, including padding. Larger batches do not fit a core's cache."""

INSTALL_CURE = (
    "install the package's dependencies again (make setup), or set VCONTRACT_EMBEDDING_PROVIDER=none"
)


def sha256_of(path: Path) -> str:
    """SHA-256 of a model's file, read in pieces.

    Raises: OSError.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Transformer:
    """Computes unit vectors of texts, in the calling thread only."""

    def __init__(self, model: Path, tokenizer: Tokenizer, pooling: Pooling, max_tokens: int) -> None:
        self._session = _open_session(model)
        self.tokenizer = tokenizer
        self.room = max_tokens - len(tokenizer.first) - len(tokenizer.last)
        """Maximum tokens that the model reads of a text."""
        self._pooling: Pooling = pooling
        self._inputs = {argument.name for argument in self._session.get_inputs()}
        if "input_ids" not in self._inputs:
            raise ModelUnavailable(
                "failed",
                f"the model's inputs are {', '.join(sorted(self._inputs))}, and none is input_ids",
                "name a sentence embedding model in ONNX form",
            )

    @property
    def has_states(self) -> bool:
        """Whether the model returns the states of tokens, and their mean is a vector of its space."""
        return self._pooling == "mean" and len(self._session.get_outputs()[0].shape) == _STATES_RANK

    def embed(self, texts: Sequence[str]) -> "Matrix":
        """Return one unit vector per text, in order. The result for a text does not depend on its batch."""
        import numpy as np

        if not texts:
            return np.empty((0, 0), np.float32)
        matrix = np.stack([self._pooled(output) for output in self.run(self.tokenizer.pieces(texts))])
        return unit_rows(matrix, len(texts), matrix.shape[1])

    def run(self, ids: Sequence[list[int]]) -> "list[Matrix]":
        """Return the model's output for each text, of which at most `room` tokens are read.

        One state a token, beginning with those of `tokenizer.first`; a vector if the model pools by itself.
        """
        first, last = self.tokenizer.first, self.tokenizer.last
        framed = [[*first, *text[: self.room], *last] for text in ids]
        found: dict[int, Matrix] = {}
        for batch in batches_by_length([len(text) for text in framed]):
            output = self._run_batch([framed[place] for place in batch])
            for row, place in enumerate(batch):
                has_states = output.ndim == _STATES_RANK
                found[place] = output[row, : len(framed[place])] if has_states else output[row]
        return [found[place] for place in range(len(ids))]

    def _pooled(self, output: "Matrix") -> "Matrix":
        if output.ndim == 1:  # the model pools by itself
            return output
        if self._pooling == "cls":
            first: Matrix = output[0]
            return first
        # token by token in a fixed order: the sum must not depend on the padding
        mean: Matrix = output.sum(axis=0) / len(output)
        return mean

    def _run_batch(self, ids: Sequence[Sequence[int]]) -> "Matrix":
        import numpy as np

        tokens = np.zeros((len(ids), max(map(len, ids))), np.int64)
        mask = np.zeros_like(tokens)
        for row, text in enumerate(ids):
            tokens[row, : len(text)] = text
            mask[row, : len(text)] = 1
        given = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
        output: Matrix = self._session.run(
            None, {name: given[name] for name in given if name in self._inputs}
        )[0]
        return output


def _open_session(model: Path) -> "InferenceSession":
    # since 1.29 it sends telemetry unless this is set before the import
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import onnxruntime
    except ImportError as error:
        raise ModelUnavailable("failed", f"onnxruntime cannot be loaded: {error}", INSTALL_CURE) from error

    options = onnxruntime.SessionOptions()
    # one thread a call: parallel calls are faster in total, and a query stays fast meanwhile
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # the arena would keep the memory of the largest batch, and planned memory is allocated at once
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    # by path: if a model is given as bytes, the session keeps a copy
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def batches_by_length(lengths: Sequence[int], most: int = PADDED_TOKENS) -> Iterator[list[int]]:
    """Group indices of `lengths` into batches, shortest first.

    A batch padded to its longest text has at most `most` tokens; a longer text is a batch of its own.
    """
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > most:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
