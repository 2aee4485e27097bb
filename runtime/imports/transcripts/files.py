"""Session files and their state, to skip unchanged ones."""

import os
from dataclasses import dataclass, field
from pathlib import Path


def name_of(path: str | Path) -> str:
    """Decode a path; invalid UTF-8 becomes U+FFFD, because databases reject it."""
    return os.fsencode(path).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class FileState:
    """A file, or one session in it. If its state is unchanged, it is not read again."""

    path: Path
    size: int
    """Size in bytes; for one of several sessions, its number of records."""
    mtime_ns: int
    part: str | None = None
    """Session in the file; None if the file is one session."""
    is_unpacked: bool = field(default=False, compare=False)
    """Whether it must be converted to lines."""
    cwd: str | None = field(default=None, compare=False)
    """Working directory, if another file of the program has it."""

    @property
    def name(self) -> str:
        """Path and session, as stored and displayed."""
        return name_of(self.path) if self.part is None else f"{name_of(self.path)}#{self.part}"


def file_state(path: Path) -> FileState:
    """Read the state of a file.

    Raises: OSError.
    """
    path = path.absolute()
    stat = path.stat()
    return FileState(path, stat.st_size, stat.st_mtime_ns)
