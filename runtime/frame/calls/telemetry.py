"""OpenTelemetry: export each call as a span and in metrics, if an endpoint is configured."""

import hashlib
import os
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Final, Self

from vcontract.runtime.frame.calls.call import DONE, Answered
from vcontract.runtime.frame.logs import Log

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

_LOG = Log("telemetry")
ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
"""The environment variable with the collector's address."""
_NAME: Final = "vcontract"
_HASH_LENGTH: Final = 12
_NANOSECONDS: Final = 1_000_000_000
_CLOSING_SECONDS: Final = 2.0
"""Maximum wait for the collector when a process ends, so that no command hangs."""
_MEMBERS: Final = ("traceparent", "tracestate")
_TRACE: ContextVar[Mapping[str, str] | None] = ContextVar("trace", default=None)
"""Trace headers of the current request."""


@contextmanager
def following(*named: Mapping[str, object]) -> Generator[None]:
    """Attach calls inside to the trace that a request names in its `_meta`, or else in its headers.

    Source: W3C Trace Context, sections 3.2 and 3.3; MCP uses the same names in `_meta`.
    """
    place = next((place for place in named if _MEMBERS[0] in place), None) or {}
    trace = {name: value for name in _MEMBERS if isinstance(value := place.get(name), str)}
    token = _TRACE.set(trace or None)
    try:
        yield
    finally:
        _TRACE.reset(token)


class Telemetry:
    """Exports each call to OpenTelemetry: names, numbers and a hash of the tenant's name, no text."""

    def __init__(self, tracers: "TracerProvider", meters: "MeterProvider") -> None:
        from opentelemetry.trace import SpanKind, StatusCode
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._propagator = TraceContextTextMapPropagator()
        self._providers = (tracers, meters)
        self._tracer = tracers.get_tracer(_NAME)
        self._kind, self._error = SpanKind.SERVER, StatusCode.ERROR
        meter = meters.get_meter(_NAME)
        self._seconds = meter.create_histogram(
            "vcontract.call.duration", "s", "How long calls and reads took."
        )
        self._bytes = meter.create_counter("vcontract.answer.bytes", "By", "Bytes of answers.")

    @classmethod
    def started(cls, version: str) -> Self | None:
        """Start as OpenTelemetry's environment variables say. None without an endpoint or the packages."""
        if not os.environ.get(ENDPOINT):
            return None
        try:
            sdk = import_module("opentelemetry.sdk.trace")
            batches = import_module("opentelemetry.sdk.trace.export")
            metrics = import_module("opentelemetry.sdk.metrics")
            readers = import_module("opentelemetry.sdk.metrics.export")
            resources = import_module("opentelemetry.sdk.resources")
            spans_out = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
            metrics_out = import_module("opentelemetry.exporter.otlp.proto.http.metric_exporter")
        except ImportError as error:
            _LOG.warning("packages missing", package=error.name, cure="pip install '.[otel]' in a checkout")
            return None
        resource = resources.Resource.create({"service.name": _NAME, "service.version": version})
        # we close what is unsent at the end of the process, so the SDK must not do so as well
        tracers = sdk.TracerProvider(resource=resource, shutdown_on_exit=False)
        tracers.add_span_processor(batches.BatchSpanProcessor(spans_out.OTLPSpanExporter()))
        reader = readers.PeriodicExportingMetricReader(metrics_out.OTLPMetricExporter())
        return cls(tracers, metrics.MeterProvider([reader], resource=resource, shutdown_on_exit=False))

    def count(self, answered: Answered) -> None:
        ended = time.time_ns()
        labels = {"gen_ai.tool.name": answered.tool, "vcontract.outcome": answered.outcome}
        trace = _TRACE.get()
        span = self._tracer.start_span(
            f"tools/call {answered.tool}",
            None if trace is None else self._propagator.extract(trace),
            kind=self._kind,
            start_time=ended - int(answered.seconds * _NANOSECONDS),
            attributes={
                **labels,
                "vcontract.tenant_hash": hashlib.sha256(answered.caller.tenant.encode()).hexdigest()[
                    :_HASH_LENGTH
                ],
                "vcontract.correlation_id": answered.correlation_id,
                "vcontract.answer_bytes": answered.bytes,
                "vcontract.database_seconds": answered.database_seconds,
            },
        )
        if answered.outcome != DONE:
            span.set_status(self._error, answered.outcome)
        span.end(ended)
        self._seconds.record(answered.seconds, labels)
        self._bytes.add(answered.bytes, labels)

    def close(self) -> None:
        """Send what is pending, for at most two seconds."""
        closing = Thread(target=self._shut_down, daemon=True)
        closing.start()
        closing.join(_CLOSING_SECONDS)

    def _shut_down(self) -> None:
        for provider in self._providers:
            shutdown = getattr(provider, "shutdown", None)
            if shutdown is not None:
                shutdown()
