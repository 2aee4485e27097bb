"""Read a past conversation: from path and lines to the exchanges that fit in a response."""

import asyncio
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from pydantic import MISSING

from vcontract.generated.errors import NotFound, ValidationError
from vcontract.generated.models import memory as models
from vcontract.generated.results.memory import MemoryReadResult
from vcontract.handlers.memory.conversation_layout import (
    BETWEEN,
    Parts,
    Shown,
    exchange_parts,
    footer,
    header,
    nothing_in,
    show_exchange,
)
from vcontract.handlers.services import Tools
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.findings import counted
from vcontract.runtime.frame.envelope import Document
from vcontract.runtime.imports.transcripts.archive import begins_with
from vcontract.runtime.imports.transcripts.model import Exchange, Harness
from vcontract.runtime.imports.transcripts.reading import read_exchanges
from vcontract.runtime.store.transcripts import conversations
from vcontract.runtime.store.transcripts import rows as transcripts
from vcontract.runtime.store.transcripts.conversations import Beginning, SubAgent
from vcontract.runtime.store.transcripts.rows import TranscriptRow

_FRAME: Final = 2_000
"""Bytes reserved around the exchanges, without the path."""


@dataclass(frozen=True, slots=True)
class _Extent:
    """Range to read, and the size limit."""

    begin: Beginning
    """Start of the exchange that contains `start`."""
    start: int
    end: int
    budget: int
    sub_agents: list[SubAgent]


@dataclass(frozen=True, slots=True)
class _Reading:
    """Lines to show; `next_line` is None at the end."""

    shown: list[Shown]
    truncated: bool
    next_line: int | None
    around: Exchange | None = None
    """Exchange around lines in which nothing begins."""


class ReadingTools(Tools):
    """Implements `generated.protocols.MemoryReadingTools`."""

    async def read(self, params: models.MemoryReadParams, ctx: ToolContext, /) -> Document[MemoryReadResult]:
        end_given = None if params.endLine is MISSING else params.endLine
        if end_given is not None and end_given < params.startLine:
            raise _bad_range("endLine", end_given, f"Send an endLine from {params.startLine} on.")
        row, begin, sub_agents = await self._find(params, ctx)
        for name, line in (("startLine", params.startLine), ("endLine", end_given or 1)):
            if line > row.lines:
                raise _bad_range(name, line, f"The conversation has {counted(row.lines, 'line')}.")
        budget: int = ctx.contract.policy["byte_budget"]["default"]
        extent = _Extent(
            begin,
            start=params.startLine,
            end=end_given or row.lines,
            budget=budget - _FRAME - 2 * len(row.archive_path.encode()),
            sub_agents=sub_agents,
        )
        try:
            reading = await asyncio.to_thread(_read, row, extent)
        except OSError as error:
            raise NotFound("File not found", details={"reason": "archive_missing"}) from error
        return _document(row, extent, reading)

    async def _find(
        self, params: models.MemoryReadParams, ctx: ToolContext
    ) -> tuple[TranscriptRow, Beginning, list[SubAgent]]:
        """Find the transcript for the path, the start, and sub-agents that began there."""
        async with self._database.reading(ctx.tenant) as connection:
            # invalid text matches no key, but the query still runs
            path = params.path.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
            rows = await transcripts.at_path(connection, ctx.tenant, path)
            if not rows:
                raise NotFound("File not found", suggestions=["Use the path of a search result."])
            row = max(rows, key=lambda row: (row.archive_path == path, row.imported_at))
            line = min(params.startLine, row.lines)
            begin = await conversations.exchange_at(connection, ctx.tenant, row.vcon, line)
            if row.agent is not None:
                return row, begin, []
            return (
                row,
                begin,
                await conversations.sub_agents_of(
                    connection, ctx.tenant, row.harness, row.session, row.ended_at
                ),
            )


def _bad_range(parameter: str, value: int, remedy: str) -> ValidationError:
    return ValidationError(
        "Invalid line range",
        details={"parameter": parameter, "reason": "line_range", "value": value},
        suggestions=[remedy],
    )


