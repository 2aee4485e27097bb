"""Where documents are prepared: a thread for a few, processes of their own for many."""

import asyncio
import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from types import TracebackType
from typing import Final, Self

from vcontract.runtime.ingest.preparing import Prepared, prepare_all
from vcontract.runtime.ingest.reader import Reading
from vcontract.runtime.store.preparation import Knowledge

_BATCHES_IN_THREAD: Final = 4
"""Processes need most of a second to start; fewer batches than this are prepared sooner without them."""

_MOST_PROCESSES: Final = 4
_RARELY: Final = (100_000, 50, 100)


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
                # a forked child would inherit our hold on the embedded database, and our threads' locks
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_set_up_process,
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


@contextmanager
def collecting_rarely() -> Generator[None]:
    """Look for garbage in cycles less often meanwhile.

    A batch is many small objects that live until it is stored: looking for cycles among them took a third
    of the time.
    """
    usual = gc.get_threshold()
    gc.set_threshold(*_RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _set_up_process() -> None:
    """Leave interrupts to the parent, and end when it ends, however it does."""
    gc.set_threshold(*_RARELY)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
