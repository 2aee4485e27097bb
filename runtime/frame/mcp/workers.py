"""Worker processes that serve one listening socket. A worker that ends is replaced."""

import asyncio
import contextlib
import signal
import socket
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Generator, Mapping
from typing import Final

from vcontract.runtime.frame.logs import Log
from vcontract.runtime.frame.mcp.program import Program

GRACE_SECONDS: Final = 10
"""How long pending requests may take when the server stops."""

_LOG = Log("workers")
_CLOSING_SECONDS: Final = GRACE_SECONDS + 20
_YOUNG_SECONDS: Final = 10.0
_PAUSE_SECONDS: Final = 2.0
"""Pause before replacing a worker that ended early, because the next one may fail too."""


class Workers:
    """A fixed number of processes that accept connections from one socket."""

    def __init__(
        self,
        program: Callable[[int], Program],
        listening: socket.socket,
        number: int,
        environment: Mapping[str, str],
    ) -> None:
        """Create the workers. `program` returns the command of a worker by its number; it inherits the
        socket.
        """
        self._program = program
        self._listening = listening
        self._number = number
        self._environment = environment
        self._running: set[Process] = set()
        self._ending = asyncio.Event()

    async def serve(self) -> None:
        """Run the workers until SIGTERM or SIGINT. Returns once all have ended."""
        with on_ending_signals(self._end):
            async with asyncio.TaskGroup() as group:
                for number in range(self._number):
                    group.create_task(self._keep_one(self._program(number)))

    def _end(self) -> None:
        self._ending.set()
        self._listening.close()  # so that clients are refused once no worker listens
        for process in self._running:
            _send(process, signal.SIGTERM)

    async def _keep_one(self, program: Program) -> None:
        while not self._ending.is_set():
            started = time.monotonic()
            code = await self._live(program)
            if self._ending.is_set():
                return
            _LOG.error("worker_lost", code=code)
            if time.monotonic() - started < _YOUNG_SECONDS:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._ending.wait(), _PAUSE_SECONDS)

    async def _live(self, program: Program) -> int:
        """Start a worker and wait until it ends. Returns its exit code."""
        process = await asyncio.create_subprocess_exec(
            *program.command,
            stdin=PIPE,
            pass_fds=(self._listening.fileno(),),
            env=self._environment,
            start_new_session=True,  # Ctrl-C is for the parent, which then stops the workers
        )
        assert process.stdin is not None
        self._running.add(process)
        try:
            with contextlib.suppress(
                ConnectionError
            ):  # a worker that has already ended is replaced like any other
                process.stdin.write(program.order)
                await process.stdin.drain()
            if self._ending.is_set():
                _send(process, signal.SIGTERM)
            return await self._end_of(process)
        finally:
            self._running.discard(process)
            process.stdin.close()

    async def _end_of(self, process: Process) -> int:
        """Wait until a process has ended. Kill it if it ignores SIGTERM for too long."""
        waiting = asyncio.ensure_future(process.wait())
        ending = asyncio.ensure_future(self._ending.wait())
        await asyncio.wait((waiting, ending), return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        with contextlib.suppress(TimeoutError):
            return await asyncio.wait_for(asyncio.shield(waiting), _CLOSING_SECONDS)
        _send(process, signal.SIGKILL)
        return await waiting


@contextlib.contextmanager
def on_ending_signals(end: Callable[[], None]) -> Generator[None]:
    """Make SIGTERM and SIGINT call `end`, and nothing else, inside the block."""
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGTERM, signal.SIGINT)
    for number in numbers:
        # Windows has no signal handlers in the event loop; there the process just ends.
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, end)
    try:
        yield
    finally:
        for number in numbers:
            with contextlib.suppress(NotImplementedError):
                loop.remove_signal_handler(number)


def _send(process: Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(number)
