"""What the searches stand beside: BM25 over the same turns, and the nearest vectors alone."""

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from bench.relevance.asking import SearchOutcome
from bench.relevance.figures import Ranks
from bench.relevance.form import Place, Question, RelevanceSet, content
from vcontract.runtime.embedding.minilm import MiniLm
from vcontract.runtime.text.words import lexeme, surfaces

if TYPE_CHECKING:
    from vcontract.runtime.embedding.embedder import Matrix

PLAIN = ("BM25 alone", "vectors alone")
_K1 = 1.2
_B = 0.75


class Plain:
    """The turns of several sets, as one store holds them; with a size of 2 those of an exchange as one."""

    def __init__(self, sets: list[RelevanceSet], model: MiniLm, size: int = 1) -> None:
        parts = [
            (one.id, range(begin, begin + size), one.turns[begin : begin + size])
            for set_ in sets
            for one in set_.conversations
            for begin in range(0, len(one.turns), size)
        ]
        self._places: list[Place] = [(id_, turns) for id_, turns, _ in parts]
        texts = ["\n".join(turn.text for turn in turns) for _, _, turns in parts]
        self._words = [Counter(map(lexeme, surfaces(text))) for text in texts]
        self._frequency = Counter(word for words in self._words for word in words)
        self._length = sum(words.total() for words in self._words) / len(texts)
        self._model = model
        self._vectors = model.embed(texts)

    def ask(self, set_: RelevanceSet) -> list[SearchOutcome]:
        """Every question of the set both ways, its conversations ranked by their best turns."""
        vectors = self._model.embed([question.text for question in set_.questions]) @ self._vectors.T
        by_words = [Ranks.among(self._listed(self._bm25(one)), one) for one in set_.questions]
        nearest = [
            Ranks.among(self._listed(row), one) for one, row in zip(set_.questions, vectors, strict=True)
        ]
        return [
            SearchOutcome(set_, way, ranks) for way, ranks in zip(PLAIN, (by_words, nearest), strict=True)
        ]

    def _listed(self, scores: "Matrix") -> list[Place]:
        return [self._places[turn] for turn in np.argsort(-scores, kind="stable") if scores[turn] > 0]

    def _bm25(self, question: Question) -> "Matrix":
        """Source: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), section 3.3."""
        scores = np.zeros(len(self._words), np.float32)
        for word in content([question.text]) & self._frequency.keys():
            holding = self._frequency[word]
            weight = math.log(1 + (len(self._words) - holding + 0.5) / (holding + 0.5))
            for turn, words in enumerate(self._words):
                if count := words[word]:
                    length = 1 - _B + _B * words.total() / self._length
                    scores[turn] += weight * count * (_K1 + 1) / (count + _K1 * length)
        return scores
