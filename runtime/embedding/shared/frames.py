"""Frames: what the shared process and its callers send each other over their socket.

A frame is the lengths of its two parts, a header in JSON, and vectors as the machine keeps floats: both ends
are on one machine. The header is plain ASCII, so that half a surrogate pair passes like any other character.
"""

import asyncio
import json
import struct
from typing import Final

from vcontract.runtime.documents.json import JsonObject, JsonValue
from vcontract.runtime.documents.values import is_object

LENGTHS: Final = struct.Struct(">II")
LONGEST_HEADER: Final = 8 << 20
"""Bytes; some 32 texts of a few thousand characters are sent at once."""
LONGEST_VECTORS: Final = 64 << 20


class BadFrame(Exception):
    """What came is no frame, or no frame that is taken; the message says what is wrong with it."""


def pack(header: JsonObject, vectors: bytes = b"") -> bytes:
    """A frame, ready to be sent.

    Raises: BadFrame when it is longer than the other end takes.
    """
    content = json.dumps(header).encode("ascii")
    frame = LENGTHS.pack(len(content), len(vectors))
    lengths_of(frame)
    return frame + content + vectors


def lengths_of(head: bytes) -> tuple[int, int]:
    """How many bytes of header and of vectors follow.

    Raises: BadFrame when they are more than anybody sends.
    """
    header, vectors = LENGTHS.unpack(head)
    if header > LONGEST_HEADER or vectors > LONGEST_VECTORS:
        raise BadFrame(
            f"{header} bytes of header and {vectors} of vectors; "
            f"at most {LONGEST_HEADER} and {LONGEST_VECTORS} are taken"
        )
    return header, vectors


def read_header(content: bytes) -> JsonObject:
    """The header as an object.

    Raises: BadFrame.
    """
    try:
        header: JsonValue = json.loads(content)
    except (ValueError, RecursionError):
        raise BadFrame("the header is not JSON") from None
    if not is_object(header):
        raise BadFrame("the header is not a JSON object")
    return header


def write_unless_full(writer: asyncio.StreamWriter, frame: bytes) -> None:
    """Send what need not arrive twice: nothing while what was sent before has not been taken."""
    transport = writer.transport
    if not transport.is_closing() and not transport.get_write_buffer_size():
        writer.write(frame)
