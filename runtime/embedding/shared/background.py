"""The background's process as the shared one keeps it: alive while any caller wants stored text embedded."""

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import Callable
from typing import Final

from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.embedding.shared.frames import BadFrame, pack, read_header

_MODULE: Final = "vcontract.runtime.embedding.shared.working"
_SECONDS_TO_STOP: Final = 10.0
_SHORTEST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 60.0


class Background:
    """Who wants stored text embedded, and the process that does it, by the settings of one who does."""

    def __init__(self) -> None:
        self._wanting: dict[asyncio.StreamWriter, JsonObject] = {}
        self._keeping: asyncio.Task[None] | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self._state: JsonObject = {}

    def want(self, caller: asyncio.StreamWriter, settings: JsonObject) -> None:
        """Embed stored text as long as `caller` stays, or longer."""
        self._wanting[caller] = settings
        caller.write(pack(self._state))
        if self._keeping is None:
            self._keeping = asyncio.create_task(self._keep())

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
            await _run(next(iter(self._wanting.values())), self._told)
            lived = time.monotonic() - began
            pause = _SHORTEST_PAUSE if lived > _LONGEST_PAUSE else min(2 * pause, _LONGEST_PAUSE)
            await asyncio.sleep(pause)

    def _told(self, line: bytes) -> None:
        """Let those who want it embedded know how its model stands."""
        with contextlib.suppress(BadFrame):  # what a library may have printed
            self._state = {"state": read_header(line)}
        for caller in self._wanting:
            caller.write(pack(self._state))


async def _run(settings: JsonObject, tell: Callable[[bytes], None]) -> None:
    """Run the process to its end, and tell each line it says; cancelled, have it end and wait for that."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", _MODULE),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        # a session of its own: Linux shares the processor among sessions first
        start_new_session=True,
    )
    order, said = process.stdin, process.stdout
    assert order is not None
    assert said is not None
    try:
        # left open: the process ends when this one does, however that happens
        order.write(json.dumps(settings).encode("ascii") + b"\n")
        async for line in said:
            tell(line)
        await process.wait()
    finally:
        order.close()
        if process.returncode is None:
            try:
                await asyncio.wait_for(process.wait(), _SECONDS_TO_STOP)
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
