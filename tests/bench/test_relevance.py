"""Relevance sets: their form, and the figures that are made of ranks."""

from pathlib import Path

import pytest

from bench.relevance.form import OWN_SETS, Mistake, Quality, Question, Ranks, half_of, read_set

SET = """= plot | The plot | 2025-02-16 10:00
Ann: We have plot 31.
? which plot
-- 2025-03-02 19:10
Bob: The brambles are gone.
Ann: And so is my back.
~2 thorny bushes were cleared
- what does plot 31 cost
"""


def test_a_set_says_when_each_turn_was_said_and_which_turns_answer(tmp_path: Path) -> None:
    file = tmp_path / "chats.txt"
    file.write_text(SET)

    read = read_set(file)

    assert [f"{turn.at:%m-%d %H:%M} {turn.speaker}" for turn in read.conversations[0].turns] == [
        "02-16 10:00 Ann",
        "03-02 19:10 Bob",
        "03-02 19:11 Ann",
    ]
    assert read.questions == [
        Question("which plot", "words", "plot", range(1)),
        Question("thorny bushes were cleared", "meaning", "plot", range(1, 3)),
    ]
    assert read.never_said == ["what does plot 31 cost"]


def test_our_own_sets_ask_about_every_conversation_in_both_halves() -> None:
    own = [read_set(file) for file in OWN_SETS]

    assert sum(len(read.questions) for read in own) >= 300
    for read in own:
        assert {asked.conversation for asked in read.questions} == {one.id for one in read.conversations}
        assert len({asked.text for asked in read.questions}) == len(read.questions)
        share = sum(asked.half == "report" for asked in read.questions) / len(read.questions)
        assert 0.4 < share < 0.6, read.name


def test_our_own_sets_ask_eighty_questions_that_are_never_answered_in_both_halves() -> None:
    never_said = [text for file in OWN_SETS for text in read_set(file).never_said]

    assert len(set(never_said)) == len(never_said) >= 80
    share = sum(half_of(text) == "report" for text in never_said) / len(never_said)
    assert 0.4 < share < 0.6


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Nobody said this", "9: a line is a turn"),
        ("?9 which plot", "9: 9 turns answer, and 3 stand before"),
        ("~ a sore back", "9: a question marked ~ shares a word with its answer: back"),
        ("= plot | Again | 2025-02-16 10:00", "9: two conversations have the id 'plot'"),
        ("-- yesterday", "9: time data"),
    ],
)
def test_a_mistake_in_a_set_is_named(tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "chats.txt"
    file.write_text(SET + line + "\n")

    with pytest.raises(Mistake, match=said):
        read_set(file)


def test_ranks_count_each_place_and_each_conversation_once() -> None:
    listed = [("a", range(2)), ("a", range(4, 6)), ("b", range(3)), ("plot", range(0))]

    assert Ranks.among(listed, Question("which plot", "words", "a", range(5, 6))) == Ranks(1, 2)
    assert Ranks.among(listed, Question("which plot", "words", "b", range(7, 8))) == Ranks(2, None)
    assert Ranks.among(listed, Question("which plot", "words", "plot", range(1))) == Ranks(3, None)


def test_quality_counts_ranks_to_ten() -> None:
    quality = Quality.of([1, 2, 6, 11, None])

    assert (quality.recall_at_5, quality.recall_at_10) == (0.4, 0.6)
    assert quality.mrr == pytest.approx((1 + 1 / 2 + 1 / 6) / 5)
