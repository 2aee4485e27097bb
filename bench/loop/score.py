"""Scores runs: `python -m bench.loop.score LOG ...` prints calls, bytes and right answers of each run."""

import argparse
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.loop.material import Workplace
from bench.loop.questions import KINDS, LoopQuestion, read_questions
from bench.loop.record import GREETING, Run, read_run

_WIDTH = 110


@dataclass(frozen=True, slots=True)
class Score:
    """What a run cost, and how many of its answers were right."""

    run: Run
    questions: Sequence[LoopQuestion]

    @property
    def calls(self) -> int:
        """Calls made for questions."""
        return sum(call.question != GREETING for call in self.run.calls)

    @property
    def greeting_bytes(self) -> int:
        """Bytes read before the first question; once, however often it was read."""
        return max((call.bytes for call in self.run.calls if call.question == GREETING), default=0)

    @property
    def bytes_of_question(self) -> float:
        """Mean bytes read for a question."""
        read = sum(call.bytes for call in self.run.calls if call.question != GREETING)
        return read / (len(self.questions) or 1)

    def right(self, kind: str | None = None) -> tuple[int, int]:
        """Right answers and questions; of one kind that has an answer, or `never`."""
        asked = [one for one in self.questions if kind is None or kind == _kind(one)]
        return sum(one.is_right(self.run.answers.get(one.number, "")) for one in asked), len(asked)

    @property
    def wrong(self) -> list[LoopQuestion]:
        """Questions whose answer was not right, or that were not answered."""
        return [one for one in self.questions if not one.is_right(self.run.answers.get(one.number, ""))]


def show(scores: Sequence[Score], console: Console) -> None:
    """Print a table of the runs, then the answers that were not right."""
    kinds = (*KINDS, "never")
    table = Table("run", "access", "calls", "bytes a question", "greeting", "right", *kinds)
    for score in scores:
        shares = [score.right(kind) for kind in (None, *kinds)]
        table.add_row(
            score.run.name,
            score.run.access,
            str(score.calls),
            f"{score.bytes_of_question:,.0f}",
            f"{score.greeting_bytes:,}",
            *(f"{right} of {asked}" for right, asked in shares),
        )
    console.print(table)
    for score in scores:
        for one in score.wrong:
            said = score.run.answers.get(one.number, "(no answer)")
            expected = "; ".join(" or ".join(phrases) for phrases in one.answer) or "to decline"
            console.print(
                f"{score.run.name} {one.number}. {one.text}\n  said: {said}\n  expected: {expected}",
                markup=False,
                highlight=False,
            )


def score_of(log: Path, questions: Sequence[LoopQuestion], numbers: Collection[int]) -> Score:
    """The score of a log over the questions that were asked."""
    return Score(read_run(log), [one for one in questions if one.number in numbers])


def _kind(question: LoopQuestion) -> str:
    return "never" if question.is_never_said else question.kind


def main() -> None:
    """Score the logs that are named."""
    parser = argparse.ArgumentParser(prog="python -m bench.loop.score", description=__doc__)
    parser.add_argument("logs", nargs="+", type=Path, metavar="LOG", help="FOLDER/runs/NAME.jsonl")
    logs: list[Path] = parser.parse_args().logs
    questions = read_questions()
    scores = [score_of(log, questions, Workplace(log.parents[1]).numbers()) for log in logs]
    show(scores, Console(width=_WIDTH))


if __name__ == "__main__":
    main()
