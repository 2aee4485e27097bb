"""Read files, archives and folders as a stream of documents."""

import posixpath
import stat
import sys
import zipfile
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from tempfile import NamedTemporaryFile, SpooledTemporaryFile
from typing import IO, BinaryIO, TypeAlias

from vcontract.runtime.frame.documents.json import dump_json
from vcontract.runtime.imports.file_sniffing import non_json_problem
from vcontract.runtime.imports.json_splitting import split
from vcontract.runtime.imports.mappings import is_conversation, is_open_kind
from vcontract.runtime.imports.programs.conversation import About, FileFormat, NotRead
from vcontract.runtime.imports.programs.format_registry import (
    BESIDE,
    HEAD,
    MAIN_FILES,
    converted_file,
    format_of_file,
)
from vcontract.runtime.imports.programs.guessing import advice
from vcontract.runtime.imports.programs.word import MAIN_PART, text_of_word
from vcontract.runtime.imports.programs.workbooks import WORKBOOK, sheets_of
from vcontract.runtime.imports.sources import (
    Origin,
    Problem,
    RawDocument,
    Silent,
    SourceFile,
    has_known_kind,
    printable,
)
from vcontract.runtime.imports.streams import (
    CHUNK,
    DAMAGED,
    Budget,
    ByteStream,
    Gunzip,
    Limits,
    Prefixed,
    Unpacked,
    Unreadable,
    Watched,
    as_utf8,
    read_exactly,
)

Reading: TypeAlias = RawDocument | Silent | Problem
"""One document, or a conversation without turns, or the reason why one, or the rest of a file, is
unreadable."""

_GZIP = b"\x1f\x8b"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OTHER_KINDS = (
    (b"\x28\xb5\x2f\xfd", "compressed with zstd; unpack it first"),
    (b"BZh", "compressed with bzip2; unpack it first"),
    (b"\xfd7zXZ\x00", "compressed with xz; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
)
_HEAD = 262  # enough for the magic of a tar archive, at 257
_NO_FILES = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)
_LINE_KINDS = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")


