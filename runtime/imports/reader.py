"""Files, archives and folders read as a stream of documents."""

import stat
import sys
import zipfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import BinaryIO, TypeAlias

from vcontract.runtime.imports.sources import (
    Origin,
    Problem,
    RawDocument,
    SourceFile,
    has_known_kind,
    printable,
)
from vcontract.runtime.imports.splitting import split
from vcontract.runtime.imports.streams import (
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

Reading: TypeAlias = RawDocument | Problem
"""One document, or the reason why one, or the rest of a file, could not be read."""

_GZIP = b"\x1f\x8b"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OTHER_KINDS = (
    (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
    (b"BZh", "compressed with bzip2"),
    (b"\xfd7zXZ\x00", "compressed with xz"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"%PDF-", "a PDF"),
)
_HEAD = 262  # enough for the mark of a tar archive, at 257
_NO_FILES = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)
_LINE_KINDS = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")


@dataclass(slots=True)
class Reader:
    """Reads files one after another and knows how far it is."""

    limits: Limits = field(default_factory=Limits)
    bytes_done: int = 0
    """Bytes on disk that were read, over all files so far."""

    def read(self, file: SourceFile) -> Iterator[Reading]:
        """The documents of `file` in their order, and what is wrong with it; raises nothing."""
        before = self.bytes_done
        origin = Origin(file.name)
        try:
            with _open(file) as stream:
                head = read_exactly(stream, _HEAD)
                if head.startswith(_ZIP):
                    yield from self._read_zip(file, origin)
                else:
                    budget = Budget(self.limits, file.size)
                    for reading in self._read_text(Prefixed(head, stream), origin, budget):
                        if file.path is not None:
                            self.bytes_done = before + stream.tell()
                        yield reading
        except Unreadable as error:
            yield Problem(origin, error.rule, str(error))
        except OSError as error:
            yield Problem(origin, "unreadable", f"cannot be read: {error.strerror or error}")
        self.bytes_done = before + file.size

    def _read_text(self, stream: ByteStream, origin: Origin, budget: Budget) -> Iterator[Reading]:
        """The documents of a JSON text, packed or not; where it breaks off, the reason comes last."""
        try:
            text = Watched(self._open_text(stream, budget), self.limits)
            by_lines = origin.name.lower().endswith(_LINE_KINDS)
            for piece in split(text, self.limits.document_bytes, by_lines=by_lines):
                text.met()
                place = Origin(origin.file, origin.member, piece.line, piece.column, piece.element)
                if piece.text is None:
                    yield self._too_long(place)
                else:
                    yield RawDocument(place, piece.text)
        except Unreadable as error:
            yield Problem(origin, error.rule, str(error))

    def _open_text(self, stream: ByteStream, budget: Budget) -> ByteStream:
        """Raises: Unreadable."""
        head = read_exactly(stream, _HEAD)
        stream = Prefixed(head, stream)
        if head.startswith(_GZIP):
            unpacked = Unpacked(Gunzip(stream), budget)
            head = read_exactly(unpacked, _HEAD)
            stream = Prefixed(head, unpacked)
        _refuse_other_kinds(head)
        return as_utf8(stream)

    def _too_long(self, origin: Origin) -> Problem:
        limit = self.limits.document_bytes
        return Problem(origin, "too_large", f"is longer than the {limit:,} bytes that one vCon may have")

    def _read_zip(self, file: SourceFile, origin: Origin) -> Iterator[Reading]:
        """The documents of the members of the known kinds; a bad member does not stop the others."""
        if file.path is None:
            yield Problem(
                origin, "unreadable", "a zip archive cannot be read from a pipe; give its file name"
            )
            return
        budget = Budget(self.limits, file.size)
        before = self.bytes_done
        try:
            archive = zipfile.ZipFile(file.path)
        except (zipfile.BadZipFile, NotImplementedError) as error:
            yield Problem(origin, "damaged", f"is not a zip archive that can be read: {error}")
            return
        with archive:
            for info in archive.infolist():
                if info.is_dir() or not has_known_kind(info.filename):
                    continue
                yield from self._read_member(
                    archive, info, Origin(file.name, printable(info.filename)), budget
                )
                self.bytes_done = min(self.bytes_done + info.compress_size, before + file.size)
                if budget.is_spent:
                    return

    def _read_member(
        self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, origin: Origin, budget: Budget
    ) -> Iterator[Reading]:
        if info.flag_bits & 1:
            yield Problem(origin, "encrypted", "is protected by a password; unpack it and import the files")
            return
        try:
            member = archive.open(info)
        except (zipfile.BadZipFile, NotImplementedError) as error:
            yield Problem(origin, "damaged", f"cannot be unpacked: {error}")
            return
        with member:
            yield from self._read_text(Unpacked(member, budget), origin, budget)


def _open(file: SourceFile) -> AbstractContextManager[BinaryIO]:
    """The bytes of a file; of a pipe or a device only when it is the standard input.

    Raises: OSError; Unreadable.
    """
    if file.path is None:
        return nullcontext(sys.stdin.buffer)
    mode = file.path.stat().st_mode
    if not stat.S_ISREG(mode):
        kind = next((name for is_kind, name in _NO_FILES if is_kind(mode)), "something else")
        raise Unreadable("no_file", f"is no file but {kind}; what it gives can be piped into: import -")
    return file.path.open("rb")


def _refuse_other_kinds(head: bytes) -> None:
    """Raises: Unreadable."""
    if head.startswith(_ZIP):
        raise Unreadable("nested_archive", "is an archive inside another; unpack the outer one first")
    if head[257:262] == b"ustar":
        raise Unreadable("unknown_kind", "is a tar archive; unpack it and import the folder")
    for mark, kind in _OTHER_KINDS:
        if head.startswith(mark):
            raise Unreadable("unknown_kind", f"is {kind}; unpack it first")
