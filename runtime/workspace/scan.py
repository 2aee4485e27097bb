"""Scan a project's files, three levels deep."""

import os
import time
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

MAX_LEVELS: Final = 3
MAX_ENTRIES: Final = 5_000
MAX_SECONDS: Final = 2.0
MAX_BYTES: Final = 1_048_576
"""Maximum bytes read of one file."""

_VENDORED: Final = frozenset(
    {".git", ".hg", ".svn", "node_modules", "bower_components", "vendor", "third_party", "site-packages"}
    | {".venv", "venv", "env", ".tox", ".nox", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
    | {"target", "dist", "build", "out", "bin", "obj", ".gradle", ".idea", ".vscode", ".next", ".nuxt"}
    | {".cache", "coverage", "Pods", ".bundle", ".vcontract"}
)


@dataclass(slots=True)
class Scan:
    """Result of a scan: paths below the root with `/`, in no particular order."""

    root: Path
    files: list[str] = field(default_factory=list[str])
    folders: list[str] = field(default_factory=list[str])
    entries: int = 0
    truncated: bool = False

    def top(self) -> list[str]:
        """File names in the root itself."""
        return [path for path in self.files if "/" not in path]

    def inside(self, folder: str) -> list[str]:
        """Files below a folder, ignoring case."""
        start = folder.casefold() + "/"
        return [path for path in self.files if path.casefold().startswith(start)]

    def text(self, path: str) -> str | None:
        """First 1 MiB of a file; None if it is not a readable regular file."""
        return read_text(self.root / path)


def scan(root: Path, ignored: Collection[str] = ()) -> Scan:
    """Scan `root` breadth-first: 3 levels, 5,000 entries, 2 s. Ignored and vendored folders are skipped.

    `ignored` are paths below the root; folders have a trailing slash.
    """
    found = Scan(root)
    skipped = frozenset(path.rstrip("/") for path in ignored)
    ends = time.monotonic() + MAX_SECONDS
    waiting = deque([(root, "", 1)])
    while waiting:
        folder, prefix, level = waiting.popleft()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if found.entries >= MAX_ENTRIES or time.monotonic() > ends:
                found.truncated = True
                return found
            path = prefix + entry.name
            if path in skipped:
                continue
            found.entries += 1
            if not entry.is_dir(follow_symlinks=False):
                found.files.append(path)
            elif entry.name not in _VENDORED:
                found.folders.append(path)
                if level < MAX_LEVELS:
                    waiting.append((Path(entry.path), path + "/", level + 1))
    return found


def read_text(file: Path) -> str | None:
    """First 1 MiB of a file; None if it is not a readable regular file."""
    try:
        # reading a pipe or device might never end
        if not file.is_file():
            return None
        with file.open("rb") as stream:
            return stream.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return None


def name_of(path: str) -> str:
    """Last segment of a path."""
    return PurePosixPath(path).name
