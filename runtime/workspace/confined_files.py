"""Open files below allowed folders, without ever leaving them."""

import errno
import os
import stat
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Final

_NO_SUCH_FILE: Final = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
_NO_FILE: Final = (errno.ENXIO, errno.EOPNOTSUPP)
"""Errors of opening a socket."""


class FileForbidden(Exception):
    """The path may not be read. The error does not reveal whether a file exists."""


class FileMissing(Exception):
    """No file exists at the path, which is below a root."""


class NotAFile(Exception):
    """The path is a folder, pipe or device, not a file."""


class FileRoots:
    """Opens files below its roots component by component, so that check and open are one step.

    A relative path starts at the first root. No link is followed below a root, and `..` is not allowed.
    """

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = tuple(Path(os.path.abspath(root)) for root in roots)

    def __bool__(self) -> bool:
        return bool(self._roots)

    def read(self, path: str, most_bytes: int) -> tuple[str, bytes]:
        """Return the path from its root, and the file's first `most_bytes` bytes.

        Raises: FileForbidden, FileMissing, NotAFile.
        """
        root, parts = self._place(path)
        try:
            descriptor = _open_below(root, parts)
        except OSError as error:
            if error.errno in _NO_SUCH_FILE:
                raise FileMissing(path) from None
            if error.errno in _NO_FILE:
                raise NotAFile(path) from None
            raise FileForbidden(path) from None
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise NotAFile(path)
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return "/".join(parts), file.read(most_bytes)
        finally:
            os.close(descriptor)

    def _place(self, path: str) -> tuple[Path, tuple[str, ...]]:
        """Return the root that contains a path by its spelling, and the remaining components."""
        given = PurePath(path)
        if not self._roots or ".." in given.parts or "\0" in path or os.open not in os.supports_dir_fd:
            raise FileForbidden(path)
        if not given.is_absolute():
            return self._roots[0], given.parts
        for root in self._roots:
            if given.is_relative_to(root):
                return root, given.relative_to(root).parts
        raise FileForbidden(path)


def _open_below(root: Path, parts: Sequence[str]) -> int:
    """Open the last component, each relative to the folder before. Returns a descriptor."""
    # non-blocking, because opening a pipe would wait
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for part in parts:
        try:
            opened = os.open(part, flags, dir_fd=folder)
        finally:
            os.close(folder)
        folder = opened
    return folder
