"""Heavy requests over HTTP: a second server of the same program answers what would keep others waiting."""

import asyncio
import contextlib
import shutil
import socket
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import httpx2
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as Connection

from vcontract.runtime.documents.weight import MOST_CHARACTERS, is_heavy
from vcontract.runtime.logs import Log
from vcontract.runtime.mcp.gate import problem
from vcontract.runtime.mcp.messages import MOST_BYTES
from vcontract.runtime.mcp.program import Program
from vcontract.runtime.mcp.requests import IS_HEAVY

_LOG = Log("heavy")
_IDLE_SECONDS: Final = 60.0
"""So long the second server is kept, for its start takes some seconds."""
_MOST_WAITING_BYTES: Final = 4 * MOST_BYTES
_MOST_BYTES_HELD: Final = 5 * MOST_BYTES
"""Of all bodies that are here or still coming: large ones leave some of it to the others."""
_SILENCE_SECONDS: Final = 30.0
"""So long a client may pause in the midst of a request."""
_OF_ONE_CONNECTION: Final = {b"connection", b"keep-alive", b"transfer-encoding", b"content-length"}
"""Source: RFC 9110, section 7.6.1; the length is told anew."""


Refusal: TypeAlias = Callable[[Connection, bytes], Response | None]
"""How a request is refused, once its body is known; None when it is not."""


class Lost(Exception):
    """The second server ended before it answered."""


