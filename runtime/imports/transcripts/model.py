"""The common model: what was said and done in an exchange, whichever program wrote it down."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from vcontract.runtime.documents.json import JsonValue

Harness: TypeAlias = Literal["claude-code", "codex"]
Speaker: TypeAlias = Literal["user", "agent"]
TimeSource: TypeAlias = Literal["previous", "next", "file"]
"""Where the time of a line without one was taken from."""

UNPARSEABLE = "unparseable"
COMPACT_SUMMARY = "compact-summary"
INTERRUPTED = "interrupted"
API_ERROR = "api-error"


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry stands: its physical line, its moment, its record and the one before it."""

    line: int
    """Counted from 1; blank and broken lines count."""
    at: datetime
    time_source: TimeSource | None = None
    """None when the line has a time of its own."""
    record: str | None = None
    parent: str | None = None


@dataclass(slots=True)
class Message:
    """What a side said; the lines of one message of the agent are put together."""

    place: Place
    speaker: Speaker
    text: str
    last_line: int
    message_id: str | None = None
    model: str | None = None
    undelivered: bool = False
    """Typed while the agent worked, and never delivered."""

    @property
    def line(self) -> int:
        return self.place.line

    @property
    def at(self) -> datetime:
        return self.place.at


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave back."""

    place: Place
    call_id: str
    output: JsonValue
    text: str
    """The output as text, for reading and searching."""
    is_error: bool
    detail: JsonValue = None
    """What the program notes about the result beside its text, such as the lines that a patch changed."""

    @property
    def line(self) -> int:
        return self.place.line


@dataclass(slots=True)
class ToolCall:
    """A tool called by the agent; `result` is None while none was given."""

    place: Place
    call_id: str
    name: str
    input: JsonValue
    result: ToolResult | None = None

    @property
    def line(self) -> int:
        return self.place.line

    @property
    def at(self) -> datetime:
        return self.place.at


@dataclass(frozen=True, slots=True)
class Reasoning:
    """What the agent thought, as far as it is told."""

    place: Place
    text: str

    @property
    def line(self) -> int:
        return self.place.line

    @property
    def at(self) -> datetime:
        return self.place.at


@dataclass(frozen=True, slots=True)
class Event:
    """What the program itself notes: a compaction, an interruption, an error, a line that cannot be read."""

    place: Place
    type: str
    text: str = ""

    @property
    def line(self) -> int:
        return self.place.line

    @property
    def at(self) -> datetime:
        return self.place.at


Entry: TypeAlias = Message | ToolCall | Reasoning | Event


@dataclass(slots=True)
class Exchange:
    """One prompt of the person and everything up to the next one."""

    number: int
    """From 1 in the main sequence; negative for a sub-agent's exchange inside a main file."""
    line_start: int
    line_end: int
    started_at: datetime
    ended_at: datetime
    sidechain: bool = False
    entries: list[Entry] = field(default_factory=list[Entry])
    """In the order of their lines. Before the first prompt of a file only events may stand."""
    sidechains: list["Exchange"] = field(default_factory=list["Exchange"])
    """Exchanges of sub-agents that began inside this one."""

    @property
    def messages(self) -> Iterator[Message]:
        return (entry for entry in self.entries if isinstance(entry, Message))

    @property
    def prompts(self) -> list[Message]:
        return [message for message in self.messages if message.speaker == "user"]

    @property
    def answers(self) -> list[Message]:
        return [message for message in self.messages if message.speaker == "agent"]

    @property
    def calls(self) -> list[ToolCall]:
        return [entry for entry in self.entries if isinstance(entry, ToolCall)]


@dataclass(slots=True)
class Facts:
    """What the lines of a transcript tell about the whole of it."""

    session: str | None = None
    agent: str | None = None
    """The id of the sub-agent that the file belongs to."""
    cwd: str | None = None
    """The first working directory."""
    branch: str | None = None
    commit: str | None = None
    version: str | None = None
    """Of the program that wrote the file, the last one met."""
    provider: str | None = None
    titles: dict[str, str] = field(default_factory=dict[str, str])
    """By kind of line: `custom-title`, `ai-title`, `agent-name`; the newest of each."""
    summaries: list[tuple[str | None, str]] = field(default_factory=list[tuple[str | None, str]])
    """The record that a summary belongs to (None: this transcript), and the summary."""
    records: set[str] = field(default_factory=set[str])
    """Ids of the records of the conversation."""
    models: dict[str, int] = field(default_factory=dict[str, int])
    """By model, how many messages are its."""
    malformed: int = 0
    unknown_types: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def title(self) -> str | None:
        """The title of most weight."""
        return next(
            (self.titles[kind] for kind in ("custom-title", "ai-title", "agent-name") if kind in self.titles),
            None,
        )
