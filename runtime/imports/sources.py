"""Resolve an import's arguments to files, and describe positions of documents in them."""

import glob
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.programs.conversation import Account
from vcontract.runtime.imports.programs.format_registry import BESIDE, MAIN_FILES


@dataclass(frozen=True, slots=True)
class Origin:
    """Position of one document: file or archive member, and place in it."""

    file: str
    member: str | None = None
    line: int | None = None
    """Counted from 1; None if the document is the whole file."""
    column: int = 1
    """Character of `line` at which the document starts, counted from 1."""
    element: int | None = None
    """Index in the array that the file holds, counted from 0."""

    @property
    def name(self) -> str:
        """The file, and a member after an exclamation mark: `calls.zip!2024/a.vcon`."""
        return self.file if self.member is None else f"{self.file}!{self.member}"

    def at(self, line: int, column: int) -> "Origin":
        """Convert line and column of this document, from 1, to a position in the file."""
        before = self.line or 1
        return replace(
            self,
            line=before + line - 1,
            column=column + (self.column - 1 if line == 1 else 0),
        )

    def __str__(self) -> str:
        place = self.name
        if self.line is not None:
            place += f":{self.line}" + (f":{self.column}" if self.column > 1 else "")
        return place if self.element is None else f"{place} (element {self.element})"


@dataclass(frozen=True, slots=True)
class Problem:
    """Reason why a document or file was not imported."""

    origin: Origin
    rule: str
    """Stable ID such as `malformed_json`, `encrypted`, `type` or `nul_character`; empty without one."""
    message: str
    path: str = "$"
    """JSON path of the offending value, from the document's root."""

    def __str__(self) -> str:
        path = "" if self.path == "$" else f" at {self.path}"
        return f"{self.origin}: {self.rule}{path}{': ' if self.rule else ''}{self.message}"

    def as_json(self) -> JsonObject:
        """Return the problem as a flat object without absent parts."""
        document: JsonObject = {"file": self.origin.file}
        if self.origin.member is not None:
            document["member"] = self.origin.member
        if self.origin.line is not None:
            document["line"] = self.origin.line
            document["column"] = self.origin.column
        if self.origin.element is not None:
            document["element"] = self.origin.element
        rule: JsonObject = {"path": self.path, "rule": self.rule} if self.rule else {}
        return document | rule | {"message": self.message}


@dataclass(frozen=True, slots=True)
class RawDocument:
    """Unparsed text of one document."""

    origin: Origin
    text: bytes
    """UTF-8 without byte order mark."""
    account: Account | None = None
    """What became of the messages of another program's export; None for a vCon."""


@dataclass(frozen=True, slots=True)
class Silent:
    """A conversation of an export that has no turns, and what became of its messages."""

    origin: Origin
    account: Account


KINDS = (
    *(".json", ".vcon", ".jsonl", ".ndjson", ".gz", ".zip"),
    *(".mbox", ".eml", ".vtt", ".srt", ".sbv", ".ics"),
)
"""Extensions of files to import from a folder or archive."""

_NAMED = re.compile(
    r"_chat\.txt|.*\bWhatsApp\b.*\.txt|meeting_saved_(?:new_)?chat.*\.txt|(?:meeting_saved_)?closed_caption\.txt"
    r"|GMT\d{8}-\d{6}_.*\.txt"
    r"|MyActivity\.html|copilot-.*activity.*\.csv|chat\.db"
)
"""File names that programs give to chats and transcripts saved as text or database."""

_DAY = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].json"
"""A day of a channel of Slack."""

STANDARD_INPUT = "-"
STANDARD_INPUT_NAME = "<stdin>"

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class NoSuchPath(Exception):
    """An argument matches nothing readable."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read."""

    path: Path | None
    """None for standard input."""
    name: str
    """As the user would name it, with unprintable characters escaped."""
    size: int
    """Bytes on disk; 0 if unknown."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Files found for the arguments."""

    files: tuple[SourceFile, ...]
    """In the order of the arguments, files of a folder sorted by path, without duplicates."""
    ignored: tuple[SourceFile, ...]
    """Files of unknown kinds in the given folders."""

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


def printable(name: str) -> str:
    """Escape control characters and invalid bytes in a name."""
    text = name.encode("utf-8", "backslashreplace").decode()
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def has_known_kind(name: str) -> bool:
    """Whether a file with this name is imported from a folder or archive."""
    base = name.rpartition("/")[2]
    if base.startswith(".") or name.startswith("__MACOSX/"):
        return False
    return base.lower().endswith(KINDS) or _NAMED.fullmatch(base) is not None


def _is_beside(path: Path) -> bool:
    """Whether the file belongs to an export but contains no conversations."""
    if path.name not in BESIDE:
        return False
    if any((path.parent / name).is_file() for name in MAIN_FILES):
        return True
    return next(path.parent.glob("*/" + _DAY), None) is not None


def find_files(arguments: Sequence[str]) -> Sources:
    """Find the files for `arguments`: named files, files in folders, and matches of patterns.

    A named file or match is always taken; `-` is standard input. In folders, `has_known_kind` decides, and
    folders whose name starts with a dot are skipped.

    Raises: NoSuchPath.
    """
    files: dict[str, SourceFile] = {}
    ignored: dict[str, SourceFile] = {}
    for argument in arguments:
        if argument == STANDARD_INPUT:
            files.setdefault(STANDARD_INPUT, SourceFile(None, STANDARD_INPUT_NAME, 0))
            continue
        if not argument:
            raise NoSuchPath("a PATH is empty")
        for path in _expand(argument):
            for found in _walk(path) if path.is_dir() else (path,):
                file = SourceFile(found, printable(str(found)), _size_of(found))
                is_taken = found is path or (has_known_kind(found.name) and not _is_beside(found))
                chosen = files if is_taken else ignored
                chosen.setdefault(os.path.realpath(found), file)
    return Sources(tuple(files.values()), tuple(ignored.values()))


def _expand(argument: str) -> Iterable[Path]:
    path = Path(argument).expanduser()
    try:
        if path.exists():
            return (path,)
    except PermissionError as error:
        raise NoSuchPath(f"{argument!r} cannot be read: {error.strerror}") from error
    if glob.has_magic(argument):
        matches = sorted(glob.glob(str(path), recursive=True))
        if not matches:
            raise NoSuchPath(f"nothing matches {argument!r}")
        return (Path(match) for match in matches)
    if path.is_symlink():
        raise NoSuchPath(f"{argument!r} is a link to {os.readlink(path)!r}, which does not exist")
    raise NoSuchPath(f"there is no file or folder {argument!r}")


def _walk(folder: Path) -> Iterator[Path]:
    """Every file below `folder`, sorted, including pipes and devices.

    Links to folders are not followed, because they may form cycles.
    """

    def refuse(error: OSError) -> None:
        raise NoSuchPath(f"{error.filename!r} cannot be read: {error.strerror}") from error

    for root, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(root, name)
            try:
                is_there = path.exists() and not path.is_dir()
            except PermissionError as error:
                refuse(error)
                raise
            if is_there:
                yield path


def _size_of(path: Path) -> int:
    """Bytes on disk; 0 for a missing file, which is reported when it is read."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
