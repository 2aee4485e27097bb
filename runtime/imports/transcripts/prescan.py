"""First pass over a transcript: facts needed before its first line can be parsed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import members
from vcontract.runtime.imports.transcripts.agents.agent_registry import converted_program_named
from vcontract.runtime.imports.transcripts.agents.declaration import ConvertedProgram
from vcontract.runtime.imports.transcripts.branches import ClaudeCodeBranches, CodexBranches
from vcontract.runtime.imports.transcripts.lines import Line, read_lines
from vcontract.runtime.imports.transcripts.model import Harness, TimeSource, moment_of
from vcontract.runtime.imports.transcripts.prompt_queue import DisplayCopies, Queue, Said

_SUBAGENT_STEM: Final = "agent-"


@dataclass(frozen=True, slots=True)
class Prescan:
    """Result of one pass over a file, in which most lines were not parsed."""

    first_time: datetime
    time_source: TimeSource
    session: str | None = None
    agent: str | None = None
    """The file's sub-agent."""
    is_sidechain: bool = False
    """Whether the file belongs to a sub-agent."""
    cwd: str | None = None
    queue: dict[int, tuple[Said, str]] = field(default_factory=dict[int, tuple[Said, str]])
    copies: frozenset[int] = frozenset()
    """Lines of Codex that only repeat other lines."""
    abandoned: frozenset[int] = frozenset()
    """Lines of branches that were not continued."""
    first_line: bytes = b""
    lines: int = 0
    """Number of lines found; lines written since then are ignored."""


def prescan_file(path: Path, harness: Harness, change: Callable[[Line], Line] | None = None) -> Prescan:
    """Scan a file whose lines pass through `change`.

    Raises: OSError.
    """
    modified = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    with path.open("rb") as stream:
        lines = read_lines(stream)
        if harness == "codex":
            changed = lines if change is None else map(change, lines)
            return _prescan_codex(changed, modified)
        if (agent := converted_program_named(harness)) is not None:
            return prescan_lines(agent, lines, modified, change)
        return _prescan_claude_code(lines, change or _unchanged, modified, path.stem)


@dataclass(slots=True)
class _Firsts:
    """First occurrence of each fact."""

    time: datetime | None = None
    session: str | None = None
    cwd: str | None = None
    is_sidechain: bool | None = None
    agent: str | None = None
    line: bytes = b""

    @property
    def are_complete(self) -> bool:
        return None not in (self.time, self.session, self.cwd, self.is_sidechain)

    def note(self, record: JsonObject) -> None:
        self.time = self.time or moment_of(record.get("timestamp"))
        self.session = self.session or _text(record.get("sessionId"))
        self.cwd = self.cwd or _text(record.get("cwd"))
        if self.is_sidechain is None and record.get("type") in ("user", "assistant"):
            self.is_sidechain = record.get("isSidechain") is True
            self.agent = _text(record.get("agentId")) if self.is_sidechain else None


def _unchanged(line: Line) -> Line:
    return line


def _prescan_claude_code(
    lines: Iterable[Line], change: Callable[[Line], Line], modified: datetime, stem: str
) -> Prescan:
    firsts, queue, branches, last = _Firsts(), Queue(), ClaudeCodeBranches(), 0
    for line in lines:
        last = line.number
        firsts.line = firsts.line or line.raw
        if b'"queue-operation"' in line.raw:
            if (record := change(line).record()) is not None and record.get("type") == "queue-operation":
                queue.operation(line.number, record)
        elif (
            queue.is_used
            and (b'"queued_command"' in line.raw or b'"user"' in line.raw)
            and (record := change(line).record()) is not None
            and _may_carry(record)
        ):
            queue.carrier(line.number, record)
        if not firsts.are_complete and (record := change(line).record()) is not None:
            firsts.note(record)
        branches.note(line)
    is_sidechain = firsts.is_sidechain is True
    agent = firsts.agent
    if is_sidechain and agent is None and _SUBAGENT_STEM in stem:
        agent = stem.rpartition(_SUBAGENT_STEM)[2]
    return Prescan(
        firsts.time or modified,
        "file" if firsts.time is None else "next",
        firsts.session,
        agent,
        is_sidechain and agent is not None,
        firsts.cwd,
        queue.plan(),
        abandoned=branches.abandoned(),
        first_line=firsts.line,
        lines=last,
    )


def _may_carry(record: JsonObject) -> bool:
    if record.get("type") == "attachment":
        return members(record.get("attachment")).get("type") == "queued_command"
    return record.get("type") == "user"


def _prescan_codex(lines: Iterable[Line], modified: datetime) -> Prescan:
    first_time: datetime | None = None
    session: str | None = None
    cwd: str | None = None
    first_line = b""
    copies, branches = DisplayCopies(), CodexBranches()
    last = 0
    for line in lines:
        first_line, last = first_line or line.raw, line.number
        record = line.record()
        if record is None:
            continue
        first_time = first_time or moment_of(record.get("timestamp"))
        payload = members(record.get("payload"))
        if record.get("type") == "session_meta":
            session = session or _text(payload.get("id"))
        elif "type" not in record:
            session = session or _text(record.get("id"))
        cwd = cwd or _text(payload.get("cwd"))
        copies.note(line.number, record)
        branches.note(line.number, record)
    repeated = copies.lines()
    return Prescan(
        first_time or modified,
        "file" if first_time is None else "next",
        session,
        cwd=cwd,
        copies=repeated,
        abandoned=branches.abandoned(repeated),
        first_line=first_line,
        lines=last,
    )


def prescan_lines(
    agent: ConvertedProgram,
    lines: Iterable[Line],
    modified: datetime,
    change: Callable[[Line], Line] | None = None,
) -> Prescan:
    """Scan a session that was converted to lines."""
    change = change or _unchanged
    head: JsonObject = {}
    first_time: datetime | None = None
    first_line, last = b"", 0
    for line in lines:
        first_line, last = first_line or line.raw, line.number
        if line.number == 1:
            head = change(line).record() or {}
            first_time = moment_of(head.get("began"))
        elif first_time is None and (record := change(line).record()) is not None:
            moments = (moment_of(step.at) for step in agent.steps(record))
            first_time = next((at for at in moments if at is not None), None)
    called = _text(head.get("agent"))
    return Prescan(
        first_time or modified,
        "file" if first_time is None else "next",
        _text(head.get("session")),
        called,
        called is not None,
        _text(head.get("cwd")),
        first_line=first_line,
        lines=last,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
