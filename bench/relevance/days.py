"""Questions that name a day, over our own calls and chats: `python -m bench.relevance.days`.

A line of `material/days.txt` is a question, the id of a conversation, and words of the one turn that answers.
"""

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.relevance.asking import store_vcons
from bench.relevance.evidence import Evidence, ask_recall
from bench.relevance.form import HALVES, OWN_SETS, Mistake, Question, RelevanceSet, read_set
from bench.subject import open_subject

DAYS: Final = Path(__file__).with_name("material") / "days.txt"
_SETS: Final = ("calls", "chats")
_KIND: Final = "days"


def read_days(sets: Sequence[RelevanceSet], file: Path = DAYS) -> list[Question]:
    """The questions in the file, each with the turn that answers it.

    Raises: Mistake.
    """
    turns = {one.id: one.turns for set_ in sets for one in set_.conversations}
    questions: list[Question] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        text, conversation, words = line.split(" | ")
        answers = [number for number, turn in enumerate(turns.get(conversation, ())) if words in turn.text]
        if len(answers) != 1:
            raise Mistake(f"{file}: {len(answers)} turns of {conversation} hold {words!r}; one has to")
        questions.append(Question(text, _KIND, conversation, answers))
    return questions


async def _ask(folder: Path) -> list[Evidence]:
    sets = [read_set(file) for file in OWN_SETS if file.stem in _SETS]
    async with open_subject(folder / "store") as subject:
        uuids = await store_vcons(subject, sets)
        return await ask_recall(subject, [RelevanceSet(_KIND, questions=read_days(sets))], uuids)


def main() -> None:
    """Ask, and print for each budget and half the share of questions answered, and the bytes read."""
    with tempfile.TemporaryDirectory(prefix="vcontract-days-", ignore_cleanup_errors=True) as name:
        evidence = asyncio.run(_ask(Path(name)))
    for one in evidence:
        for half in HALVES:
            figures = [recalled.figures(asked) for asked, recalled in one.answered() if asked.half == half]
            found, read = (sum(each[name] for each in figures) / len(figures) for name in ("a turn", "bytes"))
            print(f"{one.way}, {half}: {found:.3f} of {len(figures)} questions, {read:,.0f} bytes")


if __name__ == "__main__":
    main()
