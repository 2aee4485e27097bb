"""Print results: JSON, lines, tables and long texts, without terminal control characters."""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from vcontract.runtime.frame.documents.plain_text import one_line, plain

if TYPE_CHECKING:
    from datetime import datetime

    from vcontract.runtime.frame.documents.json import JsonValue

_FOLDED = 24
"""Minimum width of a wrapped column."""
_BREAK = re.compile(r"[\n\t]")


def say(text: str) -> None:
    """Print a result on stdout."""
    typer.echo(plain(text))


def print_json(value: "JsonValue", *, pretty: bool = True) -> None:
    """Print `value` on stdout, in UTF-8 regardless of the locale."""
    from vcontract.runtime.frame.documents.json import dump_json

    say(dump_json(value, indent=2 if pretty else None).decode())


def written_time(moment: "datetime | None") -> str | None:
    """Format a time for JSON, in RFC 3339 and UTC."""
    from vcontract.runtime.vcon.times import format_time

    return None if moment is None else format_time(moment)


def print_table(rows: Sequence[Sequence[str]], *, indent: str = "  ") -> None:
    """Print `rows` in columns of minimal width."""
    lines = [[plain(_BREAK.sub(" ", cell)) for cell in row] for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    for row in lines:
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        typer.echo((indent + "  ".join([*cells, row[-1]])).rstrip())


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a listing."""

    title: str
    whole: bool = False
    """Whether its values are never wrapped."""


def print_rows(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Print a listing: a table with titles on a terminal, else tab-separated lines.

    On a narrow terminal, the cells of a row are printed below each other with their titles.
    """
    if not is_read_by_a_person():
        for row in rows:
            typer.echo("\t".join(map(one_line, row)))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    lines = [[one_line(cell) for cell in row] for row in rows]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    if _least_width(columns, lines) > console.width:
        table.show_header = False
        for number, row in enumerate(lines):
            if number:
                table.add_row()
            for column, cell in zip(columns, row, strict=True):
                table.add_row(Text(column.title, "bold"), Text(cell, overflow="fold"))
    else:
        for column in columns:
            table.add_column(column.title, no_wrap=column.whole, overflow="fold")
        for row in lines:
            table.add_row(*map(Text, row))
    console.print(table)


def _least_width(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> int:
    """Minimum terminal width for columns side by side."""
    from rich.cells import cell_len

    widths = [
        max(map(cell_len, cells)) for cells in zip([each.title for each in columns], *rows, strict=True)
    ]
    least = [
        width if column.whole else min(width, _FOLDED) for column, width in zip(columns, widths, strict=True)
    ]
    return sum(least) + 2 * (len(least) - 1)


def page(text: str) -> None:
    """Print a long text, in the user's pager on a terminal, with our own styles only."""
    if not is_read_by_a_person():
        typer.echo(text)
        return
    import os
    import pydoc

    # exit if it fits on the screen, allow styles, and keep the text on the screen
    os.environ.setdefault("LESS", "-FRX")
    pydoc.pager(text)


def note(text: str) -> None:
    """Print a line on stderr, so that it never mixes with the result."""
    typer.echo(plain(text), err=True)


def is_watched() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def is_answered() -> bool:
    """Whether a user can answer questions."""
    return sys.stdin is not None and sys.stdin.isatty()


def is_read_by_a_person() -> bool:
    """Whether the standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def counted(count: int, noun: str) -> str:
    """Format a count: `1 file`, `1,200 files`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def size_of(count: int) -> str:
    """Format bytes: `812 B`, `4.2 MB`."""
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
