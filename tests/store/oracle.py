"""An oracle for searches: `score_passages` over every passage, from texts and vectors, without a database."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import pairwise
from uuid import UUID

import numpy as np
import numpy.typing as npt
import pytest

from vcontract.runtime.store.search import candidates, listing, pages, search
from vcontract.runtime.store.search.ranking import ItemFeatures, Passage, Scored, Word, score_passages

Vector = npt.NDArray[np.float32]
Weighed = Sequence[tuple[list[str], float]]
"""Phrases with their weights."""
DAYS = {"march": ("%B", "March"), "tuesday": ("%A", "Tuesday")}
CLOSE = 6
MANY = 100_000


@dataclass
class OraclePassage:
    """A passage: its words, its speaker among the parties, its vector."""

    part: str
    words: list[str]
    speaker: int | None = None
    vector: Vector | None = None
    kind: str = "note"
    """The type of an analysis, the purpose of an attachment."""


@dataclass(frozen=True)
class Text:
    """A passage where it stands."""

    place: OraclePassage
    element: int
    chunk: int = 0


@dataclass(frozen=True)
class Whole:
    """A conversation, or another thing, with all its passages."""

    at: datetime
    texts: Sequence[Text]


def rank_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that matches is a candidate, so that scores do not depend on how candidates are chosen."""
    monkeypatch.setattr(pages, "MAX_BY_WORDS", MANY)
    monkeypatch.setattr(pages, "MAX_NEAREST", MANY)
    monkeypatch.setattr(search, "MAX_LISTED_BY_MEANING", MANY)
    monkeypatch.setattr(search, "MAX_RANKED", MANY)
    for module in (pages, listing):
        monkeypatch.setattr(module, "CandidateQuery", partial(candidates.CandidateQuery, max_of_one=MANY))


def unit(vector: npt.NDArray[np.float64]) -> Vector:
    rounded: Vector = (vector / np.linalg.norm(vector)).astype(np.float16).astype(np.float32)
    return rounded


def cosine_of(place: OraclePassage, query: Vector) -> float | None:
    return None if place.vector is None else float(place.vector @ query)


def holds(phrase: list[str], words: list[str]) -> bool:
    return bool(_positions(phrase, words))


def score(
    wholes: dict[UUID, Whole],
    weighed: Weighed,
    query: Vector | None,
    weight: float,
    *,
    reads_all: bool = False,
) -> dict[UUID, list[Scored]]:
    """Of each thing that matches its passages, best first: those that match, and those beside one, or all.

    `weight` is the share of meaning; without a query vector it is 0.
    """
    total = sum(share for _, share in weighed)
    phrases = [phrase for phrase, _ in weighed]
    passages = [
        _passage(id_, whole, text, phrases, query if weight else None)
        for id_, whole in wholes.items()
        for text in whole.texts
    ]
    found = {
        (one.thing, one.part, one.element, one.chunk)
        for one in passages
        if (weight < 1 and one.words) or one.cosine is not None
    }
    scored = score_passages(
        [Word(share / total) for _, share in weighed],
        passages,
        {id_: _thing(whole, phrases) for id_, whole in wholes.items()},
        weight,
    )
    matching = {id_ for id_, *_ in found}
    return {
        id_: [one for one in of_thing if reads_all or any(place in found for place in _around(one.passage))]
        for id_, of_thing in scored.items()
        if id_ in matching
    }


def best(scored: dict[UUID, list[Scored]]) -> dict[UUID, float]:
    """The score of each thing."""
    return {id_: of_thing[0].score for id_, of_thing in scored.items()}


def _passage(
    id_: UUID, whole: Whole, text: Text, phrases: Sequence[list[str]], query: Vector | None
) -> Passage:
    place = text.place
    return Passage(
        id_,
        place.part,
        text.element,
        text.chunk,
        _bits(phrases, lambda phrase: holds(phrase, place.words)),
        sum(1 << at for at, pair in enumerate(pairwise(phrases)) if _are_close(*pair, place.words)),
        (place.speaker or 0) if place.part == "dialog" else None,
        whole.at,
        None if query is None else cosine_of(place, query),
    )


def _thing(whole: Whole, phrases: Sequence[list[str]]) -> ItemFeatures:
    def is_day(phrase: list[str]) -> bool:
        form, name = DAYS.get(" ".join(phrase), ("", "-"))
        return whole.at.strftime(form) == name

    parties = [text for text in whole.texts if text.place.part == "party"]
    subjects = [text for text in whole.texts if text.place.part == "subject"]
    return ItemFeatures(
        whole.at,
        _bits(phrases, lambda phrase: any(holds(phrase, text.place.words) for text in whole.texts)),
        _bits(phrases, is_day),
        {
            party.element: bits
            for party in parties
            if (bits := sum(1 << at for at, phrase in enumerate(phrases) if holds(phrase, party.place.words)))
        },
        _bits(phrases, lambda phrase: any(holds(phrase, text.place.words) for text in subjects)),
    )


def _bits(phrases: Iterable[list[str]], is_set: Callable[[list[str]], bool]) -> int:
    return sum(1 << at for at, phrase in enumerate(phrases) if is_set(phrase))


def _around(one: Passage) -> list[tuple[UUID, str, int, int]]:
    """The passage and those beside it: turns of a dialog, else pieces of one text."""
    of_turns = one.part == "dialog"
    return [
        (one.thing, one.part, one.element + by * of_turns, one.chunk + by * (not of_turns))
        for by in (-1, 0, 1)
    ]


def _positions(phrase: list[str], words: list[str]) -> list[int]:
    return [at for at in range(len(words)) if words[at : at + len(phrase)] == phrase]


def _are_close(one: list[str], other: list[str], words: list[str]) -> bool:
    """Whether from the end of one to the beginning of the other, in either order, are at most six words."""
    return any(
        1 <= begin - (at + len(first) - 1) <= CLOSE
        for first, second in ((one, other), (other, one))
        for at in _positions(first, words)
        for begin in _positions(second, words)
    )
