"""Rate limiter: a sliding window for each caller and rate class, in the memory of one process."""

import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from vcontract.runtime.frame.context import Caller

_Key: TypeAlias = tuple[str, str, str]
"""Tenant, caller and rate class."""

_MAX_COUNTS: Final = 10_000
"""Maximum number of counts. Above it, those of callers idle for the longest window are dropped."""


@dataclass(frozen=True, slots=True)
class RateClass:
    """At most `limit` calls in any `window_seconds` seconds."""

    name: str
    limit: int
    window_seconds: int


@dataclass(frozen=True, slots=True)
class RateLimiter:
    """Counts calls by caller, tenant and rate class, in the memory of this process.

    The window slides with each call, so no burst of twice the limit fits around a minute's edge. The clock is
    monotonic. Each worker of a server, and each server of a store, counts separately.
    """

    classes: Mapping[str, RateClass]
    clock: Callable[[], float] = time.monotonic
    _calls: dict[_Key, deque[float]] = field(default_factory=dict[_Key, deque[float]], init=False, repr=False)

    @property
    def callers(self) -> int:
        """Number of pairs of a caller and a rate class with counts."""
        return len(self._calls)

    def admit(self, caller: Caller, rate_class: str) -> int:
        """Count a call and return 0, or reject it and return the milliseconds until one succeeds.

        A rejected call is not counted: a caller that waits as asked succeeds.
        """
        rule = self.classes[rate_class]
        now = self.clock()
        key = caller.tenant, caller.name, rate_class
        if key not in self._calls:
            self._drop_silent(now)
        calls = self._calls.setdefault(key, deque())
        while calls and calls[0] <= now - rule.window_seconds:
            calls.popleft()
        if len(calls) < rule.limit:
            calls.append(now)
            return 0
        return _milliseconds(calls[0] + rule.window_seconds - now)

    def _drop_silent(self, now: float) -> None:
        if len(self._calls) < _MAX_COUNTS:
            return
        longest = max(rule.window_seconds for rule in self.classes.values())
        for key in [key for key, calls in self._calls.items() if not calls or calls[-1] <= now - longest]:
            del self._calls[key]


def _milliseconds(seconds: float) -> int:
    return max(1, math.ceil(seconds * 1000))
