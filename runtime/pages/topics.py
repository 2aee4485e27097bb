"""Topics: cluster the points of the map of meaning, and name clusters by words of their subjects."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vcontract.runtime.frame.documents.json import JsonObject

_MAX_TOPICS: Final = 12
_MIN_POINTS: Final = 3
_ROUNDS: Final = 20
_WORDS: Final = 3
_WORD: Final = re.compile(r"(?<!\w)[^\W\d_]{3,}(?![\w-]*\d)")
"""A word, but not the letters of an identifier such as HLB-20417."""


@dataclass(frozen=True, slots=True)
class Topic:
    """Conversations that are close together on the map."""

    words: tuple[str, ...]
    """Most distinctive first."""
    count: int


def topics(points: Sequence[JsonObject]) -> list[Topic]:
    """Return up to twelve clusters, largest first, named by shared words, then by words near the centre.

    Each has about as many points as there are clusters. The result is deterministic.
    """
    subjects = [(point, _words(point.get("subject", ""))) for point in points]
    named = [(point, words) for point, words in subjects if words]
    groups = min(_MAX_TOPICS, int(math.sqrt(len(named))))
    if groups < 2:
        return []
    places = np.array([(point["x"], point["y"]) for point, _ in named])
    group_of = np.array(_grouped(places, groups))
    everywhere = Counter(word for _, words in named for word in words)
    found: list[Topic] = []
    for group in range(groups):
        members = [named[index][1] for index in np.flatnonzero(group_of == group)]
        if len(members) < _MIN_POINTS:
            continue
        here = Counter(word for words in members for word in words)
        shared = {word: count * count / everywhere[word] for word, count in here.items() if count > 1}
        away = places[group_of == group] - places[group_of == group].mean(axis=0)
        telling = dict.fromkeys(members[int((away**2).sum(axis=1).argmin())], 0.0) | shared
        words = sorted(telling, key=lambda word: (-telling[word], word))[:_WORDS]
        found.append(Topic(tuple(words), len(members)))
    return sorted(found, key=lambda topic: (-topic.count, topic.words))


def _words(subject: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(subject)) - _COMMON


def _grouped(places: np.ndarray, groups: int) -> list[int]:
    """Cluster of each point, by k-means that starts at distant points."""
    chosen = [places[0]]
    while len(chosen) < groups:
        away = np.min([((places - each) ** 2).sum(axis=1) for each in chosen], axis=0)
        chosen.append(places[int(away.argmax())])
    centres = np.array(chosen)
    nearest = np.zeros(len(places), dtype=int)
    for _ in range(_ROUNDS):
        nearest = ((places[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
        for group in range(groups):
            if (nearest == group).any():
                centres[group] = places[nearest == group].mean(axis=0)
    return [int(group) for group in nearest]


_COMMON: Final = frozenset(
    "and the for with from about your our his her you are was were this that have has not but all any can "
    "der die das und von mit für les des une est pour par los las por con del que para".split()
)
