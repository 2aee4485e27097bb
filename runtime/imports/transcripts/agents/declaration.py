"""The declaration of a program: where its sessions are, how to recognise them, speakers and turns."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Final, TypeAlias

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.imports.transcripts.files import FileState, look_at
from vcontract.runtime.imports.transcripts.model import Harness, Speaker
from vcontract.runtime.vcon.times import format_time

HEAD: Final = 4_096
"""Bytes by which a file is told."""

_MAX_MILLISECONDS: Final = 2**63 / 1_000_000
"""What the store keeps as nanoseconds in 64 bits: until 2262."""

HEAD_MARK: Final = "agent_session"
"""The member, in the first line of a session that was read into lines, that names the program."""


class NotKept(OSError):
    """A session is not as its program keeps it; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Said:
    """One side said something."""

    who: Speaker
    text: str
    at: str | None = None
    """RFC 3339; None when the program does not say."""
    id: str | None = None
    model: str | None = None
    is_command: bool = False
    """Whether it is for the program itself, unless the agent answers next."""


@dataclass(frozen=True, slots=True)
class Gave:
    """What a tool gave back."""

    id: str
    output: JsonValue
    is_error: bool = False
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Called:
    """The agent called a tool."""

    id: str
    name: str
    input: JsonValue
    at: str | None = None
    gave: Gave | None = None
    """What it gave back, where that stands beside the call."""


@dataclass(frozen=True, slots=True)
class Thought:
    """The agent's reasoning, as far as the program records it."""

    text: str
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Noted:
    """The program itself noted something."""

    type: str
    text: str
    at: str | None = None


Step: TypeAlias = Said | Gave | Called | Thought | Noted


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of one session."""

    session: str
    records: Iterable[JsonObject | bytes]
    """Its pieces, each as the program wrote it; bytes are what cannot be read."""
    cwd: str | None = None
    began: str | None = None
    """RFC 3339; None when only its pieces say it."""
    agent: str | None = None
    """The id of the sub-agent whose session this is; `session` is then that which called it."""
    model: str | None = None
    """Of answers that name none."""
    title: str | None = None
    branch: str | None = None
    version: str | None = None
    left: JsonObject = field(default_factory=dict[str, JsonValue])
    """What the program says of the session beyond that."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program that keeps its sessions on this machine."""

    name: Harness
    title: str
    places: Callable[[Mapping[str, str]], list[Path]]
    """Folders, and files, that it may have, by the variables of its environment."""
    names: tuple[str, ...]
    """Patterns of the names of files that may hold sessions."""

    def may_hold(self, name: str) -> bool:
        """Whether the program calls files of sessions so."""
        return any(fnmatch(name, pattern) for pattern in self.names)


def _one(path: Path) -> Iterator[FileState]:
    """The only session of a file."""
    state = look_at(path)
    yield FileState(state.path, state.size, state.mtime_ns, is_unpacked=True)


@dataclass(frozen=True, slots=True)
class Agent(Program):
    """A program whose sessions have to be read into lines: of each a head, its pieces, and what is left."""

    is_of: Callable[[Path, bytes], bool]
    """Whether a file of this name and beginning holds its sessions."""
    read: Callable[[FileState], Kept]
    """Raises: NotKept, OSError."""
    steps: Callable[[JsonObject], Iterable[Step]]
    """What a piece says, in its order."""
    sessions: Callable[[Path], Iterable[FileState]] = _one
    """The sessions that a file holds. Raises: NotKept, OSError."""
    provider: str | None = None
    """Of the model, where the program has models of one provider alone."""

    def holds(self, path: Path) -> bool:
        """Whether the file holds sessions of the program.

        Raises: OSError.
        """
        with path.open("rb") as stream:
            return self.is_of(path, stream.read(HEAD))


def home(environment: Mapping[str, str], variable: str, usual: str) -> Path:
    """The folder that the variable names, else the usual one."""
    return Path(environment.get(variable) or usual).expanduser()


def iso(value: JsonValue) -> str | None:
    """A time as programs write it, in seconds or milliseconds since 1970 or as RFC 3339, as RFC 3339."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return format_time(datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def nanoseconds(milliseconds: object, otherwise: int) -> int:
    """A time in milliseconds since 1970 as a file's times are kept; `otherwise` where it is none."""
    if isinstance(milliseconds, int | float) and 0 < milliseconds < _MAX_MILLISECONDS:
        return int(milliseconds * 1_000_000)
    return otherwise


def text(value: JsonValue) -> str:
    """The text, or nothing where there is none."""
    return value if isinstance(value, str) else ""
