"""TTL cache for large counts, which may be some time old."""

import time
from typing import Final

from vcontract.runtime.store.postgres.consent import caller_purposes

_MIN_CACHED_COUNT: Final = 1_000
"""Counts below this are not cached. Larger ones need not be exact."""
_MIN_SECONDS: Final = 10.0
_SECONDS_EACH: Final = 1e-4
"""Seconds of life per counted item: counting millions is slow, and the result changes little."""
_MAX_CACHED: Final = 10_000


class CountCache:
    """TTL cache of large counts of this process, by purposes of the caller. Larger counts live longer."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, tuple[str, ...] | None, str], tuple[float, int]] = {}

    def get(self, tenant: str, what: str) -> int | None:
        """Return a cached count that has not expired."""
        entry = self._counts.get((tenant, caller_purposes(), what))
        return entry[1] if entry and entry[0] > time.monotonic() else None

    def put(self, tenant: str, what: str, count: int) -> None:
        """Cache a count if it is large."""
        if count >= _MIN_CACHED_COUNT:
            if len(self._counts) > _MAX_CACHED:
                self._counts.clear()
            seconds = max(_MIN_SECONDS, count * _SECONDS_EACH)
            self._counts[tenant, caller_purposes(), what] = (time.monotonic() + seconds, count)
