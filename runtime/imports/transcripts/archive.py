"""Archive: a copy of every imported session file, because programs delete their own."""

import contextlib
import fcntl
import hashlib
import os
import re
import uuid
from pathlib import Path
from typing import Final

from vcontract.runtime.imports.transcripts.lines import Line

_FOLDER_MODE: Final = 0o700
_FILE_MODE: Final = 0o600
_UNSAFE: Final = re.compile(r"[^\w.@+=,-]+")
_MAX_NAME_BYTES: Final = 180
"""Maximum length of a name, so that the file name has at most 255 bytes."""
_PART: Final = ".part"


def archive_path(
    data_dir: Path, tenant: str, harness: str, project: str, session: str, agent: str | None, stem: str
) -> Path:
    """Path of a file's copy; a sub-agent's is next to its session's."""
    name = stem if agent is None else f"{session}.agent-{agent}"
    folder = data_dir.absolute() / "archive" / tenant / harness / _safe(project)
    return folder / f"{_safe(name)}.jsonl"


class ArchiveWriter:
    """Writes a temporary copy; `commit` moves it into place, otherwise it is deleted."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self._hash = hashlib.sha256()
        make_private_folder(path.parent)
        self._part = path.with_name(f".{path.name}.{uuid.uuid4().hex}{_PART}")
        self._file = os.fdopen(_open_locked(self._part), "wb")

    @property
    def digest(self) -> bytes:
        return self._hash.digest()

    def write(self, line: Line) -> None:
        """Add one line."""
        data = line.raw + b"\n" if line.ended else line.raw
        self._file.write(data)
        self._hash.update(data)
        self.size += len(data)

    def commit(self, path: Path, mtime_ns: int) -> None:
        """Move the copy to its final path, with its source's modification time."""
        self.path = path
        self._file.flush()
        os.fsync(self._file.fileno())
        os.utime(self._part, ns=(mtime_ns, mtime_ns))
        self._part.replace(self.path)
        self._file.close()
        _sync_folder(self.path.parent)

    def abandon(self) -> None:
        """Delete an uncommitted copy."""
        self._file.close()
        self._part.unlink(missing_ok=True)


def begins_with(path: Path, size: int, digest: bytes) -> bool:
    """Whether the first bytes of an archived file have this SHA-256."""
    found = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while size > 0 and (data := file.read(min(size, 1 << 20))):
                found.update(data)
                size -= len(data)
    except OSError:
        return False
    return size == 0 and found.digest() == digest


def sweep(data_dir: Path, tenant: str) -> None:
    """Delete temporary files of killed runs; running writers hold a lock."""
    for part in (data_dir / "archive" / tenant).rglob(f".*{_PART}"):
        # deleted meanwhile, or still being written
        with contextlib.suppress(OSError), part.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            part.unlink()


def _open_locked(path: Path) -> int:
    """Create a file that no sweep deletes while it is open."""
    while True:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, _FILE_MODE)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return descriptor
        os.close(descriptor)  # a sweep deleted it meanwhile


def make_private_folder(folder: Path) -> None:
    """Create a folder and its missing parents, private to the owner."""
    missing = [folder]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for path in reversed(missing):
        path.mkdir(mode=_FOLDER_MODE, exist_ok=True)


def _safe(name: str) -> str:
    """Replace characters that are unsafe in a file name."""
    bare = _UNSAFE.sub("-", name).strip(".-") or "unnamed"
    return bare.encode("utf-8", "replace")[:_MAX_NAME_BYTES].decode("utf-8", "ignore")


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
