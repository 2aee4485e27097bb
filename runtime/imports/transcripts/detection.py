"""Detection: which program wrote a file, told by its lines and never by its name."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, TypeGuard

from vcontract.runtime.documents.json import JsonObject, JsonValue
from vcontract.runtime.imports.transcripts.lines import LONGEST_LINE, Line, read_lines
from vcontract.runtime.imports.transcripts.model import Harness

_PARSEABLE_LINES: Final = 50
_MOST_LINES: Final = 1_000
_NO_TRANSCRIPTS: Final = (".json", ".vcon", ".gz", ".zip")
_CLAUDE_CODE_IDS: Final = ("sessionId", "uuid", "leafUuid", "messageId")
_CODEX_TYPES: Final = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})

CLAUDE_CODE_TYPES: Final = frozenset(
    {"user", "assistant", "system", "summary", "attachment", "queue-operation", "progress", "mode"}
    | {"custom-title", "ai-title", "agent-name", "permission-mode", "last-prompt", "pr-link"}
    | {"file-history-snapshot", "file-history-delta"}
)
"""The types of lines that Claude Code writes and that are known here."""


def is_transcript(path: Path) -> bool:
    """Whether the file is a transcript that is known; those of kinds that only vCons have are not read."""
    if path.name.lower().endswith(_NO_TRANSCRIPTS):
        return False
    try:
        # what a pipe holds can be read once only
        return path.is_file() and harness_of(path) is not None
    except OSError:
        return False


def harness_of(path: Path) -> Harness | None:
    """The program that wrote the file; None when it is no transcript that is known.

    Raises: OSError.
    """
    with path.open("rb") as stream:
        return detect(read_lines(islice(_lines_of(stream), _MOST_LINES)))


def detect(lines: Iterable[Line]) -> Harness | None:
    """The program that wrote these lines, by the first that are JSON."""
    records = (record for line in lines if (record := line.record()) is not None)
    first: JsonObject | None = None
    for record in islice(records, _PARSEABLE_LINES):
        if is_claude_code(record):
            return "claude-code"
        if is_codex(record):
            return "codex"
        if "parties" in record:
            return None  # vCons, each perhaps large: there is no need to read on
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
    """Whether this is the first object of the form that Codex wrote at first: bare items follow."""
    return (
        "type" not in record
        and _is_text(record.get("id"))
        and _is_text(record.get("timestamp"))
        and ("instructions" in record or "git" in record)
    )


def _lines_of(stream: BinaryIO) -> Iterator[bytes]:
    """The lines, without those that are too long to be told anything by."""
    while raw := stream.readline(LONGEST_LINE):
        if len(raw) < LONGEST_LINE or raw.endswith(b"\n"):
            yield raw
            continue
        while raw and not raw.endswith(b"\n"):
            raw = stream.readline(LONGEST_LINE)


def _is_text(value: JsonValue) -> TypeGuard[str]:
    return isinstance(value, str)
