"""Progress on the standard error: a bar on a terminal, otherwise a line every few seconds, or nothing."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from vcontract.runtime.cli.console import is_watched, note, size_of

if TYPE_CHECKING:
    from rich.progress import Progress

_SECONDS_BETWEEN_LINES = 5.0


class Progressing(Protocol):
    """Tells a person how far a command is."""

    def advance(self, bytes_done: int, told: str) -> None:
        """So many bytes are done; `told` says it in things."""
        ...

    def say(self, line: str) -> None:
        """A line of its own."""
        ...


@contextmanager
def progressing(size: int, *, quiet: bool) -> Generator[Progressing]:
    """Progress over so many bytes, in the way that suits where the output goes."""
    if quiet:
        yield _Silence()
        return
    if not is_watched():
        yield _Lines(size)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[told]}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield _Bar(size, progress)


class _Silence:
    def advance(self, bytes_done: int, told: str) -> None:
        pass

    def say(self, line: str) -> None:
        pass


class _Lines:
    def __init__(self, size: int) -> None:
        self._size = size
        self._said = 0.0

    def advance(self, bytes_done: int, told: str) -> None:
        now = time.monotonic()
        if now >= self._said + _SECONDS_BETWEEN_LINES:
            self._said = now
            self.say(f"{told}, {size_of(bytes_done)} of {size_of(self._size)}")

    def say(self, line: str) -> None:
        note(line)


class _Bar:
    def __init__(self, size: int, progress: "Progress") -> None:
        self._progress = progress
        self._task = progress.add_task("import", total=size or None, told="")

    def advance(self, bytes_done: int, told: str) -> None:
        self._progress.update(self._task, completed=bytes_done, told=told)

    def say(self, line: str) -> None:
        self._progress.console.print(line, markup=False, highlight=False, soft_wrap=True)
