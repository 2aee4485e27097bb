"""Questions with the name of another person: python -m bench.wrong_names [FOLDER ...]

Each question that names who says its answer is asked as it is, and with the name of somebody else of the same
conversation. It prints how many vcon_recall calls likely, by half of the questions: by one the lead of
handlers/contract/recall_people.py is chosen, by the other reported. A FOLDER holds vcons.jsonl.gz and
questions.json, as for bench.relevance.
"""

import argparse
import asyncio
import random
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from bench.loop.material import own_sets, read_conversations
from bench.relevance.asking import store_vcons
from bench.relevance.folders import read_folder, store_folder
from bench.relevance.form import HALVES, Conversation, Question
from bench.subject import Subject, open_subject

_ASKS_WHO: Final = re.compile(r"who\b", re.IGNORECASE)
_MAX_QUESTIONS: Final = 200
_SEED: Final = 7


def swapped(
    questions: Sequence[Question], conversations: Mapping[str, Conversation]
) -> Iterator[tuple[Question, str]]:
    """Yield each question that names its speaker, and the same with another name of its conversation."""
    choice = random.Random(_SEED)  # noqa: S311
    for question in questions:
        turns = conversations[question.conversation].turns
        names = sorted({_first_name(turn.speaker) for turn in turns})
        named = [name for name in names if _has(question.text, name)]
        answers = [turns[number] for number in question.turns if number < len(turns)]
        speakers = {_first_name(turn.speaker) for turn in answers}
        if len(named) != 1 or named[0] not in speakers or _ASKS_WHO.match(question.text):
            continue
        said = " ".join(turn.text for turn in answers)
        others = [name for name in names if name not in speakers and not _has(said, name)]
        if others:
            other = choice.choice(others)
            yield question, re.sub(rf"\b{re.escape(named[0])}\b", other, question.text)


def _first_name(speaker: str) -> str:
    return speaker.split(maxsplit=1)[0]


def _has(text: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


async def _measure(subject: Subject, name: str, pairs: list[tuple[Question, str]]) -> None:
    """Ask, and print the counts."""
    for half in HALVES:
        of_half = [pair for pair in pairs if pair[0].half == half]
        right = [await _is_likely(subject, question.text) for question, _ in of_half]
        wrong = [await _is_likely(subject, text) for _, text in of_half]
        counts = f"likely {sum(right)} with the name, {sum(wrong)} with another, of {len(of_half)}"
        print(f"{name}, to {half}: {counts}")


async def _is_likely(subject: Subject, query: str) -> bool:
    answer = await subject.call("vcon_recall", {"query": query, "max_tokens": 500})
    return bool(answer["meta"]["answerable"] == "likely")


async def _run(folders: Sequence[Path], keep: Path) -> None:
    sets = own_sets()
    async with open_subject(keep / "own") as subject:
        await store_vcons(subject, sets)
        for set_ in sets:
            known = {one.id: one for one in set_.conversations}
            await _measure(subject, set_.name, [*swapped(set_.questions, known)])
    for folder in folders:
        async with open_subject(keep / folder.name) as subject:
            await store_folder(subject, folder)
            known = {one.id: one for one in read_conversations(folder)}
            pairs = [*swapped(read_folder(folder).questions, known)]
            chosen = random.Random(_SEED).sample(pairs, min(len(pairs), _MAX_QUESTIONS))  # noqa: S311
            await _measure(subject, folder.name, chosen)


def main() -> None:
    """Measure our own calls and chats, and the folders."""
    parser = argparse.ArgumentParser(prog="python -m bench.wrong_names", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vcontract-names-", ignore_cleanup_errors=True) as name:
        asyncio.run(_run(options.folders, Path(name)))


if __name__ == "__main__":
    main()
