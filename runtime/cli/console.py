"""How a command prints: JSON, plain lines and tables."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from vcontract.runtime.documents.json import JsonValue


def print_json(value: "JsonValue", *, pretty: bool = True) -> None:
    """`value` on the standard output, in UTF-8 whatever the locale says."""
    from vcontract.runtime.documents.json import dump_json

    typer.echo(dump_json(value, indent=2 if pretty else None))


def print_table(rows: Sequence[Sequence[str]], *, indent: str = "  ") -> None:
    """`rows` in columns as wide as they need; the last column is not filled up."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        typer.echo((indent + "  ".join([*cells, row[-1]])).rstrip())


def note(text: str) -> None:
    """A line for the person who watches: on the standard error, so that it never mixes with the result."""
    typer.echo(text, err=True)


def is_watched() -> bool:
    """Whether a person sees the standard error as it comes."""
    return sys.stderr.isatty()


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
