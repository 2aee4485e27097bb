"""Exports and archives with anything in them changed: what can be read comes in, and the rest is told."""

import json
import zipfile
from copy import deepcopy
from io import BytesIO
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.effort import relaxed
from tests.fuzz.places import places
from tests.imports.call_centre import THIRTY
from tests.imports.test_declared import SPECS
from tests.imports.test_programs import CHATGPT, EXPORTS, KNOWLEDGE, NOW, SLACK, USERS, as_bytes
from vcontract.runtime.frame.documents.json import JsonValue
from vcontract.runtime.imports.preparing import Ready, prepare_document
from vcontract.runtime.imports.programs.conversation import EXTENSION
from vcontract.runtime.imports.reader import Reader
from vcontract.runtime.imports.sources import Problem, SourceFile

Edit = tuple[int, JsonValue, bytes]
"""Where, and what stands there instead: in JSON a value, in any other file bytes."""

ODD_VALUES: Final[list[JsonValue]] = [
    *(
        None,
        True,
        0,
        -1,
        1.5,
        -1e18,
        1e300,
        10**30,
        "",
        "\0",
        "\u202e",
        "x" * 70_000,
        "9" * 25,
        "-1",
        "1e999",
    ),
    *("2024-13-99", "2024-02-30T25:61:61Z", [], {}, [[]], [{}], ["a", 1, None], {"a": []}, {"name": {}}),
]
ODD_PIECES: Final = [
    *(
        b"",
        b"\0",
        b"\xff",
        b"\x80",
        b"\xff\xff\xff\xff",
        b"\0\0\0\0",
        b"\r",
        b"\n\n",
        b"\t",
        b"[",
        b"]",
        b":",
        b"-",
    ),
    *(
        b"9" * 30,
        b"-->",
        b"99:99:99",
        b"00:00:00.000",
        b"<v ",
        b"</v>",
        b"From x\n",
        b"=?x?q?=00?=",
        b"=?utf-8?b?",
    ),
    *(b"BEGIN:VEVENT\n", b"END:VEVENT\n", b"RRULE:FREQ=SECONDLY\n", b"DTSTART:00000000T000000Z\n"),
    *(b"DTSTART;TZID=No/Where:99999999\n", b"Date: Mon, 99 Foo 99999 25:61:61 +9999\n", b'charset="\0"'),
    *(b"Content-Type: multipart/mixed; boundary=\n", "\u200f\u202a\ufeff".encode()),
]
EDITS: Final = st.lists(
    st.tuples(st.integers(0, 2**32), st.sampled_from(ODD_VALUES), st.sampled_from(ODD_PIECES)),
    min_size=1,
    max_size=5,
)


def changed_value(document: JsonValue, edits: list[Edit]) -> bytes:
    changed = deepcopy(document)
    for where, value, _ in edits:
        there = list(places(changed))
        if there:
            holder, step = there[where % len(there)]
            holder[step] = deepcopy(value)
    return json.dumps(changed).encode()


def changed_bytes(data: bytes, edits: list[Edit]) -> bytes:
    """With some bytes taken out at each place, and others put there."""
    for where, _, piece in edits:
        place, taken = where % (len(data) + 1), where // 7 % 4
        data = data[:place] + piece + data[place + taken :]
    return data


def read(path: Path, data: bytes) -> None:
    """What comes of the file conforms, and what does not come in says why."""
    path.write_bytes(data)
    for reading in Reader().read(SourceFile(path, str(path), path.stat().st_size)):
        if isinstance(reading, Problem):
            assert reading.message
            continue
        prepared = prepare_document(reading, KNOWLEDGE, NOW)
        if isinstance(prepared, Ready) and EXTENSION in prepared.vcon.document.get("extensions", []):
            assert prepared.vcon.conformance.violations == ()


def _parsed(content: str) -> JsonValue:
    """An example's JSON, or the text of several values, one a line."""
    try:
        return json.loads(content)
    except json.JSONDecodeError:
        return content


FILES: Final[dict[str, tuple[str, JsonValue | str | bytes]]] = {
    **{name: (file, content) for name, (file, content, _, _) in EXPORTS.items()},
    **{
        f"{name}: {example['of']}": (
            example["file"],
            _parsed(example["content"]) if spec["shape"] == "json" else example["content"],
        )
        for name, spec in SPECS.items()
        for example in spec.get("examples", ())
    },
    **{each.name: (each.name, each.content) for each in THIRTY},
}


@pytest.mark.parametrize("name", FILES)
@given(edits=EDITS)
@relaxed(60)
def test_an_export_with_anything_in_it_changed(name: str, tmp_path: Path, edits: list[Edit]) -> None:
    file, content = FILES[name]
    changed = (
        changed_bytes(as_bytes(content), edits)
        if isinstance(content, bytes | str)
        else changed_value(content, edits)
    )
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    read(path, changed)


def packed(how: int, **members: JsonValue) -> bytes:
    """A zip archive with a member for each keyword."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w", how) as archive:
        for name, content in members.items():
            archive.writestr(name, as_bytes(content))
    return file.getvalue()


ARCHIVES: Final = {
    "slack": packed(
        zipfile.ZIP_DEFLATED,
        **{"channels.json": [{"id": "C", "name": "general"}], "users.json": USERS, "general/a.json": SLACK},
    ),
    "chatgpt": packed(zipfile.ZIP_STORED, **{"conversations.json": [CHATGPT], "user.json": {}}),
    "by lzma": packed(zipfile.ZIP_LZMA, **{"a.json": [CHATGPT] * 9}),
    "by bzip2": packed(zipfile.ZIP_BZIP2, **{"a.json": [CHATGPT] * 9}),
}


@pytest.mark.parametrize("name", ARCHIVES)
@given(edits=EDITS, at_the_end=st.booleans())
@relaxed(60)
def test_an_archive_with_anything_in_it_changed(
    name: str, tmp_path: Path, edits: list[Edit], at_the_end: bool
) -> None:
    archive = ARCHIVES[name]
    kept = max(0, len(archive) - 250) if at_the_end else 0  # there a zip archive lists what it holds
    read(tmp_path / "a.zip", archive[:kept] + changed_bytes(archive[kept:], edits))
