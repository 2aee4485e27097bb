"""The times of a transcript's lines, those without one included."""

from datetime import datetime

from vcontract.runtime.documents.json import JsonValue
from vcontract.runtime.imports.transcripts.model import Place, TimeSource
from vcontract.runtime.vcon.times import read_time


def moment_of(value: JsonValue) -> datetime | None:
    """The moment that a `timestamp` gives; None when it gives none."""
    return read_time(value) if isinstance(value, str) else None


class Clock:
    """Gives each line its place in time: its own, else that of the line before, else `first`."""

    def __init__(self, first: datetime, source: TimeSource) -> None:
        self._at = first
        self._source: TimeSource = source

    def place(
        self, line: int, timestamp: JsonValue, record: JsonValue = None, parent: JsonValue = None
    ) -> Place:
        """The place of a line, whose time it remembers."""
        own = moment_of(timestamp)
        source: TimeSource | None = None
        if own is None:
            source = self._source
        else:
            self._at, self._source = own, "previous"
        return Place(line, self._at, source, _text(record), _text(parent))


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None