@dataclass(slots=True)
class Reader:
    """Reads files one after another, and tracks progress."""

    limits: Limits = field(default_factory=Limits)
    mapping: FileFormat | None = None
    """Format that takes precedence over known formats for files that it fits."""
    bytes_done: int = 0
    """Bytes read from disk so far, over all files."""

    def read(self, file: SourceFile) -> Iterator[Reading]:
        """Yield the documents of `file` in order, with its problems, up to a number that its size bounds.

        Raises nothing.
        """
        before = self.bytes_done
        most = max(self.limits.documents, file.size // self.limits.document_packed)
        for count, reading in enumerate(self._read(file)):
            if count >= most and file.path is not None:
                yield Problem(
                    Origin(file.name),
                    "too_many",
                    f"has more than {most:,} documents in {file.size:,} bytes; what follows was not read. If "
                    "they are conversations, unpack the file and import what it holds",
                )
                break
            yield reading
        self.bytes_done = before + file.size

    def _read(self, file: SourceFile) -> Iterator[Reading]:
        """Yield the documents of `file`, however many."""
        before = self.bytes_done
        origin = Origin(file.name)
        try:
            with _open(file) as stream:
                head = read_exactly(stream, _HEAD)
                if head.startswith(_ZIP):
                    yield from self._read_zip(file, origin)
                else:
                    budget = Budget(self.limits, file.size)
                    about = _about_file(file)
                    for reading in self._read_text(Prefixed(head, stream), origin, budget, about, file.path):
                        if file.path is not None:
                            self.bytes_done = before + stream.tell()
                        yield reading
        except Unreadable as error:
            yield Problem(origin, error.rule, str(error))
        except OSError as error:
            yield Problem(origin, "unreadable", f"cannot be read: {error.strerror or error}")

    def _read_text(
        self, stream: ByteStream, origin: Origin, budget: Budget, about: About, path: Path | None = None
    ) -> Iterator[Reading]:
        """Yield the documents of a text, packed or not. If it is truncated, the reason comes last.

        `path` is its file, if there is one.
        """
        try:
            text = Watched(self._open_text(stream, budget), self.limits)
            head = read_exactly(text, HEAD)
            export = format_of_file(head, self.mapping)
            if export is not None and export.read_large is not None:
                with self._as_file(head, text, path) as file:
                    yield from self._read_export(file, about, export, origin)
                return
            if export is not None:
                data = head + b"".join(iter(lambda: text.read(CHUNK), b""))
                yield from self._read_export(data, about, export, origin)
                return
            by_lines = origin.name.lower().endswith(_LINE_KINDS)
            if not by_lines and (refusal := non_json_problem(head)) is not None:
                raise Unreadable("unknown_kind", refusal)
            for piece in split(Prefixed(head, text), self.limits.document_bytes, by_lines=by_lines):
                text.met()
                place = Origin(origin.file, origin.member, piece.line, piece.column, piece.element)
                if piece.text is None:
                    yield self._too_long(place)
                else:
                    yield RawDocument(place, piece.text)
        except Unreadable as error:
            yield Problem(origin, error.rule, str(error))

    @contextmanager
    def _as_file(self, head: bytes, text: Watched, path: Path | None) -> Generator[IO[bytes]]:
        """Provide a text as a file: its own, or a copy if it was packed or in another encoding.

        Raises: Unreadable; OSError.
        """
        if path is not None:
            with path.open("rb") as file:
                if file.read(len(head)) == head:
                    yield file
                    return
        with SpooledTemporaryFile(self.limits.document_bytes) as copy:
            copy.write(head)
            while piece := text.read(CHUNK):
                text.met()
                copy.write(piece)
            copy.seek(0)
            yield copy

    def _read_export(
        self, data: bytes | IO[bytes], about: About, export: FileFormat, origin: Origin
    ) -> Iterator[Reading]:
        """Yield the conversations of a program's export. A bad one does not stop the others."""
        try:
            for number, one in enumerate(converted_file(data, about, export)):
                place = Origin(origin.file, origin.member, element=number)
                if one.vcon is None:
                    yield Silent(place, one.account)
                    continue
                text = dump_json(one.vcon)
                yield (
                    RawDocument(place, text, one.account)
                    if len(text) <= self.limits.document_bytes
                    else self._too_long(place, "; a conversation is not split")
                )
        except NotRead as error:
            yield Problem(origin, "export", str(error))
        except Exception as error:  # no export may stop other files
            yield Problem(origin, "export", f"cannot be read as {export.title}: {type(error).__name__}")

    def _open_text(self, stream: ByteStream, budget: Budget) -> ByteStream:
        """Decompress and decode a stream. Raises: Unreadable."""
        head = read_exactly(stream, _HEAD)
        stream = Prefixed(head, stream)
        if head.startswith(_GZIP):
            unpacked = Unpacked(Gunzip(stream), budget)
            head = read_exactly(unpacked, _HEAD)
            stream = Prefixed(head, unpacked)
        _refuse_other_kinds(head)
        return as_utf8(stream)

    def _too_long(self, origin: Origin, more: str = "") -> Problem:
        limit = self.limits.document_bytes
        return Problem(
            origin, "too_large", f"is longer than the {limit:,} bytes that one vCon may have{more}"
        )

    def _read_zip(self, file: SourceFile, origin: Origin) -> Iterator[Reading]:
        """Yield the documents of archive members of known kinds. A bad member does not stop the others."""
        if file.path is None:
            yield Problem(
                origin, "unreadable", "a zip archive cannot be read from a pipe; give its file name"
            )
            return
        budget = Budget(self.limits, file.size)
        before = self.bytes_done
        try:
            archive = zipfile.ZipFile(file.path)
        except DAMAGED:
            yield Problem(origin, "damaged", "is a damaged or incomplete zip archive")
            return
        with archive:
            about = _about_file(file)
            for reading in self._read_archive(archive, file.path, origin, budget, about, is_outer=True):
                self.bytes_done = min(before + budget.packed_done, before + file.size)
                yield reading

    def _read_archive(
        self,
        archive: zipfile.ZipFile,
        path: Path,
        origin: Origin,
        budget: Budget,
        about: About,
        *,
        is_outer: bool,
    ) -> Iterator[Reading]:
        """Yield the documents of a Word document, a workbook, or an archive's members of known kinds."""
        if MAIN_PART in archive.namelist():
            yield from self._read_word(archive, origin, budget, about)
            return
        if WORKBOOK in archive.namelist():
            yield from self._read_workbook(path, origin, about)
            return
        is_export = any(
            PurePosixPath(name).name in MAIN_FILES or (is_outer and name.lower().endswith(".zip"))
            for name in archive.namelist()
        )
        for info in archive.infolist():
            name = PurePosixPath(info.filename).name
            if is_export and name in BESIDE:
                continue
            if not (has_known_kind(info.filename) or _is_conversation(archive, info)):
                continue
            member = "!".join(filter(None, (origin.member, printable(info.filename))))
            yield from self._read_member(
                archive, info, Origin(origin.file, member), budget, is_outer=is_outer
            )
            budget.packed_done += info.compress_size if is_outer else 0
            if budget.is_spent:
                return

    def _read_word(
        self, archive: zipfile.ZipFile, origin: Origin, budget: Budget, about: About
    ) -> Iterator[Reading]:
        """Yield the transcript in a Word document; for a damaged one, the readable part."""
        try:
            with archive.open(MAIN_PART) as member:
                unpacked = Unpacked(member, budget)
                text, fault = text_of_word(b"".join(iter(lambda: unpacked.read(CHUNK), b"")))
        except Unreadable as error:
            yield Problem(origin, error.rule, str(error))
            return
        except DAMAGED as error:
            yield Problem(origin, "damaged", f"is a Word document that cannot be read: {error}")
            return
        data = text.encode()
        export = format_of_file(data[:HEAD])
        if export is None:
            yield Problem(
                origin, "unknown_kind", f"This is a Word document in an unknown format. {advice(data[:HEAD])}"
            )
            return
        yield from self._read_export(data, about, export, origin)
        if fault is not None:
            yield Problem(origin, "damaged", f"breaks off; what came before was read: {fault}")

    def _read_workbook(self, path: Path, origin: Origin, about: About) -> Iterator[Reading]:
        """Yield the conversations of the sheets. If no sheet has any, report the sheets."""
        refusals: list[str] = []
        is_read = False
        try:
            for name, data in sheets_of(path, self.limits):
                head = data[:HEAD]
                if export := format_of_file(head, self.mapping):
                    is_read = True
                    yield from self._read_export(data, about, export, origin)
                else:
                    refusals.append(f"{non_json_problem(head) or 'This is an empty table.'} (sheet {name})")
        except Unreadable as error:
            yield Problem(origin, error.rule, str(error))
            return
        if not is_read:
            yield Problem(origin, "unknown_kind", " ".join(refusals))

    def _read_member(
        self,
        archive: zipfile.ZipFile,
        info: zipfile.ZipInfo,
        origin: Origin,
        budget: Budget,
        *,
        is_outer: bool,
    ) -> Iterator[Reading]:
        if info.flag_bits & 1:
            yield Problem(origin, "encrypted", "is protected by a password; unpack it and import the files")
            return
        try:
            member = archive.open(info)
        except DAMAGED as error:
            yield Problem(origin, "damaged", f"cannot be unpacked: {error}")
            return
        about = _about_member(archive, info, self.limits.document_bytes)
        with member:
            unpacked = Unpacked(member, budget)
            try:
                head = read_exactly(unpacked, _HEAD)
            except Unreadable as error:
                yield Problem(origin, error.rule, str(error))
                return
            if head.startswith(_ZIP) and is_outer:
                yield from self._read_inner(Prefixed(head, unpacked), origin, budget, about)
            else:
                yield from self._read_text(Prefixed(head, unpacked), origin, budget, about)

    def _read_inner(
        self, member: ByteStream, origin: Origin, budget: Budget, about: About
    ) -> Iterator[Reading]:
        """Yield the documents of an archive within an archive, or of a document that is packed as one."""
        with NamedTemporaryFile(suffix=".zip") as copy:
            try:
                for piece in iter(lambda: member.read(CHUNK), b""):
                    copy.write(piece)
            except Unreadable as error:
                yield Problem(origin, error.rule, str(error))
                return
            copy.flush()
            try:
                archive = zipfile.ZipFile(copy.name)
            except DAMAGED:
                yield Problem(origin, "damaged", "is a damaged or incomplete zip archive")
                return
            with archive:
                yield from self._read_archive(archive, Path(copy.name), origin, budget, about, is_outer=False)


def _is_conversation(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bool:
    """Whether the beginning of an archive's member is certainly one of a conversation."""
    name = info.filename
    if not name or not is_open_kind(name) or info.is_dir() or name.startswith("__MACOSX/"):
        return False
    try:
        with archive.open(info) as member:
            head = read_exactly(member, HEAD)
    except DAMAGED:
        return False
    return head.startswith(_ZIP) or is_conversation(head)


def _about_file(file: SourceFile) -> About:
    path = file.path
    if path is None:
        return About(file.name, datetime.now(UTC))

    def beside(name: str) -> bytes | None:
        try:
            return (path.parent / name).read_bytes()
        except OSError:
            return None

    return About.of(path.as_posix(), datetime.fromtimestamp(int(path.stat().st_mtime), UTC), beside)


def _about_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> About:
    def beside(name: str) -> bytes | None:
        place = posixpath.normpath(posixpath.join(posixpath.dirname(info.filename), name))
        try:
            return archive.read(place) if archive.getinfo(place).file_size <= most else None
        except (KeyError, *DAMAGED):
            return None

    try:
        written = datetime(*info.date_time, tzinfo=UTC)
    except ValueError:
        written = datetime(1980, 1, 1, tzinfo=UTC)
    return About.of(info.filename, written, beside)


def _open(file: SourceFile) -> AbstractContextManager[BinaryIO]:
    """Open a file. Pipes and devices are only read as standard input.

    Raises: OSError; Unreadable.
    """
    if file.path is None:
        return nullcontext(sys.stdin.buffer)
    mode = file.path.stat().st_mode
    if not stat.S_ISREG(mode):
        kind = next((name for is_kind, name in _NO_FILES if is_kind(mode)), "something else")
        raise Unreadable("no_file", f"is {kind}, not a file; pipe its content into: import -")
    return file.path.open("rb")


def _refuse_other_kinds(head: bytes) -> None:
    """Reject known files of other kinds. Raises: Unreadable."""
    if head.startswith(_ZIP):
        raise Unreadable(
            "nested_archive", "is an archive within two others or a gzip file; unpack the outer one first"
        )
    if head[257:262] == b"ustar":
        raise Unreadable("unknown_kind", "is a tar archive; unpack it and import the folder")
    for mark, kind in _OTHER_KINDS:
        if head.startswith(mark):
            raise Unreadable("unknown_kind", f"This is {kind}.")
