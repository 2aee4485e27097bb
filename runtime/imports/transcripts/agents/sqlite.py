"""Open SQLite databases of running programs read-only, without creating files."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from vcontract.runtime.imports.transcripts.agents.declaration import UnexpectedFormat

MARK: Final = b"SQLite format 3\0"

_WRITE_VERSION: Final = 18
_WRITE_AHEAD: Final = 2
_PATIENCE: Final = 2.0
"""Seconds to wait for a writer before a copy is read."""


@contextmanager
def opened(path: Path) -> Generator[sqlite3.Connection]:
    """Open the database in its current state.

    Source: SQLite, "URI Filenames" and "Write-Ahead Logging", 5. A database with an empty log is opened as
    immutable, because any other mode would create files.

    Raises: OSError; UnexpectedFormat if it is damaged.
    """
    with path.open("rb") as stream:
        head = stream.read(_WRITE_VERSION + 1)
    is_logged = head[_WRITE_VERSION:] == bytes([_WRITE_AHEAD])
    log = path.with_name(f"{path.name}-wal")
    mode = "immutable=1" if is_logged and not log.exists() else "mode=ro"
    try:
        with ExitStack() as stack:
            try:
                connection = _connected(path, mode)
            except sqlite3.OperationalError:
                connection = _connected(stack.enter_context(_copied(path, log)), "mode=rw")
            stack.callback(connection.close)
            yield connection
    # a name that is not UTF-8, which the error would quote
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise UnexpectedFormat(f"is an SQLite database that cannot be read: {error}") from None


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{quote(os.fsencode(path))}?{mode}", uri=True, timeout=_PATIENCE)
    connection.text_factory = _text
    connection.execute("pragma trusted_schema = off")
    connection.execute("pragma query_only = on")
    connection.execute("select count(*) from sqlite_master").fetchone()
    return connection


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@contextmanager
def _copied(path: Path, log: Path) -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix="vcontract-") as folder:
        copy = Path(folder, path.name)
        shutil.copyfile(path, copy)
        if log.exists():
            shutil.copyfile(log, copy.with_name(log.name))
        yield copy


def tables_of(connection: sqlite3.Connection) -> set[str]:
    """Names of the tables."""
    rows = connection.execute("select name from sqlite_master where type = 'table'")
    return {str(name) for (name,) in rows}


def holds(path: Path, *tables: str) -> bool:
    """Whether the file is a database with these tables."""
    try:
        with opened(path) as connection:
            return set(tables) <= tables_of(connection)
    except OSError:
        return False
