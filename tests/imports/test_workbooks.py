"""Excel workbooks: a sheet is read as a table, whatever its cells are, and a hostile file is refused."""

import tracemalloc
import zipfile
from datetime import date, datetime, time
from pathlib import Path

import openpyxl
import pytest

from tests.imports.call_centre import DEAD, HELLO
from tests.imports.test_programs import come_in, said
from vcontract.runtime.imports.mappings import load_mapping, preview, with_conversations
from vcontract.runtime.imports.programs import workbooks
from vcontract.runtime.imports.reader import Reader
from vcontract.runtime.imports.sources import find_files
from vcontract.runtime.imports.streams import Limits


def workbook(path: Path, **sheets: list[list[object]]) -> Path:
    """A workbook of these sheets."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def with_member(path: Path, name: str, content: str) -> Path:
    """The workbook, with this member in place of its own."""
    with zipfile.ZipFile(path) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, data in {**members, name: content.encode()}.items():
            archive.writestr(each, data)
    return path


def test_each_sheet_is_a_table_whose_dates_are_read_whatever_is_above_and_between_its_rows(
    tmp_path: Path,
) -> None:
    path = workbook(
        tmp_path / "calls.xlsx",
        Summary=[["Calls", 2]],
        July=[
            ["Report of July"],
            [],
            ["Call ID", "Speaker", "Text", "Timestamp"],
            [1021, "Agent", HELLO, datetime(2026, 7, 7, 14, 0, 1)],
            [],
            [1021, "Customer", DEAD, datetime(2026, 7, 7, 14, 0, 5)],
        ],
        August=[
            ["Anrufnummer", "Datum", "Uhrzeit", "Sprecher", "Nachricht"],
            [1022, date(2026, 8, 7), time(9, 30), "Agent", HELLO],
            [1022, date(2026, 8, 7), time(9, 30, 7), "Customer", DEAD],
        ],
    )

    vcons, problems = come_in(path)

    assert problems == []
    assert [said(vcon) for vcon in vcons] == [[("Agent", HELLO), ("Customer", DEAD)]] * 2
    assert [[turn["start"] for turn in vcon["dialog"]] for vcon in vcons] == [
        ["2026-07-07T14:00:01Z", "2026-07-07T14:00:05Z"],
        ["2026-08-07T09:30:00Z", "2026-08-07T09:30:07Z"],
    ]
    assert [vcon["subject"] for vcon in vcons] == ["1021", "1022"]
    assert come_in(path)[0] == vcons


def test_a_mapping_of_a_dry_run_reads_a_workbook_and_a_folder_takes_it(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "calls.xlsx",
        Calls=[["nr", "was"], [7, f"Berater: {HELLO}\nKunde: {DEAD}"], [8, f"Berater: Ja?\nKunde: {DEAD}"]],
    )
    turns = [[("Berater", HELLO), ("Kunde", DEAD)], [("Berater", "Ja?"), ("Kunde", DEAD)]]
    (tmp_path / "mapping.yaml").write_text(
        "name: anrufe\ntitle: Anrufe\ngot: ours\nshape: table\nrecognise: [[nr, was]]\nconversations: ['*']\n"
        "id: [nr]\nlocal: true\n"
        "turns: [{at: was, split: '^(?P<name>\\w+): ', speaker: [name], text: [text]}]\n"
    )
    mapping = load_mapping(tmp_path / "mapping.yaml")

    assert [said(vcon) for vcon in come_in(path, mapping)[0]] == turns
    taken = with_conversations(find_files([str(tmp_path)]), mapping).files
    assert [Path(file.name).name for file in taken] == ["calls.xlsx"]

    workbook(path, Calls=[["Ref", "Who", "Text"], [7, "Agent", HELLO], [7, "Customer", DEAD]])
    found = preview(find_files([str(path)]))
    assert found is not None
    assert [turn.text for turn in found[0].conversation.turns] == [HELLO, DEAD]


def test_a_workbook_without_conversations_says_what_its_tables_have(tmp_path: Path) -> None:
    _, problems = come_in(
        workbook(tmp_path / "prices.xlsx", Prices=[["sku", "price"], ["leek", 2.5]], Empty=[])
    )

    assert "this table has `sku`, `price`" in str(problems[0])
    assert "(sheet Prices)" in str(problems[0])


@pytest.mark.parametrize(
    ("member", "content", "says"),
    [
        (
            "xl/sharedStrings.xml",
            '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><sst/>',
            "document type",
        ),
        ("xl/media/a.bin", "0" * 2_000_000, "as a decompression bomb would"),
        ("xl/workbook.xml", "<workbook", "cannot be read"),
    ],
    ids=["entities", "bomb", "damaged"],
)
def test_a_hostile_workbook_is_refused_in_a_sentence(
    member: str, content: str, says: str, tmp_path: Path
) -> None:
    path = workbook(tmp_path / "calls.xlsx", Calls=[["call_id", "speaker", "text"], [1, "Agent", HELLO]])

    reader = Reader(limits=Limits(inflation_floor=1_000_000))
    sources = find_files([str(with_member(path, member, content))])
    problems = [each for file in sources.files for each in reader.read(file)]

    assert len(problems) == 1
    assert says in str(problems[0])


SHEET = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData></worksheet>'


@pytest.mark.parametrize(
    ("member", "content", "says"),
    [
        (
            "xl/worksheets/sheet1.xml",
            SHEET.format("<row>" + "<c/>" * 300_000 + "</row>"),
            "a row of more than",
        ),
        ("xl/worksheets/sheet1.xml", SHEET.format("<row/>" * 300_000), "sheets of more than"),
        ("xl/sharedStrings.xml", "<sst>" + "<si/>" * 300_000 + "</sst>", "a list of texts or styles"),
        ("xl/styles.xml", "<styleSheet>" + "<xf/>" * 300_000 + "</styleSheet>", "a list of texts or styles"),
        ("xl/workbook.xml", "<workbook>" + "<sheet/>" * 300_000 + "</workbook>", "a list of texts or styles"),
    ],
    ids=["cells", "rows", "texts", "styles", "sheets"],
)
def test_a_workbook_of_far_too_many_parts_is_refused_before_it_is_built(
    member: str, content: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbooks, "_MAX_TAGS", 250_000)
    monkeypatch.setattr(workbooks, "_MAX_PART_TAGS", 200_000)
    rows: list[list[object]] = [["call_id", "speaker", "text"], [1, "Agent", HELLO]]
    with_member(workbook(tmp_path / "a.xlsx", Calls=rows), member, content)
    workbook(tmp_path / "b.xlsx", Calls=rows)
    tracemalloc.start()

    none, problems = come_in(tmp_path / "a.xlsx")

    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    vcons, _ = come_in(tmp_path / "b.xlsx")
    assert none == []
    assert len(problems) == 1
    assert says in str(problems[0])
    assert [said(vcon) for vcon in vcons] == [[("Agent", HELLO)]]
    assert most < 40_000_000


def test_a_cell_at_the_far_corner_of_a_sheet_takes_no_memory(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.append(["call_id", "speaker", "text"])
    sheet.append([1, "Agent", HELLO])
    sheet.cell(60_000, 16_384, "x")
    book.save(tmp_path / "calls.xlsx")

    vcons, problems = come_in(tmp_path / "calls.xlsx")

    assert problems == []
    assert [said(vcon) for vcon in vcons] == [[("Agent", HELLO)]]
