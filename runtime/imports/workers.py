"""Where documents are prepared: a thread for a few, processes of their own for many."""

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from datetime import datetime
from functools import lru_cache
from types import TracebackType
from typing import Final, Self

from vcontract.runtime.imports.preparing import Prepared, prepare_all
from vcontract.runtime.imports.reader import Reading
from vcontract.runtime.store.vcons.preparation import Knowledge
from vcontract.runtime.store.vcons.processes import SPAWN, set_up_process

_BATCHES_IN_THREAD: Final = 4
"""Processes need most of a second to start; fewer batches than this are prepared sooner without them."""

_MOST_PROCESSES: Final = 4


class Workers:
    """Prepares batches beside the event loop; leave its context to end what it started.

    One core is left to the database and to the program itself.
    """

    def __init__(self, uuid_domain: str | None, processes: int | None = None) -> None:
        self._uuid_domain = uuid_domain
        self._processes = processes or max(1, min(_MOST_PROCESSES, (os.cpu_count() or 1) - 1))
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="prepare")
        self._pool: ProcessPoolExecutor | None = None
        self._batches = 0

    @property
    def width(self) -> int:
        """How many batches to have under way, so that every worker has the next one waiting."""
        return self._processes + 1

    def prepare(self, readings: Sequence[Reading], now: datetime) -> "asyncio.Future[list[Prepared]]":
        """What becomes of each document, in order."""
        self._batches += 1
        loop = asyncio.get_running_loop()
        return loop.run_in_executor(self._executor(), prepare_batch, readings, self._uuid_domain, now)

    def _executor(self) -> Executor:
        if self._batches <= _BATCHES_IN_THREAD:
            return self._thread
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self._processes,
                mp_context=SPAWN,
                initializer=set_up_process,
            )
        return self._pool

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for executor in (self._thread, self._pool):
            if executor is not None:
                executor.shutdown(wait=True, cancel_futures=True)


def prepare_batch(readings: Sequence[Reading], uuid_domain: str | None, now: datetime) -> list[Prepared]:
    """What becomes of each document, in order; runs in a worker."""
    return prepare_all(readings, _knowledge(uuid_domain), now)


@lru_cache(maxsize=1)
def _knowledge(uuid_domain: str | None) -> Knowledge:
    """Compiled once a process: compiled schemas cannot be sent from one to another."""
    return Knowledge.load(uuid_domain)
