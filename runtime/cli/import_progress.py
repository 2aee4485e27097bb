"""Report an import's progress and problems on standard error."""

import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

from vcontract.runtime.cli.console import counted, is_watched, note, size_of
from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.frame.documents.plain_text import plain

if TYPE_CHECKING:
    from rich.progress import Progress

    from vcontract.runtime.imports.sources import Problem
    from vcontract.runtime.imports.summary import Fate, Summary, TranscriptSummary

_SECONDS_BETWEEN_LINES = 5.0
_MAX_LINES_PER_OUTCOME = 20


class ImportReporter:
    """Reports progress and the first problems of an import; writes all problems to a file."""

    def __init__(self, progress: "ProgressDisplay", file: TextIO | None) -> None:
        self._progress = progress
        self._file = file
        self._met: Counter[Fate] = Counter()

    def met(self, fate: "Fate", problems: "Sequence[Problem]") -> None:
        for problem in problems:
            if self._file is not None:
                self._write(fate, problem, self._file)
            if fate in ("left aside", "left out"):
                continue  # the summary counts these
            self._met[fate] += 1
            if self._met[fate] <= _MAX_LINES_PER_OUTCOME:
                self._progress.say(f"{fate}: {problem}")

    def advanced(self, summary: "Summary | TranscriptSummary", bytes_done: int) -> None:
        self._progress.advance(bytes_done, counted(summary.read, summary.noun))

    def conclude(self) -> None:
        """Report how many problems were not shown."""
        for fate, count in self._met.items():
            if count > _MAX_LINES_PER_OUTCOME:
                more = counted(count - _MAX_LINES_PER_OUTCOME, _MORE.get(fate, f"more {fate}"))
                self._progress.say(f"and {more}; --problems FILE writes them all")

    def _write(self, fate: "Fate", problem: "Problem", file: TextIO) -> None:
        import json

        try:
            print(json.dumps({"fate": fate, **problem.as_json()}, ensure_ascii=False), file=file)
        except OSError as error:
            raise CommandFailed(
                f"cannot write {file.name}: {error.strerror}", cure="free disk space"
            ) from None


_MORE = {"refused": "more problem", "warning": "more warning"}


@contextmanager
def reporting_import(size: int, problems: Path | None = None, *, quiet: bool) -> Generator[ImportReporter]:
    """Open the reporter of an import of `size` bytes; writes all problems to the file `problems`."""
    with _problem_file(problems) as file, showing_progress(size, quiet=quiet) as progress:
        teller = ImportReporter(progress, file)
        yield teller
        teller.conclude()


@contextmanager
def _problem_file(path: Path | None) -> Generator[TextIO | None]:
    if path is None:
        yield None
        return
    try:
        file = path.open("w", encoding="utf-8")
    except OSError as error:
        raise CommandFailed(
            f"cannot write {path}: {error.strerror}", cure="name another file", code=ExitCode.USAGE
        ) from None
    with file:
        yield file


@contextmanager
def reporting_problems() -> Generator[ImportReporter]:
    """Open a reporter of problems without a progress display, for continuous commands such as a watch."""
    teller = ImportReporter(_Notes(), None)
    yield teller
    teller.conclude()


class ProgressDisplay(Protocol):
    """Shows a person the progress of a command."""

    def advance(self, bytes_done: int, count: str) -> None:
        """Show progress in bytes. `count` is the progress in files or documents, as text."""
        ...

    def say(self, line: str) -> None:
        """Print a line without disturbing the progress."""
        ...


@contextmanager
def showing_progress(size: int, *, quiet: bool) -> Generator[ProgressDisplay]:
    """Open progress over `size` bytes: a bar on a terminal, lines elsewhere, nothing if `quiet`."""
    if quiet:
        yield _NoDisplay()
        return
    if not is_watched():
        yield _Lines(size)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[count]}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield _Bar(size, progress)


class _NoDisplay:
    def advance(self, bytes_done: int, count: str) -> None:
        pass

    def say(self, line: str) -> None:
        pass


class _Notes(_NoDisplay):
    def say(self, line: str) -> None:
        note(line)


class _Lines:
    def __init__(self, size: int) -> None:
        self._size = size
        self._said = 0.0

    def advance(self, bytes_done: int, count: str) -> None:
        now = time.monotonic()
        if now >= self._said + _SECONDS_BETWEEN_LINES and not 0 < self._size <= bytes_done:
            self._said = now
            self.say(f"{count}, {size_of(bytes_done)} of {size_of(self._size)}")

    def say(self, line: str) -> None:
        note(line)


class _Bar:
    def __init__(self, size: int, progress: "Progress") -> None:
        self._progress = progress
        self._task = progress.add_task("import", total=size or None, count="")

    def advance(self, bytes_done: int, count: str) -> None:
        self._progress.update(self._task, completed=bytes_done, count=count)

    def say(self, line: str) -> None:
        self._progress.console.print(plain(line), markup=False, highlight=False, soft_wrap=True)
