"""The formula of search: what each fact about a passage adds to its score."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

import numpy as np
import pytest

from vcontract.runtime.store.search.ranking import (
    WEIGHTS,
    ItemFeatures,
    Passage,
    Scored,
    Strength,
    Weights,
    Word,
    combine,
    coverage,
    item_strength,
    nearness,
    score_passages,
    similarity,
    strength_beyond,
    strength_of,
)

ONE, OTHER = UUID(int=1), UUID(int=2)
AT = datetime(2025, 3, 4, tzinfo=UTC)
WORDS = (Word(0.75), Word(0.25))
FIRST, SECOND, BOTH = 0b01, 0b10, 0b11
ALONE = replace(WEIGHTS, conversation=0.0)
"""Words of the whole thing add nothing."""


def turn(element: int, words: int = 0, **facts: object) -> Passage:
    """A turn of the first thing."""
    blank = Passage(ONE, "dialog", element, 0, words, 0, None, AT, None)
    return blank._replace(**facts)  # type: ignore[arg-type]


def scored(
    *passages: Passage,
    things: Mapping[UUID, ItemFeatures] | None = None,
    weight: float = 0.0,
    weights: Weights = WEIGHTS,
    words: tuple[Word, ...] = WORDS,
) -> dict[UUID, list[Scored]]:
    return score_passages(words, passages, things or {}, weight, weights)


class Case(NamedTuple):
    """Facts about a passage that holds the second word, or none, and what the first word adds to it."""

    name: str
    passages: tuple[Passage, ...]
    """The one that is looked at comes first."""
    things: dict[UUID, ItemFeatures]
    strength: float
    sources: tuple[str, ...]


CASES = [
    Case("own", (turn(5, BOTH),), {}, 0.8, ("own",)),
    Case("nothing else", (turn(5, SECOND),), {}, 0.2, ("own",)),
    Case("close to the next word", (turn(5, BOTH, pairs=FIRST),), {}, 1.0, ("own", "together")),
    Case("close, and only one is held", (turn(5, SECOND, pairs=FIRST),), {}, 0.25, ("own", "together")),
    Case("in the turn before", (turn(5, SECOND), turn(4, FIRST)), {}, 0.375 + 0.2, ("own", "beside")),
    Case("in the turn after", (turn(5, SECOND), turn(6, FIRST)), {}, 0.375 + 0.2, ("own", "beside")),
    Case("two turns away", (turn(5, SECOND), turn(7, FIRST)), {}, 0.225 + 0.2, ("own", "beside")),
    Case("three turns away", (turn(5, SECOND), turn(8, FIRST)), {}, 0.2, ("own",)),
    Case(
        "in another piece of the turn",
        (turn(5, SECOND), turn(5, FIRST, chunk=3)),
        {},
        0.75 * 0.8 + 0.25 * 0.5,
        ("own", "beside"),
    ),
    Case(
        "in a turn of another conversation",
        (turn(5, SECOND), turn(4, FIRST, thing=OTHER)),
        {},
        0.2,
        ("own",),
    ),
    Case(
        "in the name of the party who speaks",
        (turn(5, SECOND, speaker=1),),
        {ONE: ItemFeatures(parties={1: FIRST})},
        0.75 + 0.2,
        ("own", "speaker"),
    ),
    Case(
        "in the name of another party",
        (turn(5, SECOND, speaker=0),),
        {ONE: ItemFeatures(parties={1: FIRST})},
        0.2,
        ("own",),
    ),
    Case(
        "no party speaks",
        (turn(5, SECOND),),
        {ONE: ItemFeatures(parties={0: FIRST})},
        0.2,
        ("own",),
    ),
    Case(
        "in the subject of the conversation",
        (turn(5, SECOND),),
        {ONE: ItemFeatures(subject=FIRST)},
        0.75 * 0.5 + 0.2,
        ("own", "subject"),
    ),
    Case(
        "in the subject, which is the passage",
        (turn(0, SECOND, part="subject"),),
        {ONE: ItemFeatures(subject=BOTH)},
        0.2,
        ("own",),
    ),
    Case("names the day", (turn(5, SECOND),), {ONE: ItemFeatures(days=FIRST)}, 0.6375 + 0.2, ("own", "day")),
    Case(
        "names the day, and the passage describes a party",
        (turn(0, SECOND, part="party"),),
        {ONE: ItemFeatures(days=FIRST)},
        0.2,
        ("own",),
    ),
    Case(
        "the greatest of several counts",
        (turn(5, BOTH, speaker=1), turn(4, FIRST)),
        {ONE: ItemFeatures(days=FIRST, parties={1: FIRST})},
        0.75 + 0.2,
        ("own", "beside", "speaker", "day"),
    ),
    Case(
        "in the next piece of a text",
        (turn(0, SECOND, part="analysis"), turn(0, FIRST, part="analysis", chunk=1)),
        {},
        0.75 * 0.8 + 0.25 * 0.5,
        ("own", "beside"),
    ),
    Case(
        "in the same piece of another text",
        (turn(0, SECOND, part="analysis"), turn(1, FIRST, part="analysis", chunk=1)),
        {},
        0.2,
        ("own",),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_word_counts_by_where_it_stands(case: Case) -> None:
    of_thing = scored(*case.passages, things=case.things, weights=ALONE)[ONE]

    looked_at = case.passages[0]
    (one,) = [one for one in of_thing if one.passage.element == looked_at.element]
    assert one.strength == pytest.approx(case.strength)
    assert one.score == one.keyword_score == pytest.approx(case.strength)
    assert one.sources == case.sources


@pytest.mark.parametrize(
    ("thing", "strength"),
    [
        (ItemFeatures(), 0.0),
        (ItemFeatures(words=FIRST), 0.6),
        (ItemFeatures(words=BOTH), 0.8),
        (ItemFeatures(days=FIRST), 0.6375),
        (ItemFeatures(words=BOTH, days=FIRST), 0.6375 + 0.2),
        (ItemFeatures(parties={0: BOTH}), 0.0),
    ],
)
def test_words_of_the_whole_thing_add_three_tenths(thing: ItemFeatures, strength: float) -> None:
    assert item_strength(WORDS, thing) == pytest.approx(strength)

    (one,) = scored(turn(0, SECOND), things={ONE: thing})[ONE]

    assert one.keyword_score == pytest.approx((one.strength + 0.3 * strength) / 1.3)


def test_a_corrected_spelling_counts_less_wherever_it_stands() -> None:
    words = (Word(1.0, 0.5),)

    for passage, thing, strength in (
        (turn(0, FIRST), ItemFeatures(words=FIRST), 0.4),
        (turn(0, FIRST, speaker=0), ItemFeatures(words=FIRST, parties={0: FIRST}), 0.5),
    ):
        (one,) = scored(passage, things={ONE: thing}, words=words)[ONE]
        assert one.strength == pytest.approx(strength)
        assert one.keyword_score == pytest.approx((strength + 0.3 * 0.4) / 1.3)


def test_meaning_is_the_own_cosine_and_the_two_best_of_the_thing() -> None:
    of = scored(
        turn(0, cosine=0.9),
        turn(1, cosine=0.5),
        turn(2, cosine=0.1),
        turn(3, cosine=-0.4),
        turn(4),
        turn(0, thing=OTHER, cosine=0.3),
        weight=1.0,
    )

    assert [one.meaning_score for one in of[ONE]] == pytest.approx(
        [0.6 * cosine + 0.4 * 0.7 for cosine in (0.9, 0.5, 0.1, 0.0)]
    )
    assert [one.passage.element for one in of[ONE]] == [0, 1, 2, 3]
    assert of[OTHER][0].meaning_score == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("weight", "found"),
    [(0, {0}), (0.3, {0, 1, 2, 4}), (0.6, {0, 1, 2, 4}), (1, {0, 1, 2, 4})],
)
def test_without_meaning_a_passage_needs_a_word_of_its_own(weight: float, found: set[int]) -> None:
    held, beside, similar, neither, spoken = (
        turn(0, FIRST),
        turn(1),
        turn(2, cosine=0.0),
        turn(3),
        turn(4, speaker=1),
    )

    of_thing = scored(
        held, beside, similar, neither, spoken, things={ONE: ItemFeatures(parties={1: FIRST})}, weight=weight
    )[ONE]

    assert {one.passage.element for one in of_thing} == found


@pytest.mark.parametrize("weight", [0.0, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("keyword", [0.0, 0.25, 0.5, 0.75, 1.0])
@pytest.mark.parametrize("meaning", [0.0, 0.4, 1.0])
def test_words_and_meaning_are_weighed_and_words_are_spread(
    weight: float, keyword: float, meaning: float
) -> None:
    both = float(combine(np.array([keyword]), np.array([meaning]), weight)[0])

    assert both == combine(keyword, meaning, weight)
    if weight == 0:
        assert both == keyword
    else:
        spread = {0.0: 0.0, 0.25: 0.1, 0.5: 0.5, 0.75: 0.9, 1.0: 1.0}[keyword]
        words = 1.5 * (1 - weight)
        assert both == pytest.approx((words * spread + weight * meaning) / (words + weight))


def test_at_the_default_words_and_meaning_count_half_each() -> None:
    assert combine(1.0, 0.0, 0.6) == pytest.approx(combine(0.0, 1.0, 0.6)) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("cosine", "meant"),
    [
        (None, 0.0),
        (-0.5, 0.0),
        (0.0, 0.0),
        (0.1, 0.1),
        (0.2, 0.2),
        (0.3, 0.35),
        (0.4, 0.5),
        (0.5, 0.65),
        (0.6, 0.8),
        (0.8, 0.9),
        (1.0, 1.0),
        (1.1, 1.0),
    ],
)
def test_a_similarity_is_piecewise_linear_through_five_points(cosine: float | None, meant: float) -> None:
    assert similarity(cosine, (0.2, 0.4, 0.6)) == pytest.approx(meant)


@pytest.mark.parametrize(("cosine", "meant"), [(None, 0.0), (-1.0, 0.0), (0.3, 0.3), (1.2, 1.0)])
def test_without_a_calibration_a_similarity_is_the_cosine(cosine: float | None, meant: float) -> None:
    assert similarity(cosine, None) == meant


@pytest.mark.parametrize(
    ("similar", "words", "strength"),
    [
        (0.0, 0.0, "weak"),
        (0.49, 0.39, "weak"),
        (0.5, 0.0, "fair"),
        (0.0, 0.4, "fair"),
        (0.84, 0.59, "fair"),
        (0.85, 0.0, "strong"),
        (0.0, 0.6, "strong"),
    ],
)
def test_strength_needs_similarity_or_words(similar: float, words: float, strength: Strength) -> None:
    assert strength_of(similar, words=words) == strength


def test_words_that_name_somebody_can_be_left_out_of_a_strength() -> None:
    (named,) = scored(turn(1, FIRST))[ONE]
    (both,) = scored(turn(1, BOTH))[ONE]

    assert named.strength == pytest.approx(0.6)
    assert strength_beyond(FIRST, WORDS, named) == 0
    assert strength_beyond(SECOND, WORDS, named) == pytest.approx(0.8)
    assert strength_beyond(FIRST, WORDS, both) == pytest.approx(0.8)
    # of a query of names alone all words count
    assert strength_beyond(BOTH, WORDS, named) == named.strength


@pytest.mark.parametrize(("held", "share"), [(0, 0), (FIRST, 0.75), (SECOND, 0.25), (BOTH, 1), (0b111, 1)])
def test_coverage_is_the_share_of_the_words_by_weight(held: int, share: float) -> None:
    assert coverage(WORDS, held) == share


def test_an_element_has_its_best_passage_and_of_equal_ones_turns_come_first_then_by_place() -> None:
    of_thing = scored(
        turn(3, SECOND),
        turn(1, SECOND, part="analysis"),
        turn(1, SECOND),
        turn(1, FIRST, chunk=2),
        turn(0, SECOND, part="attachment", chunk=1),
        turn(0, SECOND, part="attachment"),
        weights=ALONE,
    )[ONE]

    assert [one.passage[1:4] for one in of_thing] == [
        ("dialog", 1, 2),
        ("dialog", 3, 0),
        ("analysis", 1, 0),
        ("attachment", 0, 0),
    ]


@pytest.mark.parametrize("weight", [0.0, 0.6, 1.0])
def test_the_order_of_passages_and_of_what_is_not_asked_about_changes_no_score(weight: float) -> None:
    passages = [
        turn(number, number % 4, cosine=number / 10, thing=(ONE, OTHER)[number % 2]) for number in range(8)
    ]

    forward, backward = scored(*passages, weight=weight), scored(*reversed(passages), weight=weight)
    alone = scored(*passages[::2], weight=weight)

    assert forward == backward
    assert alone.get(ONE) == forward.get(ONE)


@pytest.mark.parametrize("weight", [0.0, 0.6, 1.0])
def test_of_no_passages_and_of_no_words_nothing_is_scored(weight: float) -> None:
    assert scored(weight=weight) == {}
    by_meaning = score_passages((), [turn(0, cosine=0.5)], {}, weight)
    assert [one.keyword_score for one in by_meaning.get(ONE, [])] == ([0.0] if weight else [])


@pytest.mark.parametrize("number", [0, 31, 32, 59])
def test_each_of_sixty_words_has_a_bit(number: int) -> None:
    words = tuple(Word(1 / 60) for _ in range(60))

    (one,) = scored(turn(0, 1 << number), words=words, weights=ALONE)[ONE]

    assert one.strength == pytest.approx(0.8 / 60)


@pytest.mark.parametrize(
    ("own", "together", "beside", "size", "near"),
    [
        (BOTH, BOTH, 0, 0, 1.0),
        (BOTH, 0, 0, 0, 0.5),
        (BOTH, 0, 0, 30, 1.0),
        (BOTH, 0, 0, 40, 0.75),
        (BOTH, 0, 0, 3_000, 0.5),
        (FIRST, 0, SECOND, 0, 0.75 * 0.5 + 0.25 * 0.25),
        (0, 0, 0, 0, 0.0),
    ],
)
def test_words_count_whole_where_they_are_near_one_another_or_the_record_is_short(
    own: int, together: int, beside: int, size: int, near: float
) -> None:
    passage = Scored(turn(0, own), 0.0, 0.0, 0.0, 0.0, (own, together, beside, 0, 0, 0))

    assert nearness(WORDS, ItemFeatures(words=own | beside, size=size), [passage]) == pytest.approx(near)
    assert nearness((Word(1.0),), ItemFeatures(), [passage]) == (1.0 if own & FIRST else 0.0)
