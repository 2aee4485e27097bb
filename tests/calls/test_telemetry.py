"""Telemetry: what OpenTelemetry receives of a call, and what it never receives."""

import io
import socket
import sys
import threading

import pytest

from vcontract.runtime.frame import logs
from vcontract.runtime.frame.calls import telemetry as telemetry_module
from vcontract.runtime.frame.calls.call import Answered
from vcontract.runtime.frame.calls.telemetry import ENDPOINT, Telemetry, following
from vcontract.runtime.frame.context import Caller

CALL = Answered("vcon_fetch", Caller("acme", frozenset(), "token:Ann"), "c0ffee", "NOT_FOUND", 2.0, 1.5, 300)


def test_a_call_is_a_span_without_any_name_of_somebody() -> None:
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    exported = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    simple = pytest.importorskip("opentelemetry.sdk.trace.export")
    metrics = pytest.importorskip("opentelemetry.sdk.metrics")
    readers = pytest.importorskip("opentelemetry.sdk.metrics.export")
    spans, numbers, tracers = (
        exported.InMemorySpanExporter(),
        readers.InMemoryMetricReader(),
        trace.TracerProvider(),
    )
    tracers.add_span_processor(simple.SimpleSpanProcessor(spans))
    telemetry = Telemetry(tracers, metrics.MeterProvider([numbers]))

    trace_id, span_id = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    with following({"traceparent": f"00-{trace_id}-{span_id}-01", "authorization": "secret"}):
        telemetry.count(CALL)

    (span,) = spans.get_finished_spans()
    reported = numbers.get_metrics_data().to_json()
    telemetry.close()
    assert span.name == "tools/call vcon_fetch"
    assert (f"{span.context.trace_id:032x}", f"{span.parent.span_id:016x}") == (trace_id, span_id)
    assert span.end_time - span.start_time == 2_000_000_000
    assert dict(span.attributes) == {
        "gen_ai.tool.name": "vcon_fetch",
        "vcontract.outcome": "NOT_FOUND",
        "vcontract.tenant_hash": "822b33ad87c1",
        "vcontract.correlation_id": "c0ffee",
        "vcontract.answer_bytes": 300,
        "vcontract.database_seconds": 1.5,
    }
    assert "vcontract.call.duration" in reported
    assert not any(name in span.to_json() + reported for name in ("acme", "Ann"))


def test_what_collects_and_does_not_answer_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opentelemetry.sdk.trace")
    monkeypatch.setattr(telemetry_module, "_CLOSING_SECONDS", 0.01)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv(ENDPOINT, f"http://127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.1")
        others = set(threading.enumerate())
        telemetry = Telemetry.started("1")
        assert telemetry is not None
        telemetry.count(CALL)

        telemetry.close()

        taken, _ = silent.accept()  # it is still being sent
        taken.close()
    for thread in set(threading.enumerate()) - others:
        thread.join()  # what it logs is not to be found in another test's output


def test_without_an_address_there_is_no_telemetry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ENDPOINT, raising=False)

    assert Telemetry.started("1") is None


def test_an_address_without_the_packages_is_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:4318")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    stream = io.StringIO()
    logs.configure("warning", stream)

    assert Telemetry.started("1") is None
    assert "pip install '.[otel]'" in stream.getvalue()
