"""Log lines: JSON on stderr that says what happened and nothing that anybody said."""

import io
import json
import logging
import os
import sys

import pytest

from vcontract.runtime.frame import logs
from vcontract.runtime.frame.documents.json import JsonObject


@pytest.fixture
def stream() -> io.StringIO:
    stream = io.StringIO()
    logs.configure("info", stream)
    return stream


def lines(stream: io.StringIO) -> list[JsonObject]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_is_a_json_object_with_its_fields(stream: io.StringIO) -> None:
    logs.Log("dispatch").info("started", tools=31)

    (line,) = lines(stream)
    assert line["event"] == "started"
    assert line["tools"] == 31
    assert line["level"] == "info"
    assert line["logger"] == "vcontract.dispatch"
    assert line["time"].endswith("Z")


def test_lines_inside_a_call_carry_its_correlation_id(stream: io.StringIO) -> None:
    log = logs.Log("store")
    with logs.correlation("abc"):
        log.info("inside")
    log.info("outside")

    inside, outside = lines(stream)
    assert inside["correlation_id"] == "abc"
    assert "correlation_id" not in outside


def test_lines_below_the_level_are_left_out(stream: io.StringIO) -> None:
    logs.Log("dispatch").debug("detail")

    assert stream.getvalue() == ""


def test_a_cause_is_described_without_its_words(stream: io.StringIO) -> None:
    try:
        try:
            raise KeyError("the customer said hello")
        except KeyError as error:
            raise ValueError("their card is 4111") from error
    except ValueError as error:
        logs.Log("dispatch").error("call_failed", error)

    (line,) = lines(stream)
    assert line["cause"]["type"] == "builtins.ValueError"
    assert line["cause"]["cause"]["type"] == "builtins.KeyError"
    assert "test_logs.py" in line["cause"]["frames"][-1]
    assert "hello" not in stream.getvalue()
    assert "4111" not in stream.getvalue()


def test_an_exception_that_a_library_logs_is_described_without_its_words(stream: io.StringIO) -> None:
    try:
        raise RuntimeError("row: (secret words)")
    except RuntimeError:
        logging.getLogger("mcp.server").exception("handler raised")

    (line,) = lines(stream)
    assert line["cause"]["type"] == "builtins.RuntimeError"
    assert "secret words" not in stream.getvalue()


def test_libraries_are_heard_from_warning_up_only(stream: io.StringIO) -> None:
    logs.configure("debug", stream)
    logging.getLogger("mcp.server").info("message: %r", {"text": "hello"})

    assert stream.getvalue() == ""


def test_a_cause_from_the_database_keeps_its_sqlstate(stream: io.StringIO) -> None:
    class QueryCancelled(Exception):
        sqlstate = "57014"

    logs.Log("store").error("call_failed", QueryCancelled("canceling statement: select 'words'"))

    (line,) = lines(stream)
    assert line["cause"]["sqlstate"] == "57014"
    assert "words" not in stream.getvalue()


@pytest.mark.skipif(sys.platform == "win32", reason="whether a pipe has room cannot be asked there")
def test_a_pipe_that_nobody_reads_keeps_nobody_waiting_and_is_told_what_it_missed() -> None:
    reading, writing = os.pipe()
    with open(reading, "rb", buffering=0) as reader, open(writing, "w", encoding="utf-8") as pipe:
        logs.configure("info", pipe)
        log = logs.Log("calls")

        def read() -> list[JsonObject]:
            return [json.loads(line) for line in reader.read(1 << 20).splitlines()]

        for number in range(1_000):
            log.info("done", number=number, padding="x" * 200)
        came = read()
        log.info("again")
        missed, again = read()

    assert [line["number"] for line in came] == list(range(len(came)))
    assert (missed["level"], missed["lines"]) == ("warning", 1_000 - len(came))
    assert again["event"] == "again"
