"""Find the lines of abandoned branches: what a rewind or a rollback took out of a session."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

import pydantic_core

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import as_index, is_array, is_object, members
from vcontract.runtime.imports.transcripts.lines import Line
from vcontract.runtime.imports.transcripts.prompt_queue import is_prompt

_Kind: TypeAlias = Literal["prompt", "said", "other"]
_BEGINNING: Final = ""
"""Anchor of a prompt with nothing before it."""


class _Record(NamedTuple):
    line: int
    kind: _Kind
    parent: str | None
    """None if it is unknown; empty if there is none."""


@dataclass(slots=True)
class ClaudeCodeBranches:
    """Links between records. A rewind writes only the next prompt, below the record that it went back to.

    Two prompts with the same predecessor are therefore versions of one; the branch that was continued last
    is the conversation. Other forks, such as those of parallel tools and hooks, are no rewinds.
    Source: public descriptions of the tree in Claude Code's session files.
    """

    _records: dict[str, _Record] = field(default_factory=dict[str, _Record])
    _is_linked: bool = True
    """Whether answers have a parent. If not, a prompt without one proves nothing."""

    def note(self, line: Line) -> None:
        """Process one line, which is parsed without the care for texts, because only links are read."""
        if b'"uuid"' not in line.raw:
            return
        try:
            record: JsonValue = pydantic_core.from_json(line.raw)
        except (ValueError, TypeError):
            return
        if not is_object(record):
            return
        own = record.get("uuid")
        if not isinstance(own, str) or own in self._records or record.get("isSidechain") is True:
            return
        given: JsonValue = record.get("parentUuid") or record.get("logicalParentUuid")
        parent = given if isinstance(given, str) and given in self._records else None
        if given is None and "parentUuid" in record:
            parent = _BEGINNING
            self._is_linked &= record.get("type") != "assistant"
        self._records[own] = _Record(line.number, _kind(record), parent)

    def abandoned(self) -> frozenset[int]:
        """Lines of the branches that were not continued."""
        versions: defaultdict[str, list[str]] = defaultdict(list)
        for own, record in self._records.items():
            if record.kind == "prompt" and (anchor := self._anchor(record)) is not None:
                versions[anchor].append(own)
        forks = [prompts for prompts in versions.values() if len(prompts) > 1]
        if not forks:
            return frozenset()
        last = {own: record.line for own, record in self._records.items()}
        for own, record in reversed(self._records.items()):  # a parent stands before its children
            if record.parent:
                last[record.parent] = max(last[record.parent], last[own])
        left = {own for prompts in forks for own in prompts if own != max(prompts, key=last.__getitem__)}
        for own, record in self._records.items():
            if record.parent in left:
                left.add(own)
        return frozenset(self._records[own].line for own in left)

    def _anchor(self, record: _Record) -> str | None:
        """Nearest record above that said something; None if it is unknown."""
        parent = record.parent
        while parent and self._records[parent].kind == "other":
            parent = self._records[parent].parent
        return parent if parent or self._is_linked else None


def _kind(record: JsonObject) -> _Kind:
    if record.get("type") == "assistant" or record.get("subtype") == "compact_boundary":
        return "said"
    if record.get("type") != "user" or record.get("isMeta") is True:
        return "other"
    content: JsonValue = members(record.get("message")).get("content")
    blocks = content if is_array(content) else []
    is_result = any(is_object(block) and block.get("type") == "tool_result" for block in blocks)
    return "said" if is_result or record.get("isCompactSummary") is True else "prompt"


@dataclass(slots=True)
class CodexBranches:
    """Prompts of a session of Codex, and the number of prompts that a rollback undid."""

    _steps: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Lines, each with the number of prompts that it undid; 0 for a prompt."""

    def note(self, line: int, record: JsonObject) -> None:
        """Process one line."""
        payload = members(record.get("payload"))
        kind: JsonValue = payload.get("type")
        is_shown = record.get("type") == "event_msg" and kind == "user_message"
        if is_shown or (kind == "message" and payload.get("role") == "user" and is_prompt(payload)):
            self._steps.append((line, 0))
        elif kind == "thread_rolled_back" and (turns := as_index(payload.get("num_turns"))):
            self._steps.append((line, turns))

    def abandoned(self, copies: frozenset[int]) -> frozenset[int]:
        """Lines of the prompts that were undone and of what followed them; `copies` are no prompts."""
        prompts: list[int] = []
        lines: set[int] = set()
        for line, turns in self._steps:
            if not turns:
                prompts += [] if line in copies else [line]
            elif undone := prompts[-turns:]:
                del prompts[-turns:]
                lines.update(range(undone[0], line))
        return frozenset(lines)
