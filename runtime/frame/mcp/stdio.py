"""stdio transport: serve the one client that started this process."""

import asyncio
import contextlib
import io
import os
import signal
import threading
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, BinaryIO, Final, Self

import anyio
from mcp import types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

# The SDK names these types nowhere else.
from mcp.shared._stream_protocols import WriteStream
from mcp.shared.message import SessionMessage

from vcontract.runtime.frame.documents.json import JsonValue
from vcontract.runtime.frame.logs import Log
from vcontract.runtime.frame.mcp.messages import RejectedMessage, lines_of, read_message, unread

_LOG = Log("stdio")
_CLOSING_SECONDS: Final = 5.0
_BUFFER_BYTES: Final = 1 << 16


async def serve_stdio(server: Server[Any], close: Callable[[], Awaitable[None]]) -> None:
    """Serve the client on stdin and stdout until it closes stdin, then call `close`.

    Pending requests are still answered within 5 s.

    Meanwhile stdout carries only the protocol. The SDK points the descriptor at stderr, so that neither a
    print nor a child process reaches the client. SIGTERM and SIGINT call `close` and end the process.
    """
    leaving = _leave_on_signals(close)
    try:
        # The SDK's own reader would accept invalid UTF-8, and lines of any length.
        async with stdio_server(stdin=anyio.wrap_file(io.StringIO())) as (_, write_stream):
            unanswered = _Unanswered()
            writing = _NotesAnswers(write_stream, unanswered)
            reading = _Messages(write_stream, unanswered)
            await server.run(reading, writing, server.create_initialization_options())
    finally:
        leaving.close()
        await close()


class _Unanswered:
    """Requests that are still to be answered."""

    def __init__(self) -> None:
        self._requests: set[types.RequestId] = set()
        self._changed = asyncio.Event()

    def note_read(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCRequest):
            self._requests.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self.forget((message.params or {}).get("requestId"))

    def note_written(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self.forget(message.id)

    async def end(self) -> None:
        """Wait until everything is answered, at most 5 s."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CLOSING_SECONDS):
                while self._requests:
                    self._changed.clear()
                    await self._changed.wait()

    def forget(self, request: JsonValue) -> None:
        if isinstance(request, str | int):
            self._requests.discard(request)
            self._changed.set()


class _NotesAnswers:
    """Write stream that records which requests were answered."""

    def __init__(self, inner: WriteStream[SessionMessage], unanswered: _Unanswered) -> None:
        self._inner = inner
        self._unanswered = unanswered

    async def send(self, item: SessionMessage, /) -> None:
        await self._inner.send(item)
        self._unanswered.note_written(item.message)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        return await self._inner.__aexit__(exc_type, exc_val, exc_tb)


class _Lines:
    """Lines of stdin, read by a daemon thread."""

    def __init__(self) -> None:
        self._read: asyncio.Queue[bytes | None] = asyncio.Queue(1)
        self._has_ended = False
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._follow, args=(_take_stdin(), loop), name="stdin", daemon=True).start()

    async def next(self) -> bytes | None:
        """Return the next line, or None at and after the end."""
        if self._has_ended:
            return None
        line = await self._read.get()
        self._has_ended = line is None
        return line

    def _follow(self, stdin: BinaryIO, loop: asyncio.AbstractEventLoop) -> None:
        def put(line: bytes | None) -> None:
            asyncio.run_coroutine_threadsafe(self._read.put(line), loop).result()

        with contextlib.suppress(RuntimeError):  # the loop was closed in the meantime
            try:
                for line in lines_of(stdin):
                    put(line)
            except OSError as fault:
                _LOG.error("stdin_cannot_be_read", fault)
            put(None)


class _Messages:
    """Read stream of the messages on stdin. Invalid lines get an error, as JSON-RPC requires.

    No line ends the stream. At its end the SDK drops calls in progress, so the end is delayed until they are
    answered.
    """

    def __init__(self, write_stream: WriteStream[SessionMessage], unanswered: _Unanswered) -> None:
        self._lines = _Lines()
        self._write_stream = write_stream
        self._unanswered = unanswered

    async def receive(self) -> SessionMessage | Exception:
        while (line := await self._lines.next()) is not None:
            try:
                message = read_message(line)
            except RejectedMessage as refused:
                await self._write_stream.send(SessionMessage(refused.answer))
                continue
            except Exception as fault:  # a line is foreign input: no fault may end the reading
                _LOG.error("line_dropped", fault)
                await self._write_stream.send(SessionMessage(unread(line)))
                continue
            self._unanswered.note_read(message)
            return SessionMessage(message)
        await self._unanswered.end()
        raise anyio.EndOfStream

    async def aclose(self) -> None:
        """Do nothing: the reading thread ends with stdin or with the process."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        return None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


def _take_stdin() -> BinaryIO:
    """Take over stdin. Descriptor 0 then points to nothing, so that no child process reads from it."""
    taken = os.fdopen(os.dup(0), "rb", buffering=_BUFFER_BYTES)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    return taken


def _leave_on_signals(close: Callable[[], Awaitable[None]]) -> contextlib.ExitStack:
    """Make SIGTERM and SIGINT call `close` and end the process, until the returned stack is closed.

    The process exits at once, because a thread blocks in a read of stdin that nothing can interrupt.
    """
    loop = asyncio.get_running_loop()
    closing: list[asyncio.Task[None]] = []

    async def leave() -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(close(), _CLOSING_SECONDS)
        os._exit(0)

    def on_signal() -> None:
        if not closing:
            closing.append(loop.create_task(leave()))

    stack = contextlib.ExitStack()
    for number in (signal.SIGTERM, signal.SIGINT):
        # Windows has no signal handlers in the event loop; there the process just ends.
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, on_signal)
            stack.callback(loop.remove_signal_handler, number)
    return stack
