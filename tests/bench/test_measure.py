"""What the benchmarks compute from their timings."""

import pytest

from bench.measure import Timing, measure_in_turn
from bench.report import Growth, Rate, Ratio, Report


@pytest.mark.parametrize(
    ("seconds", "p50", "p95"),
    [
        ([0.004], 4, 4),
        ([0.003, 0.001, 0.002], 2, 3),
        ([number / 1000 for number in range(100, 0, -1)], 50, 95),
    ],
)
def test_percentiles_are_those_of_the_nearest_rank(seconds: list[float], p50: float, p95: float) -> None:
    timing = Timing.of(seconds)
    assert [timing.p50, timing.p95] == pytest.approx([p50, p95])
    assert timing.runs == len(seconds)


def test_no_runs_are_no_timing() -> None:
    with pytest.raises(ValueError, match="no run"):
        Timing.of([])


async def test_two_things_are_run_alternately_and_warm_up_does_not_count() -> None:
    heard: list[str] = []

    async def first(number: int) -> None:
        heard.append(f"first {number}")

    async def second(number: int) -> None:
        heard.append(f"second {number}")

    ours, floor = await measure_in_turn(first, second, runs=2, warm_up=1)

    assert heard == ["first 0", "second 0", "first 0", "second 0", "first 1", "second 1"]
    assert (ours.runs, floor.runs) == (2, 2)


def test_report_holds_ratios_rates_and_growth() -> None:
    slow, fast = Timing(6, 9, 5), Timing(2, 3, 5)

    document = Report(
        [Ratio("call", slow, "SQL", fast)],
        [Rate("import", 10, 50, "COPY", 200)],
        [Growth("newest", {1_000: fast, 10_000: slow})],
    ).document()

    assert document["ratios"][0]["ratio"] == 3
    assert document["rates"][0]["ratio"] == 4
    assert document["growths"][0]["factor"] == 3
    assert document["growths"][0]["at"]["10000"]["p95"] == 9
