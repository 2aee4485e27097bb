"""Aside: a second server of the same program, which answers what would keep this one from the others."""

import asyncio
import contextlib
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from mcp import types

from vcontract.runtime.documents.json import JsonValue
from vcontract.runtime.logs import Log
from vcontract.runtime.mcp.messages import MOST_BYTES, request_of
from vcontract.runtime.mcp.program import Program

TOO_HEAVY: Final = -32099
"""The code by which an endpoint tells the transport that a request is for the second server."""

_LOG = Log("aside")
_IDLE_SECONDS: Final = 60.0
"""So long it is kept, for its start takes some seconds."""
_MOST_WAITING_BYTES: Final = 4 * MOST_BYTES
_INITIALIZED: Final = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'

Answered: TypeAlias = Callable[[types.RequestId | None, bytes | types.JSONRPCError], Awaitable[None]]
"""Sends on a line of the second server, or what is said in its place, and the request that it answers."""


@dataclass(slots=True)
class Aside:
    """Passes lines to the second server, which is started for the first of them and ended when it is idle."""

    program: Program
    answered: Answered
    greeting: bytes | None = None
    """The line with which the client began; the second server is begun with it, too."""
    _process: Process | None = None
    _reading: asyncio.Task[None] | None = None
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _passing: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])
    _waiting_bytes: int = 0
    _asked: set[types.RequestId] = field(default_factory=set[types.RequestId])
    _idle: asyncio.TimerHandle | None = None

    def take(self, line: bytes, request: types.RequestId | None) -> None:
        """Have a line answered; nobody waits for that."""
        if request is not None:
            self._asked.add(request)
        task = asyncio.create_task(self._pass(line, request))
        self._passing.add(task)
        task.add_done_callback(self._passing.discard)

    def cancel(self, line: bytes, request: JsonValue) -> None:
        """Pass on the line that cancels a request, if the second server has it."""
        if isinstance(request, str | int) and request in self._asked:
            self._asked.discard(request)
            self.take(line, None)

    async def end(self) -> None:
        """End the second server, if there is one."""
        for task in (*self._passing, *filter(None, [self._reading])):
            task.cancel()
        self._kill()

    async def _pass(self, line: bytes, request: types.RequestId | None) -> None:
        if self._waiting_bytes + len(line) > _MOST_WAITING_BYTES:
            await self._refuse(
                request, "Too many large calls are waiting; send it again once one is answered."
            )
            return
        self._waiting_bytes += len(line)
        try:
            async with self._turn:
                process = self._process or await self._started()
                assert process.stdin is not None
                process.stdin.write(line.rstrip(b"\r\n") + b"\n")
                await process.stdin.drain()
        except OSError as error:
            _LOG.error("second_server_lost", error)
            await self._refuse(request, "The process for large calls cannot be reached; send it again.")
        finally:
            self._waiting_bytes -= len(line)

    async def _started(self) -> Process:
        process = await asyncio.create_subprocess_exec(
            *self.program.command, stdin=PIPE, stdout=PIPE, limit=4 * MOST_BYTES
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(self.program.order)
        if self.greeting is not None:
            process.stdin.write(self.greeting)
            await process.stdout.readline()
            process.stdin.write(_INITIALIZED)
        self._process, self._reading = process, asyncio.create_task(self._read(process))
        return process

    async def _read(self, process: Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            request = request_of(line)
            if request is not None:
                self._asked.discard(request)
            await self.answered(request, line)
            del line  # which may be large, and the next one may be long in coming
            self._rest_later()
        if self._process is process:
            self._process = None
        for request in tuple(self._asked):
            await self._refuse(
                request, "The process for large calls ended; whether this one did anything is not known."
            )

    def _rest_later(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._rest)

    def _rest(self) -> None:
        if self._asked or self._waiting_bytes:
            self._rest_later()
        else:
            self._kill()

    def _kill(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        self._process = None

    async def _refuse(self, request: types.RequestId | None, message: str) -> None:
        if request is None:
            return
        self._asked.discard(request)
        error = types.ErrorData(code=types.INTERNAL_ERROR, message=message)
        await self.answered(request, types.JSONRPCError(jsonrpc="2.0", id=request, error=error))
