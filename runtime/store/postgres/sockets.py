"""Folders of Unix sockets: short enough for the address of a socket, and closed to other users."""

import hashlib
import os
import stat
import sys
from pathlib import Path
from typing import Final

_MAX_PATH_BYTES: Final = 103 if sys.platform == "darwin" else 107


def fits(socket: Path) -> bool:
    """Whether the path can be the address of a socket, which has room for few characters."""
    return len(os.fsencode(socket)) <= _MAX_PATH_BYTES


def substitute_for(folder: Path) -> Path:
    """A folder in /tmp to use in place of one whose path is too long; made by nobody yet, or by anybody."""
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    return Path("/tmp", f"vcontract-{os.geteuid()}-{digest}")  # noqa: S108 - see is_private


def is_private(folder: Path, owners: set[int]) -> bool:
    """Whether the folder is one, no link to one, of these users, and closed to all others.

    Raises: OSError, FileNotFoundError when there is none.
    """
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid in owners and not status.st_mode & 0o077
