"""Settings of worker processes for imports: start method, signals, garbage collection."""

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

SPAWN: Final = multiprocessing.get_context("spawn")
"""A forked child would inherit our lease on the embedded database, and locks of our threads."""

_RARELY: Final = (100_000, 50, 100)


@contextmanager
def collecting_rarely() -> Generator[None]:
    """Run the cyclic garbage collector less often inside.

    A batch has many small objects that live until it is stored. Searching them for cycles took a third of the
    time.
    """
    usual = gc.get_threshold()
    gc.set_threshold(*_RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def set_up_process() -> None:
    """Leave interrupts to the parent, and exit when it exits."""
    gc.set_threshold(*_RARELY)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
