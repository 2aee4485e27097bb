"""The rate limiter: a window that moves, by caller, tenant and class."""

from collections.abc import Callable, Sequence

import pytest

from vcontract.runtime.context import Caller
from vcontract.runtime.contract.policy import Policy
from vcontract.runtime.contract.ratelimit import Limiter, RateClass, RateLimiter, SharedRateLimiter

ALICE = Caller("acme", frozenset({"read"}), "alice")
BOB = Caller("acme", frozenset({"read"}), "bob")
ALICE_ELSEWHERE = Caller("globex", frozenset({"read"}), "alice")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limiter(clock: Callable[[], float]) -> RateLimiter:
    return RateLimiter({"search": RateClass("search", 3, 60), "other": RateClass("other", 2, 60)}, clock)


async def test_calls_up_to_the_limit_are_admitted_and_the_next_is_told_how_long_to_wait(
    limiter: RateLimiter, clock: Clock
) -> None:
    admitted: list[int] = []
    for _ in range(3):
        admitted.append(await limiter.admit(ALICE, "search"))
        clock.now += 10

    assert admitted == [0, 0, 0]
    assert await limiter.admit(ALICE, "search") == 30_000


async def test_a_caller_that_waits_as_told_succeeds(limiter: RateLimiter, clock: Clock) -> None:
    for _ in range(3):
        await limiter.admit(ALICE, "search")
    clock.now += 0.0005
    wait = await limiter.admit(ALICE, "search")

    clock.now += wait / 1000

    assert await limiter.admit(ALICE, "search") == 0


async def test_a_refused_call_does_not_lengthen_the_wait(limiter: RateLimiter, clock: Clock) -> None:
    for _ in range(3):
        await limiter.admit(ALICE, "search")
    clock.now += 20

    assert [await limiter.admit(ALICE, "search") for _ in range(5)] == [40_000] * 5


async def test_the_window_moves_so_that_no_double_burst_fits_around_an_edge(
    limiter: RateLimiter, clock: Clock
) -> None:
    clock.now = 1019.0
    for _ in range(3):
        await limiter.admit(ALICE, "search")
    clock.now = 1021.0

    assert await limiter.admit(ALICE, "search") == 58_000


@pytest.mark.parametrize(
    ("caller", "rate_class"), [(ALICE, "other"), (BOB, "search"), (ALICE_ELSEWHERE, "search")]
)
async def test_another_class_caller_or_tenant_is_not_affected(
    limiter: RateLimiter, caller: Caller, rate_class: str
) -> None:
    for _ in range(3):
        await limiter.admit(ALICE, "search")

    assert await limiter.admit(caller, rate_class) == 0


def test_an_operator_changes_the_limit_of_one_class() -> None:
    policy = Policy.read(
        {
            "rate_classes": {
                "search": {"limit": 100, "window_seconds": 60},
                "other": {"limit": 200, "window_seconds": 60},
            },
            "byte_budget": {"default": 1, "minimum": 1, "maximum": 1},
            "result_limit_bytes": 1,
            "include_groups": {},
        }
    )

    classes = policy.rate_classes_with({"search": 7})

    assert (classes["search"].limit, classes["other"].limit) == (7, 200)
    with pytest.raises(ValueError, match="unknown classes: serach; the classes are search, other"):
        policy.rate_classes_with({"serach": 7})


class Counts:
    """What the processes of a store tell each other, on one clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._told: list[tuple[float, int]] = []
        self.times_asked = 0
        self.is_away = False

    async def tell(self, _: Caller, rule: RateClass, calls: int) -> tuple[int, float] | None:
        self.times_asked += 1
        if self.is_away:
            return None
        now = self._clock()
        within = [(at, made) for at, made in self._told if at > now - rule.window_seconds and made]
        self._told.append((now, calls))
        first = min((at for at, _ in within), default=now)
        return (sum(made for _, made in within), first + rule.window_seconds - now)


@pytest.fixture
def counts(clock: Clock) -> Counts:
    return Counts(clock)


async def admitted(limiters: Sequence[Limiter], clock: Clock, *, times: int, pause: float) -> int:
    """How many of so many calls, which the processes take in turn, are admitted."""
    number = 0
    for each in range(times):
        number += await limiters[each % len(limiters)].admit(ALICE, "search") == 0
        clock.now += pause
    return number


@pytest.mark.parametrize("pause", [0.0, 0.01, 0.1])
@pytest.mark.parametrize("processes", [1, 2, 4])
async def test_the_calls_of_all_processes_count_together(
    processes: int, pause: float, clock: Clock, counts: Counts
) -> None:
    rule = RateClass("search", 100, 60)
    limiters = [SharedRateLimiter({"search": rule}, counts.tell, clock) for _ in range(processes)]

    number = await admitted(limiters, clock, times=300, pause=pause)

    assert 100 <= number <= 100 + (processes - 1) * 100 / 20
    asked = counts.times_asked
    assert asked <= 20 + 2 * processes + 300 * pause * processes
    assert 0 < await limiters[0].admit(ALICE, "search") <= 60_000
    assert counts.times_asked == asked, "a caller that is refused costs nothing"
    clock.now += 60
    assert await limiters[0].admit(ALICE, "search") == 0


async def test_a_process_that_cannot_ask_counts_for_itself(clock: Clock, counts: Counts) -> None:
    limiter = SharedRateLimiter({"search": RateClass("search", 100, 60)}, counts.tell, clock)
    counts.is_away = True

    assert await admitted([limiter], clock, times=300, pause=0) == 100
