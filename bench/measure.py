"""Timings: the percentiles of many runs of one thing."""

import math
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effort:
    """How often each kind of measurement is run."""

    calls: int = 200
    searches: int = 60
    starts: int = 7
    windows: int = 20
    writes: int = 20
    servers: int = 3

    @classmethod
    def of(cls, runs: int | None) -> "Effort":
        """The usual effort; or `runs` of everything, say 1 to see whether the benchmarks work."""
        usual = cls()
        return usual if runs is None else cls(runs, runs, runs, runs, runs, min(runs, usual.servers))


@dataclass(frozen=True, slots=True)
class Timing:
    """How long one run took, in milliseconds."""

    p50: float
    p95: float
    runs: int

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Timing":
        """The nearest-rank percentiles of runs that took so many seconds each.

        Raises: ValueError when there are none.
        """
        if not seconds:
            raise ValueError("no run was measured")
        ordered = sorted(seconds)
        return cls(_percentile(ordered, 0.50), _percentile(ordered, 0.95), len(ordered))


def _percentile(ordered: Sequence[float], share: float) -> float:
    return 1000 * ordered[max(0, math.ceil(share * len(ordered)) - 1)]


async def measure(run: Callable[[int], Awaitable[object]], runs: int, warm_up: int = 3) -> Timing:
    """The timing of `run(0)`, `run(1)`, …; the warm-up runs come first and do not count."""
    for number in range(warm_up):
        await run(number)
    seconds: list[float] = []
    for number in range(runs):
        started = time.perf_counter()
        await run(number)
        seconds.append(time.perf_counter() - started)
    return Timing.of(seconds)


async def measure_in_turn(
    first: Callable[[int], Awaitable[object]],
    second: Callable[[int], Awaitable[object]],
    runs: int,
    warm_up: int = 3,
) -> tuple[Timing, Timing]:
    """The timings of two things run alternately, so that a slow moment of the machine meets both."""
    for number in range(warm_up):
        await first(number)
        await second(number)
    seconds: tuple[list[float], list[float]] = ([], [])
    for number in range(runs):
        for run, taken in zip((first, second), seconds, strict=True):
            started = time.perf_counter()
            await run(number)
            taken.append(time.perf_counter() - started)
    return Timing.of(seconds[0]), Timing.of(seconds[1])
