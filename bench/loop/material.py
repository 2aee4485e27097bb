"""The material of the loop: a store, the same conversations as text files, and questions without answers."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from gzip import open as open_gzip
from pathlib import Path
from typing import Final

from bench.loop.questions import LoopQuestion
from bench.relevance.asking import store_vcons
from bench.relevance.folders import store_folder
from bench.relevance.form import OWN_SETS, Conversation, RelevanceSet, Turn, read_set
from bench.subject import open_subject
from vcontract.runtime.frame.documents.json import JsonObject, parse_json

OWN: Final = "own"
MEETINGS: Final = "meetings"
_OWN_NAMES: Final = ("calls", "chats")
_ASKED: Final = "questions.txt"


class AlreadyPrepared(Exception):
    """The folder holds something; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """A folder in which a model answers: `store`, `text`, `questions.txt` and `runs`."""

    folder: Path

    @property
    def store(self) -> Path:
        """The data directory of the store."""
        return self.folder / "store"

    @property
    def text(self) -> Path:
        """The conversations as text files, a folder for each material."""
        return self.folder / "text"

    @property
    def asked(self) -> Path:
        """The questions, without answers."""
        return self.folder / _ASKED

    def log(self, run: str) -> Path:
        """The calls and answers of a run."""
        return self.folder / "runs" / f"{run}.jsonl"

    def numbers(self) -> list[int]:
        """The questions that its material answers, by their numbers."""
        lines = self.asked.read_text(encoding="utf-8").splitlines()
        return [int(line.partition(".")[0]) for line in lines]


def own_sets() -> list[RelevanceSet]:
    """Our own calls and chats."""
    return [read_set(file) for file in OWN_SETS if file.stem in _OWN_NAMES]


async def prepare(
    place: Workplace, sets: Sequence[RelevanceSet], meetings: Path | None, questions: Iterable[LoopQuestion]
) -> None:
    """Store the conversations, embedded, and write the text files and questions.

    Raises: AlreadyPrepared; ImportFailed.
    """
    if place.folder.exists() and any(place.folder.iterdir()):
        raise AlreadyPrepared(f"{place.folder} is not empty. Name a new folder, or remove this one first.")
    async with open_subject(place.store) as subject:
        await store_vcons(subject, list(sets))
        if meetings is not None:
            await store_folder(subject, meetings)
    _write(place.text / OWN, [one for set_ in sets for one in set_.conversations])
    if meetings is not None:
        _write(place.text / MEETINGS, read_conversations(meetings))
    place.asked.write_text("".join(f"{one.number}. {one.text}\n" for one in questions), encoding="utf-8")


def _write(folder: Path, conversations: Iterable[Conversation]) -> None:
    """A file for each conversation: a line with date, subject and people, then a line for each turn."""
    folder.mkdir(parents=True)
    for one in conversations:
        people = ", ".join(dict.fromkeys(turn.speaker for turn in one.turns))
        head = f"{one.turns[0].at:%Y-%m-%d %H:%M} | {one.subject} | {people}"
        turns = (f"{turn.at:%Y-%m-%d %H:%M} {turn.speaker}: {turn.text}" for turn in one.turns)
        (folder / f"{one.id}.txt").write_text("\n".join([head, *turns, ""]), encoding="utf-8")


def read_conversations(folder: Path) -> Iterator[Conversation]:
    """The conversations of a folder with vcons.jsonl.gz."""
    with open_gzip(folder / "vcons.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield _conversation(parse_json(line))


def _conversation(vcon: JsonObject) -> Conversation:
    names = [party["name"] for party in vcon["parties"]]
    turns = [
        Turn(names[_speaker(dialog["parties"])], dialog["body"], datetime.fromisoformat(dialog["start"]))
        for dialog in vcon["dialog"]
    ]
    return Conversation(vcon["uuid"], vcon.get("subject", ""), turns)


def _speaker(parties: int | list[int]) -> int:
    return parties if isinstance(parties, int) else parties[0]
