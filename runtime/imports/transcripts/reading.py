"""Read a source file once: parse its exchanges and write its archive copy."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path

from vcontract.runtime.imports.transcripts.agents.agent_registry import converted_program_named
from vcontract.runtime.imports.transcripts.agents.synthetic_lines import AgentReader
from vcontract.runtime.imports.transcripts.archive import ArchiveWriter
from vcontract.runtime.imports.transcripts.claude_code import ClaudeCodeReader
from vcontract.runtime.imports.transcripts.codex import CodexReader
from vcontract.runtime.imports.transcripts.exchanges import Assembler
from vcontract.runtime.imports.transcripts.lines import Line, read_lines
from vcontract.runtime.imports.transcripts.model import Exchange, Harness, TranscriptFacts
from vcontract.runtime.imports.transcripts.prescan import Prescan, prescan_file
from vcontract.runtime.imports.transcripts.source import Source


class Reading:
    """Exchanges of one transcript; `facts` are complete after the last one."""

    def __init__(self, harness: Harness, survey: Prescan, *, first_number: int = 1) -> None:
        self._assembler = Assembler(first_number, survey.abandoned)
        self._reader = _reader_of(harness, survey, self._assembler)
        self.last_line = 0

    @property
    def facts(self) -> TranscriptFacts:
        return self._reader.facts

    def exchanges(self, lines: Iterable[Line]) -> Iterator[Exchange]:
        """Yield the exchanges of the main sequence, each when the next one begins."""
        for line in lines:
            self._reader.read(line)
            self.last_line = line.number
            yield from self._assembler.take()
        yield from self._assembler.close()


def _reader_of(
    harness: Harness, survey: Prescan, assembler: Assembler
) -> ClaudeCodeReader | CodexReader | AgentReader:
    if (agent := converted_program_named(harness)) is not None:
        return AgentReader(agent, survey, assembler)
    return CodexReader(survey, assembler) if harness == "codex" else ClaudeCodeReader(survey, assembler)


def read_exchanges(
    path: Path,
    harness: Harness,
    *,
    first_line: int = 1,
    first_number: int = 1,
    first_at: datetime | None = None,
    change: Callable[[Line], Line] | None = None,
) -> Iterator[Exchange]:
    """Yield the exchanges of the main sequence from `first_line`, the start of exchange `first_number`.

    A line without a time has the previous line's; `first_at` is the initial time.

    Raises: OSError.
    """
    survey = prescan_file(path, harness, change)
    if first_at is not None:
        survey = replace(survey, first_time=first_at, time_source="previous")
    reading = Reading(harness, survey, first_number=first_number)
    with path.open("rb") as stream:
        lines = read_lines(stream, change)
        yield from reading.exchanges(line for line in lines if line.number >= first_line)


Change = Callable[[Line], Line]


@dataclass(frozen=True, slots=True)
class Prefix:
    """Size and digest of a source when it was imported."""

    size: int
    digest: bytes


@dataclass(frozen=True, slots=True)
class Loaded:
    """A source file, read as far as it is complete."""

    facts: TranscriptFacts
    exchanges: list[Exchange]
    lines: int
    size: int
    """Bytes read, without a line still being written."""
    digest: bytes
    begins_as_before: bool
    """Whether the given prefix is unchanged."""


def load(
    source: Source,
    change: Change | None,
    archive: ArchiveWriter | None,
    before: Prefix | None,
) -> Loaded:
    """Read the scanned lines through `change` into the model and the archive.

    Raises: OSError.
    """
    with source.open() as stream:
        bytes_read = _BytesRead(before)
        reading = Reading(source.harness, source.survey)
        lines = bytes_read.lines(islice(read_lines(stream), source.survey.lines))
        exchanges = list(reading.exchanges(_copied(lines, change, archive)))
    return Loaded(
        reading.facts,
        exchanges,
        reading.last_line,
        bytes_read.size,
        bytes_read.digest,
        bytes_read.begins_as_before,
    )


def _copied(lines: Iterator[Line], change: Change | None, archive: ArchiveWriter | None) -> Iterator[Line]:
    for line in lines:
        changed = line if change is None else change(line)
        if archive is not None:
            archive.write(changed)
        yield changed


class _BytesRead:
    """Counts and hashes the bytes read, and compares them with the previous prefix."""

    def __init__(self, before: Prefix | None) -> None:
        self._before = before
        self._hash = hashlib.sha256()
        self.size = 0
        self.begins_as_before = before is None or before.size == 0

    @property
    def digest(self) -> bytes:
        return self._hash.digest()

    def lines(self, lines: Iterator[Line]) -> Iterator[Line]:
        for line in lines:
            self._take(line.raw)
            if line.ended:
                self._take(b"\n")
            yield line

    def _take(self, data: bytes) -> None:
        self._hash.update(data)
        self.size += len(data)
        before = self._before
        if before is not None and self.size == before.size:
            self.begins_as_before = self._hash.digest() == before.digest
