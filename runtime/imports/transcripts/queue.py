"""Prompts typed while the agent works: which lines of a queue stand for something said."""

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from vcontract.runtime.documents.json import JsonObject, JsonValue
from vcontract.runtime.documents.values import members
from vcontract.runtime.imports.transcripts.content import blocks_of

Said: TypeAlias = Literal["prompt", "undelivered"]


@dataclass(slots=True)
class _Typed:
    line: int
    text: str


@dataclass(slots=True)
class Queue:
    """Follows the queue through a file; at its end `plan` tells what its lines stand for.

    Every `enqueue` is closed by `remove` (delivered while the agent works), `dequeue` (comes back as a line
    of the user) or `popAll` (taken back). What is delivered by another line is that line's; matched by text,
    so that nothing appears twice and nothing is lost.
    """

    is_used: bool = False
    _open: list[_Typed] = field(default_factory=list[_Typed])
    _removed: list[tuple[int, _Typed]] = field(default_factory=list[tuple[int, _Typed]])
    _carriers: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """By text, the lines that carry it."""

    def operation(self, line: int, record: JsonObject) -> None:
        """A line of type `queue-operation`."""
        self.is_used = True
        text = text_of(record.get("content"))
        match record.get("operation"):
            case "enqueue" if text:
                self._open.append(_Typed(line, text))
            case "dequeue":
                self._close(text)
            case "remove":
                typed = self._close(text)
                if typed is not None or text:
                    self._removed.append((line, typed or _Typed(0, text)))
            case "popAll":
                self._open.clear()
            case _:
                pass

    def carrier(self, line: int, record: JsonObject) -> None:
        """A line that may deliver what was typed: one of the user, or a `queued_command`."""
        content: JsonValue = members(record.get("message")).get("content")
        if record.get("type") == "attachment":
            content = members(record.get("attachment")).get("prompt")
        if text := text_of(content):
            self._carriers.setdefault(text, []).append(line)

    def plan(self) -> dict[int, tuple[Said, str]]:
        """By line, what was said there and nowhere else."""
        carriers = {text: list(lines) for text, lines in self._carriers.items()}
        said: dict[int, tuple[Said, str]] = {}
        for line, typed in self._removed:
            if not _delivered(typed, carriers):
                said[line] = ("prompt", typed.text)
        for typed in self._open:
            if not _delivered(typed, carriers):
                said[typed.line] = ("undelivered", typed.text)
        return said

    def _close(self, text: str) -> _Typed | None:
        """Take the open prompt of this text out of the queue; without a text the first one."""
        place = next((at for at, typed in enumerate(self._open) if not text or typed.text == text), None)
        return None if place is None else self._open.pop(place)


def text_of(content: JsonValue) -> str:
    """The text of a prompt that is a string or blocks."""
    texts = [str(block.get("text", "")) for block in blocks_of(content) if block.get("type") == "text"]
    return "\n".join(texts).strip()


def _delivered(typed: _Typed, carriers: dict[str, list[int]]) -> bool:
    """Whether a later line carries the text, and no other prompt claims it."""
    lines = carriers.get(typed.text, [])
    place = bisect_right(lines, typed.line)
    if place == len(lines):
        return False
    del lines[place]
    return True
