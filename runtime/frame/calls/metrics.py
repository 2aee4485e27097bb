"""Prometheus metrics of all processes of a server: how often each tool was called, with which outcome.

Names and numbers only: no text that was sent or stored, and no tenant.
"""

import os
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from vcontract.runtime.frame.calls.call import Answered

MEDIA_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
FOLDER_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Environment variable of the folder in which the processes of one server keep their numbers. It must be
set when a process starts. Source: prometheus-client, multiprocess mode."""

_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """Counters of this process, and with `FOLDER_VARIABLE` of all processes that share the folder.

    The numbers of a process that has ended still count.
    """

    def __init__(self, process: int = 0) -> None:
        """Create the counters of a process. Its number is the label of its gauges."""
        self._process = str(process)
        self._registry = registry = CollectorRegistry()
        self._calls = Counter(
            "vcontract_calls",
            "Calls and reads, by what came of them.",
            ("tool", "outcome"),
            registry=registry,
        )
        self._seconds = Histogram(
            "vcontract_call_seconds",
            "How long calls and reads took.",
            ("tool",),
            buckets=_BUCKETS,
            registry=registry,
        )
        self._database = Counter(
            "vcontract_database_seconds",
            "How long calls and reads had a transaction open.",
            ("tool",),
            registry=registry,
        )
        self._bytes = Counter("vcontract_answer_bytes", "Bytes of answers.", ("tool",), registry=registry)
        self._refused = Counter(
            "vcontract_refused", "Requests that reached no tool.", ("reason",), registry=registry
        )
        self._connections = Gauge(
            "vcontract_database_connections",
            "Connections of a process to the database, as of its last report.",
            ("process", "state"),
            registry=registry,
            multiprocess_mode="mostrecent",
        )

    def count(self, answered: Answered) -> None:
        """Count a finished request."""
        self._calls.labels(answered.tool, answered.outcome).inc()
        self._seconds.labels(answered.tool).observe(answered.seconds)
        self._database.labels(answered.tool).inc(answered.database_seconds)
        self._bytes.labels(answered.tool).inc(answered.bytes)

    def count_refused(self, reason: str) -> None:
        self._refused.labels(reason).inc()

    def note_connections(self, *, idle: int, used: int) -> None:
        self._connections.labels(self._process, "idle").set(idle)
        self._connections.labels(self._process, "used").set(used)

    def text(self) -> str:
        """Print all numbers, with counters summed over the processes."""
        registry = self._registry
        if folder := os.environ.get(FOLDER_VARIABLE):
            registry = CollectorRegistry()
            MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call]
        return generate_latest(registry).decode("utf-8")
