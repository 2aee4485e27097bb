"""Folders of Unix sockets: with paths short enough, and private."""

import hashlib
import os
import stat
import sys
from pathlib import Path
from typing import Final

_MAX_PATH_BYTES: Final = 103 if sys.platform == "darwin" else 107


def fits(socket: Path) -> bool:
    """Whether the path is short enough for a socket address."""
    return len(os.fsencode(socket)) <= _MAX_PATH_BYTES


def substitute_for(folder: Path) -> Path:
    """Return a folder in /tmp for one whose path is too long. It may not exist, or belong to anyone."""
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    return Path("/tmp", f"vcontract-{os.geteuid()}-{digest}")  # noqa: S108 - see is_private


def is_private(folder: Path, owners: set[int]) -> bool:
    """Whether the path is a folder, not a link, of one of these users, and closed to all others.

    Raises: OSError, FileNotFoundError if it does not exist.
    """
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid in owners and not status.st_mode & 0o077
