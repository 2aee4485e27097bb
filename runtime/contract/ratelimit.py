"""The rate limiter: a moving window a caller and rate class, in the memory of this process."""

import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from vcontract.runtime.context import Caller


@dataclass(frozen=True, slots=True)
class RateClass:
    """At most `limit` calls in any `window_seconds` seconds."""

    name: str
    limit: int
    window_seconds: int


@dataclass(frozen=True, slots=True)
class RateLimiter:
    """Counts calls by caller, tenant and rate class; one caller's calls never use up another's.

    The window moves with each call instead of starting anew each minute, so no burst of twice the limit
    fits around a minute's edge, and it follows a clock that cannot be set back. A refused call is not
    counted: a caller that waits as it was told succeeds.
    """

    classes: Mapping[str, RateClass]
    clock: Callable[[], float] = time.monotonic
    _calls: dict[tuple[str, str, str], deque[float]] = field(
        default_factory=dict[tuple[str, str, str], deque[float]], init=False, repr=False
    )

    def admit(self, caller: Caller, rate_class: str) -> int:
        """Count a call and answer 0, or refuse it and answer the milliseconds until one succeeds."""
        rule = self.classes[rate_class]
        now = self.clock()
        calls = self._calls.setdefault((caller.tenant, caller.name, rate_class), deque())
        while calls and calls[0] <= now - rule.window_seconds:
            calls.popleft()
        if len(calls) < rule.limit:
            calls.append(now)
            return 0
        return max(1, math.ceil((calls[0] + rule.window_seconds - now) * 1000))
