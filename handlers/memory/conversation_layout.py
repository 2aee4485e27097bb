"""Format a past conversation as Markdown: header, exchanges, and how to continue."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from vcontract.generated.results.memory import MemoryReadResultExchangesEntry
from vcontract.runtime.frame.documents.findings import counted
from vcontract.runtime.frame.documents.json import dump_json
from vcontract.runtime.imports.transcripts.model import (
    COMPACT_SUMMARY,
    INTERRUPTED,
    UNPARSEABLE,
    Event,
    Exchange,
    Message,
    ToolCall,
)
from vcontract.runtime.store.transcripts.conversations import SubAgent
from vcontract.runtime.vcon.times import format_time
from vcontract.runtime.vcon.traces import tool_subject

BETWEEN: Final = "\n\n"
"""Separator of the text's pieces."""

_LABELS: Final = {"user": "**User:**", "assistant": "**Assistant:**"}
_TOOLS: Final = "**Tools:**"
_SUB_AGENT: Final = "**Sub-agent:**"
_REWOUND: Final = "_[rewound: the conversation does not continue from here]_"
_MAX_ERROR_LENGTH: Final = 500
_MAX_INLINE_OUTPUT_LENGTH: Final = 200
"""Maximum characters of a tool's output on the line of its call."""
_MAX_OUTPUT_LENGTH: Final = 1_000
"""Maximum characters of output below that line, unless only that line is read."""

_AS_OURS: Final = re.compile(
    r"(?im)(?:^|(?<=[\r\v\f\x1c-\x1e\x85\u2028\u2029]))(?P<before>[ \t>-]*)(?P<mark>"
    r"\#{1,6}[ \t]*(?:Exchange|Conversation|Project|Date)\b"
    r"|[*_]{1,3}(?:User|Assistant|Tools|Sub-agent)(?![a-z0-9])"
    r"|_\[|\[(?:unparseable line|cut:|folded:|\d+ exchanges?; path)|Lines \d+-\d+ of \d+ shown)"
)
"""Beginnings of quoted lines that look like our own structure."""

Kind: TypeAlias = Literal["user", "assistant", "tool", "output", "sub_agent", "note"]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an exchange, at the line where it begins."""

    line: int
    kind: Kind
    text: str
    characters: int = 0
    """For an output: its full length."""
    note: str = ""
    """Our note after it."""

    @property
    def said(self) -> str:
        """The text with our note."""
        return f"{self.text}{self.note}"

    @property
    def escaped(self) -> str:
        """The same, with a backslash before lines that look like our headings and labels."""
        return _AS_OURS.sub(r"\g<before>\\\g<mark>", self.text) + self.note

    def cut(self, most: int) -> "Part":
        """Cut to `most` characters, with a note."""
        if len(self.text) <= most:
            return self
        note = f"[cut: the first {most} of {len(self.text)} characters]"
        return replace(self, text=self.text[:most], note=f"{BETWEEN}{note}")


Parts: TypeAlias = Sequence[Part]


@dataclass(frozen=True, slots=True)
class Shown:
    """An exchange, or a part of it, as text and data."""

    text: str
    facts: MemoryReadResultExchangesEntry
    size: int
    """Bytes of both, including separators."""


def header(title: str, project: str, date: str) -> str:
    return f"# Conversation: {_one_line(title)}\n# Project: {_one_line(project)}\n# Date: {date}"


def nothing_in(start: int, end: int, around: Exchange | None) -> str:
    lines = f"No messages in lines {start}-{end}."
    if around is None:
        return lines
    call = max((call.line for call in around.calls if call.line < start), default=around.line_start)
    return (
        f"{lines} They belong to what begins at line {call} (send it as startLine and endLine)"
        f" in exchange {around.number}, lines {around.line_start}-{around.line_end}."
    )


def footer(start: int, end: int, total: int, next_line: int | None) -> str:
    shown = f"Lines {start}-{end} of {total} shown."
    return shown if next_line is None else f"{shown} Continue with startLine: {next_line}."


def exchange_parts(exchange: Exchange, start: int, end: int, sub_agents: Sequence[SubAgent] = ()) -> Parts:
    """Return the parts of an exchange that begin in these lines, in order.

    Long tool outputs are shortened, unless a single line is read. `sub_agents` have separate files, and are
    named where they began.
    """
    began = (each for each in sub_agents if exchange.started_at <= each.started_at <= exchange.ended_at)
    note = [Part(exchange.line_start, "note", _REWOUND)] if exchange.abandoned else []
    parts = [*note, *_parts(exchange, folded=start < end), *(_named(each, exchange) for each in began)]
    parts = [part for part in parts if start <= part.line <= end]
    return sorted(parts, key=lambda part: part.line)


def show_exchange(exchange: Exchange, parts: Parts, *, continued: bool) -> Shown:
    """Format an exchange's parts under its heading, which says if the beginning is missing."""
    heading = f"## Exchange {exchange.number}{' (continued)' if continued else ''}"
    text = BETWEEN.join((heading, *_blocks(parts), "---"))
    facts: MemoryReadResultExchangesEntry = {
        "number": exchange.number,
        "line_start": exchange.line_start,
        "line_end": exchange.line_end,
        "started_at": format_time(exchange.started_at),
    }
    if said := _of_kind(parts, "user"):
        facts["user"] = BETWEEN.join(said)
    if answered := _of_kind(parts, "assistant"):
        facts["assistant"] = BETWEEN.join(answered)
    if tools := _of_kind(parts, "tool"):
        facts["tools"] = tools
    if outputs := [part for part in parts if part.kind == "output"]:
        facts["outputs"] = [
            {"line": part.line, "text": part.said, "characters": part.characters} for part in outputs
        ]
    if sub_agents := _of_kind(parts, "sub_agent"):
        facts["sub_agents"] = sub_agents
    if notes := _of_kind(parts, "note"):
        facts["notes"] = notes
    return Shown(text, facts, len(text.encode()) + len(dump_json(facts)) + len(BETWEEN) + 1)


