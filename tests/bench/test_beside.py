"""What is measured of servers beside one that embeds."""

import io
import os
import sys

import pytest
from rich.console import Console

from bench.beside import memory_of
from bench.report import Report

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads of processes from /proc")


def test_memory_of_a_process_is_reported_as_resident_and_as_its_share() -> None:
    own = memory_of("own process", os.getpid())
    printed = io.StringIO()

    Report(memory=[own]).show(Console(file=printed, width=120))

    assert 1 < own.pss <= own.rss
    assert Report(memory=[own]).document()["memory"] == [
        {"what": "own process", "rss": own.rss, "pss": own.pss}
    ]
    assert f"{own.rss:.0f}" in printed.getvalue()
