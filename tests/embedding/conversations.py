"""Conversations as the tests need them."""

from collections.abc import Sequence

from pgvector import HalfVector

from vcontract.runtime.embedding.embedder import Turn
from vcontract.runtime.embedding.minilm import MiniLm
from vcontract.runtime.embedding.vectors import half_vectors, mean_direction
from vcontract.runtime.frame.documents.json import JsonObject


def conversation(*turns: str, subject: str | None = None, **members: object) -> JsonObject:
    """A text conversation of two, turn by turn."""
    return {
        "vcon": "0.4.0",
        **({} if subject is None else {"subject": subject}),
        "parties": [{"name": "Ada Lang"}, {"name": "Omar Quist"}],
        "dialog": [
            {
                "type": "text",
                "start": "2025-10-10T10:00:00Z",
                "parties": [index % 2, 1 - index % 2],
                "body": turn,
                "mediatype": "text/plain",
                "encoding": "none",
            }
            for index, turn in enumerate(turns)
        ],
        **members,
    }


def vectors_of_turns(minilm: MiniLm, talk: Sequence[Turn]) -> list[HalfVector]:
    """The stored vectors of a conversation that fits a window: each turn in it, and a share of it alone."""
    (in_window,) = minilm.windows.embed_windows([talk])
    alone = minilm.embed([turn.text for turn in talk])
    return half_vectors(mean_direction(in_window, alone))
