"""Display copies: lines of Codex that show again what another line of the turn says."""

import re
from dataclasses import dataclass, field
from typing import Final

from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.documents.values import array, is_object, members
from vcontract.runtime.imports.transcripts.queue import text_of

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
