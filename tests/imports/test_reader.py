"""What the reader makes of files, archives and texts of every shape."""

import asyncio
import gzip
import hashlib
import json
import os
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Final

import pytest

from tests.growth import grows_with_its_size
from tests.ordinary_user import files_as_an_ordinary_user
from vcontract.runtime.frame.documents.json import JsonValue, parse_json
from vcontract.runtime.imports.mappings import with_conversations
from vcontract.runtime.imports.reader import Reader
from vcontract.runtime.imports.sources import NoSuchPath, Problem, RawDocument, SourceFile, find_files
from vcontract.runtime.imports.streams import CHUNK, Limits

ONE: JsonValue = {"uuid": "a", "subject": "Ünïcode €", "parties": []}
TWO: JsonValue = {"uuid": "b", "dialog": [{"body": 'brackets ]}[{ and "quotes" \\'}]}


def text_of(*documents: JsonValue) -> bytes:
    return b"\n".join(json.dumps(document, ensure_ascii=False).encode() for document in documents)


def read(path: Path, limits: Limits | None = None) -> tuple[list[RawDocument], list[Problem]]:
    reader = Reader(limits or Limits())
    readings = list(reader.read(SourceFile(path, path.name, path.stat().st_size)))
    assert reader.bytes_done == path.stat().st_size
    return (
        [reading for reading in readings if isinstance(reading, RawDocument)],
        [reading for reading in readings if isinstance(reading, Problem)],
    )


def values(documents: list[RawDocument]) -> list[JsonValue]:
    return [parse_json(document.text) for document in documents]


