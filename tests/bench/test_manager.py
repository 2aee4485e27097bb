"""The manager's questions: twenty, and answers that come from the calls."""

from bench.known_calls import MANAGER, Said, known_calls
from bench.loop.questions import LoopQuestion
from bench.manager import questions


def right_answer(question: LoopQuestion) -> str:
    return "It is " + " and ".join(ways[0] for ways in question.answer) + "."


def test_twenty_questions_are_answered_by_what_the_calls_were() -> None:
    center = known_calls(2_000)
    asked = questions(center)

    assert len(asked) == 20
    assert asked[0].answer[0][0] == str(center.counts(Said(any=(MANAGER,)))[0])
    assert all(one.is_right(right_answer(one)) for one in asked)
    assert not any(one.is_right("I cannot tell, perhaps 1 or 17.") for one in asked)
    assert [one.answer for one in questions(known_calls(2_000, seed=2))] != [one.answer for one in asked]
