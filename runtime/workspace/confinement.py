"""Confine sessions to allowed folders, checked before anything in them is accessed."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal


class OutsideRoots(ValueError):
    """A path is in no allowed root, whether it exists or not."""


FolderFault = Literal["does_not_exist", "not_a_folder", "unreadable"]

WORDS: Mapping[FolderFault, str] = {
    "does_not_exist": "it does not exist",
    "not_a_folder": "it is not a folder",
    "unreadable": "it cannot be read",
}


class NotAFolder(ValueError):
    """A path is in an allowed root but is not a readable folder; the message says why."""

    def __init__(self, reason: FolderFault) -> None:
        super().__init__(WORDS[reason])
        self.reason: FolderFault = reason


@dataclass(frozen=True, slots=True)
class Confinement:
    """Resolves paths from callers. `start` is the process's working directory, None for remote callers."""

    roots: tuple[Path, ...]
    start: Path | None
    are_named: bool = True
    """Whether an operator configured the roots. Otherwise they are the user's own folders."""

    @classmethod
    def of(cls, allowed: Sequence[Path] | None, start: Path | None) -> "Confinement":
        """Resolve the allowed folders. By default, a local process may use home, start and temp folders."""
        chosen: Sequence[Path] = allowed if allowed is not None else ()
        if allowed is None and start is not None:
            chosen = [_home(), start, Path(tempfile.gettempdir())]
        roots = tuple(dict.fromkeys(_real(path.expanduser()) for path in chosen))
        return cls(roots, start, are_named=allowed is not None or start is None)

    def allows(self, path: Path) -> bool:
        """Whether a path without links is in an allowed root."""
        return any(path == root or root in path.parents for root in self.roots)

    def reaches(self, path: Path) -> bool:
        """Whether a path related to an allowed folder may be used, such as the repository around it."""
        return not self.are_named or self.allows(_real(path))

    def locate(self, given: str) -> Path:
        """Resolve `given` and its links: `~` is home, a relative path starts at `start`.

        Raises: OutsideRoots.
        """
        path = Path(given).expanduser() if given.startswith("~") else Path(given)
        if not path.is_absolute():
            if self.start is None:
                raise OutsideRoots(given)
            path = self.start / path
        resolved = _real(path)
        if not self.allows(resolved):
            raise OutsideRoots(given)
        return resolved

    def folder(self, given: str) -> Path:
        """Resolve `given` like `locate` and check that it is a readable folder.

        Raises: OutsideRoots; NotAFolder.
        """
        try:
            path = self.locate(given)
        except (RuntimeError, OSError, ValueError) as error:
            # no such home, a name too long, a cycle of links, U+0000
            raise OutsideRoots(given) from error
        if reason := unusable(path):
            raise NotAFolder(reason)
        return path


def unusable(path: Path) -> FolderFault | None:
    """Return why `path` is not a readable folder, or None."""
    if not os.path.lexists(path):
        return "does_not_exist"
    if not path.is_dir():
        return "not_a_folder"
    if not os.access(path, os.R_OK | os.X_OK):
        return "unreadable"
    return None


def _home() -> Path:
    return Path(os.path.expanduser("~"))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
