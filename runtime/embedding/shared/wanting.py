"""A server's wish that stored text be embedded: a connection to the shared process, kept open."""

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Final

from vcontract.runtime.embedding.embedder import ModelUnavailable
from vcontract.runtime.embedding.model import EmbeddingModel, ModelState
from vcontract.runtime.embedding.shared.frames import (
    LENGTHS,
    BadFrame,
    lengths_of,
    pack,
    read_header,
    write_unless_full,
)
from vcontract.runtime.embedding.shared.working import order_of
from vcontract.runtime.embedding.worker import LOOKS_EVERY
from vcontract.runtime.logs import Log

if TYPE_CHECKING:
    from vcontract.runtime.embedding.shared.connection import SharedProcess

_LOG = Log("embedding")
_SHORTEST_PAUSE: Final = 0.25
_LONGEST_PAUSE: Final = 60.0
_WAKE: Final = pack({"do": "wake"})


class SharedWorker:
    """Has stored text embedded from `start` to `stop`, whatever becomes of the process meanwhile."""

    def __init__(
        self, process: "SharedProcess", model: EmbeddingModel, looks_every: float = LOOKS_EVERY
    ) -> None:
        self._process = process
        self._model = model
        self._looks_every = looks_every
        self._asking: asyncio.StreamWriter | None = None
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Have it embedded until `stop`."""
        if self._running is None:
            self._running = asyncio.create_task(self._want(), name="embedding worker")

    def wake(self) -> None:
        """Have stored text looked for now, unless nobody listens at the moment; costs next to nothing."""
        if self._asking is not None:
            write_unless_full(self._asking, _WAKE)

    async def stop(self) -> None:
        """Wish it no longer."""
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            await asyncio.wait([running])

    async def _want(self) -> None:
        """Ask again whenever the process has ended, at growing intervals while it ends or fails at once."""
        pause = _SHORTEST_PAUSE
        while True:
            began = time.monotonic()
            try:
                await self._ask()
            except ModelUnavailable as error:
                self._model.told = ModelState("failed", str(error), error.cure)
                if pause == _SHORTEST_PAUSE:
                    _LOG.error("stored text is not embedded for now", error)
            except (asyncio.IncompleteReadError, OSError, BadFrame):
                pass  # it has ended
            await asyncio.sleep(pause)
            lived = time.monotonic() - began
            pause = _SHORTEST_PAUSE if lived > 2 * _LONGEST_PAUSE else min(2 * pause, _LONGEST_PAUSE)

    async def _ask(self) -> None:
        """Ask, and hear how the model of the background stands, until the process ends."""
        connection = await asyncio.to_thread(self._process.connect)
        reader, writer = await asyncio.open_unix_connection(sock=connection.socket)
        with contextlib.closing(writer):
            writer.write(pack({"do": "work", "order": order_of(self._process.settings, self._looks_every)}))
            self._asking = writer
            try:
                while True:
                    header, _ = lengths_of(await reader.readexactly(LENGTHS.size))
                    state = read_header(await reader.readexactly(header)).get("state")
                    if state is not None:
                        self._model.told = ModelState(**state)
            finally:
                self._asking = None