def _read(row: TranscriptRow, extent: _Extent) -> _Reading:
    """Read exchanges in these lines from the archive, as many as fit.

    Raises: OSError if the archive is missing or incomplete.
    """
    path = Path(row.archive_path)
    if not begins_with(path, row.archive_size, row.archive_hash):
        raise OSError("the archive is not what was imported")
    harness = cast("Harness", row.harness)
    line, number, at = extent.begin
    exchanges = read_exchanges(path, harness, first_line=line, first_number=number, first_at=at)
    room = extent.budget
    shown: list[Shown] = []
    around = None
    for exchange, parts in _within(exchanges, extent):
        if not parts:
            around = exchange
            continue
        whole = show_exchange(exchange, parts, continued=_is_continued(exchange, extent))
        if whole.size <= room:
            shown.append(whole)
            room -= whole.size
            continue
        if shown:
            return _Reading(shown, truncated=True, next_line=max(exchange.line_start, extent.start))
        cut, next_line = _as_much_as_fits(exchange, parts, extent)
        return _Reading([cut], truncated=True, next_line=next_line if next_line <= extent.end else None)
    return _Reading(shown, truncated=False, next_line=None, around=around)


def _within(exchanges: Iterator[Exchange], extent: _Extent) -> Iterator[tuple[Exchange, Parts]]:
    """Yield the requested exchanges with the parts that begin there."""
    for exchange in exchanges:
        if exchange.line_start > extent.end:
            return
        if exchange.line_end >= extent.start:
            yield exchange, exchange_parts(exchange, extent.start, extent.end, extent.sub_agents)


def _is_continued(exchange: Exchange, extent: _Extent) -> bool:
    return extent.start > exchange.line_start


def _as_much_as_fits(exchange: Exchange, parts: Parts, extent: _Extent) -> tuple[Shown, int]:
    """The first lines of an exchange longer than a response, and the line to continue with.

    Shows whole messages if one fits, else the beginning of the first one.
    """
    continued = _is_continued(exchange, extent)
    lines = sorted({part.line for part in parts})

    def beginning(count: int) -> Shown:
        """Format the parts of the first `count` lines."""
        before = lines[count] if count < len(lines) else exchange.line_end + 1
        return show_exchange(exchange, [part for part in parts if part.line < before], continued=continued)

    fitting = bisect_right(range(1, len(lines)), extent.budget, key=lambda count: beginning(count).size)
    if fitting:
        return beginning(fitting), lines[fitting]
    first = [part for part in parts if part.line == lines[0]]
    after = lines[1] if len(lines) > 1 else exchange.line_end + 1
    return _cut_line(exchange, first, extent.budget, continued=continued), after


def _cut_line(exchange: Exchange, parts: Parts, budget: int, *, continued: bool) -> Shown:
    """Cut each part of one line to fit, with a note."""

    def cut(most: int) -> Shown:
        return show_exchange(exchange, [part.cut(most) for part in parts], continued=continued)

    longest = max(len(part.text) for part in parts)
    return cut(bisect_right(range(1, longest + 1), budget, key=lambda most: cut(most).size))


def _document(row: TranscriptRow, extent: _Extent, reading: _Reading) -> Document[MemoryReadResult]:
    end = extent.end if reading.next_line is None else reading.next_line - 1
    facts: MemoryReadResult = {
        "success": True,
        "path": row.archive_path,
        "session_id": row.session,
        "project": row.project,
        "date": row.started_at.date().isoformat(),
        "harness": row.harness,
        "vcon_uuid": str(row.vcon),
        "total_lines": row.lines,
        "start_line": extent.start,
        "end_line": end,
        "exchanges": [shown.facts for shown in reading.shown],
        "truncated": reading.truncated,
    }
    if reading.next_line is not None:
        facts["next_start_line"] = reading.next_line
    pieces = [header(Path(row.archive_path).stem, row.project, facts["date"])]
    pieces += [shown.text for shown in reading.shown] or [
        nothing_in(extent.start, extent.end, reading.around)
    ]
    if reading.truncated:
        pieces.append(footer(extent.start, end, row.lines, reading.next_line))
    return Document(facts, BETWEEN.join(pieces))
