"""Read SQLite databases as JSON documents: the rows of one query."""

import sqlite3
import tempfile
from pathlib import Path
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.imports.programs.conversation import About, NotRead
from vcontract.runtime.imports.transcripts.agents.declaration import UnexpectedFormat
from vcontract.runtime.imports.transcripts.agents.sqlite import MARK, opened

DATABASE: Final = MARK
_STEPS: Final = 1_000_000
_MAX_PROGRESS_CALLS: Final = 2_000
"""Time limit of a query in calls of SQLite's progress handler: some minutes."""
_ALLOWED: Final = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION})


def rows_of_database(data: bytes, about: About, query: str) -> list[JsonValue]:
    """Return the rows of a query by column name. Attributed strings become their text.

    Includes what is still in the write-ahead log.

    Raises: NotRead.
    """
    with tempfile.TemporaryDirectory(prefix="vcontract-") as folder:
        path = Path(folder, "database")
        path.write_bytes(data)
        if log := about.beside(f"{about.name.rpartition('/')[2]}-wal"):
            path.with_name("database-wal").write_bytes(log)
        try:
            with opened(path) as connection:
                return list(_rows(connection, query))
        except (UnexpectedFormat, sqlite3.Error) as error:
            raise NotRead(f"is an SQLite database that cannot be read: {error}") from None


def _rows(connection: sqlite3.Connection, query: str) -> list[JsonObject]:
    steps = iter(range(_MAX_PROGRESS_CALLS))
    connection.set_progress_handler(lambda: next(steps, None) is None, _STEPS)
    connection.set_authorizer(_authorize)
    found = connection.execute(query)
    names = [column[0] for column in found.description]
    return [
        {
            name: attributed(value) if isinstance(value, bytes) else value
            for name, value in zip(names, row, strict=True)
            if value is not None
        }
        for row in found
    ]


def _authorize(action: int, *_: str | None) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def attributed(data: bytes) -> str | None:
    """Return the text of an NSAttributedString in Apple's typedstream format; None for anything else.

    Its length is one byte, or two bytes after 0x81, or four after 0x82, little-endian.
    """
    _, mark, rest = data.partition(b"NSString")
    _, mark, rest = rest.partition(b"+") if mark else (b"", b"", b"")
    if not (mark and rest):
        return None
    size = {0x81: 2, 0x82: 4}.get(rest[0], 0)
    length = int.from_bytes(rest[1 : 1 + size], "little") if size else rest[0]
    begins = 1 + size
    return rest[begins : begins + length].decode("utf-8", "replace")
