"""The stage that writes generated files, compares them with those on disk, and removes obsolete ones."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file to write: its path below generated/, with forward slashes, and its text."""

    path: str
    text: str


def write(files: Sequence[OutputFile], folder: Path) -> list[str]:
    """Make `folder` contain exactly `files`, apart from `__pycache__`; equal files are not rewritten.

    Returns the sorted paths that were written or removed.
    """
    wanted = {file.path: file.text.encode() for file in files}
    present = _present(folder)
    changed: list[str] = []
    for path in sorted(present - wanted.keys()):
        (folder / path).unlink()
        changed.append(path)
    for path, content in wanted.items():
        target = folder / path
        if path not in present or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            changed.append(path)
    _remove_empty_folders(folder)
    return sorted(changed)


def differences(files: Sequence[OutputFile], folder: Path) -> str:
    """A unified diff from the files in `folder` to `files`; empty if they are equal byte for byte."""
    wanted = {file.path: file.text.encode() for file in files}
    present = {path: (folder / path).read_bytes() for path in _present(folder)}
    paths = sorted(present.keys() | wanted.keys())
    return "".join(_difference(path, present.get(path), wanted.get(path)) for path in paths)


def _difference(path: str, old: bytes | None, new: bytes | None) -> str:
    if old == new:
        return ""
    lines = difflib.unified_diff(
        _lines(old),
        _lines(new),
        fromfile=f"generated/{path}" if old is not None else "/dev/null",
        tofile=f"generated/{path}" if new is not None else "/dev/null",
    )
    text = "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
    # An empty file that is missing, or should not exist, has no lines to show.
    return text or f"generated/{path}: {'is missing' if old is None else 'should not be there'}\n"


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode(errors="backslashreplace").splitlines(keepends=True)


def _present(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in _files(folder)}


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path


def _remove_empty_folders(folder: Path) -> None:
    folders = (path for path in folder.rglob("*") if path.is_dir())
    for path in sorted(folders, key=lambda path: len(path.parts), reverse=True):
        contents = list(path.iterdir())
        if all(entry.name == "__pycache__" for entry in contents) and path.name != "__pycache__":
            _remove_bytecode(contents)
            path.rmdir()


def _remove_bytecode(caches: Sequence[Path]) -> None:
    for cache in caches:
        for file in cache.iterdir():
            file.unlink()
        cache.rmdir()
