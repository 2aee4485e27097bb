"""Relevance sets: their form, and the figures that are made of ranks."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench.relevance.compare import Difference, compare, read_run
from bench.relevance.days import read_days
from bench.relevance.evidence import Evidence, RecallAnswer
from bench.relevance.figures import Mean, Ranks, means
from bench.relevance.folders import MEETINGS, read_folder
from bench.relevance.form import (
    NONSENSE,
    OWN_SETS,
    Conversation,
    Mistake,
    Question,
    RelevanceSet,
    Turn,
    half_of,
    read_set,
)
from bench.relevance.tables import show_answerable
from bench.wrong_names import swapped
from vcontract.handlers.contract.recall_days import NamedDays
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.search.search_params import read_query

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


def test_nine_in_ten_questions_that_name_a_day_are_answered_by_a_turn_said_on_it() -> None:
    sets = [read_set(file) for file in OWN_SETS if file.stem in ("calls", "chats")]
    turns = {one.id: one.turns for set_ in sets for one in set_.conversations}

    questions = read_days(sets)

    assert len(questions) >= 40
    named = [NamedDays.of(read_query(one.text, any_word=True)) for one in questions]
    assert all(named)
    on_it = [
        days.has(turns[one.conversation][one.turns[0]].at) for days, one in zip(named, questions, strict=True)
    ]
    assert sum(on_it) > 0.9 * len(questions)


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

    assert Ranks.among(listed, Question("which plot", "words", "a", range(5, 6))) == Ranks(1, 2, 1)
    assert Ranks.among(listed, Question("which plot", "words", "b", range(7, 8))) == Ranks(2, None, 0)
    assert Ranks.among(listed, Question("which plot", "words", "plot", range(1))) == Ranks(3, None, 0)


def test_any_of_several_answering_turns_is_found_and_their_share_is_taken_among_ten_places() -> None:
    listed = [("a", range(place, place + 1)) for place in range(12)]

    assert Ranks.among(listed, Question("which plot", "", "a", [3, 5, 11, 40])) == Ranks(1, 4, 0.5)


def test_figures_count_ranks_to_ten() -> None:
    figures = means(Ranks(rank, None, 0).figures() for rank in (1, 2, 6, 11, None))

    assert (figures["conv. @5"].value, figures["conv. @10"].value) == (0.4, 0.6)
    assert figures["conv. MRR"].value == pytest.approx((1 + 1 / 2 + 1 / 6) / 5)
    assert figures["turn @10"].value == 0


def test_a_mean_has_the_standard_error_of_its_questions() -> None:
    assert str(Mean.of([1, 1, 1, 0])) == "0.750 ±.250"
    assert Mean.of([]) == Mean(0, 0)


def test_the_meetings_are_asked_about_turns_of_their_own_vcons_and_about_what_nobody_said() -> None:
    if not MEETINGS.is_dir():
        pytest.skip(f"{MEETINGS} does not exist")

    read = read_folder(MEETINGS)

    assert (len(read.questions), len(read.never_said)) == (323, 40)
    assert all(one.turns and not one.kind for one in read.questions)


def test_a_folder_of_questions_is_a_set_of_its_name_without_questions_that_nobody_answers(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "talks"
    folder.mkdir()
    (folder / "questions.json").write_text('[{"question": "Where are they?", "vcon": "a", "turns": [3]}]')

    read = read_folder(folder)

    assert read == RelevanceSet("talks", questions=[Question("Where are they?", "", "a", [3])])


def _run(found: Sequence[float], never_said: Sequence[float] = (), way: str = "hybrid") -> JsonObject:
    """A run with a figure of each question, all of them in the half to report."""
    return {
        "material": "calls",
        "way": way,
        "questions": _figures("turn @5", found),
        "never_said": _figures("nothing found", never_said),
        "nonsense": [],
    }


def _figures(name: str, figures: Sequence[float]) -> list[JsonObject]:
    return [
        {"question": str(number), "half": "report", "figures": {name: figure}}
        for number, figure in enumerate(figures)
    ]


@pytest.mark.parametrize(
    ("old", "new", "change", "is_worse"),
    [
        ([1, 1, 1, 1], [1, 1, 0, 0], -0.5, True),
        ([1, 1, 0, 0, 1], [0, 1, 1, 0, 1], 0, False),
        ([1, 0, 0, 0], [0, 0, 0, 0], -0.25, True),
        ([1, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], -1 / 6, False),
        ([0, 0, 0, 0], [1, 1, 1, 0], 0.75, False),
    ],
)
def test_runs_are_compared_question_by_question(
    old: list[float], new: list[float], change: float, is_worse: bool
) -> None:
    differences = compare(read_run([_run(old)]), read_run([_run(new)]))

    for material in ("calls", "all"):
        difference = differences["report", material, "hybrid", "turn @5"]
        assert difference.change == pytest.approx(change)
        assert difference.is_worse("turn @5") is is_worse
    assert differences == compare(read_run([_run(old)]), read_run([_run(new)]))


def test_the_error_of_a_difference_is_that_of_the_pairs() -> None:
    old = [float(number % 2) for number in range(400)]
    moved = [1 - figure for figure in old]

    errors = [
        compare(read_run([_run(old)]), read_run([_run(new)]))["report", "calls", "hybrid", "turn @5"].error
        for new in (old, moved)
    ]

    assert errors == [0, pytest.approx(1 / 400**0.5, rel=0.1)]


def test_comparing_skips_what_one_run_lacks_and_counts_questions_without_an_answer() -> None:
    old = read_run([_run([1, 1, 1], [1, 0])])
    new = read_run([_run([1, 0], [1, 1]), _run([1], way="keyword")])

    differences = compare(old, new)

    never_said = "never said: nothing found"
    assert {group[2:] for group in differences} == {("hybrid", "turn @5"), ("hybrid", never_said)}
    assert differences["report", "calls", "hybrid", "turn @5"].old == 1
    assert differences["report", "calls", "hybrid", never_said].change == 0.5


def test_more_bytes_are_worse() -> None:
    assert Difference(old=1000, new=1200, error=50).is_worse("bytes")
    assert not Difference(old=1200, new=1000, error=50).is_worse("bytes")


def test_evidence_is_the_share_of_answering_turns_in_the_text_that_is_read() -> None:
    recalled = RecallAnswer(frozenset({("plot", 1), ("plot", 9), ("shed", 2)}), 812, "likely")

    of_plot = recalled.figures(Question("which plot", "", "plot", [1, 2]))
    of_shed = recalled.figures(Question("which shed", "", "shed", [1]))

    assert of_plot == {"a turn": 1, "turns": 0.5, "bytes": 812}
    assert of_shed == {"a turn": 0, "turns": 0, "bytes": 812}


def test_judgements_are_counted_by_half_for_what_was_said_what_was_not_and_nothing() -> None:
    texts = ("which plot", "what was cleared", "whose back")
    asked = [Question(text, "words", "plot", range(1)) for text in texts]
    set_ = RelevanceSet("chats", questions=asked, never_said=["what does plot 31 cost"])
    recalled = [RecallAnswer(frozenset(), 1, label) for label in ("likely", "unsure", "likely")]
    nothing = ("nothing_found",) * len(NONSENSE)

    table = show_answerable([Evidence(set_, 1_000, recalled, ("unsure",), nothing)])

    cells = [str(next(iter(column.cells))) for column in table.columns]
    halves = Counter(half_of(text) for text in NONSENSE)
    assert cells == [
        "chats",
        "recall, 1,000",
        "1, 0, 0",
        "1, 1, 0",
        "0, 1, 0",
        "0, 0, 0",
        f"0, 0, {halves['choose']}",
        f"0, 0, {halves['report']}",
    ]


def test_a_question_is_asked_with_the_name_of_another_who_neither_says_nor_is_named_in_its_answer() -> None:
    at = datetime(2025, 1, 1, tzinfo=UTC)
    said = [("Ann Lee", "The boat of Cy leaks."), ("Bo", "Sell it."), ("Cy", "No."), ("Ann Lee", "Why not?")]
    conversation = Conversation("c", "", [Turn(speaker, text, at) for speaker, text in said])
    questions = [
        Question("What did Ann say of the boat?", "", "c", [0]),
        Question("Who sells the boat, Bo or Ann?", "", "c", [1]),
        Question("What leaks?", "", "c", [0]),
        Question("What did Bo hear of the boat?", "", "c", [0]),
    ]

    found = [(question.text, text) for question, text in swapped(questions, {"c": conversation})]

    assert found == [("What did Ann say of the boat?", "What did Bo say of the boat?")]
