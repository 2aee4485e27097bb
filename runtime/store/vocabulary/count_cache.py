"""Steady counts: those so large that they may be some time old."""

import time
from typing import Final

_MIN_CACHED_COUNT: Final = 1_000
"""A few more or less change nothing that a count this large is used for."""
_MIN_SECONDS: Final = 10.0
_SECONDS_EACH: Final = 1e-4
"""A count of millions takes hundreds of milliseconds and changes little: it is kept for minutes."""
_MAX_CACHED: Final = 10_000


class SteadyCounts:
    """Large counts of this process, kept for a time; the larger, the longer."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], tuple[float, int]] = {}

    def get(self, tenant: str, what: str) -> int | None:
        """The count that was put not long ago."""
        entry = self._counts.get((tenant, what))
        return entry[1] if entry and entry[0] > time.monotonic() else None

    def put(self, tenant: str, what: str, count: int) -> None:
        """Keep a count, if it is large."""
        if count >= _MIN_CACHED_COUNT:
            if len(self._counts) > _MAX_CACHED:
                self._counts.clear()
            seconds = max(_MIN_SECONDS, count * _SECONDS_EACH)
            self._counts[tenant, what] = (time.monotonic() + seconds, count)