def written(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


PRETTY = json.dumps(ONE, indent=2, ensure_ascii=False).encode() + b"\n" + json.dumps(TWO, indent=2).encode()
BOTH = {
    "lines.jsonl": text_of(ONE, TWO),
    "lines with blanks and no end.ndjson": b"\n\r\n" + text_of(ONE) + b"\r\n\r\n \n" + text_of(TWO) + b"\r\n",
    "lines that are called.json": text_of(ONE, TWO),
    "objects one after another.json": PRETTY,
    "objects one after another.jsonl": PRETTY,
    "array.json": b" [\n" + text_of(ONE) + b" ,\n " + text_of(TWO) + b"\n]\n",
    "array in.jsonl": b"[" + text_of(ONE) + b"," + text_of(TWO) + b"]",
    "utf-8 with mark.jsonl": b"\xef\xbb\xbf" + text_of(ONE, TWO),
    "utf-16.jsonl": text_of(ONE, TWO).decode().encode("utf-16"),
    "utf-16 big endian without mark.jsonl": text_of(ONE, TWO).decode().encode("utf-16-be"),
    "utf-16 little endian without mark.json": text_of(ONE, TWO).decode().encode("utf-16-le"),
    "utf-32.jsonl": text_of(ONE, TWO).decode().encode("utf-32"),
    "lines.jsonl.gz": gzip.compress(text_of(ONE, TWO)),
    "gzip called.json": gzip.compress(b"[" + text_of(ONE) + b"," + text_of(TWO) + b"]"),
    "gzip of two members.gz": gzip.compress(text_of(ONE) + b"\n") + gzip.compress(text_of(TWO)) + b"\0\0\0",
    "no known ending": text_of(ONE, TWO),
}


@pytest.mark.parametrize("name", BOTH)
def test_both_documents_come_out_of_a_file_of_any_shape(name: str, tmp_path: Path) -> None:
    documents, problems = read(written(tmp_path, name, BOTH[name]))
    assert problems == []
    assert values(documents) == [ONE, TWO]


@pytest.mark.parametrize("name", ["a.json", "a.vcon", "a.vcon.json", "a.jsonl", "no ending"])
def test_a_file_of_one_document_is_that_document(name: str, tmp_path: Path) -> None:
    documents, problems = read(written(tmp_path, name, text_of(ONE)))
    assert (values(documents), problems) == ([ONE], [])


def test_an_empty_array_holds_no_documents_and_is_no_problem(tmp_path: Path) -> None:
    assert read(written(tmp_path, "none.json", b" [ \n ] ")) == ([], [])


UNREADABLE: dict[str, tuple[bytes, str, str]] = {
    "empty.json": (b"", "empty", "is empty"),
    "blank.jsonl": (b" \n\n", "empty", "is empty"),
    "empty.gz": (gzip.compress(b""), "empty", "is empty"),
    "half.gz": (gzip.compress(b"x" * 9999)[:-9], "damaged", "break off"),
    "bad.gz": (b"\x1f\x8b" + b"\0" * 400, "damaged", "damaged"),
    "half.json": (b'[{"a":1}', "malformed_json", "not closed"),
    "more.json": (b'[{"a":1}]\n\n  [2]', "malformed_json", "line 3 column 3"),
    "odd.json": ("{}".encode("utf-16") + b"\x00", "encoding", "UTF-16"),
    "a.tar.gz": (gzip.compress(b"a" * 257 + b"ustar" + b"\0" * 999), "unknown_kind", "tar"),
    "a.zst": (b"\x28\xb5\x2f\xfd0000", "unknown_kind", "zstd"),
    "zip in a.gz": (gzip.compress(b"PK\x03\x04"), "nested_archive", "unpack"),
    "no.zip": (b"PK\x03\x04 this is none", "damaged", "zip"),
}
"""By the file's name, its bytes, and the rule and a word of what is said of it."""


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_is_named_with_its_reason(name: str, tmp_path: Path) -> None:
    data, rule, words = UNREADABLE[name]
    _, problems = read(written(tmp_path, name, data))
    assert [problem.rule for problem in problems] == [rule]
    assert words in problems[0].message
    assert str(problems[0]).startswith(name)


def test_documents_before_the_break_of_a_gzip_file_still_come_out(tmp_path: Path) -> None:
    # given a compressed file of many lines that was cut in the middle
    lines = [{"n": number, "noise": hashlib.sha256(b"%d" % number).hexdigest()} for number in range(50_000)]
    packed = gzip.compress(text_of(*lines))

    documents, problems = read(written(tmp_path, "half.jsonl.gz", packed[: len(packed) // 2]))

    assert [problem.rule for problem in problems] == ["damaged"]
    assert 10_000 < len(documents) < 40_000
    assert values(documents[:3]) == lines[:3]


@pytest.mark.parametrize(
    ("data", "places"),
    [
        (b'{}\n{"a":\n{}\n', ["f:1", "f:2", "f:3"]),
        (b"[1,\n {},   {}\n]", ["f:1:2 (element 0)", "f:2:2 (element 1)", "f:2:8 (element 2)"]),
        (b"[1,,2]", ["f:1:2 (element 0)", "f:1:4 (element 1)", "f:1:5 (element 2)"]),
        (b"[1,]", ["f:1:2 (element 0)", "f:1:4 (element 1)"]),
        (b'{"a":\n1}\n  {}', ["f:1", "f:3:3"]),
    ],
)
def test_each_piece_knows_where_it_stands(data: bytes, places: list[str], tmp_path: Path) -> None:
    documents, _ = read(written(tmp_path, "f", data))
    assert [str(document.origin) for document in documents] == places


def test_a_place_within_a_document_is_counted_in_the_file(tmp_path: Path) -> None:
    documents, _ = read(written(tmp_path, "f", b'[{},\n  {"a":\n 1 2}]'))
    origin = documents[1].origin
    assert (str(origin.at(1, 4)), str(origin.at(2, 4))) == ("f:2:6 (element 1)", "f:3:4 (element 1)")


@pytest.mark.parametrize("size", [CHUNK - 3, CHUNK - 2, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK])
@pytest.mark.parametrize("form", ["array", "lines", "sequence"])
def test_documents_across_the_borders_of_chunks_stay_whole(size: int, form: str, tmp_path: Path) -> None:
    # given strings full of what structure is made of, whose escapes fall on every border
    documents: list[JsonValue] = [{"a": "x" * size + '\\"]}\\\\' * 9}, {"b": "\\" * size}, {"c": []}]
    texts = [
        json.dumps(document, indent=1 if form == "sequence" else None).encode() for document in documents
    ]
    data = {
        "array": b"[" + b",".join(texts) + b"]",
        "lines": b"\n".join(texts),
        "sequence": b"\n".join(texts),
    }

    found, problems = read(written(tmp_path, "f.jsonl", data[form]))

    assert problems == []
    assert values(found) == documents


@pytest.mark.parametrize("form", ["one", "array", "lines", "sequence"])
def test_a_document_longer_than_the_limit_is_refused_alone(form: str, tmp_path: Path) -> None:
    long = b'{"a": "' + b"x" * (2 * CHUNK) + b'"}'
    data = {
        "one": long,
        "array": b'[{"b": 1},' + long + b',{"c": 1}]',
        "lines": b'{"b": 1}\n' + long + b'\n{"c": 1}',
        "sequence": b'{"b":\n 1}\n' + long + b'\n{"c": 1}',
    }
    documents, problems = read(written(tmp_path, "f", data[form]), Limits(document_bytes=CHUNK))
    assert [problem.rule for problem in problems] == ["too_large"]
    assert values(documents) == ([] if form == "one" else [{"b": 1}, {"c": 1}])


def test_the_members_of_a_zip_come_out_and_bad_ones_do_not_stop_the_others(tmp_path: Path) -> None:
    # given an archive with members good, bad and of other kinds
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("1/one.json", text_of(ONE))
        archive.writestr("1/damaged.json", text_of(ONE) + b" " * 50)
        archive.writestr("2/cut.json", b"[{}")
        archive.writestr("2/lines.jsonl.gz", gzip.compress(text_of(ONE, TWO)))
        archive.writestr("2/inner.zip", b"PK\x03\x04")
        archive.writestr("read me.txt", b"not a vCon")
        archive.writestr("__MACOSX/1/._one.json", b"not a vCon")
        archive.writestr("3/last.vcon", text_of(TWO))
    data = bytearray(path.read_bytes())
    start = data.index(b"1/damaged.json") + len("1/damaged.json") + 20
    data[start : start + 8] = b"\xff" * 8
    path.write_bytes(data)

    documents, problems = read(path)

    assert [str(document.origin) for document in documents] == [
        "all.zip!1/one.json",
        "all.zip!2/cut.json:1:2 (element 0)",
        "all.zip!2/lines.jsonl.gz:1",
        "all.zip!2/lines.jsonl.gz:2",
        "all.zip!3/last.vcon",
    ]
    assert [(problem.origin.member, problem.rule) for problem in problems] == [
        ("1/damaged.json", "damaged"),
        ("2/cut.json", "malformed_json"),
        ("2/inner.zip", "damaged"),
    ]


def test_a_member_under_a_password_is_refused_with_the_cure(tmp_path: Path) -> None:
    path = tmp_path / "locked.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("one.json", text_of(ONE))
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1  # general purpose bit 0: encrypted
    path.write_bytes(data)

    documents, problems = read(path)

    assert (documents, [problem.rule for problem in problems]) == ([], ["encrypted"])


@pytest.mark.parametrize("kind", ["gzip", "zip of many members", "zip that lies about its sizes"])
def test_a_decompression_bomb_is_stopped(kind: str, tmp_path: Path) -> None:
    # given a file that unpacks to far more than it weighs
    limits = Limits(inflation=50, inflation_floor=2 * CHUNK)
    line = b'{"a": "' + b"0" * 4000 + b'"}\n'
    if kind == "gzip":
        path = written(tmp_path, "bomb.jsonl.gz", gzip.compress(line * 1000))
    else:
        path = tmp_path / "bomb.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member in range(10):
                archive.writestr(f"{member}.jsonl", line * 100)
        if "lies" in kind:
            data = path.read_bytes()
            path.write_bytes(data.replace((len(line) * 100).to_bytes(4, "little"), b"\x7f\x96\x98\0"))

    documents, problems = read(path, limits)

    assert [problem.rule for problem in problems] == ["too_large"]
    assert "decompression bomb" in problems[0].message
    assert sum(len(document.text) for document in documents) < 6 * CHUNK


def test_a_large_array_is_never_held_whole(tmp_path: Path) -> None:
    # given an array much longer than one document may be
    element = json.dumps({"body": "x" * 1000}).encode()
    path = written(tmp_path, "large.json", b"[" + b",".join([element] * 20_000) + b"]")

    documents, problems = read(path, Limits(document_bytes=2000))

    assert (len(documents), problems) == (20_000, [])


def test_files_are_found_in_folders_and_by_pattern_each_once(tmp_path: Path) -> None:
    names = [
        "b.json",
        "a/2.vcon.json",
        "a/1.vcon",
        "a/deep/er/3.JSONL.GZ",
        "a/notes.txt",
        ".hidden/4.json",
        "a/.5.json",
        "c.zip",
    ]
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"{}")
    os.symlink(tmp_path, tmp_path / "a" / "ring")
    os.symlink(tmp_path / "nowhere", tmp_path / "dangling.json")

    found = find_files(
        [f"{tmp_path}/b.json", str(tmp_path), f"{tmp_path}/**/*.vcon", f"{tmp_path}/a/notes.txt"]
    )

    assert [file.name.removeprefix(f"{tmp_path}/") for file in found.files] == [
        "b.json",
        "c.zip",
        "a/1.vcon",
        "a/2.vcon.json",
        "a/deep/er/3.JSONL.GZ",
        "a/notes.txt",
    ]
    assert (len(found.ignored), found.size) == (2, 12)


@pytest.mark.parametrize("name", ["none.json", "*.vcon", "link"])
def test_an_argument_that_names_nothing_is_an_error(name: str, tmp_path: Path) -> None:
    os.symlink("nowhere", tmp_path / "link")
    with pytest.raises(NoSuchPath, match=r"none\.json|vcon|nowhere"):
        find_files([str(tmp_path / name)])


@pytest.mark.parametrize("mode", [0, 0o600])
async def test_a_folder_that_may_not_be_read_or_entered_is_named(mode: int, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "a.json").write_bytes(text_of(ONE))
    closed.chmod(mode)
    try:
        with files_as_an_ordinary_user(), pytest.raises(NoSuchPath, match=r"closed.*Permission denied"):
            await asyncio.to_thread(find_files, [str(tmp_path)])
    finally:
        closed.chmod(0o700)


def test_a_file_that_vanishes_is_a_problem_and_not_a_crash(tmp_path: Path) -> None:
    reader = Reader()
    (problem,) = reader.read(SourceFile(tmp_path / "gone.json", "gone.json", 7))
    assert isinstance(problem, Problem)
    assert (problem.rule, reader.bytes_done) == ("unreadable", 7)


def test_names_that_cannot_be_printed_are_escaped(tmp_path: Path) -> None:
    odd = os.fsencode(tmp_path) + b"/a\nb\xff.json"
    with open(odd, "wb") as file:
        file.write(b"{}")
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.writestr("d\x1b[2J.json", "{}")

    found = find_files([str(tmp_path)]).files
    origins = [reading.origin for file in found for reading in Reader().read(file)]

    assert [origin.file.removeprefix(f"{tmp_path}/") for origin in origins] == [r"a\x0ab\udcff.json", "c.zip"]
    assert origins[1].member == r"d\x1b[2J.json"


def test_many_elements_that_are_no_objects_are_one_problem(tmp_path: Path) -> None:
    path = written(tmp_path, "numbers.json", b"[" + b"1, " * 200_000 + b"1]")

    documents, problems = read(path)

    assert documents == []
    assert [(problem.rule, str(problem.origin)) for problem in problems] == [("not_a_vcon", "numbers.json")]
    assert "100 elements in a row are no objects, from line 1 column 2 on" in problems[0].message


def test_a_few_elements_that_are_no_objects_are_refused_one_by_one(tmp_path: Path) -> None:
    data = b"[" + b"1, " * 99 + text_of(ONE) + b"," + b"2, " * 99 + text_of(TWO) + b"]"

    documents, problems = read(written(tmp_path, "mixed.json", data))

    assert len(documents) == 200
    assert problems == []


@pytest.mark.parametrize("line", [b"{}", b"1", b"[]", b'{"a":1}'])
def test_of_many_lines_that_are_too_short_for_anything_the_rest_is_not_read(
    line: bytes, tmp_path: Path
) -> None:
    path = written(tmp_path, "short.jsonl", text_of(ONE) + b"\n" + (line + b"\n") * 5_000)

    documents, problems = read(path)

    assert len(documents) + len(problems) < 1_010
    assert values(documents)[0] == ONE
    assert "1,000 lines in a row" in problems[-1].message


@pytest.mark.parametrize("name", ["line.jsonl", "line.json"])
def test_a_line_without_an_end_is_refused_with_the_limit(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, b'{"subject": "' + b"a" * 100_000)

    documents, problems = read(path, Limits(document_bytes=1_000))

    assert documents == []
    assert [problem.rule for problem in problems] == ["too_large"]
    assert "1,000 bytes" in problems[0].message


@pytest.mark.parametrize("data", [b"a", b"\0", b"\n", b" ", b'{"a": "', b'{"a": [1, '])
def test_what_goes_on_without_any_document_is_read_up_to_a_bound(data: bytes, tmp_path: Path) -> None:
    path = written(tmp_path, "endless.jsonl", text_of(ONE) + b"\n" + data * (3_000_000 // len(data)))
    limits = Limits(document_bytes=1_000, silence=300_000)

    documents, problems = read(path, limits)

    assert values(documents) == [ONE]
    assert [problem.rule for problem in problems] == ["too_large"]
    assert "300,000 bytes without any document" in problems[0].message


def test_reading_an_unended_line_twice_as_long_takes_no_more_than_thrice_the_time(tmp_path: Path) -> None:
    def read_line(size: int) -> Callable[[], object]:
        path = written(tmp_path, f"{size}.jsonl", b"[0" + b"a" * (16 * size))
        return lambda: read(path)

    assert grows_with_its_size(read_line)


@pytest.mark.parametrize("path", ["/dev/zero", "pipe.jsonl"])
def test_a_device_and_a_pipe_are_no_files(path: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    name = str(tmp_path / path)

    (file,) = find_files([name]).files
    found = list(Reader().read(file))

    assert [(each.rule, each.origin.file) for each in found if isinstance(each, Problem)] == [
        ("no_file", name)
    ]
    assert "pipe its content into: import -" in str(found[0])


def test_a_pipe_in_a_folder_is_told_and_the_files_beside_it_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    written(tmp_path, "b.json", text_of(ONE))

    readings = [reading for file in find_files([str(tmp_path)]).files for reading in Reader().read(file)]

    assert [type(reading) for reading in readings] == [Problem, RawDocument]


WITHIN: Final = {
    "call.vtt": "WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ann>Rain?\n",
    "Weekly sync_Transcript.md": "**Ann:** Rain?\n\n**Bob:** No.\n\n**Ann:** Good.\n",
    "notes.md": "# How to\n\n**Note:** close the door.\n\n**Tip:** use the key.\n",
    "Inbox": "From a@a.example Tue Mar  5 10:00:00 2024\nFrom: a@a.example\nMessage-ID: <1@a>\n\nRain?\n",
    "todo.txt": "milk, eggs\n",
}
"""Files of a folder, of which two are no conversations."""
READ: Final = {"call.vtt", "Weekly sync_Transcript.md", "Inbox"}


def test_conversations_in_a_folder_are_found_by_content(tmp_path: Path) -> None:
    for name, text in WITHIN.items():
        (tmp_path / name).write_text(text)

    sources = with_conversations(find_files([str(tmp_path)]), None)

    assert {file.path.name for file in sources.files if file.path} == READ
    assert {file.path.name for file in sources.ignored if file.path} == WITHIN.keys() - READ


def test_an_archive_within_an_archive_is_read(tmp_path: Path) -> None:
    inner = BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        for name, text in WITHIN.items():
            archive.writestr(name, text)
    third = BytesIO()
    with zipfile.ZipFile(third, "w") as archive:
        archive.writestr("call.vtt", WITHIN["call.vtt"])
    with zipfile.ZipFile(inner, "a") as archive:
        archive.writestr("third.zip", third.getvalue())
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as archive:
        archive.writestr("inner.zip", inner.getvalue())
        archive.writestr("profile/user.json", '{"name": "Ann"}')

    documents, problems = read(tmp_path / "outer.zip")

    assert {document.origin.name.split("!")[-1] for document in documents} == READ
    assert [(problem.origin.member, problem.rule) for problem in problems] == [
        ("inner.zip!third.zip", "nested_archive")
    ]
