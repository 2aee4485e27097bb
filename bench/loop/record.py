"""The record of a run: its calls and answers, a JSON object a line."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeAlias

from vcontract.runtime.frame.documents.json import JsonObject, parse_json

GREETING = 0
"""The number of what is read before the first question."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call that a model made for a question, and what it read."""

    question: int
    access: str
    tool: str
    arguments: JsonObject
    bytes: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered to a question."""

    question: int
    answer: str


Entry: TypeAlias = Call | Answer


@dataclass(slots=True)
class Run:
    """What was done in a run."""

    name: str
    calls: list[Call] = field(default_factory=list[Call])
    answers: dict[int, str] = field(default_factory=dict[int, str])
    """The last answer to each question."""

    @property
    def access(self) -> str:
        """The kinds of access that were used; one, unless runs were mixed."""
        return ", ".join(dict.fromkeys(call.access for call in self.calls))


def append(log: Path, entry: Entry) -> None:
    """Write an entry at the end of a log, which is made if need be."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as out:
        out.write(json.dumps(asdict(entry), ensure_ascii=False) + "\n")


def read_run(log: Path) -> Run:
    """The run whose log this is."""
    run = Run(log.stem)
    for entry in _entries(log.read_text(encoding="utf-8").splitlines()):
        if isinstance(entry, Call):
            run.calls.append(entry)
        else:
            run.answers[entry.question] = entry.answer
    return run


def _entries(lines: Iterable[str]) -> Iterable[Entry]:
    for line in lines:
        document: JsonObject = parse_json(line)
        yield Answer(**document) if "answer" in document else Call(**document)
