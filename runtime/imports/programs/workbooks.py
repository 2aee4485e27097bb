"""Read Excel workbooks: convert each sheet to a CSV table."""

import csv
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime, time
from io import StringIO
from pathlib import Path
from typing import Final

from vcontract.runtime.imports.streams import CHUNK, DAMAGED, Budget, Limits, Unpacked, Unreadable

WORKBOOK: Final = "xl/workbook.xml"
"""Zip member that identifies a workbook."""
_LIMITS: Final = Limits()
_MAX_INFLATION: Final = 20
"""Maximum ratio of unpacked to packed size. A sheet's XML usually shrinks to a tenth, and is held in
memory.
"""
_MAX_COLUMNS: Final = 200
_ZIP: Final = b"PK\x03\x04"


def is_workbook(path: Path) -> bool:
    """Whether a file is an Excel workbook (.xlsx, .xlsm)."""
    try:
        with path.open("rb") as file:
            if file.read(4) != _ZIP:
                return False
        with zipfile.ZipFile(path) as archive:
            return WORKBOOK in archive.namelist()
    except (OSError, *DAMAGED):
        return False


def sheets_of(path: Path, limits: Limits = _LIMITS) -> Iterator[tuple[str, bytes]]:
    """Yield name and CSV of each sheet, from the first row with two cells on.

    Raises: Unreadable.
    """
    # only for a workbook, because it is slow to load
    import openpyxl

    _refuse_hostile(path, limits)
    try:
        with _ignoring_styles():
            book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
        with closing(book):
            for sheet in book.worksheets:
                sheet.reset_dimensions()  # some programs write wrong dimensions
                with _ignoring_styles():
                    text = _csv_of(sheet.iter_rows(max_col=_MAX_COLUMNS, values_only=True))
                yield sheet.title, text
    except Exception as error:  # no workbook may stop other files
        message = f"is an Excel workbook that cannot be read: {type(error).__name__}"
        raise Unreadable("damaged", message) from None


def _ignoring_styles() -> "warnings.catch_warnings[None]":
    """Suppress warnings about styles and extensions, which are not used."""
    return warnings.catch_warnings(action="ignore")


def _refuse_hostile(path: Path, limits: Limits) -> None:
    """Reject decompression bombs and XML entities. Raises: Unreadable."""
    try:
        with zipfile.ZipFile(path) as archive:
            budget = Budget(replace(limits, inflation=_MAX_INFLATION), path.stat().st_size)
            for info in archive.infolist():
                with archive.open(info) as member:
                    stream, before = Unpacked(member, budget), b""
                    while data := stream.read(CHUNK):
                        if info.filename.endswith((".xml", ".rels")) and b"<!DOCTYPE" in before[-16:] + data:
                            raise Unreadable(
                                "damaged", "is an Excel workbook that declares a document type, as none does"
                            )
                        before = data
    except DAMAGED as error:
        raise Unreadable("damaged", f"is an Excel workbook that cannot be unpacked: {error}") from None


def _csv_of(rows: Iterator[tuple[object, ...]]) -> bytes:
    """Convert non-empty rows, starting at the headings, after rows with a single cell."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    has_begun = False
    for row in rows:
        if row.count(None) == len(row):
            continue
        has_begun = has_begun or row.count(None) < len(row) - 1
        if has_begun:
            cells = [_cell(value) for value in row]
            while cells and not cells[-1]:
                cells.pop()
            writer.writerow(cells)
    return text.getvalue().encode("utf-8", "surrogatepass")


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case datetime():
            return value.isoformat(" ", "seconds")
        case date() | time():
            return value.isoformat()
        case float() if value.is_integer():
            return str(int(value))
        case _:
            return str(value)
