"""Read whole HTTP request bodies within size and time limits before the application runs."""

import asyncio
import contextlib
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as Connection

from vcontract.runtime.frame.mcp.access_policy import problem

MAX_BODY_BYTES: Final = 16 << 20
"""Maximum size of one body. Import larger vCons from the command line."""
_MAX_BUFFERED_BYTES: Final = 8 * MAX_BODY_BYTES
"""Maximum size of all bodies held at once."""
_SILENCE_SECONDS: Final = 30.0
"""How long a client may pause within a request."""
_MAX_INLINE_PARSE_BYTES: Final = 1 << 16
"""Larger bodies are parsed in a thread; below this, a thread costs more than parsing."""

Refusal: TypeAlias = Callable[[Connection, bytes], Response | None]
"""Returns how a request is rejected once its body is known, or None when it is accepted."""
Parsed = TypeVar("Parsed")


class BufferedBodies:
    """Total size of the bodies in memory."""

    def __init__(self) -> None:
        self._bytes = 0

    @contextlib.contextmanager
    def place(self) -> Generator["BodySize"]:
        """Reserve space for one body, released at the end of the block."""
        place = BodySize(self)
        try:
            yield place
        finally:
            self._bytes -= place.taken

    def has_room(self, size: int) -> bool:
        self._bytes += size
        return self._bytes <= _MAX_BUFFERED_BYTES


@dataclass(slots=True)
class BodySize:
    """Size of one body."""

    held: BufferedBodies
    taken: int = 0

    def grow(self, size: int) -> bool:
        """Grow to `size` bytes. Returns whether there is room."""
        more, self.taken = size - self.taken, size
        return self.held.has_room(more)


class Bodies:
    """Middleware that calls the application once the whole body has arrived."""

    def __init__(self, app: ASGIApp, held: BufferedBodies, refusal: Refusal | None = None) -> None:
        self._app = app
        self._held = held
        self._refusal = refusal

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        with self._held.place() as place:
            body = await body_of(receive, place)
            if self._refusal is not None and isinstance(body, bytes):
                body = self._refusal(connection, body) or body
            if isinstance(body, Response):
                await body(connection, receive, send)
            elif body is not None:
                await self._app(connection, replayed(body, receive), send)


async def parsed(parse: Callable[[bytes], Parsed], body: bytes) -> Parsed:
    """Parse a body, in a worker thread if it is large."""
    if len(body) <= _MAX_INLINE_PARSE_BYTES:
        return parse(body)
    return await asyncio.to_thread(parse, body)


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that first yields an already received body."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay


def in_time(receive: Receive) -> Receive:
    """Return a `receive` that treats a client that pauses too long as disconnected."""

    async def receive_in_time() -> Message:
        try:
            async with asyncio.timeout(_SILENCE_SECONDS):
                return await receive()
        except TimeoutError:
            return {"type": "http.disconnect"}

    return receive_in_time


async def body_of(receive: Receive, place: BodySize, at_most: int | None = None) -> bytes | Response | None:
    """Read the body of a request. Returns a response if it is rejected, None if the client disconnected."""
    body, at_most = bytearray(), at_most or MAX_BODY_BYTES
    while True:
        try:
            async with asyncio.timeout(_SILENCE_SECONDS):
                message = await receive()
        except TimeoutError:
            return _rejected(408, "too_slow", f"Nothing came for {_SILENCE_SECONDS:.0f} seconds.")
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if len(body) > at_most:
            return _rejected(
                413,
                "too_large",
                f"The body is longer than {at_most} bytes; send less at once,"
                " or import a larger vCon with: vcontract import FILE",
            )
        if not place.grow(len(body)):
            return _rejected(503, "busy", "Too many calls are waiting; send it again once one is answered.")
        if not message.get("more_body", False):
            return bytes(body)


def _rejected(status: int, reason: str, message: str) -> Response:
    """Reject a request and close the connection, so that the rest of the body is not read."""
    answer = problem(status, reason, message)
    answer.headers["connection"] = "close"
    return answer
