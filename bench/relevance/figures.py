"""Figures of single questions, and their means with errors."""

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from bench.relevance.form import Place, Question

DEPTH: Final = 10


@dataclass(frozen=True, slots=True)
class Ranks:
    """Where a search lists the answer to a question, from 1; None where it does not."""

    conversation: int | None
    turn: int | None
    """The first of the turns that answer."""
    share: float
    """The share of the turns that answer among the first ten places."""

    @classmethod
    def among(cls, listed: Iterable[Place], question: Question) -> "Ranks":
        """Among places, best first."""
        places = list(listed)
        conversations = list(dict.fromkeys(conversation for conversation, _ in places))
        answers = set(question.turns)
        right = {
            rank: answers & set(turns)
            for rank, (conversation, turns) in enumerate(places, 1)
            if conversation == question.conversation and answers & set(turns)
        }
        found = question.conversation in conversations
        rank = conversations.index(question.conversation) + 1 if found else None
        shown = {turn for at, turns in right.items() if at <= DEPTH for turn in turns}
        return cls(rank, min(right, default=None), len(shown) / len(answers))

    def figures(self) -> dict[str, float]:
        """Each figure of this question: whether it is found, its reciprocal rank, and the share of turns."""
        figures: dict[str, float] = {}
        for level, rank in (("conv.", self.conversation), ("turn", self.turn)):
            figures[f"{level} @5"] = _within(rank, 5)
            figures[f"{level} @10"] = _within(rank, DEPTH)
            figures[f"{level} MRR"] = _within(rank, DEPTH) / (rank or 1)
        return {**figures, "turns @10": self.share}


def _within(rank: int | None, depth: int) -> float:
    return float(rank is not None and rank <= depth)


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over questions, and its standard error."""

    value: float
    error: float

    @classmethod
    def of(cls, figures: Iterable[float]) -> "Mean":
        """The mean of a figure; 0 without questions."""
        every = list(figures)
        if not every:
            return cls(0.0, 0.0)
        deviation = statistics.stdev(every) if len(every) > 1 else 0.0
        return cls(statistics.fmean(every), deviation / math.sqrt(len(every)))

    def __str__(self) -> str:
        return f"{self.value:.3f} ±{f'{self.error:.3f}'.removeprefix('0')}"


def means(rows: Iterable[dict[str, float]]) -> dict[str, Mean]:
    """The mean of each figure over questions that all have the same figures."""
    every = list(rows)
    return {name: Mean.of(row[name] for row in every) for name in (every[0] if every else ())}
