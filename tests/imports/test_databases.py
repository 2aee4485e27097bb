"""SQLite databases: what is read of them, and what a hostile one cannot do."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.imports.test_declared import SPECS, written
from tests.imports.test_programs import come_in, said
from vcontract.runtime.imports.programs import databases
from vcontract.runtime.imports.programs.databases import attributed


def typedstream(text: str) -> bytes:
    """An attributed string as Messages stores it, the length in as many bytes as it needs."""
    data = text.encode()
    size = len(data)
    marks = {1: b"", 2: b"\x81", 4: b"\x82"}
    width = 1 if size < 0x80 else 2 if size <= 0xFFFF else 4
    length = marks[width] + size.to_bytes(width, "little")
    return (
        b"\x04\x0bstreamtyped\x81\xe8\x03\x84\x01@\x84\x84\x84\x08NSString\x01\x94\x84\x01+"
        + length
        + data
        + b"\x86\x84"
    )


@pytest.mark.parametrize("text", ["Hi", "a+b", "é" * 63, "é" * 64, "x" * 300, "x" * 70_000])
def test_the_text_of_an_attributed_string_is_read_whatever_its_length(text: str) -> None:
    assert attributed(typedstream(text)) == text


@pytest.mark.parametrize("data", [b"", b"NSString", b"NSString+", b"bplist00", b"NSString\x01+\x81"])
def test_what_is_no_attributed_string_has_no_text(data: bytes) -> None:
    assert not attributed(data)


def messages(folder: Path) -> Path:
    spec = SPECS["imessage"]
    return written(spec["examples"][1], folder)


def test_messages_that_are_still_in_the_log_beside_the_database_are_read(tmp_path: Path) -> None:
    path = messages(tmp_path)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("pragma journal_mode = wal")
        writer.execute("insert into message values (3, 'g3', 'Come', 1, 478173700, 0)")
        writer.execute("insert into chat_message_join values (1, 3)")
        writer.commit()

        vcons, problems = come_in(path)

    assert problems == []
    assert [text for _, text in said(vcons[0])] == ["Home?", "Soon", "Come"]


@pytest.mark.parametrize(
    "view",
    [
        "with recursive n(message_id) as (select 1 union all select message_id + 1 from n)"
        " select 1 as attachment_id, * from n",
        "select 1 as attachment_id, a.message_id from chat_message_join a, chat_message_join b,"
        " chat_message_join c, chat_message_join d, chat_message_join e, chat_message_join f",
    ],
)
def test_a_database_whose_query_would_not_end_is_refused(
    view: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "_MAX_PROGRESS_CALLS", 5)
    path = messages(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.executemany("insert into chat_message_join values (1, ?)", [(1,)] * 100)
        connection.execute("insert into attachment values (1, 'a', 'a')")
        connection.execute("drop table message_attachment_join")
        connection.execute(f"create view message_attachment_join as {view}")
        connection.commit()

    vcons, problems = come_in(path)

    assert vcons == []
    assert [problem.rule for problem in problems] == ["export"]
    assert "is an SQLite database that cannot be read" in problems[0].message


def test_an_sqlite_database_of_another_program_is_named_as_one(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "chat.db")) as connection:
        connection.execute("create table a (b)")

    vcons, problems = come_in(tmp_path / "chat.db")

    assert vcons == []
    assert [problem.message for problem in problems] == ["This is an SQLite database of an unknown program."]
