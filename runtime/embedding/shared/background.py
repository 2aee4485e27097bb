"""The background's process as the shared one keeps it: alive while any caller wants stored text embedded."""

import asyncio
import contextlib
import json
import sys
import time
from typing import Final

from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.embedding.shared.frames import BadFrame, pack, read_header, write_unless_full

_MODULE: Final = "vcontract.runtime.embedding.shared.working"
_SECONDS_TO_STOP: Final = 10.0
_SHORTEST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 60.0


class Background:
    """Who wants stored text embedded, and the process that does it, by the settings of one who does."""

    def __init__(self) -> None:
        self._wanting: dict[asyncio.StreamWriter, JsonObject] = {}
        self._keeping: asyncio.Task[None] | None = None
        self._order: asyncio.StreamWriter | None = None
        """The standard input of the process, while it runs."""
        self._ending: set[asyncio.Task[None]] = set()
        self._state: JsonObject = {}

    def want(self, caller: asyncio.StreamWriter, order: JsonObject) -> None:
        """Embed stored text as long as `caller` stays, or longer."""
        self._wanting[caller] = order
        caller.write(pack(self._state))
        if self._keeping is None:
            self._keeping = asyncio.create_task(self._keep())

    def wake(self) -> None:
        """Have the process look for stored text now."""
        if self._order is not None:
            write_unless_full(self._order, b"\n")

    def leave(self, caller: asyncio.StreamWriter) -> None:
        """Forget a caller; nothing is embedded in the background any more when it was the last."""
        self._wanting.pop(caller, None)
        if not self._wanting and self._keeping is not None:
            self._keeping.cancel()
            self._ending.add(self._keeping)
            self._keeping.add_done_callback(self._ending.discard)
            self._keeping = None

    async def stop(self) -> None:
        """Embed nothing any more, and wait until that is so."""
        for caller in tuple(self._wanting):
            self.leave(caller)
        if self._ending:
            await asyncio.wait(self._ending)

    async def _keep(self) -> None:
        """Run the process again and again, at growing intervals while it ends by itself at once."""
        pause = _SHORTEST_PAUSE
        while True:
            began = time.monotonic()
            await self._run(next(iter(self._wanting.values())))
            lived = time.monotonic() - began
            pause = _SHORTEST_PAUSE if lived > _LONGEST_PAUSE else min(2 * pause, _LONGEST_PAUSE)
            await asyncio.sleep(pause)

    def _told(self, line: bytes) -> None:
        """Let those who want it embedded know how its model stands."""
        with contextlib.suppress(BadFrame):  # what a library may have printed
            self._state = {"state": read_header(line)}
        for caller in self._wanting:
            caller.write(pack(self._state))

    async def _run(self, order: JsonObject) -> None:
        """Run the process to its end, telling what it says; cancelled, have it end and wait for that."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", _MODULE),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            # a session of its own: Linux shares the processor among sessions first
            start_new_session=True,
        )
        given, said = process.stdin, process.stdout
        assert given is not None
        assert said is not None
        try:
            # left open: the process ends when this one does, however that happens
            given.write(json.dumps(order).encode("ascii") + b"\n")
            self._order = given
            async for line in said:
                self._told(line)
            await process.wait()
        finally:
            self._order = None
            given.close()
            if process.returncode is None:
                try:
                    await asyncio.wait_for(process.wait(), _SECONDS_TO_STOP)
                except TimeoutError:
                    with contextlib.suppress(ProcessLookupError):
                        process.kill()
                    await process.wait()
