"""Reading: the exchanges of a file as a stream, from its beginning or from the start of one of them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from vcontract.runtime.imports.transcripts.claude_code import ClaudeCodeReader
from vcontract.runtime.imports.transcripts.codex import CodexReader
from vcontract.runtime.imports.transcripts.exchanges import Assembler
from vcontract.runtime.imports.transcripts.lines import Line, read_lines
from vcontract.runtime.imports.transcripts.model import Exchange, Facts, Harness
from vcontract.runtime.imports.transcripts.survey import Survey, survey_file


class Reading:
    """The exchanges of one transcript; `facts` are complete when the last one was given."""

    def __init__(self, harness: Harness, survey: Survey, *, first_number: int = 1) -> None:
        self._assembler = Assembler(first_number)
        reader = CodexReader if harness == "codex" else ClaudeCodeReader
        self._reader = reader(survey, self._assembler)
        self.last_line = 0

    @property
    def facts(self) -> Facts:
        return self._reader.facts

    def exchanges(self, lines: Iterable[Line]) -> Iterator[Exchange]:
        """The exchanges of the main sequence, each as soon as the next one begins."""
        for line in lines:
            self._reader.read(line)
            self.last_line = line.number
            yield from self._assembler.take()
        yield from self._assembler.close()


def read_exchanges(
    path: Path,
    harness: Harness,
    *,
    first_line: int = 1,
    first_number: int = 1,
    first_at: datetime | None = None,
    change: Callable[[Line], Line] | None = None,
) -> Iterator[Exchange]:
    """The exchanges of the main sequence from `first_line` on, which begins exchange `first_number`.

    A line without a time has that of the line before; `first_at` is what it is where reading begins.

    Raises: OSError.
    """
    survey = survey_file(path, harness, change)
    if first_at is not None:
        survey = replace(survey, first_time=first_at, time_source="previous")
    reading = Reading(harness, survey, first_number=first_number)
    with path.open("rb") as stream:
        lines = read_lines(stream, change)
        yield from reading.exchanges(line for line in lines if line.number >= first_line)
