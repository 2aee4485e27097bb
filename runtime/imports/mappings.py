"""Mappings for files of unknown formats, written by a dry run and used with `--map`."""

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Final

import jsonschema_rs
from ruamel.yaml.error import YAMLError

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import is_object, objects
from vcontract.runtime.imports.programs.conversation import About, Conversation, FileFormat, NotRead
from vcontract.runtime.imports.programs.declared_formats import declared
from vcontract.runtime.imports.programs.format_registry import FORMATS, HEAD
from vcontract.runtime.imports.programs.guessing import guess
from vcontract.runtime.imports.programs.json_head import objects_at
from vcontract.runtime.imports.programs.word import MAIN_PART, NoText, text_of_word
from vcontract.runtime.imports.programs.workbooks import is_workbook, sheets_of
from vcontract.runtime.imports.sources import SourceFile, Sources
from vcontract.runtime.imports.streams import DAMAGED, Unreadable
from vcontract.runtime.vcon.spec_files import read_yaml, shipped_json
from vcontract.runtime.vcon.yaml_text import dump_yaml

_OPEN_KINDS: Final = (
    "",
    *(".csv", ".tsv", ".txt", ".md", ".docx", ".xlsx", ".xlsm", ".xml", ".html", ".htm"),
)
"""Extensions of files in folders and archives that are read if they certainly contain conversations."""
_LIKE_PROSE: Final = frozenset({"markdown"})
"""Formats whose turns look like parts of any document."""
_MAX_PREVIEW_BYTES: Final = 8_388_608
_PATTERNS: Final = ("head", "line", "skip", "above", "split", "group_by", "drop", "strip")


class BadMapping(ValueError):
    """An invalid mapping; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The first conversation of a file as it would be imported, and the mapping used."""

    file: str
    mapping: str
    conversation: Conversation


def load_mapping(path: Path) -> FileFormat:
    """Load a mapping as a format.

    Raises: BadMapping; OSError.
    """
    try:
        spec = read_yaml(path.read_text(encoding="utf-8"))
    except (YAMLError, UnicodeDecodeError) as error:
        raise BadMapping(f"{path} is not YAML: {' '.join(str(error).split())}") from None
    schema = shipped_json("meta", "format.schema.json")
    for found in jsonschema_rs.Draft202012Validator(schema).iter_errors(spec):
        place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in found.instance_path)
        raise BadMapping(f"{path}: {place.lstrip('.') or 'the mapping'}: {found.message}")
    for name, pattern in _patterns(spec):
        try:
            re.compile(pattern)
        except re.error as error:
            raise BadMapping(f"{path}: {name}: {pattern!r} is not a regular expression: {error}") from None
    source = declared({**spec, "conversations": spec.get("conversations", [""])})
    if not isinstance(source, FileFormat):
        raise BadMapping(f"{path}: its shape cannot be read")
    return source


def _patterns(value: JsonObject) -> Iterator[tuple[str, str]]:
    for name, member in value.items():
        if isinstance(member, str) and name in _PATTERNS:
            yield name, member
        elif is_object(member) and name in ("where", "glue", "front"):
            yield from ((f"{name}.{path}", pattern) for path, pattern in member.items())
        elif name == "turns":
            for _, turn in objects(member):
                yield from _patterns(turn)


def with_conversations(sources: Sources, mapping: FileFormat | None) -> Sources:
    """Add files of folders that the mapping fits or that certainly contain conversations."""
    taken = tuple(file for file in sources.ignored if _is_taken(file, mapping))
    ignored = tuple(file for file in sources.ignored if file not in taken)
    return replace(sources, files=(*sources.files, *taken), ignored=ignored)


def _is_taken(file: SourceFile, mapping: FileFormat | None) -> bool:
    if mapping is None and not is_open_kind(file.name):
        return False
    return any(
        (mapping is not None and mapping.is_of(head)) or (is_open_kind(file.name) and is_conversation(head))
        for head in _heads_of(file)
    )


def is_open_kind(name: str) -> bool:
    """Whether the content of a file with this name decides if it is read from a folder or archive."""
    path = PurePosixPath(name)
    return path.suffix.lower() in _OPEN_KINDS and not path.name.startswith(".")


def is_conversation(head: bytes) -> bool:
    """Whether a file certainly contains conversations: in a known format, or with turns that are sure."""
    known = next((each for each in FORMATS if isinstance(each, FileFormat) and each.is_of(head)), None)
    if known is None:
        found = guess(head)
        return found is not None and found.is_sure
    if known.name not in _LIKE_PROSE:
        return True
    first = _first_of(known, head, About("", datetime.now(UTC)))
    # of two names, one speaks again: notes and hints of a document are set in bold as well
    return first is not None and 1 < len({turn.speaker for turn in first.turns}) < len(first.turns)


def _heads_of(file: SourceFile) -> Iterator[bytes]:
    """Yield the beginning of a file; for a workbook, of each sheet."""
    return (text[:HEAD] for text in _texts_of(file, HEAD))


def _texts_of(file: SourceFile, size: int) -> Iterator[bytes]:
    """Yield up to `size` bytes of a file; for a workbook, of each sheet as CSV."""
    if file.path is None or not file.path.is_file():
        return
    try:
        if zipfile.is_zipfile(file.path) and not is_workbook(file.path):
            with zipfile.ZipFile(file.path) as archive:
                if (
                    MAIN_PART in archive.namelist()
                    and archive.getinfo(MAIN_PART).file_size <= _MAX_PREVIEW_BYTES
                ):
                    yield text_of_word(archive.read(MAIN_PART))[0].encode()
        elif is_workbook(file.path):
            yield from (text for _, text in sheets_of(file.path))
        else:
            with file.path.open("rb") as stream:
                yield stream.read(size)
    except (OSError, Unreadable, NoText, *DAMAGED):
        return


def preview(files: Sources) -> tuple[Preview, FileFormat | None] | None:
    """Preview the first file that needs a mapping, else the first file.

    Also returns the format for files that need one.
    """
    shown: Preview | None = None
    for file in (*files.files, *files.ignored):
        if file.path is None or file.size > _MAX_PREVIEW_BYTES:
            continue
        about = About.of(file.path.as_posix(), datetime.fromtimestamp(int(file.path.stat().st_mtime), UTC))
        for text in _texts_of(file, _MAX_PREVIEW_BYTES):
            found = None if _is_known(text[:HEAD]) else guess(text[:HEAD])
            source = None if found is None else declared(found.spec)
            if found is None or not isinstance(source, FileFormat):
                continue
            first = _first_of(source, text, about)
            if first is None:
                continue
            shown_file = Preview(file.name, _MARK + dump_yaml(found.spec), first)
            if not found.is_sure:
                return shown_file, source
            shown = shown or shown_file
    return None if shown is None else (shown, None)


def _is_known(head: bytes) -> bool:
    first = next(objects_at(head), None)
    return any(
        each.is_of(head) if isinstance(each, FileFormat) else first is not None and each.is_of(first)
        for each in FORMATS
    )


def _first_of(source: FileFormat, text: bytes, about: About) -> Conversation | None:
    try:
        return next((each for each in source.read(text, about) if each.turns), None)
    except NotRead:
        return None


_MARK: Final = (
    "# How `vcontract import --map` reads files; docs/import.md describes each line.\n"
    "# Paths name columns, members or groups of the line: 0 is the first row, * is every one.\n"
)
