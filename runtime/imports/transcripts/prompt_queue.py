"""Resolve lines that depend on later ones: Claude Code's queued prompts and Codex's display copies."""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, is_array, is_object, members
from vcontract.runtime.imports.transcripts.content import blocks_of

Said: TypeAlias = Literal["prompt", "undelivered"]


@dataclass(slots=True)
class _Typed:
    line: int
    text: str


@dataclass(slots=True)
class Queue:
    """Follows the prompt queue through a file; `plan` then returns the meaning of its lines.

    An `enqueue` is closed by `remove` (delivered while the agent works), `dequeue` (repeated as a user
    line) or `popAll` (retracted). Text delivered by another line belongs to that line. Lines are matched by
    text, so that nothing is repeated or lost.
    """

    is_used: bool = False
    _open: list[_Typed] = field(default_factory=list[_Typed])
    _removed: list[tuple[int, _Typed]] = field(default_factory=list[tuple[int, _Typed]])
    _carriers: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """Lines that deliver a text, by text."""

    def operation(self, line: int, record: JsonObject) -> None:
        """Process a line of type `queue-operation`."""
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
        """Process a line that may deliver queued text: a user line, or a `queued_command`."""
        content: JsonValue = members(record.get("message")).get("content")
        if record.get("type") == "attachment":
            content = members(record.get("attachment")).get("prompt")
        if text := text_of(content):
            self._carriers.setdefault(text, []).append(line)

    def plan(self) -> dict[int, tuple[Said, str]]:
        """Return by line what was said only there."""
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
        """Close the open prompt with this text; without a text, the first one."""
        place = next((at for at, typed in enumerate(self._open) if not text or typed.text == text), None)
        return None if place is None else self._open.pop(place)


def text_of(content: JsonValue) -> str:
    """Text of a prompt that is a string or blocks."""
    texts = [str(block.get("text", "")) for block in blocks_of(content) if block.get("type") == "text"]
    return "\n".join(texts).strip()


def _delivered(typed: _Typed, carriers: dict[str, list[int]]) -> bool:
    """Whether a later line delivers the text; that line then delivers no other prompt."""
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
"""Text that the program adds before a prompt, or as its own message."""


@dataclass(slots=True)
class DisplayCopies:
    """Records said and displayed texts by turn. A displayed text that was said is a copy."""

    _turn: int = 0
    _said: dict[tuple[str, str], list[int]] = field(default_factory=dict[tuple[str, str], list[int]])
    _shown: list[tuple[int, int, tuple[str, str]]] = field(
        default_factory=list[tuple[int, int, tuple[str, str]]]
    )

    def note(self, line: int, record: JsonObject) -> None:
        """Process one line."""
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
        """Lines that are copies: the text was said in the same turn, or in the one before or after."""
        copies: set[int] = set()
        for line, turn, key in self._shown:
            turns = self._said.get(key, [])
            match = next((said for said in turns if abs(said - turn) <= 1), None)
            if match is not None:
                turns.remove(match)
                copies.add(line)
        return frozenset(copies)


def message_text(payload: JsonObject) -> str:
    """Text of a message item."""
    return "\n".join(_texts_of(payload)).strip()


def prompt_text(payload: JsonObject) -> str:
    """Text of a user's message item, without the program's additions."""
    return "\n".join(typed for text in _texts_of(payload) if (typed := typed_text(text)))


def is_prompt(payload: JsonObject) -> bool:
    """Whether a user's message item has words of the user, or a picture."""
    blocks = array(payload.get("content")) if is_array(payload.get("content")) else []
    has_picture = any(is_object(block) and block.get("type") == "input_image" for block in blocks)
    return has_picture or bool(prompt_text(payload))


def typed_text(text: str) -> str:
    """The part of a text that the user typed."""
    position = 0
    while found := _SCAFFOLDING.match(text, position):
        position = found.end()
    return text[position:].strip()


def shown_text(payload: JsonObject) -> str:
    """Text of a message event."""
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
