"""Read Excel workbooks: convert each sheet to a CSV table."""

import csv
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator
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
_MAX_ROW_TAGS: Final = 100_000
"""Maximum XML tags of a row. Excel has 16,384 columns, and a cell up to six tags."""
_MAX_PART_TAGS: Final = 5_000_000
"""Maximum XML tags of a part that is no sheet, such as the texts, which are all held in memory."""
_MAX_TAG_START: Final = 64
_MAX_TAGS: Final = 20_000_000
"""Maximum XML tags of a workbook: a million rows of three cells have fewer."""
_ROW: Final = re.compile(rb"<(?:[\w.-]+:)?row[\s/>]")
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
            tags = _Tags()
            for info in archive.infolist():
                with archive.open(info) as member:
                    stream, before = Unpacked(member, budget), b""
                    counted = tags.of_part(info.filename)
                    while data := stream.read(CHUNK):
                        if info.filename.endswith((".xml", ".rels")) and b"<!DOCTYPE" in before[-16:] + data:
                            raise Unreadable(
                                "damaged", "is an Excel workbook that declares a document type, as none does"
                            )
                        before = data
                        counted(data)
    except DAMAGED as error:
        raise Unreadable("damaged", f"is an Excel workbook that cannot be unpacked: {error}") from None


class _Tags:
    """Counts the XML tags of a workbook, because each one takes far more memory than its text."""

    def __init__(self) -> None:
        self._all = 0

    def of_part(self, name: str) -> Callable[[bytes], None]:
        """Return what takes the pieces of one part in order. It raises Unreadable for too many tags."""
        is_sheet = "/worksheets/" in name
        begun, of_row, of_part = b"", 0, 0

        def take(data: bytes) -> None:
            nonlocal begun, of_row, of_part
            text = begun + data
            last = text.rfind(b"<", -_MAX_TAG_START)
            # a tag whose name may go on is counted with the next piece
            begun = text[last:] if last >= 0 else b""
            text = text[: len(text) - len(begun)]
            tags = text.count(b"<")
            self._all += tags
            of_part += tags
            at = 0
            for row in _ROW.finditer(text) if is_sheet else ():
                _check(of_row + text.count(b"<", at, row.start()), _MAX_ROW_TAGS, "a row")
                at, of_row = row.start(), 0
            if is_sheet:
                of_row += text.count(b"<", at)
                _check(of_row, _MAX_ROW_TAGS, "a row")
            else:
                _check(of_part, _MAX_PART_TAGS, "a list of texts or styles")
            _check(self._all, _MAX_TAGS, "sheets")

        return take


def _check(tags: int, most: int, what: str) -> None:
    if tags > most:
        raise Unreadable(
            "too_large",
            f"is an Excel workbook with {what} of more than {most:,} XML tags; save its sheets as CSV and "
            "import those",
        )


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
