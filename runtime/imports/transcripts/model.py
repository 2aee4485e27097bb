"""Common model of an agent session, independent of the program that wrote it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, TypeAlias
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonValue
from vcontract.runtime.vcon.times import read_time

Harness: TypeAlias = Literal["claude-code", "codex", "gemini-cli", "cursor", "opencode", "aider", "continue"]
Speaker: TypeAlias = Literal["user", "agent"]
TimeSource: TypeAlias = Literal["previous", "next", "file"]
"""Source of the time of a line without a timestamp."""

UNPARSEABLE = "unparseable"
COMPACT_SUMMARY = "compact-summary"
INTERRUPTED = "interrupted"
API_ERROR = "api-error"


@dataclass(frozen=True, slots=True)
class LinePosition:
    """Position of an entry: line number, time, record id and parent record id."""

    line: int
    """Counted from 1, including blank and broken lines."""
    at: datetime
    time_source: TimeSource | None = None
    """None if the line has a time of its own."""
    record: str | None = None
    parent: str | None = None


@dataclass(slots=True)
class Message:
    """A message of the user or the agent. Consecutive lines of one agent message are merged."""

    place: LinePosition
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
    """Result of a tool call."""

    place: LinePosition
    call_id: str
    output: JsonValue
    text: str
    """Output as text."""
    is_error: bool
    detail: JsonValue = None
    """Further data about the result, such as the lines a patch changed."""

    @property
    def line(self) -> int:
        return self.place.line


@dataclass(slots=True)
class ToolCall:
    """A tool call by the agent. `result` is None until the tool returns."""

    place: LinePosition
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
    """The agent's reasoning, if recorded."""

    place: LinePosition
    text: str

    @property
    def line(self) -> int:
        return self.place.line

    @property
    def at(self) -> datetime:
        return self.place.at


@dataclass(frozen=True, slots=True)
class Event:
    """Event recorded by the program: a compaction, an interruption, an error, an unreadable line."""

    place: LinePosition
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
    """One user prompt and everything up to the next."""

    number: int
    """From 1 in the main sequence; negative for a sub-agent's exchange inside a main file."""
    line_start: int
    line_end: int
    started_at: datetime
    ended_at: datetime
    sidechain: bool = False
    abandoned: bool = False
    """Whether it belongs to a branch that a rewind left: not part of the conversation that continues."""
    entries: list[Entry] = field(default_factory=list[Entry])
    """In the order of their lines. Only events can precede the first prompt of a file."""
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
class TranscriptFacts:
    """Facts about a whole transcript, collected from its lines."""

    session: str | None = None
    agent: str | None = None
    """ID of the file's sub-agent."""
    cwd: str | None = None
    """First working directory."""
    branch: str | None = None
    commit: str | None = None
    version: str | None = None
    """Last version of the writing program in the file."""
    provider: str | None = None
    titles: dict[str, str] = field(default_factory=dict[str, str])
    """Newest title of each kind: `custom-title`, `ai-title`, `agent-name`."""
    summaries: list[tuple[str | None, str]] = field(default_factory=list[tuple[str | None, str]])
    """Summaries with the record they refer to (None: this transcript)."""
    records: set[str] = field(default_factory=set[str])
    """IDs of the conversation's records."""
    models: dict[str, int] = field(default_factory=dict[str, int])
    """Number of messages by model."""
    malformed: int = 0
    unknown_types: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def title(self) -> str | None:
        """Title of the highest priority."""
        return next(
            (self.titles[kind] for kind in ("custom-title", "ai-title", "agent-name") if kind in self.titles),
            None,
        )


def moment_of(value: JsonValue) -> datetime | None:
    """Parsed `timestamp`, or None."""
    return read_time(value) if isinstance(value, str) else None


class LineClock:
    """Assigns each line a time: its own, else the previous line's, else `first`."""

    def __init__(self, first: datetime, source: TimeSource) -> None:
        self._at = first
        self._source: TimeSource = source

    def place(
        self, line: int, timestamp: JsonValue, record: JsonValue = None, parent: JsonValue = None
    ) -> LinePosition:
        """Position of a line. Its time becomes the default for the next line."""
        own = moment_of(timestamp)
        source: TimeSource | None = None
        if own is None:
            source = self._source
        else:
            self._at, self._source = own, "previous"
        return LinePosition(line, self._at, source, _text(record), _text(parent))


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None


UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class Session:
    """A completely read transcript."""

    uuid: UUID
    harness: Harness
    session: str
    is_sidechain: bool
    facts: TranscriptFacts
    exchanges: Sequence[Exchange]

    @property
    def all_exchanges(self) -> Iterator[Exchange]:
        """Each exchange of the main sequence, followed by those of sub-agents that began in it."""
        for exchange in self.exchanges:
            yield exchange
            yield from exchange.sidechains

    @property
    def model(self) -> str:
        """Most frequent model."""
        models = self.facts.models
        return max(models, key=models.__getitem__) if models else UNKNOWN

    @property
    def provider(self) -> str:
        if self.facts.provider:
            return self.facts.provider
        if self.harness == "claude-code" and self.model.startswith("claude"):
            return "anthropic"
        return UNKNOWN

    @property
    def started_at(self) -> datetime:
        """Time of the first entry, even if later entries have earlier times."""
        return next(self.all_exchanges).started_at

    @property
    def ended_at(self) -> datetime:
        return max(exchange.ended_at for exchange in self.all_exchanges)
