"""JSON logging to stderr, without conversation text and without secrets."""

import json
import logging
import os
import select
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from traceback import walk_tb
from types import TracebackType
from typing import TextIO

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue

_ROOT = "vcontract"
_MAX_FRAMES = 12
_MAX_CAUSES = 4
_PATIENCE_SECONDS = 0.5
"""How long a line waits for a slow reader."""
_correlation_id: ContextVar[str | None] = ContextVar("vcontract_correlation_id", default=None)


_database_seconds: ContextVar[list[float] | None] = ContextVar("vcontract_database_seconds", default=None)


class Log:
    """Writes events with fields: names and numbers, never text from a caller or the store."""

    def __init__(self, noun: str) -> None:
        self._logger = logging.getLogger(f"{_ROOT}.{noun}")

    def debug(self, event: str, **fields: JsonValue) -> None:
        self._write(logging.DEBUG, event, fields)

    def info(self, event: str, **fields: JsonValue) -> None:
        self._write(logging.INFO, event, fields)

    def warning(self, event: str, **fields: JsonValue) -> None:
        self._write(logging.WARNING, event, fields)

    def error(self, event: str, cause: BaseException | None = None, **fields: JsonValue) -> None:
        """Log a fault. The type and code locations of `cause` are logged, not its message."""
        self._write(logging.ERROR, event, fields if cause is None else {**fields, "cause": describe(cause)})

    def _write(self, level: int, event: str, fields: JsonObject) -> None:
        if self._logger.isEnabledFor(level):
            self._logger.log(level, event, extra={"vcontract_fields": fields})


@contextmanager
def correlation(correlation_id: str) -> Generator[None]:
    """Add `correlation_id` to every line logged inside, by any module; see `database_seconds`."""
    tokens = _correlation_id.set(correlation_id), _database_seconds.set([])
    try:
        yield
    finally:
        _correlation_id.reset(tokens[0])
        _database_seconds.reset(tokens[1])


def note_database(seconds: float) -> None:
    """Add time in a transaction, or waiting for a connection, to the current request."""
    noted = _database_seconds.get()
    if noted is not None:
        noted.append(seconds)


def database_seconds() -> float:
    """Database time of the current request."""
    return sum(_database_seconds.get() or ())


def configure(level: str, stream: TextIO | None = None) -> None:
    """Send all logging of the process to `stream` (stderr) as JSON lines.

    Libraries log from warning up, whatever `level` is: below that they quote messages.
    """
    handler = _Lines(stream if stream is not None else sys.stderr)
    handler.setFormatter(_JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger(_ROOT).setLevel(level.upper())
    logging.captureWarnings(True)


def describe(error: BaseException) -> JsonObject:
    """Describe an exception for the log: its type, SQLSTATE, code locations and causes.

    Its message is left out, because it often quotes values (a row, a parameter, a document).
    """
    return _describe(error, _MAX_CAUSES)


def _describe(error: BaseException, causes_left: int) -> JsonObject:
    described: JsonObject = {"type": f"{type(error).__module__}.{type(error).__qualname__}"}
    sqlstate = getattr(error, "sqlstate", None)
    if isinstance(sqlstate, str):
        described["sqlstate"] = sqlstate
    described["frames"] = _frames(error.__traceback__)
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None and causes_left:
        described["cause"] = _describe(cause, causes_left - 1)
    return described


def _frames(traceback: TracebackType | None) -> list[str]:
    frames = [
        f"{'/'.join(Path(frame.f_code.co_filename).parts[-3:])}:{line} {frame.f_code.co_name}"
        for frame, line in walk_tb(traceback)
    ]
    return frames[-_MAX_FRAMES:]


class _Lines(logging.StreamHandler[TextIO]):
    """Writes log lines, and drops lines if a pipe that nobody reads is full.

    If a server waited until its log is read, it would stop serving.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._pipe = _pipe_of(stream)
        self._patience = _PATIENCE_SECONDS
        self._left_out = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record, after a line that counts those dropped before it."""
        if self._pipe is not None and not _has_room(self._pipe, self._patience):
            self._left_out += 1
            self._patience = 0.0  # wait only once, not for each of the following lines
            return
        if self._left_out:
            left_out, self._left_out, self._patience = self._left_out, 0, _PATIENCE_SECONDS
            attributes = {
                "name": f"{_ROOT}.log",
                "levelno": logging.WARNING,
                "levelname": "WARNING",
                "msg": "nobody read the log, so lines were left out",
                "vcontract_fields": {"lines": left_out},
            }
            super().emit(logging.makeLogRecord(attributes))
        super().emit(record)


def _pipe_of(stream: TextIO) -> int | None:
    """Return the descriptor of a stream that is a pipe, so that its free space can be checked."""
    try:
        descriptor = stream.fileno()
        is_pipe = stat.S_ISFIFO(os.fstat(descriptor).st_mode)
    except (OSError, ValueError):  # not a file, or closed
        return None
    return descriptor if is_pipe and sys.platform != "win32" else None


def _has_room(pipe: int, seconds: float) -> bool:
    """Whether a page of memory, which is more than a line, can be written within `seconds`."""
    return bool(select.select([], [pipe], [], seconds)[1])


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: JsonObject = {
            "time": moment.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        correlation_id = _correlation_id.get()
        if correlation_id is not None:
            line["correlation_id"] = correlation_id
        if record.exc_info and record.exc_info[1] is not None:
            line["cause"] = describe(record.exc_info[1])
        line.update(getattr(record, "vcontract_fields", {}))
        return json.dumps(line, ensure_ascii=False, default=str)
