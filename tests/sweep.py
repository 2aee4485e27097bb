"""Sweeps: cases that fail only together, as one test that tries them all and names each that fails."""

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., Any]


def _label(value: object) -> str:
    return str(getattr(value, "__name__", value))


def sweep(
    names: str | Sequence[str], cases: Iterable[Any], ids: Callable[[Any], str] | Collection[str] = _label
) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`, but collected as one test in which every case is a subtest.

    The fixtures of the test are made once for all cases.
    """
    parameters = [names] if isinstance(names, str) else list(names)
    listed = [case if len(parameters) > 1 else (case,) for case in cases]
    labels = ["-".join(map(ids, case)) for case in listed] if callable(ids) else list(ids)
    tried = [
        (label, dict(zip(parameters, case, strict=True))) for label, case in zip(labels, listed, strict=True)
    ]

    def as_one(test: Test) -> Test:
        if not tried:
            raise ValueError(f"{test.__name__} has no cases, so it would check nothing; give it some")

        def swept(subtests: pytest.Subtests, **fixtures: Any) -> None:
            for label, case in tried:
                with subtests.test(label):
                    test(**fixtures, **case)

        async def swept_async(subtests: pytest.Subtests, **fixtures: Any) -> None:
            for label, case in tried:
                with subtests.test(label):
                    await test(**fixtures, **case)

        one = functools.wraps(test)(swept_async if inspect.iscoroutinefunction(test) else swept)
        asked = [each for each in inspect.signature(test).parameters.values() if each.name not in parameters]
        own = inspect.Parameter("subtests", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        one.__signature__ = inspect.Signature([own, *asked])  # type: ignore[attr-defined]
        return one

    return as_one
