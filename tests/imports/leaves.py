"""String leaves of files in any shape: what the net of conservation looks for in the vCons."""

import csv
import io
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from email import message_from_bytes, policy
from email.message import EmailMessage
from html import unescape
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from vcontract.runtime.frame.documents.json import MalformedJson, parse_json
from vcontract.runtime.imports.conservation import texts_in
from vcontract.runtime.vcon.charsets import text_of

_PIECES: Final = re.compile(
    r"(?:^|(?<=\s))\[?\d[\d.:,/\- ]*(?:[ap]m)?\]?(?=\s|$)|\t|\*\*|</?[a-z][^<>]*>|(?<=\w): |\s[-*>] |[\[\]<>]"
)
"""What stands between the parts of a line: times, tabs, marks, and a colon after a name."""
_LABELS: Final[dict[str, str]] = {
    "captions": (
        r"WEBVTT(?: -)?|-->|^\d+$|^(?:\[[\w ]+\]|Format:.*|PlayRes.*|Style:.*)|^\[?ti:|^Title:|\{[^{}]*\}|\\N"
        r"|^Dialogue: \d+,[\d:.]+,[\d:.]+,\w*,|,\d+,\d+,\d+,,|xml:id|<\d\d:[\d.]+>"
    ),
    "chat": r"<This message was edited>|<Anhang|[\u200e]",
    "irssi": r"^--- (?:Log|Day).*|-!-|[@+]|(?<=\* ann) ",
    "irc": r"-->|<--|\*\*\*|[@+]|(?<=\*[ \t]ann) ",
    "kakaotalk": r"^-{5,}.*|^\d{4}년 \d+월 \d+일 오[전후] [\d:]+,?|오전|오후| : ",
    "line": r"^(?:\w{3}, )?[\d/]+(?:\(.\))?$|[AP]M(?=\t)",
    "markdown": r"\([\d:]+\):?|#+ ",
    "otter": "^Transcribed by https://otter.ai$",
    "teams": "-->",
    "zoom-chat": r"\(Direct Message\)|From | to (?:Everyone)?",
}
"""Words of a format that are nobody's: separators, heads and marks."""


def leaves(path: Path, name: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a file with its path: of members, attributes, cells, headers, properties or lines."""
    data = path.read_bytes()
    if data.startswith(b"SQLite format 3\0"):
        yield from _cells_of_database(path)
        return
    text = text_of(data).replace("\r\n", "\n").lstrip("\ufeff")
    start = text.lstrip()[:1]
    if start in ("{", "[") and (documents := _documents(text)) is not None:
        yield from texts_in(documents)
    elif path.suffix == ".csv":
        yield from _cells(text)
    elif text.startswith("BEGIN:VCALENDAR"):
        yield from _properties(text)
    elif name == "mail":
        yield from _mails(data)
    elif re.match(r"\s*<(?:\?xml|tt\b|smses)", text):
        yield from _elements(text)
    elif re.match(r"(?i)\s*<(?:!doctype html|html)", text):
        for piece in re.split(r"<[^<>]*>", text):
            yield "$", unescape(piece)
    else:
        labels = re.compile(_LABELS.get(name, r"(?!)"))
        for number, line in enumerate(text.split("\n"), 1):
            for piece in _PIECES.split(labels.sub("\t", line)):
                if re.search(r"[^\W\d_]", piece or ""):
                    yield f"$.line{number}", piece


def _documents(text: str) -> list[object] | None:
    try:
        return [parse_json(text)]
    except MalformedJson:
        with suppress(MalformedJson):
            return [parse_json(line) for line in text.splitlines() if line.strip()]
    return None


def _cells(text: str) -> Iterator[tuple[str, str]]:
    for row in csv.DictReader(io.StringIO(text)):
        yield from texts_in(dict(row), "$[*]")


def _cells_of_database(path: Path) -> Iterator[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        for (table,) in connection.execute("select name from sqlite_master where type = 'table'").fetchall():
            cursor = connection.execute(f'select * from "{table}"')  # noqa: S608  (our own example)
            names = [column[0] for column in cursor.description]
            for row in cursor:
                yield from texts_in(dict(zip(names, row, strict=True)), f"$.{table}")


def _properties(text: str) -> Iterator[tuple[str, str]]:
    for line in re.sub(r"\n[ \t]", "", text).splitlines():
        name, _, value = line.partition(":")
        kind, *parameters = name.split(";")
        yield f"$.{kind}", re.sub(r"\\[nN]", "\n", re.sub(r"\\([,;\\])", r"\1", value))
        for parameter in parameters:
            yield f"$.{kind}.{parameter.partition('=')[0]}", parameter.partition("=")[2]


def _mails(data: bytes) -> Iterator[tuple[str, str]]:
    for each in re.split(rb"(?m)(?:\A|(?<=\n\n))From [^\n]*\n", data):
        message = message_from_bytes(each, _class=EmailMessage, policy=policy.default)
        for header, value in message.items():
            for piece in re.split(r'[<>,"]|^Re: ', str(value)):
                yield f"$.{header}", piece
        for part in message.walk():
            if part.get_content_maintype() == "text":
                for line in str(part.get_content()).splitlines():
                    yield "$.body", line


def _elements(text: str) -> Iterator[tuple[str, str]]:
    for element in ElementTree.fromstring(text.encode()).iter():  # noqa: S314  (our own example)
        tag = element.tag.rpartition("}")[2]
        yield from texts_in(
            {name.rpartition("}")[2]: value for name, value in element.attrib.items()}, f"$.{tag}"
        )
        for piece in (element.text, element.tail):
            yield from texts_in(piece, f"$.{tag}")
