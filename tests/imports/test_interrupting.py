"""That an import lets itself be interrupted while it waits for what it reads."""

import asyncio
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from vcontract.runtime.imports.importer import Importer
from vcontract.runtime.imports.preparing import Workers
from vcontract.runtime.imports.sources import Problem, find_files
from vcontract.runtime.imports.summary import Fate, Summary, TranscriptSummary


class Terminal:
    """Somebody who presses Ctrl-C where a vCon is waited for."""

    def __init__(self) -> None:
        self.is_waited_for = False

    def read(self, size: int) -> bytes:
        signal.raise_signal(signal.SIGINT)
        self.is_waited_for = True
        return b""


class Nobody:
    def met(self, fate: Fate, problems: Sequence[Problem]) -> None: ...

    def advanced(self, summary: Summary | TranscriptSummary, bytes_done: int) -> None: ...


@pytest.fixture
def usual_interrupts() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals reach the main thread only")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("usual_interrupts")
def test_ctrl_c_ends_a_read_that_waits_for_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=terminal))

    async def rehearse() -> None:
        with Workers() as workers:
            importer = Importer(workers, lambda: datetime.now(UTC), "default", None)
            await importer.run(find_files(["-"]).files, Nobody())

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(rehearse())

    assert not terminal.is_waited_for
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
