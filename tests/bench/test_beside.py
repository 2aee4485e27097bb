"""What is measured of servers beside the process that embeds."""

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from bench.beside import in_windows, memory_of
from bench.report import Report

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads of processes from /proc")


def is_stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "T"


@pytest.fixture
def process() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE) as started:
        yield started.pid


async def test_calls_are_timed_while_the_process_works_on_all_cores_then_on_one_and_stands_in_turn(
    process: int,
) -> None:
    cores = os.sched_getaffinity(process)
    states: list[tuple[bool, int]] = []

    async def call() -> None:
        states.append((is_stopped(process), len(os.sched_getaffinity(process))))

    taken = await in_windows(process, {"call": call}, windows=2, seconds=0)

    assert states == 2 * [(False, len(cores)), (False, 1), (True, len(cores))]
    assert not is_stopped(process)
    assert [len(times["call"]) for times in taken.values()] == [2, 2, 2]


def test_memory_of_a_process_is_reported_as_resident_and_as_its_share() -> None:
    own = memory_of("own process", os.getpid())
    printed = io.StringIO()

    Report(memory=[own]).show(Console(file=printed, width=120))

    assert 1 < own.pss <= own.rss
    assert Report(memory=[own]).document()["memory"] == [
        {"what": "own process", "rss": own.rss, "pss": own.pss}
    ]
    assert f"{own.rss:.0f}" in printed.getvalue()
