"""The form of a relevance set: conversations, each turn followed by the questions that it answers."""

import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal

from vcontract.runtime.text.languages import function_words
from vcontract.runtime.text.words import STOP_WORDS, fold, lexeme, surfaces

Half = Literal["choose", "report"]
HALVES: Final[tuple[Half, ...]] = ("choose", "report")
KINDS: Final = {"?": "words", "~": "meaning", "@": "who, when", "!": "names"}
"""Marks of questions: with words of the answer, with none of them, about people and days, with a name that
misleads."""
OWN_SETS: Final = tuple(
    Path(__file__).with_name("material") / f"{name}.txt"
    for name in ("calls", "chats", "languages", "agents", "journal")
)
Place = tuple[str, range]
"""A conversation by its id, and the turns that are shown as one; none for all of it."""
NONSENSE: Final = (
    *("quantum chromodynamics of gluon jets", "medieval falconry gloves", "photosynthesis in deep sea kelp"),
    *("sonnets by Petrarch", "tectonic plates below Iceland", "how to tune a harpsichord", "origami cranes"),
    *("volcano eruption of Krakatoa", "penguin migration", "baroque opera librettos", "knitting a cardigan"),
    *("the rules of cricket", "neutron star merger", "a zebra in the savanna", "Byzantine mosaics"),
    *(
        "the treaty of Westphalia",
        "chess endgame with rooks",
        "glacier retreat in Patagonia",
        "tango lessons",
    ),
    "lunar eclipse photography",
)
"""Questions about nothing that our own sets talk of; the meetings mention a zebra and cranes in passing."""
_CLOCK: Final = "%Y-%m-%d %H:%M"
_QUESTION: Final = re.compile(r"([?~@!])([1-9]?) (.+)")
_NEVER_SAID: Final = re.compile(r"- (.+)")
_TURN: Final = re.compile(r"(\w[\w .]*): (.+)")


class Mistake(ValueError):
    """A set that cannot be read; the message holds the file and the line."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Something that somebody said."""

    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns under an id that no other conversation has."""

    id: str
    subject: str
    turns: list[Turn] = field(default_factory=list[Turn])


def half_of(question: str) -> Half:
    """Constants are chosen on one half of the questions and reported on the other."""
    return HALVES[zlib.crc32(question.encode()) & 1]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and where its answer stands: any of these turns counts as found."""

    text: str
    kind: str
    """How it is related to its answer, as its mark says; empty without one."""
    conversation: str
    turns: Sequence[int]

    @property
    def half(self) -> Half:
        """The half that the question belongs to."""
        return half_of(self.text)


@dataclass(frozen=True, slots=True)
class RelevanceSet:
    """A whole file."""

    name: str
    conversations: list[Conversation] = field(default_factory=list[Conversation])
    questions: list[Question] = field(default_factory=list[Question])
    never_said: list[str] = field(default_factory=list[str])
    """Questions on the set's own subjects that no turn answers."""


def read_set(file: Path) -> RelevanceSet:
    """The set in `file`.

    Raises: Mistake.
    """
    found = RelevanceSet(file.stem)
    clock = datetime.min
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            clock = _read_line(found, line, clock)
        except ValueError as error:
            raise Mistake(f"{file}:{number}: {error}") from error
    if not found.questions and not found.never_said:
        raise Mistake(f"{file}: there is no question in it")
    return found


def _read_line(found: RelevanceSet, line: str, clock: datetime) -> datetime:
    """Add what the line says; the time that the next turn is said at."""
    if not line:
        return clock
    if line.startswith("= "):
        id_, subject, at = line[2:].split(" | ")
        if any(known.id == id_ for known in found.conversations):
            raise ValueError(f"two conversations have the id {id_!r}")
        found.conversations.append(Conversation(id_, subject))
        return datetime.strptime(f"{at} +0000", f"{_CLOCK} %z")
    if never_said := _NEVER_SAID.fullmatch(line):
        found.never_said.append(never_said[1])
        return clock
    if not found.conversations:
        raise ValueError("a conversation begins with a line such as: = id | subject | 2025-03-01 09:00")
    conversation = found.conversations[-1]
    if line.startswith("-- "):
        return datetime.strptime(f"{line[3:]} +0000", f"{_CLOCK} %z")
    if question := _QUESTION.fullmatch(line):
        last = len(conversation.turns)
        first = last - int(question[2] or 1)
        if first < 0:
            raise ValueError(f"{int(question[2] or 1)} turns answer, and {last} stand before")
        asked = Question(question[3], KINDS[question[1]], conversation.id, range(first, last))
        if shared := _shared(asked, conversation):
            raise ValueError(f"a question marked ~ shares a word with its answer: {', '.join(shared)}")
        found.questions.append(asked)
        return clock
    if turn := _TURN.fullmatch(line):
        conversation.turns.append(Turn(turn[1], turn[2], clock))
        return clock + timedelta(minutes=1)
    raise ValueError("a line is a turn such as Ann: Hello, a question behind ? ~ @ ! or -, or -- and a time")


def _shared(question: Question, conversation: Conversation) -> set[str]:
    """The words that a question for the meaning has in common with what answers it."""
    if question.kind != KINDS["~"]:
        return set()
    answers = [conversation.turns[number].text for number in question.turns]
    return content([question.text]) & content(answers)


def content(texts: Iterable[str]) -> set[str]:
    """The stems of the words that say something, function words of each text's language left out."""
    found: set[str] = set()
    for text in texts:
        left_out = STOP_WORDS | function_words(surfaces(text))
        found |= {lexeme(word) for word in surfaces(text) if fold(word).replace("'", "") not in left_out}
    return found
