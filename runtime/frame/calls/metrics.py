"""Prometheus metrics of all processes of a server: how often each tool was called, with which outcome.

Names and numbers only: no text that was sent or stored, and no tenant.
"""

import mmap
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from vcontract.runtime.frame.calls.call import DONE, Answered

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
"""Source: Prometheus, exposition formats, text-based format."""

_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_NUMBER_BYTES: Final = 8
REASONS: Final = (
    *("no_token", "invalid_token", "invalid_signature", "unavailable"),
    *("invalid_request", "unknown_host", "unknown_origin", "unknown_selection"),
)
"""Reasons to reject a request before it reaches a tool."""


@dataclass(frozen=True, slots=True)
class _Family:
    name: str
    kind: str
    help: str


_CALLS: Final = _Family("vcontract_calls_total", "counter", "Calls and reads, by what came of them.")
_SECONDS: Final = _Family("vcontract_call_seconds", "histogram", "How long calls and reads took.")
_DATABASE: Final = _Family(
    "vcontract_database_seconds_total", "counter", "How long calls and reads had a transaction open."
)
_BYTES: Final = _Family("vcontract_answer_bytes_total", "counter", "Bytes of answers.")
_REFUSED: Final = _Family("vcontract_refused_total", "counter", "Requests that reached no tool.")
_CONNECTIONS: Final = _Family(
    "vcontract_database_connections",
    "gauge",
    "Connections of a process to the database, as of its last call.",
)
_STATES: Final = ("idle", "used")

_Series = tuple[_Family, tuple[tuple[str, str], ...]]


class Metrics:
    """Counters of all processes in shared memory. Each process writes its own part; any of them can report
    all.

    A process that replaces another continues its counters.
    """

    def __init__(self, tools: Iterable[str], outcomes: Iterable[str], file: int, part: int) -> None:
        """Use `part` of the file with this descriptor. The file has one part per process; see `size`."""
        outcomes = (DONE, *sorted(outcomes))
        self._series = list(_series(sorted(tools), outcomes))
        self._at = {series: number for number, series in enumerate(self._series)}
        memory = memoryview(mmap.mmap(file, 0)).cast("d")
        length = len(self._series)
        self._parts = [memory[start : start + length] for start in range(0, len(memory) - length + 1, length)]
        self._own = self._parts[part]

    @staticmethod
    def size(tools: Iterable[str], outcomes: Iterable[str]) -> int:
        """Size of one part in bytes."""
        return _NUMBER_BYTES * sum(1 for _ in _series(list(tools), [DONE, *outcomes]))

    def count(self, answered: Answered) -> None:
        """Count a finished request. Source: Prometheus, histograms and summaries."""
        tool = ("tool", answered.tool)
        bucket = bisect_left(_BUCKETS, answered.seconds)
        limit = str(_BUCKETS[bucket]) if bucket < len(_BUCKETS) else "+Inf"
        self._add(1, _CALLS, tool, ("outcome", answered.outcome))
        self._add(1, _SECONDS, tool, ("le", limit))
        self._add(answered.seconds, _SECONDS, tool)
        self._add(answered.database_seconds, _DATABASE, tool)
        self._add(answered.bytes, _BYTES, tool)

    def count_refused(self, reason: str) -> None:
        self._add(1, _REFUSED, ("reason", reason))

    def note_connections(self, *, idle: int, used: int) -> None:
        for state, number in (("idle", idle), ("used", used)):
            self._own[self._at[_CONNECTIONS, (("state", state),)]] = number

    def text(self) -> str:
        """Print all numbers, with counters summed over the processes."""
        lines: list[str] = []
        for family, numbered in groupby(enumerate(self._series), key=lambda each: each[1][0]):
            lines += [f"# HELP {family.name} {family.help}", f"# TYPE {family.name} {family.kind}"]
            series = [(number, labels) for number, (_, labels) in numbered]
            lines += self._gauges(family, series) if family.kind == "gauge" else self._sums(family, series)
        return "\n".join(lines) + "\n"

    def _add(self, number: float, family: _Family, *labels: tuple[str, str]) -> None:
        self._own[self._at[family, labels]] += number

    def _gauges(
        self, family: _Family, series: Sequence[tuple[int, tuple[tuple[str, str], ...]]]
    ) -> Iterator[str]:
        for process, part in enumerate(self._parts):
            for number, labels in series:
                yield _line(family.name, (("process", str(process)), *labels), part[number])

    def _sums(
        self, family: _Family, series: Sequence[tuple[int, tuple[tuple[str, str], ...]]]
    ) -> Iterator[str]:
        sums = [(labels, sum(part[number] for part in self._parts)) for number, labels in series]
        if family.kind != "histogram":
            yield from (_line(family.name, labels, value) for labels, value in sums if value)
            return
        for tool, each in groupby(sums, key=lambda one: one[0][0]):
            total, *buckets = each
            count = 0.0
            for labels, value in buckets:
                count += value
                if total[1]:
                    yield _line(f"{family.name}_bucket", labels, count)
            if total[1]:
                yield _line(f"{family.name}_sum", (tool,), total[1])
                yield _line(f"{family.name}_count", (tool,), count)


def _series(tools: Sequence[str], outcomes: Sequence[str]) -> Iterator[_Series]:
    """List every number of a process, in the order in which it is stored and printed."""
    for tool in tools:
        for outcome in outcomes:
            yield _CALLS, (("tool", tool), ("outcome", outcome))
    for tool in tools:
        yield _SECONDS, (("tool", tool),)
        for limit in (*map(str, _BUCKETS), "+Inf"):
            yield _SECONDS, (("tool", tool), ("le", limit))
    for family in (_DATABASE, _BYTES):
        for tool in tools:
            yield family, (("tool", tool),)
    for reason in REASONS:
        yield _REFUSED, (("reason", reason),)
    for state in _STATES:
        yield _CONNECTIONS, (("state", state),)


def _line(name: str, labels: tuple[tuple[str, str], ...], value: float) -> str:
    shown = ",".join(f'{label}="{text}"' for label, text in labels)
    return f"{name}{{{shown}}} {int(value) if value.is_integer() else value!r}"
