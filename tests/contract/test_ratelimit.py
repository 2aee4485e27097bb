"""The rate limiter: a window that moves, by caller, tenant and class."""

from collections.abc import Callable

import pytest

from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.contract import ratelimit
from vcontract.runtime.frame.contract.policy import Policy
from vcontract.runtime.frame.contract.ratelimit import RateClass, RateLimiter

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


def test_calls_up_to_the_limit_are_admitted_and_the_next_is_told_how_long_to_wait(
    limiter: RateLimiter, clock: Clock
) -> None:
    admitted: list[int] = []
    for _ in range(3):
        admitted.append(limiter.admit(ALICE, "search"))
        clock.now += 10

    assert admitted == [0, 0, 0]
    assert limiter.admit(ALICE, "search") == 30_000


def test_a_caller_that_waits_as_told_succeeds(limiter: RateLimiter, clock: Clock) -> None:
    for _ in range(3):
        limiter.admit(ALICE, "search")
    clock.now += 0.0005
    wait = limiter.admit(ALICE, "search")

    clock.now += wait / 1000

    assert limiter.admit(ALICE, "search") == 0


def test_a_refused_call_does_not_lengthen_the_wait(limiter: RateLimiter, clock: Clock) -> None:
    for _ in range(3):
        limiter.admit(ALICE, "search")
    clock.now += 20

    assert [limiter.admit(ALICE, "search") for _ in range(5)] == [40_000] * 5


def test_the_window_moves_so_that_no_double_burst_fits_around_an_edge(
    limiter: RateLimiter, clock: Clock
) -> None:
    clock.now = 1019.0
    for _ in range(3):
        limiter.admit(ALICE, "search")
    clock.now = 1021.0

    assert limiter.admit(ALICE, "search") == 58_000


@pytest.mark.parametrize(
    ("caller", "rate_class"), [(ALICE, "other"), (BOB, "search"), (ALICE_ELSEWHERE, "search")]
)
def test_another_class_caller_or_tenant_is_not_affected(
    limiter: RateLimiter, caller: Caller, rate_class: str
) -> None:
    for _ in range(3):
        limiter.admit(ALICE, "search")

    assert limiter.admit(caller, rate_class) == 0


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


def test_callers_that_have_long_been_silent_are_dropped_when_there_are_many(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ratelimit, "_MAX_COUNTS", 2)
    limiter = RateLimiter({"search": RateClass("search", 1, 60)}, clock)
    limiter.admit(BOB, "search")
    clock.now += 59
    limiter.admit(ALICE, "search")
    clock.now += 1

    limiter.admit(ALICE_ELSEWHERE, "search")

    assert limiter.callers == 2
    assert limiter.admit(ALICE, "search") == 59_000
