"""The stdio transport: one client, the one that started this process."""

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Awaitable, Callable
from contextvars import Context
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import anyio
from mcp import types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

# The SDK names the types of its streams nowhere else.
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from vcontract.runtime.documents import JsonValue
from vcontract.runtime.vcon.values import is_object

_CLOSING_SECONDS = 5.0
_LONGEST_ID = 20
"""Digits of a number that may be the id of a request."""

_Stream = TypeVar("_Stream", bound=ReadStream[Any] | WriteStream[Any])


async def serve_stdio(server: Server[Any], close: Callable[[], Awaitable[None]]) -> None:
    """Serve the client at the other end of stdin and stdout until it closes stdin, then `close`.

    What it asked before it closed stdin is still answered, if that takes no longer than 5 s.

    Meanwhile stdout carries protocol only: the SDK keeps it for itself and points the descriptor at stderr,
    so that neither a print nor a child process reaches the client. SIGTERM and SIGINT close and end the
    process.
    """
    leaving = _leave_on_signals(close)
    try:
        async with stdio_server() as (read_stream, write_stream):
            unanswered = _Unanswered()
            reading = _AnswersUnreadableLines(read_stream, write_stream, unanswered)
            writing = _NotesAnswers(write_stream, unanswered)
            await server.run(reading, writing, server.create_initialization_options())
    finally:
        leaving.close()
        await close()


class _Unanswered:
    """The requests that were read and not answered yet."""

    def __init__(self) -> None:
        self._ids: set[types.RequestId] = set()
        self._changed = asyncio.Event()

    def note_read(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCRequest):
            self._ids.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._forget((message.params or {}).get("requestId"))

    def note_written(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._forget(message.id)

    async def end(self) -> None:
        """Return once everything is answered, or after 5 s."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CLOSING_SECONDS):
                while self._ids:
                    self._changed.clear()
                    await self._changed.wait()

    def _forget(self, request: types.RequestId | None) -> None:
        if request is not None:
            self._ids.discard(request)
            self._changed.set()


class _Wrapper(Generic[_Stream]):
    """A stream around another one, opened and closed with it."""

    def __init__(self, inner: _Stream, unanswered: _Unanswered) -> None:
        self._inner = inner
        self._unanswered = unanswered

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


class _NotesAnswers(_Wrapper[WriteStream[SessionMessage]]):
    """A write stream that notes which requests were answered."""

    async def send(self, item: SessionMessage, /) -> None:
        await self._inner.send(item)
        self._unanswered.note_written(item.message)


class _AnswersUnreadableLines(_Wrapper[ReadStream[SessionMessage | Exception]]):
    """A read stream that answers what is no JSON-RPC message with a parse error, as JSON-RPC demands.

    The SDK drops such a line without a word, and at the end of the stream it drops what is under way: so the
    end is held back until that is answered.
    """

    def __init__(
        self,
        inner: ReadStream[SessionMessage | Exception],
        write_stream: WriteStream[SessionMessage],
        unanswered: _Unanswered,
    ) -> None:
        super().__init__(inner, unanswered)
        self._write_stream = write_stream

    @property
    def last_context(self) -> Context | None:
        """The context of the message received last, which the SDK runs its handler in."""
        context: Context | None = getattr(self._inner, "last_context", None)
        return context

    async def receive(self) -> SessionMessage | Exception:
        try:
            return await self._next()
        except anyio.EndOfStream:
            await self._unanswered.end()
            raise

    async def _next(self) -> SessionMessage:
        item = await self._inner.receive()
        while isinstance(item, Exception):
            await self._write_stream.send(_refusal(item))
            item = await self._inner.receive()
        self._unanswered.note_read(item.message)
        return item

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


def _refusal(fault: Exception) -> SessionMessage:
    """The answer to a line that is no message: under its id where there is one, for its sender waits."""
    document, code, reason = _unreadable(fault)
    request = document.get("id") if is_object(document) else None
    error = types.ErrorData(code=code, message=f"This line is not a JSON-RPC message: {reason}.")
    return SessionMessage(
        types.JSONRPCError(jsonrpc="2.0", id=request if isinstance(request, str | int) else None, error=error)
    )


def _unreadable(fault: Exception) -> tuple[JsonValue, int, str]:
    """What a line that the SDK refuses holds, as far as it can be told, the error, and the reason."""
    nothing_told = None, types.PARSE_ERROR, "send one JSON object a line"
    if not isinstance(fault, ValidationError):
        return nothing_told
    first = fault.errors()[0]
    if first["type"] != "json_invalid":
        return _misshapen(fault)
    try:
        # takes half a surrogate pair, nests deeper, and need not read long numbers
        document: JsonValue = json.loads(first["input"], parse_int=_short_integer)
    except (ValueError, RecursionError):
        return nothing_told
    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        reason = "it holds half of a surrogate pair, which is no Unicode; write the whole character"
    else:
        reason = first["msg"].removeprefix("Invalid JSON: ")
    return document, types.PARSE_ERROR, reason


def _misshapen(fault: ValidationError) -> tuple[JsonValue, int, str]:
    """The same of a line that is JSON: a member that is missing or wrong, if it is an object at all."""
    whole = [error["input"] for error in fault.errors() if error["type"] == "missing"]
    place = fault.errors()[0]["loc"]
    if not whole or len(place) < 2:
        return None, types.INVALID_REQUEST, "send one JSON object a line"
    return whole[0], types.INVALID_REQUEST, f'its member "{place[1]}" is missing or of a wrong kind'


def _short_integer(digits: str) -> int | None:
    return int(digits) if len(digits) <= _LONGEST_ID else None


def _leave_on_signals(close: Callable[[], Awaitable[None]]) -> contextlib.ExitStack:
    """Let SIGTERM and SIGINT close and end the process, until the returned stack is closed.

    The process is ended outright: a thread of the SDK sits in a read of stdin that nothing can interrupt.
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
