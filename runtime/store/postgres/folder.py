"""Folder of the embedded cluster: permissions, locks, log, and explanations of its problems."""

import contextlib
import errno
import fcntl
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from vcontract.runtime.store.postgres.errors import EmbeddedDiskFull, EmbeddedReadOnly, EmbeddedUnavailable
from vcontract.runtime.store.postgres.installation import OWN_DATABASE

_CLUSTER = re.compile(r"pg(\d+)")
_MAX_LOG_BYTES = 1 << 20
_OTHER_FOLDER = f"set VCONTRACT_DATA_DIR to a folder of your own, or {OWN_DATABASE}"


@dataclass(frozen=True, slots=True)
class ClusterFolder:
    """The files next to the cluster that every process using it may open."""

    path: Path

    @property
    def log_file(self) -> Path:
        return self.path / "server.log"

    def make(self) -> None:
        """Create the folder and the data folder if missing, private to this user.

        Raises: EmbeddedUnavailable.
        """
        # root may have to become a user who can traverse the data folder but not list it
        around = 0o711 if os.geteuid() == 0 else 0o700
        try:
            self.path.parent.mkdir(mode=around, parents=True, exist_ok=True)
            self.path.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise unusable(f"cannot make the database's folder {self.path}", error) from error

    def check_version(self, major: int) -> None:
        """Check that no other PostgreSQL created this cluster; an empty new one would hide its data.

        Raises: EmbeddedUnavailable.
        """
        former = self.former(major)
        if former is not None:
            path, made_by = former
            raise EmbeddedUnavailable(
                f"the database in {path} was made by PostgreSQL {made_by}, and this program brings "
                f"PostgreSQL {major}, which cannot read it; nothing was changed. `vcontract db upgrade` "
                "takes it to the new one. To begin anew, set VCONTRACT_DATA_DIR to another folder, or move "
                "this one away"
            )

    def former(self, major: int) -> tuple[Path, str] | None:
        """Return the cluster in our place that another PostgreSQL created, and its version."""
        ours = self.path / f"pg{major}"
        found = {path: _CLUSTER.fullmatch(path.name) for path in sorted(self.path.iterdir())}
        others = {path: match[1] for path, match in found.items() if match is not None and path != ours}
        if ours.exists():
            others = {} if (made_by := _made_by(ours)) == str(major) else {ours: made_by}
        return max(others.items(), key=lambda item: item[0].stat().st_mtime, default=None)

    def try_lock(self, name: str, kind: int) -> int | None:
        """Lock a file. Returns its descriptor, or None if another process holds it.

        Raises: EmbeddedUnavailable.
        """
        file = self.path / name
        try:
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise unusable(f"cannot open {file}", error) from error
        self._leave_to_owner(descriptor)
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        return descriptor

    def open_log(self) -> IO[bytes]:
        """Open the log for writing; rotate a long one.

        Raises: EmbeddedUnavailable.
        """
        try:
            with contextlib.suppress(FileNotFoundError):
                if self.log_file.stat().st_size > _MAX_LOG_BYTES:
                    self.log_file.replace(self.log_file.with_suffix(".log.1"))
            descriptor = os.open(self.log_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise unusable(f"cannot open {self.log_file}", error) from error
        self._leave_to_owner(descriptor)
        return os.fdopen(descriptor, "ab")

    def log_since(self, position: int) -> str:
        """Return what was logged after the first `position` bytes."""
        with self.log_file.open("rb") as log:
            log.seek(position)
            return log.read(_MAX_LOG_BYTES).decode("utf-8", "replace")

    def _leave_to_owner(self, descriptor: int) -> None:
        """Give a file that root created in another user's folder to that user."""
        if os.geteuid() == 0:
            owner = self.path.stat()
            os.fchown(descriptor, owner.st_uid, owner.st_gid)


def unusable(trouble: str, error: OSError) -> EmbeddedUnavailable:
    """Build the error for an operating system error about the folder."""
    said = f"{trouble}: {error.strerror}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return EmbeddedDiskFull(f"{said}; make room on that disk, or set VCONTRACT_DATA_DIR to another")
    if error.errno == errno.EROFS:
        return EmbeddedReadOnly(f"{said}; mount it for writing, or {_OTHER_FOLDER}")
    if error.errno in (errno.EACCES, errno.EPERM):
        return EmbeddedUnavailable(
            f"{said}; the folder belongs to another user: run as that user, {_OTHER_FOLDER}"
        )
    return EmbeddedUnavailable(f"{said}; {_OTHER_FOLDER}")


def unstarted(trouble: str, said: str) -> EmbeddedUnavailable:
    """Build the error for a PostgreSQL program that failed; its output names the cause."""
    for code, kind, cure in (
        (errno.ENOSPC, EmbeddedDiskFull, "Make room on the disk of VCONTRACT_DATA_DIR, then try again"),
        (errno.EROFS, EmbeddedReadOnly, "Mount the disk of VCONTRACT_DATA_DIR for writing, then try again"),
    ):
        if os.strerror(code) in said:
            return kind(f"{trouble}: {os.strerror(code)}. {cure}. It said:\n{said}")
    return EmbeddedUnavailable(f"{trouble}. It said:\n{said}")


def _made_by(cluster: Path) -> str:
    try:
        return (cluster / "PG_VERSION").read_text(encoding="ascii").strip()
    except OSError as error:
        return f"of unknown version ({error.strerror})"
