"""A session's source: detect its program, and open its lines after a first pass."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, TypeGuard

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.imports.transcripts.agents.agent_registry import (
    converted_program_named,
    converted_program_of,
)
from vcontract.runtime.imports.transcripts.agents.declaration import HEAD_MARK
from vcontract.runtime.imports.transcripts.agents.synthetic_lines import lines_of
from vcontract.runtime.imports.transcripts.files import FileState, file_state
from vcontract.runtime.imports.transcripts.identity import is_uuid, project_of, uuid_in
from vcontract.runtime.imports.transcripts.lines import MAX_LINE_BYTES, Line, read_lines
from vcontract.runtime.imports.transcripts.model import Harness
from vcontract.runtime.imports.transcripts.prescan import Prescan, prescan_file, prescan_lines
from vcontract.runtime.imports.transcripts.redaction import Redactor

_PARSEABLE_LINES: Final = 50
_MAX_SNIFFED_LINES: Final = 1_000
_NO_TRANSCRIPTS: Final = (".vcon", ".gz", ".zip")
_CLAUDE_CODE_IDS: Final = ("sessionId", "uuid", "leafUuid", "messageId")
_CODEX_TYPES: Final = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})

CLAUDE_CODE_TYPES: Final = frozenset(
    {"user", "assistant", "system", "summary", "attachment", "queue-operation", "progress", "mode"}
    | {"custom-title", "ai-title", "agent-name", "permission-mode", "last-prompt", "pr-link"}
    | {"file-history-snapshot", "file-history-delta"}
)
"""Known types of Claude Code's lines."""


def is_transcript(path: Path) -> bool:
    """Whether the file is a known transcript. Files with extensions of vCons are not opened."""
    name = path.name.lower()
    try:
        # a pipe can be read only once
        if name.endswith(_NO_TRANSCRIPTS) or not path.is_file():
            return False
        return converted_program_of(path) is not None or (
            not name.endswith(".json") and harness_of(path) is not None
        )
    except OSError:
        return False


def harness_of(path: Path) -> Harness | None:
    """Detect the program that wrote the file; None for an unknown format.

    Raises: OSError.
    """
    with path.open("rb") as stream:
        return detect(read_lines(islice(_lines_of(stream), _MAX_SNIFFED_LINES)))


def detect(lines: Iterable[Line]) -> Harness | None:
    """Detect the program by the first lines that are JSON."""
    records = (record for line in lines if (record := line.record()) is not None)
    first: JsonObject | None = None
    for record in islice(records, _PARSEABLE_LINES):
        if first is None and (agent := converted_program_named(str(record.get(HEAD_MARK)))) is not None:
            return agent.name
        if is_claude_code(record):
            return "claude-code"
        if is_codex(record):
            return "codex"
        if "parties" in record:
            return None  # vCons, possibly large: stop reading
        if first is None:
            first = record
            if not is_flat_codex_head(record):
                continue
        elif is_flat_codex_head(first) and _is_text(record.get("type")):
            return "codex"
    return None


def is_claude_code(record: JsonObject) -> bool:
    return record.get("type") in CLAUDE_CODE_TYPES and any(
        _is_text(record.get(name)) for name in _CLAUDE_CODE_IDS
    )


def is_codex(record: JsonObject) -> bool:
    return "timestamp" in record and "payload" in record and record.get("type") in _CODEX_TYPES


def is_flat_codex_head(record: JsonObject) -> bool:
    """Whether this is the first object of Codex's oldest format, with bare items."""
    return (
        "type" not in record
        and _is_text(record.get("id"))
        and _is_text(record.get("timestamp"))
        and ("instructions" in record or "git" in record)
    )


def _lines_of(stream: BinaryIO) -> Iterator[bytes]:
    """Yield lines, except those too long to identify a session."""
    while raw := stream.readline(MAX_LINE_BYTES):
        if len(raw) < MAX_LINE_BYTES or raw.endswith(b"\n"):
            yield raw
            continue
        while raw and not raw.endswith(b"\n"):
            raw = stream.readline(MAX_LINE_BYTES)


def _is_text(value: JsonValue) -> TypeGuard[str]:
    return isinstance(value, str)


_OF_ITS_OWN: Final = "~"


@dataclass(frozen=True, slots=True)
class Source:
    """A transcript file after its first pass."""

    state: FileState
    harness: Harness
    survey: Prescan
    session: str
    lines: tuple[bytes, ...] | None = None
    """Lines of a converted session; None for a file of lines."""

    def open(self) -> AbstractContextManager[Iterable[bytes]]:
        """Open its lines.

        Raises: OSError.
        """
        return self.path.open("rb") if self.lines is None else nullcontext(self.lines)

    @property
    def path(self) -> Path:
        return self.state.path

    @property
    def project(self) -> str:
        return project_of(self.survey.cwd)

    @property
    def session_of_its_own(self) -> str:
        """Session name of a second file with the same identity."""
        return f"{self.session}{_OF_ITS_OWN}{hashlib.sha256(self.survey.first_line).hexdigest()[:8]}"

    def is_of(self, session: str) -> bool:
        """Whether this is its session name, as the only file or as a second one."""
        return session.partition(_OF_ITS_OWN)[0] == self.session


def prescan_source(state: FileState) -> Source | None:
    """Scan a file or a session in it; None for an unknown format.

    Raises: OSError.
    """
    if state.is_unpacked:
        return _unpacked(state)
    path = state.path
    harness = harness_of(path)
    if harness is None:
        return None
    survey = prescan_file(path, harness, Redactor().line)
    return Source(state, harness, survey, _session(path, harness, survey))


def _unpacked(state: FileState) -> Source | None:
    agent = converted_program_of(state.path)
    if agent is None:
        return None
    kept = agent.read(state)
    lines = tuple(lines_of(agent, kept))
    modified = datetime.fromtimestamp(state.mtime_ns / 1e9, UTC)
    survey = prescan_lines(agent, read_lines(lines), modified, Redactor().line)
    return Source(state, agent.name, survey, kept.session, lines)


def sessions_in(path: Path) -> list[FileState]:
    """Sessions in a file; most programs keep one per file.

    Raises: OSError.
    """
    agent = converted_program_of(path)
    return [file_state(path)] if agent is None else list(agent.sessions(path))


def _session(path: Path, harness: Harness, survey: Prescan) -> str:
    if converted_program_named(harness) is not None:
        return survey.session or path.stem
    if harness == "codex":
        return survey.session or uuid_in(path.stem) or path.stem
    if survey.agent is None and is_uuid(path.stem):
        return path.stem
    beside = path.parent.parent.name if path.parent.name == "subagents" else path.stem
    return survey.session or beside
