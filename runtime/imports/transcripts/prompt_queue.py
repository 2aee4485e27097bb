"""Lookahead: lines that depend on later ones, queued prompts of Claude Code and display copies of Codex."""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, is_object, members
from vcontract.runtime.imports.transcripts.content import blocks_of

Said: TypeAlias = Literal["prompt", "undelivered"]


@dataclass(slots=True)
class _Typed:
    line: int
    text: str


@dataclass(slots=True)
class Queue:
    """Follows the queue through a file; at its end `plan` returns the meaning of its lines.

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


_ROLES: Final = {"user_message": "user", "agent_message": "assistant"}
_TEXTS: Final = ("input_text", "output_text", "text")
_SCAFFOLDING: Final = re.compile(
    r"\s*(?:<(?P<tag>environment_context|user_instructions|permissions instructions)>.*?(?:</(?P=tag)>|\Z)"
    r"|# AGENTS\.md instructions.*?(?:</INSTRUCTIONS>|\Z))",
    re.DOTALL,
)
"""What the program puts before a prompt, or into a message of its own."""


@dataclass(slots=True)
class DisplayCopies:
    """Notes what is said and what is shown, turn by turn; a shown text that was said is a copy."""

    _turn: int = 0
    _said: dict[tuple[str, str], list[int]] = field(default_factory=dict[tuple[str, str], list[int]])
    _shown: list[tuple[int, int, tuple[str, str]]] = field(
        default_factory=list[tuple[int, int, tuple[str, str]]]
    )

    def note(self, line: int, record: JsonObject) -> None:
        """Take one line in."""
        payload = members(record.get("payload"))
        match record.get("type"):
            case "turn_context":
                self._turn += 1
            case "response_item" if payload.get("type") == "message":
                role = str(payload.get("role"))
                key = (role, prompt_text(payload) if role == "user" else message_text(payload))
                self._said.setdefault(key, []).append(self._turn)
            case "event_msg" if str(payload.get("type")) in _ROLES:
                role, text = _ROLES[str(payload["type"])], shown_text(payload)
                key = (role, typed_text(text) if role == "user" else text)
                self._shown.append((line, self._turn, key))
            case _:
                pass

    def lines(self) -> frozenset[int]:
        """The lines that are copies: said in the same turn, or where the turn was about to change."""
        copies: set[int] = set()
        for line, turn, key in self._shown:
            turns = self._said.get(key, [])
            match = next((said for said in turns if abs(said - turn) <= 1), None)
            if match is not None:
                turns.remove(match)
                copies.add(line)
        return frozenset(copies)


def message_text(payload: JsonObject) -> str:
    """The text of a message item."""
    return "\n".join(_texts_of(payload)).strip()


def prompt_text(payload: JsonObject) -> str:
    """The text of a person's message item, without what the program put there."""
    return "\n".join(typed for text in _texts_of(payload) if (typed := typed_text(text)))


def typed_text(text: str) -> str:
    """What of a text the person typed."""
    position = 0
    while found := _SCAFFOLDING.match(text, position):
        position = found.end()
    return text[position:].strip()


def shown_text(payload: JsonObject) -> str:
    """The text of a message event."""
    message = payload.get("message")
    return message.strip() if isinstance(message, str) else text_of(message)


def _texts_of(payload: JsonObject) -> list[str]:
    content = payload.get("content")
    if isinstance(content, str):
        return [content]
    return [
        str(block.get("text", ""))
        for block in array(content)
        if is_object(block) and block.get("type") in _TEXTS
    ]
