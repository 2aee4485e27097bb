"""Split a JSON text into its documents as a stream."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from vcontract.runtime.frame.documents.json import MalformedJson, parse_json
from vcontract.runtime.imports.streams import CHUNK, ByteStream, Prefixed, Unreadable, read_exactly

_WHITE_SPACE = b" \t\r\n"
_STRUCTURE = re.compile(rb'["{}\[\],]')
_NESTED_STRUCTURE = re.compile(rb'["{}\[\]]')
_STRING_STOP = re.compile(rb'["\\]')

_MAX_NON_OBJECTS = 100
"""Maximum number of consecutive array elements that are not objects. At this number the file is rejected."""

_MAX_SHORT_LINES = 1_000
_MIN_DOCUMENT_BYTES = 14
"""Maximum consecutive lines that are too short for any conversation. At this number the file is rejected."""

# Matches only between documents: JSON strings contain no raw line break, and within a document a comma
# separates objects.
_NEXT_OBJECT = re.compile(rb"\}[ \t\r]*\n\s*\{")


@dataclass(frozen=True, slots=True)
class SplitDocument:
    """Text of one document and its position."""

    text: bytes | None
    """None if it exceeds the limit."""
    line: int | None = None
    """Line from 1; None if the piece is the whole text."""
    column: int = 1
    """Byte offset in the line, from 1."""
    element: int | None = None
    """Index in the enclosing array, from 0."""


def split(stream: ByteStream, limit: int, *, by_lines: bool) -> Iterator[SplitDocument]:
    """Yield the documents of a UTF-8 text: a single one, one per line, array elements, or concatenated ones.

    The start of the text decides. With `by_lines` (the name ends in .jsonl or .ndjson), an invalid line does
    not affect the others. A document over `limit` bytes has no text.

    Raises: Unreadable, after the documents before the error.
    """
    head = read_exactly(stream, CHUNK)
    text = head.lstrip(_WHITE_SPACE)
    if not text and len(head) < CHUNK:
        raise Unreadable("empty", "is empty")
    rest = Prefixed(head, stream)
    if text.startswith(b"["):
        yield from split_values(rest, limit, array=True)
    elif by_lines and _first_line(text) != b"{":
        yield from split_lines(rest, limit)
    else:
        yield from _split_document(rest, limit)


def _split_document(stream: ByteStream, limit: int) -> Iterator[SplitDocument]:
    """A single document, or several if others follow the first."""
    text = read_exactly(stream, limit + 1)
    if len(text) <= limit and not _NEXT_OBJECT.search(text):
        yield SplitDocument(text)
        return
    rest = Prefixed(text, stream)
    try:
        parse_json(_first_line(text))
    except MalformedJson:
        yield from split_values(rest, limit, array=False)
    else:
        yield from split_lines(rest, limit)


def _first_line(text: bytes) -> bytes:
    return text.lstrip(_WHITE_SPACE).split(b"\n", 1)[0].strip(_WHITE_SPACE)


def split_lines(stream: ByteStream, limit: int) -> Iterator[SplitDocument]:
    """Yield the non-blank lines."""
    held = bytearray()
    number = 1
    short = 0
    too_long = False

    def line() -> Iterator[SplitDocument]:
        if too_long:
            yield SplitDocument(None, number)
        elif held.strip(_WHITE_SPACE):
            yield SplitDocument(bytes(held), number)

    while data := stream.read(CHUNK):
        *ends, rest = data.split(b"\n")
        for end in ends:
            held += end
            too_long = too_long or len(held) > limit
            short = 0 if too_long or len(held) >= _MIN_DOCUMENT_BYTES else short + bool(held)
            if short >= _MAX_SHORT_LINES:
                raise Unreadable(
                    "no_conversations",
                    f"has {_MAX_SHORT_LINES:,} lines in a row of fewer than {_MIN_DOCUMENT_BYTES} bytes, too "
                    "short for conversations; what follows was not read",
                )
            yield from line()
            held.clear()
            too_long = False
            number += 1
        held += rest
        if too_long or len(held) > limit:
            too_long = True
            held.clear()
    yield from line()


def split_values(stream: ByteStream, limit: int, *, array: bool) -> Iterator[SplitDocument]:
    """Elements of an array, or concatenated objects.

    Looks only at brackets, strings and commas. The caller parses each piece.

    Raises: Unreadable, when the array is not closed, text follows it, or 100 elements in a row are not
    objects.
    """
    splitter = _Splitter(limit, array=array)
    pieces = _pieces(stream, splitter)
    yield from _reject_non_object_runs(pieces) if array else pieces


def _pieces(stream: ByteStream, splitter: "_Splitter") -> Iterator[SplitDocument]:
    while data := stream.read(CHUNK):
        yield from splitter.feed(data)
    yield from splitter.end()


def _reject_non_object_runs(pieces: Iterator[SplitDocument]) -> Iterator[SplitDocument]:
    """Yield array elements.

    Raises: Unreadable at 100 consecutive non-objects, without yielding any of these.
    """
    strays: list[SplitDocument] = []
    for piece in pieces:
        if piece.text is not None and not piece.text.startswith(b"{"):
            strays.append(piece)
            if len(strays) == _MAX_NON_OBJECTS:
                first = strays[0]
                raise Unreadable(
                    "not_a_vcon",
                    f"holds an array of which {_MAX_NON_OBJECTS} elements in a row are no objects, from line "
                    f"{first.line} column {first.column} on; an array of vCons holds nothing else",
                )
            continue
        yield from strays
        strays.clear()
        yield piece
    yield from strays


class _CutPosition(Enum):
    """Position of a cut relative to the structural character just read."""

    OPEN = auto()
    """After the character. Discard the text before."""
    SEPARATOR = auto()
    """On both sides of the character, which belongs to no piece."""
    CLOSE = auto()
    """On both sides of the character. An empty array yields no piece."""
    VALUE = auto()
    """After the character, which ends the piece."""


class _Splitter:
    """Incremental scanner that buffers only the current piece."""

    def __init__(self, limit: int, *, array: bool) -> None:
        self._limit = limit
        self._array = array
        self._depth = 0
        self._opened = self._closed = False
        self._in_string = self._escaped = False
        self._held = bytearray()
        self._too_long = False
        self._start: tuple[int, int] | None = None
        self._line = self._column = 1
        self._count = 0

    def feed(self, data: bytes) -> Iterator[SplitDocument]:
        """Yield the pieces completed by `data`."""
        begin = position = 0
        while True:
            if self._escaped and position < len(data):
                self._escaped = False
                position += 1
            stop = self._stops().search(data, position)
            if stop is None:
                break
            position = stop.end()
            cut = self._read_structural(stop[0])
            if cut is None:
                continue
            end = position - 1 if cut in (_CutPosition.SEPARATOR, _CutPosition.CLOSE) else position
            if cut is _CutPosition.OPEN:
                self._advance(data[begin:end])
            else:
                self._buffer(data[begin:end])
                if cut is not _CutPosition.CLOSE or self._count > 0 or self._start is not None:
                    yield self._take_piece()
                self._advance(data[end:position])
            begin = position
        self._buffer(data[begin:])

    def end(self) -> Iterator[SplitDocument]:
        """Yield the unfinished last piece.

        Raises: Unreadable, when text follows the array or the array is not closed.
        """
        if self._closed and self._start is not None:
            line, column = self._start
            raise Unreadable(
                "malformed_json", f"has text after the end of the array, at line {line} column {column}"
            )
        if self._start is not None:
            yield self._take_piece()
        if self._array and not self._closed:
            raise Unreadable("malformed_json", "the array is not closed: the file seems to be cut off")

    def _stops(self) -> re.Pattern[bytes]:
        """Pattern of the next relevant character. Commas count only between array elements."""
        if self._in_string:
            return _STRING_STOP
        return _STRUCTURE if self._array and self._depth <= 1 else _NESTED_STRUCTURE

    def _read_structural(self, character: bytes) -> _CutPosition | None:
        if self._in_string:
            self._escaped = character == b"\\"
            self._in_string = self._escaped
            return None
        if self._closed:
            return None
        if character == b'"':
            self._in_string = True
            return None
        return self._meet_in_array(character) if self._array else self._meet_in_sequence(character)

    def _meet_in_array(self, character: bytes) -> _CutPosition | None:
        if character in b"{[":
            self._depth += 1
            if not self._opened:
                self._opened = True
                return _CutPosition.OPEN
        elif self._depth == 1:
            if character == b",":
                return _CutPosition.SEPARATOR
            if character == b"]":
                self._closed = True
                return _CutPosition.CLOSE
        elif character in b"}]":
            self._depth -= 1
        return None

    def _meet_in_sequence(self, character: bytes) -> _CutPosition | None:
        if character in b"{[":
            self._depth += 1
        elif character in b"}]" and self._depth > 0:
            self._depth -= 1
            if self._depth == 0:
                return _CutPosition.VALUE
        return None

    def _buffer(self, data: bytes) -> None:
        if self._start is None:
            text = data.lstrip(_WHITE_SPACE)
            self._advance(data[: len(data) - len(text)])
            if not text:
                return
            data = text
            self._start = (self._line, self._column)
        self._advance(data)
        self._too_long = self._too_long or len(self._held) + len(data) > self._limit
        if self._too_long:
            self._held.clear()
        else:
            self._held += data

    def _advance(self, data: bytes) -> None:
        breaks = data.count(b"\n")
        self._line += breaks
        self._column = len(data) - data.rfind(b"\n") if breaks else self._column + len(data)

    def _take_piece(self) -> SplitDocument:
        line, column = self._start or (self._line, self._column)
        text = None if self._too_long else bytes(self._held)
        element = self._count if self._array else None
        self._held.clear()
        self._too_long = False
        self._start = None
        self._count += 1
        return SplitDocument(text, line, column, element)
