"""Searchable text of an agent trace: the tool calls of each exchange."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import (
    array,
    as_index,
    is_array,
    is_object,
    members,
    objects,
)
from vcontract.runtime.vcon.times import read_time

TRACE_TYPE: Final = "agent_trace"
ABANDONED: Final = "abandoned"
"""Member of an entry on a branch that was not continued: it is kept, but not searched or shown."""
MAX_TOOL_LINE: Final = 1_000
MAX_CALL_TEXT: Final = 8_000

OWN_TOOLS: Final = frozenset(
    {"search", "read", "init", "checkpoint", "end", "status", "store_reflection", "reflect_on_past"}
    | {"quick_search", "get_more_results", "search_by_file", "search_by_concept", "reflection_stats"}
    | {"get_cached_chunk"}
)
"""Memory and session tools, whose results must not be found by later searches."""

_OWN_PREFIXES: Final = ("memory_", "session_")
_MAX_SUBJECT_LENGTH: Final = 200
_SUBJECTS: Final = (
    *("command", "cmd", "file_path", "notebook_path", "pattern", "query", "url", "path", "skill"),
    *("filePath", "filepath", "target_file", "relativeWorkspacePath"),
    *("description", "prompt", "input"),
)
_PATCHED: Final = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_SHELLS: Final = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh")


@dataclass(slots=True)
class ToolUse:
    """A tool call with its result, if there is one."""

    name: str
    input: JsonValue
    output: JsonValue = None
    line: int = 0
    """Line of the agent's file, as dialogs have it; 0 if unknown."""


@dataclass(slots=True)
class TracedExchange:
    """Tool calls of one exchange."""

    number: int
    at: datetime | None
    uses: list[ToolUse] = field(default_factory=list[ToolUse])

    @property
    def tool_line(self) -> str:
        """Tool names, paths and first lines of commands without duplicates, up to 1,000 characters."""
        return tool_line(self.uses)[:MAX_TOOL_LINE]

    @property
    def bodies(self) -> str:
        """Inputs and outputs, up to 8,000 characters per call, without this server's own tools."""
        texts = [
            "\n".join((*_strings(use.input), *_strings(use.output)))[:MAX_CALL_TEXT]
            for use in self.uses
            if not is_own_tool(use.name)
        ]
        return "\n\n".join(text for text in texts if text)


def tool_line(uses: Iterable[ToolUse]) -> str:
    """Tool names, each with its path or the first line of its command, without duplicates."""
    return "; ".join(dict.fromkeys(f"{use.name} {_own_subject(use)}".strip() for use in uses))


def is_own_tool(name: str) -> bool:
    """Whether the name is that of a memory or session tool, of whatever MCP server: `mcp__memory__search`."""
    *before, last = name.split("__")
    for prefix in _OWN_PREFIXES:
        if last.startswith(prefix) and last.removeprefix(prefix) in OWN_TOOLS:
            return True
    return bool(before) and last in OWN_TOOLS


def tool_subject(name: str, given: JsonValue) -> str:
    """Subject of a call in one line: its command, path, pattern or query; empty if unknown."""
    if isinstance(given, str):
        patched = _PATCHED.findall(given)
        return _one_line(", ".join(patched) if patched else given)
    for member in _SUBJECTS:
        value: JsonValue = members(given).get(member)
        if is_array(value):
            value = _command_line(value)
        if isinstance(value, str) and value.strip():
            patched = _PATCHED.findall(value)
            return _one_line(", ".join(patched) if patched else value)
    return ""


def traced_exchanges(analysis: JsonObject) -> list[TracedExchange] | None:
    """Exchanges of an agent trace, without abandoned branches.

    None for other analyses, or if an entry has no exchange number.
    """
    if analysis.get("type") != TRACE_TYPE:
        return None
    body = members(analysis.get("body"))
    sessions = [members(body.get(name)) for name in ("session", "session-trace")]
    entries = next((session["entries"] for session in sessions if is_array(session.get("entries"))), None)
    if entries is None:
        return None
    exchanges: dict[int, TracedExchange] = {}
    calls: dict[str, ToolUse] = {}
    for _, entry in objects(entries):
        number = entry.get("exchange")
        if not isinstance(number, int):
            return None
        if entry.get(ABANDONED) is True:
            continue
        exchange = exchanges.setdefault(number, TracedExchange(number, _time(entry)))
        call_id = str(entry.get("call-id"))
        if entry.get("type") == "tool-call":
            use = ToolUse(str(entry.get("name")), entry.get("input"), line=as_index(entry.get("line")) or 0)
            calls[call_id] = use
            exchange.uses.append(use)
        elif entry.get("type") == "tool-result" and call_id in calls:
            calls[call_id].output = entry.get("output")
    return list(exchanges.values())


def _own_subject(use: ToolUse) -> str:
    """Subject of a call, except for this server's own tools, so that no search finds a search."""
    return "" if is_own_tool(use.name) else tool_subject(use.name, use.input)


def _command_line(parts: list[JsonValue]) -> str:
    words = [str(part) for part in parts]
    if len(words) == 3 and words[0] in _SHELLS and words[1].startswith("-"):
        return words[2]
    return " ".join(words)


def _one_line(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= _MAX_SUBJECT_LENGTH else f"{line[: _MAX_SUBJECT_LENGTH - 1]}…"


def _strings(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        if value.strip():
            yield value
    elif is_array(value):
        for element in array(value):
            yield from _strings(element)
    elif is_object(value):
        for member in value.values():
            yield from _strings(member)


def _time(entry: JsonObject) -> datetime | None:
    timestamp = entry.get("timestamp")
    return read_time(timestamp) if isinstance(timestamp, str) else None
