"""Convert tables, lines of text and XML to JSON documents."""

import csv
import re
from collections.abc import Sequence
from io import StringIO
from typing import Final
from xml.parsers import expat

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.imports.programs.conversation import NotRead
from vcontract.runtime.imports.programs.headings import about_heading
from vcontract.runtime.imports.programs.odd_values import mended_xml
from vcontract.runtime.vcon import charsets

TABLE: Final = re.compile(rb"[^\n{},;\t|]*+[,;\t|][^\n{}]*+\n")
LINES: Final = re.compile(rb"(?!\s*+\{)(?!\s*+\[\s*+[\[{\"])[\t\n\f\r\x20-\xff]*+\Z")
XML: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*+<(?:\?xml|[a-z])")
HTML: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*+<(?i:!doctype html|html)")
_MARKS: Final = re.compile("[\u200e\u200f\u202a-\u202e\ufeff]")
_SEPARATORS: Final = ",;\t|"
_SAID_BY_EXCEL: Final = re.compile(r"sep=(.)\n")
_QUOTED: Final = re.compile(r'"[^"]*"')
_MAX_CELL_LENGTH: Final = 32 * 1024 * 1024
_MAX_HEADINGS: Final = 65_536
_MAX_COLUMNS: Final = 500
_HEAD_LINES: Final = 30
_MAX_WORDS_OF_NAME: Final = 4


def text_of(data: bytes) -> str:
    """Decode a text in any character set, without direction marks, and normalize line endings."""
    return _MARKS.sub("", charsets.text_of(data)).replace("\r\n", "\n").replace("\r", "\n")


def _separator_of(text: str) -> tuple[str, str]:
    """Return the separator of a table, and the table without Excel's line that declares it.

    By default, it is the most frequent separator in the first line, else the second, outside quotes.
    """
    if declared := _SAID_BY_EXCEL.match(text):
        return declared[1], text[declared.end() :]
    lines = _QUOTED.sub("", text[:_MAX_HEADINGS]).split("\n")[:2]
    return max(_SEPARATORS, key=lambda sign: [line.count(sign) for line in lines]), text


def is_table_with(head: bytes, columns: Sequence[Sequence[str]]) -> bool:
    """Whether the header of a table has all columns of one of these sets."""
    separator, text = _separator_of(text_of(head))
    found = set(next(csv.reader(StringIO(text.split("\n", 1)[0]), delimiter=separator), list[str]()))
    return any({name.strip() for name in found}.issuperset(names) for names in columns)


def rows_of(data: bytes) -> list[JsonValue]:
    """Return the rows of a table by column name.

    Raises: NotRead.
    """
    return list(table(text_of(data))[1])


def table(text: str) -> tuple[list[str], list[JsonObject]]:
    """Return the column names of a table, and its rows without empty cells.

    Raises: NotRead.
    """
    csv.field_size_limit(_MAX_CELL_LENGTH)
    separator, text = _separator_of(text)
    rows = csv.reader(StringIO(text, newline=""), delimiter=separator)
    try:
        names = [name.strip() for name in next(rows, list[str]())[:_MAX_COLUMNS]]
        filled = [
            {name: cell for name, cell in zip(names, row, strict=False) if cell.strip()} for row in rows
        ]
    except csv.Error as error:
        raise NotRead(f"is a table that cannot be read, line {rows.line_num}: {error}") from None
    return names, [row for row in filled if row]


def captured(spec: JsonObject, head: bytes) -> bool:
    """Whether two of the first lines begin a turn, or the only line does."""
    line = re.compile(spec["line"])
    found = [text for text in text_of(head).split("\n")[:_HEAD_LINES] if text.strip()]
    return sum(line.match(text) is not None for text in found) >= min(2, max(1, len(found)))


def lines_of(spec: JsonObject, data: bytes) -> JsonObject:
    """Return the turns of a text as `lines`, with data of its heading."""
    line, passed = re.compile(spec["line"]), re.compile(spec.get("skip", r"(?!)"))
    above = re.compile(spec.get("above", r"(?!)"))
    found: list[JsonObject] = []
    heading: list[str] = []
    dated: Sequence[str] = ()
    text = text_of(data)
    for written in _without_header(text, spec).split("\n"):
        if date_line := above.match(written):
            dated = date_line.groups("")
        elif begins := passed.match(written) or line.match(written):
            groups = begins.groupdict("")
            groups |= {"time": " ".join((*dated, groups["time"]))} if dated and groups.get("time") else {}
            if groups:
                found.append({name: value for name, value in groups.items() if value or name == "text"})
        elif found and (written.strip() or found[-1].get("text")):
            found[-1]["text"] = f"{found[-1].get('text', '')}\n{written}"
        elif written.strip():
            heading.append(written.strip())
    beginning = text[:4_000]
    front = {
        name: begins[1].strip()
        for name, pattern in spec.get("front", {}).items()
        if (begins := re.search(pattern, beginning, re.MULTILINE))
    }
    return {**about_heading(heading), **front, "lines": found}


def _without_header(text: str, spec: JsonObject) -> str:
    """Drop a first paragraph that only describes the conversation: `Date: …`, `Agent: Ann`."""
    header, _, rest = text.lstrip("\n").partition("\n\n")
    cells = [
        found.groupdict("").get("text", "")
        for each in header.split("\n")
        if (found := re.match(spec["line"], each))
    ]
    is_header = any(re.search(each, header, re.MULTILINE) for each in spec.get("front", {}).values())
    is_said = any(len(each.split()) > _MAX_WORDS_OF_NAME or each.endswith((".", "?", "!")) for each in cells)
    return rest if is_header and not is_said and rest.strip() else text


def elements_of(data: bytes, empty: Sequence[str] = ()) -> list[JsonValue]:
    """Return the elements below the root of an XML document: attributes, `tag`, `text` and `children`.

    Attributes with one of the values `empty` are left out.

    Raises: NotRead for a document type declaration, whose entities could expand without limit.
    """
    root: JsonObject = {"children": []}
    way = [root]

    def begin(name: str, attributes: dict[str, str]) -> None:
        if len(way) > 50:
            raise NotRead("is XML that is nested more than 50 deep")
        given = {name: value for name, value in attributes.items() if value not in empty}
        element: JsonObject = {**given, "tag": name, "children": []}
        way[-1]["children"].append(element)
        way.append(element)

    def end(_name: str) -> None:
        way.pop()

    def refuse(*_: object) -> None:
        raise NotRead("is XML that declares a document type, which no export does")

    def text(data: str) -> None:
        way[-1]["text"] = way[-1].get("text", "") + data

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(mended_xml(data), True)
    except expat.ExpatError as error:
        raise NotRead(f"is XML that cannot be read: {error}") from None
    return root["children"][0]["children"] if root["children"] else []
