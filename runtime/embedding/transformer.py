"""Sentence embeddings by a transformer in ONNX form, on the processor."""

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
"""How the vectors of a text's tokens become one: their mean, or that of the first."""


class Tokenizer(Protocol):
    """Turns texts into token ids. `first` and `last` are the ids that a model expects around them."""

    first: list[int]
    last: list[int]

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text, uncut, without those around them."""
        ...


PADDED_TOKENS = 256
"""A batch holds about so many tokens, padding included; what larger ones work on fits no cache of a core."""

_STATES_RANK = 3
"""Of an output: texts, tokens, numbers; a model that pools by itself returns no tokens."""

INSTALL_CURE = (
    "install the package's dependencies again (make setup), or set VCONTRACT_EMBEDDING_PROVIDER=none"
)


def sha256_of(path: Path) -> str:
    """The digest of a model's file, read in pieces.

    Raises: OSError.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Transformer:
    """Turns texts into unit vectors. A call works in the thread that makes it, and in no other."""

    def __init__(self, model: Path, tokenizer: Tokenizer, pooling: Pooling, max_tokens: int) -> None:
        self._session = _open_session(model)
        self.tokenizer = tokenizer
        self.room = max_tokens - len(tokenizer.first) - len(tokenizer.last)
        """How many tokens of a text the model reads."""
        self._pooling: Pooling = pooling
        self._inputs = {argument.name for argument in self._session.get_inputs()}
        if "input_ids" not in self._inputs:
            raise ModelUnavailable(
                "failed",
                f"the model's inputs are {', '.join(sorted(self._inputs))}, and none is input_ids",
                "name a sentence embedding model in ONNX form",
            )

    @property
    def has_late_vectors(self) -> bool:
        """Whether the model returns the states of tokens, and a mean of them is one of its vectors."""
        return self._pooling == "mean" and len(self._session.get_outputs()[0].shape) == _STATES_RANK

    def embed(self, texts: Sequence[str]) -> "Matrix":
        """One unit vector a text, in order; the same for a text whatever others are embedded with it."""
        import numpy as np

        outputs = self.run(self.tokenizer.pieces(texts))
        matrix = np.stack([self._pooled(output) for output in outputs])
        return unit_rows(matrix, len(texts), matrix.shape[1])

    def run(self, ids: Sequence[list[int]]) -> "list[Matrix]":
        """What the model returns for each text of up to `room` tokens.

        A state a token, beginning with those of `tokenizer.first`; one vector if the model pools by itself.
        """
        first, last = self.tokenizer.first, self.tokenizer.last
        framed = [[*first, *text[: self.room], *last] for text in ids]
        found: dict[int, Matrix] = {}
        for batch in batches_by_length([len(text) for text in framed]):
            output = self._run_batch([framed[place] for place in batch])
            for row, place in enumerate(batch):
                found[place] = (
                    output[row, : len(framed[place])] if output.ndim == _STATES_RANK else output[row]
                )
        return [found[place] for place in range(len(ids))]

    def _pooled(self, output: "Matrix") -> "Matrix":
        if output.ndim == 1:  # the model pools by itself
            return output
        if self._pooling == "cls":
            first: Matrix = output[0]
            return first
        # token by token in one order: the sum must not depend on how far a batch is padded
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
    # since 1.29 it reports models and machine to its maker unless this is set before the import
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import onnxruntime
    except ImportError as error:
        raise ModelUnavailable("failed", f"onnxruntime cannot be loaded: {error}", INSTALL_CURE) from error

    options = onnxruntime.SessionOptions()
    # one thread a call: calls from several threads are faster together, and a query stays fast meanwhile
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # the arena would keep the memory of the largest batch for good, and planned memory is asked for at once
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    # by its path: of a model given as bytes the session keeps a copy
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def batches_by_length(lengths: Sequence[int], most: int = PADDED_TOKENS) -> Iterator[list[int]]:
    """Places in `lengths` in batches, shortest first.

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