class Second:
    """The second server: started for the first request that it is passed, and ended when it is idle."""

    def __init__(self, program: Callable[[int], Program], descriptors: Iterable[int]) -> None:
        """`program` serves the socket with a descriptor; it also keeps these `descriptors` open."""
        self._folder = Path(tempfile.mkdtemp(prefix="vcontract-"))  # which nobody else may enter
        self._path = self._folder / "http"
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(self._path))
        self._listening.listen()
        self._program = program(self._listening.fileno())
        self._descriptors = (self._listening.fileno(), *descriptors)
        self._turn = asyncio.Lock()
        self._process: Process | None = None
        self._idle: asyncio.TimerHandle | None = None

    async def answer(self, connection: Connection, body: bytes) -> Response:
        """What it answers to a request. It has one at a time: large ones hold one another up.

        Raises: Lost.
        """
        async with self._turn:
            if self._idle is not None:
                self._idle.cancel()
            process = self._process = await self._running()
            asking = asyncio.ensure_future(self._ask(connection, body))
            ending = asyncio.ensure_future(process.wait())
            try:
                await asyncio.wait((asking, ending), return_when=asyncio.FIRST_COMPLETED)
                if not asking.done():
                    raise Lost
                return asking.result()
            except httpx2.TransportError as error:
                raise Lost from error
            finally:
                asking.cancel()
                ending.cancel()
                self._idle = asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._rest)

    def close(self) -> None:
        """End the second server, if there is one."""
        if self._idle is not None:
            self._idle.cancel()
        self._rest()
        self._listening.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _rest(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        self._process = None

    async def _running(self) -> Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        process = await asyncio.create_subprocess_exec(
            *self._program.command, stdin=PIPE, pass_fds=self._descriptors, start_new_session=True
        )
        assert process.stdin is not None
        with contextlib.suppress(ConnectionError):  # one that has ended already is found to be lost
            process.stdin.write(self._program.order)
            await process.stdin.drain()
        return process

    async def _ask(self, connection: Connection, body: bytes) -> Response:
        query: bytes = connection["query_string"]
        path = connection["raw_path"] + (b"?" + query if query else b"")
        request = httpx2.Request(
            connection["method"],
            httpx2.URL("http://localhost").copy_with(raw_path=path),
            headers=_end_to_end(connection["headers"]),
            content=body,
        )
        async with httpx2.AsyncHTTPTransport(uds=str(self._path)) as transport:
            answer = await transport.handle_async_request(request)
            response = Response(await answer.aread(), answer.status_code)
            response.raw_headers = [*_end_to_end(answer.headers.raw), *response.raw_headers]
            return response


class Queue:
    """How much of requests is held, over all of them."""

    def __init__(self) -> None:
        self._bytes = 0

    @contextlib.contextmanager
    def place(self) -> Generator["Place"]:
        """A place for one request, given back at the end of the block."""
        place = Place(self)
        try:
            yield place
        finally:
            self._bytes -= place.taken

    def has_room(self, size: int, most: int) -> bool:
        self._bytes += size
        return self._bytes <= most


@dataclass(slots=True)
class Place:
    """What one request holds in the queue."""

    queue: Queue
    taken: int = 0

    def grow(self, size: int) -> bool:
        """Whether there is room for so many bytes; for those of a light request there is more."""
        more, self.taken = size - self.taken, size
        return self.queue.has_room(more, _MOST_BYTES_HELD if size <= MOST_CHARACTERS else _MOST_WAITING_BYTES)


class PassesOn:
    """An application whose heavy requests the second server answers, unread or once they prove to be so."""

    def __init__(
        self,
        app: ASGIApp,
        second: Second | None,
        queue: Queue,
        lost: Callable[[bytes], Response],
        refusal: Refusal | None = None,
    ) -> None:
        """`lost` answers a request of which nobody knows what it did; without `second` it answers all."""
        self._app = app
        self._second = second
        self._queue = queue
        self._lost = lost
        self._refusal = refusal

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        with self._queue.place() as place:
            body = await _body_of(receive, place)
            if self._refusal is not None and isinstance(body, bytes):
                body = self._refusal(connection, body) or body
            if isinstance(body, Response):
                await body(connection, receive, send)
            elif body is not None:
                await self._answer(connection, body, receive, send)

    async def _answer(self, connection: Connection, body: bytes, receive: Receive, send: Send) -> None:
        if self._second is None:
            await self._app(connection, replayed(body, receive), send)
            return
        if not is_heavy(body):
            await self._app(connection, replayed(body, receive), _unless_heavy(connection, send))
            if IS_HEAVY not in connection:
                return
        answering = asyncio.ensure_future(self._second.answer(connection, body))
        leaving = asyncio.ensure_future(_left(receive))
        try:
            await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                await answering.result()(connection, receive, send)
        except Lost as error:
            _LOG.error("second_server_lost", error)
            await self._lost(body)(connection, receive, send)
        finally:
            answering.cancel()
            leaving.cancel()


async def _body_of(receive: Receive, place: Place) -> bytes | Response | None:
    """The body of a request, or how it is refused; None when the client has gone."""
    body = bytearray()
    while True:
        try:
            async with asyncio.timeout(_SILENCE_SECONDS):
                message = await receive()
        except TimeoutError:
            return _refused(408, "too_slow", f"Nothing came for {_SILENCE_SECONDS:.0f} seconds.")
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if len(body) > MOST_BYTES:
            return _refused(
                413, "too_large", f"The body is longer than {MOST_BYTES} bytes; send less at once."
            )
        if not place.grow(len(body)):
            return _refused(503, "busy", "Too many calls are waiting; send it again once one is answered.")
        if not message.get("more_body", False):
            return bytes(body)


def _refused(status: int, reason: str, message: str) -> Response:
    """What of the body is still to come is not waited for."""
    answer = problem(status, reason, message)
    answer.headers["connection"] = "close"
    return answer


def replayed(body: bytes, receive: Receive) -> Receive:
    """What receives a body that was received before, and then whatever comes."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay


def _unless_heavy(connection: Connection, send: Send) -> Send:
    """What sends an answer, but not that to a request which turned out to be heavy."""
    held: list[Message] = []

    async def send_unless_heavy(message: Message) -> None:
        if IS_HEAVY in connection:
            return
        # no GET becomes heavy once its head is sent, and the first event of a stream may be long in coming
        if message["type"] == "http.response.start" and connection["method"] != "GET":
            held.append(message)
            return
        while held:
            await send(held.pop())
        await send(message)

    return send_unless_heavy


async def _left(receive: Receive) -> None:
    """Return when the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _end_to_end(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, value in headers if name.lower() not in _OF_ONE_CONNECTION]
