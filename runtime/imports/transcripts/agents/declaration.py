"""Interface of an agent's reader: where sessions are, how to detect and parse them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Final, TypeAlias

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.imports.transcripts.files import FileState, file_state
from vcontract.runtime.imports.transcripts.model import Harness, Speaker
from vcontract.runtime.vcon.times import format_time

HEAD: Final = 4_096
"""Bytes by which a file is detected."""

_MAX_MILLISECONDS: Final = 2**63 / 1_000_000
"""Maximum time as nanoseconds in 64 bits: the year 2262."""

HEAD_MARK: Final = "agent_session"
"""Member that names the program, in the first line of a session converted to lines."""


class UnexpectedFormat(OSError):
    """A session differs from its program's format; the message says where and why."""


@dataclass(frozen=True, slots=True)
class MessageStep:
    """A message of either side."""

    who: Speaker
    text: str
    at: str | None = None
    """RFC 3339; None if unknown."""
    id: str | None = None
    model: str | None = None
    is_command: bool = False
    """Whether it is a command to the program, unless the agent answers next."""


@dataclass(frozen=True, slots=True)
class ToolResultStep:
    """Result of a tool call."""

    id: str
    output: JsonValue
    is_error: bool = False
    at: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCallStep:
    """A tool call by the agent."""

    id: str
    name: str
    input: JsonValue
    at: str | None = None
    result: ToolResultStep | None = None
    """Result, if it is stored with the call."""


@dataclass(frozen=True, slots=True)
class ReasoningStep:
    """The agent's reasoning, if recorded."""

    text: str
    at: str | None = None


@dataclass(frozen=True, slots=True)
class NoteStep:
    """An event noted by the program."""

    type: str
    text: str
    at: str | None = None


Step: TypeAlias = MessageStep | ToolResultStep | ToolCallStep | ReasoningStep | NoteStep


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """Stored data of one session."""

    session: str
    records: Iterable[JsonObject | bytes]
    """Its records as the program wrote them; bytes are unreadable ones."""
    cwd: str | None = None
    began: str | None = None
    """RFC 3339; None if only records have times."""
    agent: str | None = None
    """ID of the sub-agent; `session` is then the calling session."""
    model: str | None = None
    """Model of messages that name none."""
    title: str | None = None
    branch: str | None = None
    version: str | None = None
    left: JsonObject = field(default_factory=dict[str, JsonValue])
    """Further data about the session."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program that keeps sessions on this machine."""

    name: Harness
    title: str
    places: Callable[[Mapping[str, str]], list[Path]]
    """Returns possible folders and files, from environment variables."""
    names: tuple[str, ...]
    """Patterns of session file names."""

    def may_hold(self, name: str) -> bool:
        """Whether a file name may be a session of this program."""
        return any(fnmatch(name, pattern) for pattern in self.names)


def _one(path: Path) -> Iterator[FileState]:
    """Return the only session of a file."""
    state = file_state(path)
    yield FileState(state.path, state.size, state.mtime_ns, is_unpacked=True)


@dataclass(frozen=True, slots=True)
class ConvertedProgram(Program):
    """A program whose sessions must be converted to lines: a head, records, and the rest."""

    is_of: Callable[[Path, bytes], bool]
    """Whether a file with this name and beginning contains its sessions."""
    read: Callable[[FileState], RecordedSession]
    """Reads a session. Raises: UnexpectedFormat, OSError."""
    steps: Callable[[JsonObject], Iterable[Step]]
    """Converts a record to steps, in order."""
    sessions: Callable[[Path], Iterable[FileState]] = _one
    """Lists the sessions in a file. Raises: UnexpectedFormat, OSError."""
    provider: str | None = None
    """Provider of the models, if the program supports only one."""

    def holds(self, path: Path) -> bool:
        """Whether the file contains sessions of this program.

        Raises: OSError.
        """
        with path.open("rb") as stream:
            return self.is_of(path, stream.read(HEAD))


def home(environment: Mapping[str, str], variable: str, usual: str) -> Path:
    """Folder from an environment variable, else the usual one."""
    return Path(environment.get(variable) or usual).expanduser()


def iso(value: JsonValue) -> str | None:
    """Convert seconds or milliseconds since 1970, or RFC 3339, to RFC 3339."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return format_time(datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def nanoseconds(milliseconds: object, otherwise: int) -> int:
    """Convert milliseconds since 1970 to nanoseconds; `otherwise` if invalid."""
    if isinstance(milliseconds, int | float) and 0 < milliseconds < _MAX_MILLISECONDS:
        return int(milliseconds * 1_000_000)
    return otherwise


def text(value: JsonValue) -> str:
    """Return the text, or an empty one."""
    return value if isinstance(value, str) else ""
