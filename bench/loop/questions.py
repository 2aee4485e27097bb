"""Questions with known answers, and whether an answer holds what it has to."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from ruamel.yaml import YAML

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, members
from vcontract.runtime.text.words import fold, surfaces

QUESTIONS: Final = Path(__file__).with_name("questions.yaml")
KINDS: Final = ("one", "several", "date", "list")
DECLINED: Final = "NOT SAID"
"""How an answer begins that says that nothing stored answers."""


class Mistake(ValueError):
    """A list of questions that cannot be read; the message holds the question."""


@dataclass(frozen=True, slots=True)
class LoopQuestion:
    """A question, and what a right answer to it has to contain."""

    number: int
    material: str
    kind: str
    text: str
    answer: tuple[tuple[str, ...], ...]
    """Of each entry one phrase; empty when the question is never answered."""
    wrong: tuple[str, ...]
    """Phrases of a wrong answer."""

    @property
    def is_never_said(self) -> bool:
        """Whether the material has no answer."""
        return not self.answer

    def is_right(self, answer: str) -> bool:
        """Whether an answer contains every key phrase, or declines when nothing answers."""
        declines = answer.strip().upper().startswith(DECLINED)
        if self.is_never_said or declines:
            return self.is_never_said and declines
        return all(any(_says(answer, phrase) for phrase in phrases) for phrases in self.answer) and not any(
            _says(answer, phrase) for phrase in self.wrong
        )


def read_questions(file: Path = QUESTIONS, materials: Sequence[str] = ()) -> list[LoopQuestion]:
    """The questions over these materials, over all without any; a number stays the same in each selection.

    Raises: Mistake.
    """
    yaml = YAML(typ="safe", pure=True)
    document = cast(JsonObject, yaml.load(file.read_text(encoding="utf-8")))  # pyright: ignore[reportUnknownMemberType]
    entries = [(name, members(entry)) for name, listed in document.items() for entry in array(listed)]
    questions = [_question(number, name, entry) for number, (name, entry) in enumerate(entries, 1)]
    return [one for one in questions if not materials or one.material in materials]


def _question(number: int, material: str, entry: JsonObject) -> LoopQuestion:
    text, kind = entry.get("ask"), entry.get("kind")
    if not isinstance(text, str) or kind not in KINDS or not entry.keys() <= {"ask", "kind", "answer", "not"}:
        raise Mistake(
            f"question {number}: {entry}; needs ask, kind ({', '.join(KINDS)}), may have answer, not"
        )
    answer = tuple(_phrases(one) for one in array(entry.get("answer")))
    return LoopQuestion(number, material, str(kind), text, answer, _phrases(entry.get("not", [])))


def _phrases(value: JsonValue) -> tuple[str, ...]:
    return tuple(str(one) for one in (array(value) if isinstance(value, list) else [value]))


def _says(answer: str, phrase: str) -> bool:
    """Whether the words of a phrase begin words of the answer, one after the other."""
    said, wanted = _words(answer), _words(phrase)
    return any(
        all(word == part or _begins(word, part) for word, part in zip(said[at:], wanted, strict=False))
        for at in range(len(said) - len(wanted) + 1)
    )


def _begins(word: str, part: str) -> bool:
    return part.isalpha() and len(part) > 2 and word.startswith(part)


def _words(text: str) -> list[str]:
    return [fold(word) for word in surfaces(text)]
