"""Rate limiters: a moving window a caller and rate class, of this process or of all that serve a store."""

import math
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias

from vcontract.runtime.context import Caller

_Key: TypeAlias = tuple[str, str, str]
"""Tenant, caller and rate class."""

_MAX_KEPT: Final = 10_000
_SHARE: Final = 20
"""A process tells of its calls when they are this part of a limit, so that it is exceeded by no more."""
_TOLD_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class RateClass:
    """At most `limit` calls in any `window_seconds` seconds."""

    name: str
    limit: int
    window_seconds: int


class Limiter(Protocol):
    """Says whether a call is within the limits; one caller's calls never use up another's."""

    @property
    def classes(self) -> Mapping[str, RateClass]: ...

    async def admit(self, caller: Caller, rate_class: str) -> int:
        """Count a call and answer 0, or refuse it and answer the milliseconds until one succeeds.

        A refused call is not counted: a caller that waits as asked succeeds.
        """
        ...


@dataclass(frozen=True, slots=True)
class RateLimiter:
    """Counts calls by caller, tenant and rate class, in the memory of this process.

    The window slides with each call, so no burst of twice the limit fits around a minute's edge. Its clock
    cannot be set back.
    """

    classes: Mapping[str, RateClass]
    clock: Callable[[], float] = time.monotonic
    _calls: dict[_Key, deque[float]] = field(default_factory=dict[_Key, deque[float]], init=False, repr=False)

    async def admit(self, caller: Caller, rate_class: str) -> int:
        rule = self.classes[rate_class]
        now = self.clock()
        calls = self._calls.setdefault((caller.tenant, caller.name, rate_class), deque())
        while calls and calls[0] <= now - rule.window_seconds:
            calls.popleft()
        if len(calls) < rule.limit:
            calls.append(now)
            return 0
        return _milliseconds(calls[0] + rule.window_seconds - now)


Tell: TypeAlias = Callable[[Caller, RateClass, int], Awaitable[tuple[int, float] | None]]
"""Adds a process's calls of a class to what all know.

It gives how many they knew of within the window, and in how many seconds the first of them has left it; None
while nobody listens.
"""


@dataclass(slots=True)
class _Count:
    """What one process knows of a caller's calls."""

    known: int = 0
    """When it asked last, its own among them."""
    untold: int = 0
    ask_at: float = -math.inf
    is_alone: bool = False
    """Whether nobody listened when it asked last."""
    refused_until: float = -math.inf


class SharedRateLimiter:
    """Counts the calls of all processes together, and asks for the others' when that is worth it.

    That is after a second, or after the twentieth part of a limit: so far one process may be ahead of what
    the others know. While the store cannot be asked, the process counts for itself.
    """

    def __init__(
        self,
        classes: Mapping[str, RateClass],
        tell: Tell,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.classes = classes
        self._tell = tell
        self._clock = clock
        self._alone = RateLimiter(classes, clock)
        self._counts: dict[_Key, _Count] = {}

    async def admit(self, caller: Caller, rate_class: str) -> int:
        rule, now = self.classes[rate_class], self._clock()
        count = self._count((caller.tenant, caller.name, rate_class), now)
        if now < count.refused_until:
            return _milliseconds(count.refused_until - now)
        if now >= count.ask_at or (not count.is_alone and self._is_worth_asking(rule, count)):
            await self._ask(caller, rule, count)
            if (now := self._clock()) < count.refused_until:
                return _milliseconds(count.refused_until - now)
        if count.is_alone and (wait := await self._alone.admit(caller, rate_class)):
            return wait
        count.untold += 1
        return 0

    @staticmethod
    def _is_worth_asking(rule: RateClass, count: _Count) -> bool:
        return count.untold >= math.ceil(rule.limit / _SHARE) or count.known + count.untold >= rule.limit

    async def _ask(self, caller: Caller, rule: RateClass, count: _Count) -> None:
        telling, count.untold, count.ask_at = count.untold, 0, self._clock() + _TOLD_SECONDS
        use = await self._tell(caller, rule, telling)
        count.is_alone = use is None
        if use is None:
            count.untold += telling
            return
        calls, seconds = use
        count.known = calls + telling
        if count.known + count.untold >= rule.limit:
            count.refused_until = self._clock() + seconds

    def _count(self, key: _Key, now: float) -> _Count:
        """What is known of a caller; those who have long been silent are forgotten when there are many."""
        if len(self._counts) >= _MAX_KEPT and key not in self._counts:
            longest = max(rule.window_seconds for rule in self.classes.values())
            self._counts = {
                each: count for each, count in self._counts.items() if count.ask_at + longest > now
            }
        return self._counts.setdefault(key, _Count())


def _milliseconds(seconds: float) -> int:
    return max(1, math.ceil(seconds * 1000))
