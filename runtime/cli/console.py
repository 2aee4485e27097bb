"""How a command prints: JSON, lines, tables, long texts in a pager; nothing that steers a terminal."""

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
"""How wide a column is at least that is broken into lines."""
_BREAK = re.compile(r"[\n\t]")


def say(text: str) -> None:
    """A result for a person, on the standard output."""
    typer.echo(plain(text))


def print_json(value: "JsonValue", *, pretty: bool = True) -> None:
    """`value` on the standard output, in UTF-8 whatever the locale says."""
    from vcontract.runtime.frame.documents.json import dump_json

    say(dump_json(value, indent=2 if pretty else None).decode())


def written_time(moment: "datetime | None") -> str | None:
    """In RFC 3339 and UTC, for what is printed as JSON."""
    from vcontract.runtime.vcon.times import format_time

    return None if moment is None else format_time(moment)


def print_table(rows: Sequence[Sequence[str]], *, indent: str = "  ") -> None:
    """`rows` in columns as wide as they need; the last column is not filled up."""
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
    """Whether what stands in it is never broken into lines."""


def print_rows(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """A listing: on a terminal a table with titles, else lines of cells with tabs between them.

    Where the terminal is too narrow for it, the cells of a row are below each other, each beside its title.
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
    """How wide a terminal must be for the columns to be read side by side."""
    from rich.cells import cell_len

    widths = [
        max(map(cell_len, cells)) for cells in zip([each.title for each in columns], *rows, strict=True)
    ]
    least = [
        width if column.whole else min(width, _FOLDED) for column, width in zip(columns, widths, strict=True)
    ]
    return sum(least) + 2 * (len(least) - 1)


def page(text: str) -> None:
    """A long text, in the pager of the user on a terminal; styled by escape sequences of ours alone."""
    if not is_read_by_a_person():
        typer.echo(text)
        return
    import os
    import pydoc

    # leave at once what fits on the screen, let styles through, and leave on the screen what was read
    os.environ.setdefault("LESS", "-FRX")
    pydoc.pager(text)


def note(text: str) -> None:
    """A line for the person who watches: on the standard error, so that it never mixes with the result."""
    typer.echo(plain(text), err=True)


def is_watched() -> bool:
    """Whether a person sees the standard error as it comes."""
    return sys.stderr is not None and sys.stderr.isatty()


def is_answered() -> bool:
    """Whether a person is there to answer a question."""
    return sys.stdin is not None and sys.stdin.isatty()


def is_read_by_a_person() -> bool:
    """Whether the standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def counted(count: int, noun: str) -> str:
    """`1 file`, `1,200 files`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def size_of(count: int) -> str:
    """Bytes in words: `812 B`, `4.2 MB`."""
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
