"""Files of sessions as they lie there: what need not be read again when it has not changed."""

import os
from dataclasses import dataclass, field
from pathlib import Path


def name_of(path: str | Path) -> str:
    """A path as text: a byte that is not UTF-8, which no database holds, is U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class FileState:
    """A file, or one session of a file that holds several; when neither changes, it is not read again."""

    path: Path
    size: int
    """Bytes; of one session among several, how many pieces it has."""
    mtime_ns: int
    part: str | None = None
    """The session in the file; None where the file is one session."""
    is_unpacked: bool = field(default=False, compare=False)
    """Whether it has to be read into lines, because its program keeps no file of lines."""
    cwd: str | None = field(default=None, compare=False)
    """Where the session was at work, when another file of its program says it."""

    @property
    def name(self) -> str:
        """The path, and the session in it, as they are stored and told."""
        return name_of(self.path) if self.part is None else f"{name_of(self.path)}#{self.part}"


def look_at(path: Path) -> FileState:
    """The state of a file.

    Raises: OSError.
    """
    path = path.absolute()
    stat = path.stat()
    return FileState(path, stat.st_size, stat.st_mtime_ns)
