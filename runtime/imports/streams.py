"""Byte streams of an import: size-limited, decompressed, and converted to UTF-8."""

import codecs
import lzma
import struct
import zipfile
import zlib
from dataclasses import dataclass
from typing import Protocol

from vcontract.runtime.vcon.wrapped_forms import MAX_VCON_BYTES

CHUNK = 256 * 1024
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError),
    *(NotImplementedError, RuntimeError, ValueError, IndexError),
)
"""Errors of archives that are damaged or use an unsupported compression."""
_GZIP_BITS = zlib.MAX_WBITS | 16  # 16: with gzip header and trailer


class Unreadable(Exception):
    """A file, or its rest, is unreadable; the message says why and what to do."""

    def __init__(self, rule: str, message: str) -> None:
        self.rule = rule
        super().__init__(message)


class ByteStream(Protocol):
    """Bytes in order; `b""` marks the end."""

    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for one file."""

    document_bytes: int = MAX_VCON_BYTES
    """Maximum text of one vCon."""
    inflation: int = 200
    """Maximum bytes to which one compressed byte may expand, beyond `inflation_floor`."""
    inflation_floor: int = 256 * 1024 * 1024
    """Bytes to which any compressed file may expand."""
    documents: int = 10_000
    """Documents and problems that any file may have. A larger file may have one for each
    `document_packed` bytes of its size on disk."""
    document_packed: int = 4
    """Bytes that a document takes on disk at least, however well it is compressed."""
    silence: int = 16 * MAX_VCON_BYTES
    """Maximum bytes without the end of a document, after which reading stops."""


@dataclass(slots=True)
class Budget:
    """Remaining output of one compressed file, over all its members."""

    limits: Limits
    packed: int
    """Size of the file itself."""
    unpacked: int = 0
    packed_done: int = 0
    """Packed size of the members that were read."""

    @property
    def allowed(self) -> int:
        """Maximum output in bytes."""
        return max(self.limits.inflation_floor, self.limits.inflation * self.packed)

    @property
    def is_spent(self) -> bool:
        return self.unpacked > self.allowed

    def spend(self, count: int) -> None:
        """Count `count` bytes of output.

        Raises: Unreadable.
        """
        self.unpacked += count
        if self.is_spent:
            raise Unreadable(
                "too_large",
                f"unpacks to more than {self.allowed:,} bytes from {self.packed:,}, as a decompression bomb "
                "would; if it is none, unpack it and import what it holds",
            )


class Unpacked:
    """A decompressed stream, counted in the budget of its file."""

    def __init__(self, stream: ByteStream, budget: Budget) -> None:
        self._stream = stream
        self._budget = budget

    def read(self, size: int, /) -> bytes:
        try:
            data = self._stream.read(size)
        except EOFError:
            raise Unreadable("damaged", "the compressed data break off; what came before was read") from None
        except DAMAGED as error:
            raise Unreadable("damaged", f"the compressed data are damaged: {error}") from None
        self._budget.spend(len(data))
        return data


class Gunzip:
    """Decompresses a gzip stream of one or more members (RFC 1952)."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._inflater = zlib.decompressobj(wbits=_GZIP_BITS)
        self._packed = b""

    def read(self, size: int, /) -> bytes:
        """Read. Raises: EOFError for a truncated stream; zlib.error."""
        while True:
            packed = self._packed or self._stream.read(CHUNK)
            if not packed and not self._inflater.eof:
                raise EOFError
            if not packed:
                return b""
            if self._inflater.eof:
                # another member, possibly after padding with NUL bytes
                self._packed = packed = packed.lstrip(b"\0")
                if not packed:
                    continue
                self._inflater = zlib.decompressobj(wbits=_GZIP_BITS)
            data = self._inflater.decompress(packed, size)
            self._packed = (
                self._inflater.unused_data if self._inflater.eof else self._inflater.unconsumed_tail
            )
            if data:
                return data


class Prefixed:
    """A stream whose first bytes have already been read."""

    def __init__(self, head: bytes, stream: ByteStream) -> None:
        self._head = head
        self._given = 0
        self._stream = stream

    def read(self, size: int, /) -> bytes:
        if self._given < len(self._head):
            data = self._head[self._given : self._given + size]
            self._given += len(data)
            return data
        self._head = b""
        return self._stream.read(size)


class Watched:
    """A stream in which each document must end within a limit. Its reader reports each end with `met`."""

    def __init__(self, stream: ByteStream, limits: Limits) -> None:
        self._stream = stream
        self._most = limits.silence
        self._since = 0

    def met(self) -> None:
        """Report that a document has ended."""
        self._since = 0

    def read(self, size: int, /) -> bytes:
        """Read. Raises: Unreadable."""
        data = self._stream.read(size)
        self._since += len(data)
        if self._since > self._most:
            raise Unreadable("too_large", f"goes on for more than {self._most:,} bytes without any document")
        return data


class Transcoded:
    """A stream converted to UTF-8."""

    def __init__(self, stream: ByteStream, encoding: str) -> None:
        self._stream = stream
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ended = False

    def read(self, size: int, /) -> bytes:
        while not self._ended:
            data = self._stream.read(size)
            self._ended = not data
            try:
                text = self._decoder.decode(data, final=self._ended).encode()
            except UnicodeError as error:
                raise Unreadable("encoding", f"is not valid {self._encoding.upper()}: {error}") from None
            if text:
                return text
        return b""


_MARKS = (
    # the UTF-32 mark starts with the UTF-16 one, so check it first
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def as_utf8(stream: ByteStream) -> ByteStream:
    """Convert a text to UTF-8 without byte order mark.

    UTF-16 and UTF-32 are recognized by their mark, or by NUL bytes in the first character. It is ASCII in
    every JSON text (RFC 4627, section 3).
    """
    head = read_exactly(stream, 4)
    if head.startswith(codecs.BOM_UTF8):
        return Prefixed(head[len(codecs.BOM_UTF8) :], stream)
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return Transcoded(Prefixed(head[len(mark) :], stream), encoding)
    rest = Prefixed(head, stream)
    nuls = tuple(byte == 0 for byte in head)
    match nuls:
        case (True, True, True, False):
            return Transcoded(rest, "utf-32-be")
        case (False, True, True, True):
            return Transcoded(rest, "utf-32-le")
        case (True, False, *_):
            return Transcoded(rest, "utf-16-be")
        case (False, True, *_):
            return Transcoded(rest, "utf-16-le")
        case _:
            return rest


def read_exactly(stream: ByteStream, size: int) -> bytes:
    """Read `size` bytes; fewer only at the end."""
    pieces: list[bytes] = []
    missing = size
    while missing > 0 and (piece := stream.read(min(missing, CHUNK))):
        pieces.append(piece)
        missing -= len(piece)
    return b"".join(pieces)
