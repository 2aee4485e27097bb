"""Aider: a file of Markdown in the project's folder, to which each session is appended.

Source: Aider-AI/aider, aider/io.py (append_chat_history, user_input, ai_output, tool_output) and the options
--chat-history-file and --input-history-file of its documentation.
"""

import hashlib
import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.imports.transcripts.agents.declaration import (
    ConvertedProgram,
    MessageStep,
    NoteStep,
    RecordedSession,
    Step,
    ToolCallStep,
    ToolResultStep,
    UnexpectedFormat,
    nanoseconds,
    text,
)
from vcontract.runtime.imports.transcripts.agents.documents import bytes_of
from vcontract.runtime.imports.transcripts.files import FileState, file_state
from vcontract.runtime.vcon.times import format_time

HISTORY: Final = ".aider.chat.history.md"
_INPUTS: Final = ".aider.input.history"
_BEGIN: Final = re.compile(r"^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[ \t]*$", re.MULTILINE)
_IS_HISTORY: Final = re.compile(rb"\s*# aider chat started at \d{4}-\d\d-\d\d ")
_TYPED: Final = re.compile(r"^# (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?)\n((?:\+.*\n?)+)", re.MULTILINE)
_PROMPT: Final = "#### "
_NOTE: Final = "> "
_FENCE: Final = "```"
_APPLIED: Final = "Applied edit to "
_MODEL: Final = re.compile(r"(?:Main model|Model|Models): (\S+) with ")
_VERSION: Final = re.compile(r"[Aa]ider v(\d\S*)")


def _places(environment: Mapping[str, str]) -> list[Path]:
    """Paths of the configured file, and of the file in the current folder or one above it."""
    named = environment.get("AIDER_CHAT_HISTORY_FILE")
    here = Path(environment.get("PWD") or ".").absolute()
    above = next((path for each in (here, *here.parents) if (path := each / HISTORY).is_file()), None)
    return [path for path in (Path(named).expanduser() if named else None, above) if path is not None]


def _sessions(path: Path) -> Iterator[FileState]:
    """Sessions of a file, each with its length. A session ends before the next one begins."""
    state = file_state(path)
    parts = list(_parts(path))
    ends = [*(_nanoseconds(session, state.mtime_ns) for session, _ in parts[1:]), state.mtime_ns]
    for (session, written), end in zip(parts, ends, strict=False):  # without a session there is only an end
        yield FileState(state.path, len(written), end, session, is_unpacked=True)


def _nanoseconds(session: str, otherwise: int) -> int:
    try:
        began = datetime.strptime(session[:19], "%Y-%m-%dT%H-%M-%S").astimezone()
    except (ValueError, OverflowError):
        return otherwise
    return nanoseconds(began.timestamp() * 1_000, otherwise)


def _parts(path: Path) -> Iterator[tuple[str, str]]:
    """Split a file into sessions with unique names."""
    written = bytes_of(path).decode("utf-8", "replace").replace("\r\n", "\n")
    begins = list(_BEGIN.finditer(written))
    ends = [found.start() for found in begins[1:]] + [len(written)]
    for found, end in zip(begins, ends, strict=False):
        said = written[found.end() : end]
        prompt = next((line for line in said.split("\n") if line.startswith(_PROMPT)), "")
        stamp = found[1].replace(" ", "T").replace(":", "-")
        yield f"{stamp}-{hashlib.sha256(prompt.encode()).hexdigest()[:8]}", written[found.start() : end]


def _read(state: FileState) -> RecordedSession:
    written = next((each for session, each in _parts(state.path) if session == state.part), None)
    if written is None:
        raise UnexpectedFormat(f"has no session {state.part} any more")
    heading, _, said = written.partition("\n")
    began = _local(heading.removeprefix("# aider chat started at ").strip())
    model, version = _MODEL.search(said), _VERSION.search(said)
    blocks = _blocks(said, fenced=True) or _blocks(said, fenced=False) or []
    times = _times(state.path.with_name(_INPUTS), began)
    return RecordedSession(
        state.part or state.path.stem,
        [_record(block, times) for block in blocks],
        cwd=str(state.path.parent),
        began=began,
        model=model[1] if model else None,
        version=version[1] if version else None,
    )


def _local(stamp: str) -> str | None:
    """Parse a local time, without a zone."""
    try:
        return format_time(datetime.fromisoformat(stamp).astimezone())
    except (ValueError, OverflowError):
        return None


@dataclass(slots=True)
class _Block:
    """Consecutive lines of one kind."""

    kind: str
    lines: list[str] = field(default_factory=list[str])


def _blocks(said: str, *, fenced: bool) -> list[_Block] | None:
    """Split a session into blocks by kind. Inside code fences, no line is a prompt or note.

    None if a fence is not closed: then the fences are ambiguous, or the program was interrupted.
    """
    blocks: list[_Block] = []
    is_code = False
    for line in said.split("\n"):
        if fenced and line.startswith(_FENCE):
            is_code = not is_code
        kind = "assistant" if is_code else _kind(line)
        if not blocks or blocks[-1].kind != kind:
            blocks.append(_Block(kind))
        blocks[-1].lines.append(line)
    return None if is_code else blocks


def _kind(line: str) -> str:
    if line.startswith(_PROMPT):
        return "user"
    return "aider" if line.startswith(_NOTE) else "assistant"


def _times(path: Path, began: str | None) -> dict[str, deque[str]]:
    """Times of prompts since a session began, from the input history."""
    times: dict[str, deque[str]] = {}
    try:
        written = bytes_of(path).decode("utf-8", "replace")
    except OSError:
        return {}
    for found in _TYPED.finditer(written):
        at = _local(found[1])
        if at is not None and (began is None or at >= began):
            typed = "\n".join(line.removeprefix("+").rstrip() for line in found[2].rstrip("\n").split("\n"))
            times.setdefault(typed.strip(), deque()).append(at)
    return times


def _record(block: _Block, times: dict[str, deque[str]]) -> JsonObject:
    mark = {"user": _PROMPT, "aider": _NOTE}.get(block.kind, "")
    lines = [line.removeprefix(mark).rstrip() if mark else line for line in block.lines]
    said = "\n".join(lines).strip("\n")
    record: JsonObject = {"kind": block.kind, "text": said}
    typed = times.get(said.strip()) if block.kind == "user" else None
    return {**record, "at": typed.popleft()} if typed else record


def _steps(record: JsonObject) -> Iterator[Step]:
    said, at = text(record.get("text")), text(record.get("at")) or None
    match record.get("kind"):
        case "user" if said == "<blank>":
            pass
        case "user":
            yield MessageStep("user", said, at, is_command=said.startswith(("/", "!")))
        case "assistant":
            yield MessageStep("agent", said)
        case _:
            yield NoteStep("aider", said)
            for line in said.split("\n"):
                if line.startswith(_APPLIED):
                    path = line.removeprefix(_APPLIED).strip()
                    given: JsonValue = {"path": path}
                    yield ToolCallStep(
                        f"{_APPLIED}{path}",
                        "apply_edit",
                        given,
                        result=ToolResultStep(f"{_APPLIED}{path}", line),
                    )


AIDER: Final = ConvertedProgram(
    "aider",
    "Aider",
    _places,
    (HISTORY,),
    lambda _path, head: _IS_HISTORY.match(head) is not None,
    _read,
    _steps,
    _sessions,
)
