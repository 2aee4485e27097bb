"""Growth: whether the time for something grows with its size, and not with the square of it."""

import gc
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

MEASURABLE_SECONDS = 0.003
"""Below this the clock says more than the work; sizes double until it is passed, or nothing takes long."""
SMALLEST, LARGEST = 8_192, 1 << 19
RUNS, ATTEMPTS = 2, 6
MAX_GROWTH = 3.0
"""Twice the text takes twice the time, and four times where the time grows with its square."""


@contextmanager
def without_collecting() -> Generator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def seconds(read: Callable[[], object], runs: int = RUNS) -> float:
    """The least processor time of a few runs."""
    least = float("inf")
    for _ in range(runs):
        started = time.process_time()
        read()
        least = min(least, time.process_time() - started)
    return least


def grows_with_its_size(read: Callable[[int], Callable[[], object]]) -> bool:
    """Whether twice the size takes less than thrice the time, from a size on that can be measured."""
    size = SMALLEST
    with without_collecting():
        while (once := seconds(read(size), runs=1)) < MEASURABLE_SECONDS:
            if size == LARGEST:
                return True
            size *= 2
        # a busy machine makes a measurement longer, never shorter: what passes at once is not looked at again
        if seconds(read(2 * size), runs=1) < MAX_GROWTH * min(once, seconds(read(size), runs=1)):
            return True
        # in turn at twice the size, for that alone may be where the memory of the machine takes longer
        sizes = [size << attempt % 2 for attempt in range(ATTEMPTS)]
        return any(seconds(read(2 * each)) < MAX_GROWTH * seconds(read(each)) for each in sizes)
