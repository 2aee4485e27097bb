"""Handoff files: session summaries for people. They are written and never read."""

import contextlib
import os
import re
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

KEPT: Final = 20
"""Number of newest handoff files to keep."""

_NAME: Final = re.compile(r"session_handoff_\d{8}_\d{6}(?:-\d+)?\.md")
_OWN_FOLDER: Final = ".vcontract"
_FOLDER: Final = f"{_OWN_FOLDER}/handoff"
"""Folder below a project's root."""
_STEERING: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its facts, one a line."""

    heading: str
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Written:
    """Path of the file and number of older ones removed, or the reason why none was written."""

    path: Path | None
    removed: int = 0
    skipped: str | None = None


def render(title: str, sections: Sequence[Section]) -> str:
    """Render the file's Markdown. A section without facts says none."""
    parts = [f"# {escaped(title)}"]
    for section in sections:
        lines = [f"- {escaped(line)}" for line in section.lines] or ["none"]
        parts.append("\n".join([f"## {section.heading}", "", *lines]))
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """Escape control and direction characters, and indent further lines."""
    shown = _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return shown.replace("\r", "").replace("\n", "\n  ")


def write_handoff(root: Path, text: str, now: datetime) -> Written:
    """Write a handoff file below `root` atomically, and remove the oldest beyond 20.

    Links that lead elsewhere are not followed.
    """
    real = Path(os.path.realpath(root / _FOLDER))
    if root not in real.parents:
        return Written(None, skipped="the handoff folder leads out of the project")
    try:
        _make_folder(real, root)
        path = _write(real, text, now)
    except OSError as error:
        return Written(None, skipped=f"the handoff folder cannot be written: {error.strerror or error}")
    return Written(path, _remove_old(real))


def take_out(path: str, entry: str) -> bool:
    """Remove the lines that begin with `entry` from a handoff file. Returns whether nothing of it remains.

    A file that is not a handoff is left unchanged.
    """
    file = Path(path)
    if _NAME.fullmatch(file.name) is None or file.is_symlink():
        return False
    draft = file.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        kept = _without(file.read_text(encoding="utf-8").splitlines(keepends=True), f"- {entry}")
        draft.write_text("".join(kept), encoding="utf-8")
        draft.chmod(0o600)
        draft.replace(file)
    except FileNotFoundError:
        return True
    except (OSError, UnicodeDecodeError):
        draft.unlink(missing_ok=True)
        return False
    return True


def _without(lines: Sequence[str], begin: str) -> Iterator[str]:
    """Drop entries that begin with `begin`, including their indented lines."""
    is_left_out = False
    for line in lines:
        is_left_out = line.startswith(begin) or (is_left_out and line.startswith("  "))
        if not is_left_out:
            yield line


def _make_folder(folder: Path, root: Path) -> None:
    """Create the folder and its parents. A project's `.vcontract` ignores itself, so that no commit contains
    it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if _OWN_FOLDER not in folder.relative_to(root).parts:
        return
    depth = folder.relative_to(root).parts.index(_OWN_FOLDER) + 1
    ignore = root.joinpath(*folder.relative_to(root).parts[:depth], ".gitignore")
    with contextlib.suppress(FileExistsError), ignore.open("x", encoding="utf-8") as file:
        file.write("*\n")


def _write(folder: Path, text: str, now: datetime) -> Path:
    """Write a draft first, then link it under the first free name."""
    draft = folder / f".{secrets.token_hex(8)}.tmp"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        number = 1
        while True:
            suffix = f"-{number}" if number > 1 else ""
            path = folder / f"session_handoff_{now:%Y%m%d_%H%M%S}{suffix}.md"
            try:
                os.link(draft, path)  # unlike a rename, fails if the name is taken
            except FileExistsError:
                number += 1
            else:
                return path
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()


def _remove_old(folder: Path) -> int:
    """Remove all but the newest; their names sort by time."""
    found = sorted((entry for entry in folder.iterdir() if _NAME.fullmatch(entry.name)), key=_place)
    removed = 0
    for path in found[:-KEPT]:
        with contextlib.suppress(OSError):
            path.unlink()
            removed += 1
    return removed


def _place(path: Path) -> tuple[str, int]:
    stamp, _, number = path.stem.partition("-")
    return stamp, int(number or 1)