def _parts(exchange: Exchange, *, folded: bool) -> Iterator[Part]:
    for entry in exchange.entries:
        if isinstance(entry, Message):
            yield Part(entry.line, "user" if entry.speaker == "user" else "assistant", entry.text)
        elif isinstance(entry, ToolCall):
            yield Part(entry.line, "tool", _tool_line(entry))
            if (output := _output(entry)) is not None:
                part = Part(entry.line, "output", output, len(output))
                yield _folded(part) if folded else part
        elif isinstance(entry, Event) and (note := _note(entry)):
            yield Part(entry.line, "note", note)
    for inner in exchange.sidechains:
        said = BETWEEN.join(_blocks(exchange_parts(inner, 1, inner.line_end)))
        if said:
            yield Part(inner.line_start, "sub_agent", said)


def _named(sub_agent: SubAgent, exchange: Exchange) -> Part:
    line = max(
        (entry.line for entry in exchange.entries if entry.at <= sub_agent.started_at),
        default=exchange.line_start,
    )
    summary = Part(line, "sub_agent", sub_agent.summary).escaped
    number = counted(sub_agent.exchanges, "exchange")
    return Part(line, "sub_agent", summary, note=f"{BETWEEN}[{number}; path to read: {sub_agent.path}]")


def _blocks(parts: Parts) -> Iterator[str]:
    """Paragraphs of an exchange in order: each side and the tools under a label."""
    label = ""
    tools: list[str] = []
    for part in parts:
        if part.kind in ("tool", "output"):
            tools.append(f"- {part.text}" if part.kind == "tool" else _quoted(part.escaped, "  "))
            continue
        if tools:
            yield "\n".join((_TOOLS, *tools))
            label, tools = "", []
        if part.kind in ("user", "assistant"):
            own = _LABELS[part.kind]
            yield part.escaped if own == label else f"{own}\n{part.escaped}"
            label = own
        else:
            yield _quoted(f"{_SUB_AGENT}{BETWEEN}{part.said}") if part.kind == "sub_agent" else part.said
            label = ""
    if tools:
        yield "\n".join((_TOOLS, *tools))


def _of_kind(parts: Parts, kind: Kind) -> list[str]:
    return [part.said for part in parts if part.kind == kind]


def _tool_line(call: ToolCall) -> str:
    subject = tool_subject(call.name, call.input)
    said = f"{_one_line(call.name)} {_code(subject)}" if subject else _one_line(call.name)
    if call.result is None:
        return f"{said} → no result"
    if not call.result.is_error:
        output = call.result.text.strip()
        return f"{said} → ok: {output}" if output and _is_short(output) else f"{said} → ok"
    error = _one_line(call.result.text)
    cut = error if len(error) <= _MAX_ERROR_LENGTH else f"{error[: _MAX_ERROR_LENGTH - 1]}…"
    return f"{said} → error: {cut}" if cut else f"{said} → error"


def _output(call: ToolCall) -> str | None:
    """Output of a tool, unless the line of its call shows all of it."""
    if call.result is None:
        return None
    output = call.result.text.strip()
    shown = len(_one_line(output)) <= _MAX_ERROR_LENGTH if call.result.is_error else _is_short(output)
    return None if shown else output


def _is_short(output: str) -> bool:
    return len(output) <= _MAX_INLINE_OUTPUT_LENGTH and len(output.splitlines()) <= 1


def _folded(output: Part) -> Part:
    if len(output.text) <= _MAX_OUTPUT_LENGTH:
        return output
    note = f"[folded: the first {_MAX_OUTPUT_LENGTH} of {output.characters} characters; "
    note = f"{BETWEEN}{note}startLine: {output.line}, endLine: {output.line} shows all]"
    return replace(output, text=output.text[:_MAX_OUTPUT_LENGTH], note=note)


def _note(event: Event) -> str | None:
    if event.type == UNPARSEABLE:
        return f"[unparseable line {event.line}]"
    return {COMPACT_SUMMARY: "_[conversation compacted]_", INTERRUPTED: "_[interrupted]_"}.get(event.type)


def _code(text: str) -> str:
    """Format as inline code, with any backticks in it."""
    longest = max((len(run) for run in "".join(c if c == "`" else " " for c in text).split()), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}" if longest else f"`{text}`"


def _quoted(text: str, before: str = "") -> str:
    return "\n".join(f"{before}> {line}" if line else f"{before}>" for line in text.splitlines())


def _one_line(text: str) -> str:
    return " ".join(text.split())
