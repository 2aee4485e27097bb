"""Disk space that the embedded cluster keeps back, with which it starts again on a full disk."""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcontract.runtime.store.postgres.errors import EmbeddedDiskFull

RESERVE_BYTES: Final = 32 << 20
"""Two segments of WAL: one that recovery needs, one for what reads write (hint bits of checked pages)."""
MIN_FREE_BYTES: Final = 32 << 20
"""Free space below which nothing is written: a disk without room for WAL would end the server."""
_BLOCK: Final = 1 << 20
_WAL_SHARE: Final = 4
_MIN_WAL, _USUAL_WAL = 32 << 20, 1 << 30


@dataclass(frozen=True, slots=True)
class Reserve:
    """The file `reserve` next to the cluster. While it is missing, the cluster is only read."""

    folder: Path

    @property
    def file(self) -> Path:
        return self.folder / "reserve"

    @property
    def is_short(self) -> bool:
        """Whether there is too little space to write."""
        return free_bytes(self.folder) < MIN_FREE_BYTES

    def check(self) -> bool:
        """Whether the reserve is there and the disk has room. Raises: EmbeddedDiskFull without room."""
        is_kept = self.file.exists()
        needed = MIN_FREE_BYTES if is_kept else MIN_FREE_BYTES + RESERVE_BYTES
        free = free_bytes(self.folder)
        if free < needed:
            raise EmbeddedDiskFull(
                f"the disk of {self.folder} has {free >> 20} MB free, and nothing is written with less than "
                f"{needed >> 20} MB; make room on that disk, then try again"
            )
        return is_kept

    def keep(self) -> None:
        """Create the reserve if it is missing and there is room for it. Its blocks are really written."""
        if self.file.exists() or free_bytes(self.folder) < MIN_FREE_BYTES + RESERVE_BYTES:
            return
        new = self.file.with_suffix(f".{os.getpid()}")
        block = os.urandom(_BLOCK)  # a disk that compresses would keep no room for zeros
        try:
            with new.open("xb", buffering=0) as file:
                os.fchmod(file.fileno(), 0o600)
                for _ in range(RESERVE_BYTES // _BLOCK):
                    file.write(block)
            new.replace(self.file)
        except OSError:  # somebody else was faster with the space
            with contextlib.suppress(OSError):
                new.unlink()

    def release(self) -> bool:
        """Give the space to the server, if the disk is full. Returns whether there was a reserve."""
        if not self.is_short:
            return False
        try:
            self.file.unlink()
        except FileNotFoundError:
            return False
        return True

    def options(self) -> dict[str, str]:
        """Settings of the server that let WAL take a share of the free space only."""
        most = max(_MIN_WAL, free_bytes(self.folder) // _WAL_SHARE)
        if most >= _USUAL_WAL:
            return {}
        return {"max_wal_size": f"{most >> 20}MB", "min_wal_size": f"{_MIN_WAL >> 20}MB"}


def free_bytes(folder: Path) -> int:
    """Space that an ordinary user may still take on the disk of a folder."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize
