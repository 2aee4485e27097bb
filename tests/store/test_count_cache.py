"""Counts that are kept for a time."""

import time

import pytest

from vcontract.runtime.store.vocabulary.count_cache import CountCache


@pytest.mark.parametrize(("count", "seconds"), [(999, 0), (1_000, 10), (100_000, 10), (2_000_000, 200)])
def test_a_count_is_kept_the_longer_the_larger_it_is(
    monkeypatch: pytest.MonkeyPatch, count: int, seconds: int
) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    counts = CountCache()
    counts.put("tenant", "passages", count)

    kept: list[int | None] = []
    for now[0] in (seconds - 0.1, seconds + 0.1):
        kept.append(counts.get("tenant", "passages"))

    assert kept == [count if seconds else None, None]
