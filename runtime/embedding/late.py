"""Late vectors: the mean of the token states of a turn, from one pass over a window of the conversation."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from vcontract.runtime.embedding.embedder import MAX_WINDOW_TOKENS, Turn
from vcontract.runtime.embedding.vectors import unit_rows

if TYPE_CHECKING:
    from vcontract.runtime.embedding.embedder import Matrix
    from vcontract.runtime.embedding.transformer import Transformer

_MAX_SPEAKER_TOKENS: Final = 32


class LateVectors:
    """Embeds the turns of conversations with a transformer that returns the states of tokens.

    `prompt` begins each window, as it begins each document of the model. Source: M. Günther et al., 2024,
    Late Chunking.
    """

    def __init__(self, transformer: "Transformer", prompt: str = "") -> None:
        self._transformer = transformer
        (self._prompt,) = transformer.tokenizer.pieces([prompt])
        self.max_tokens = min(MAX_WINDOW_TOKENS, transformer.room) - len(self._prompt)

    def count_tokens(self, turns: Sequence[Turn]) -> list[int]:
        return [len(speaker) + len(text) for speaker, text in self._pieces(turns)]

    def embed_windows(self, windows: Sequence[Sequence[Turn]]) -> "list[Matrix]":
        import numpy as np

        pieces = iter(self._pieces([turn for window in windows for turn in window]))
        offset = len(self._transformer.tokenizer.first)
        ids: list[list[int]] = []
        spans: list[list[slice]] = []
        for window in windows:
            tokens = list(self._prompt)
            of_turns: list[slice] = []
            for _ in window:
                speaker, text = next(pieces)
                tokens += speaker + text
                # a text without tokens has the vector of its speaker, or of the token before it
                length = len(text) or len(speaker) or 1
                end = max(offset + len(tokens), 1)
                of_turns.append(slice(max(end - length, 0), end))
            ids.append(tokens)
            spans.append(of_turns)
        found: list[Matrix] = []
        for states, of_turns in zip(self._transformer.run(ids), spans, strict=True):
            # token by token in a fixed order: the sum must not depend on the padding
            rows = np.stack([states[span].sum(axis=0) / (span.stop - span.start) for span in of_turns])
            found.append(unit_rows(rows, len(of_turns), states.shape[1]))
        return found

    def _pieces(self, turns: Sequence[Turn]) -> list[tuple[list[int], list[int]]]:
        """Tokens of the speaker and of the text of each turn, truncated to a window."""
        names = list({turn.speaker for turn in turns if turn.speaker})
        of_names = self._transformer.tokenizer.pieces([f"{name}:" for name in names])
        by_name = dict(zip(names, of_names, strict=True))
        texts = self._transformer.tokenizer.pieces([turn.text for turn in turns])
        found: list[tuple[list[int], list[int]]] = []
        for turn, text in zip(turns, texts, strict=True):
            speaker = by_name[turn.speaker][:_MAX_SPEAKER_TOKENS] if turn.speaker else []
            found.append((speaker, text[: self.max_tokens - len(speaker)]))
        return found
