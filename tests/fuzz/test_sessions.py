"""Sessions of agents with anything in their files changed: read as far as they can be, and refused beyond."""

import json
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.effort import relaxed
from tests.fuzz.test_exports import EDITS, Edit, changed_bytes, changed_value
from tests.imports.agents import WRITERS
from vcontract.runtime.imports.transcripts.agents.sqlite import MARK
from vcontract.runtime.imports.transcripts.reading import load
from vcontract.runtime.imports.transcripts.source import is_transcript, prescan_source, sessions_in


def changed_text(data: bytes, edits: list[Edit]) -> bytes:
    """With values changed where it is JSON, else bytes."""
    try:
        return changed_value(json.loads(data), edits)
    except ValueError:
        return changed_bytes(data, edits)


def changed_lines(data: bytes, edits: list[Edit]) -> bytes:
    lines = data.split(b"\n")
    for edit in edits:
        line = edit[0] % len(lines)
        lines[line] = changed_text(lines[line], [edit])
    return b"\n".join(lines)


def change_database(path: Path, edits: list[Edit]) -> None:
    """Change what stands in some of its cells."""
    with closing(sqlite3.connect(path)) as database:
        cells = [
            (table, column, row, cell)
            for (table,) in database.execute("select name from sqlite_master where type = 'table'").fetchall()
            for _, column, *_ in database.execute(f"pragma table_info({table})").fetchall()
            for row, cell in database.execute(f"select rowid, {column} from {table}").fetchall()  # noqa: S608
        ]
        for edit in edits:
            table, column, row, cell = cells[edit[0] % len(cells)]
            new: object = edit[1] if isinstance(edit[1], float | str | None) else json.dumps(edit[1])
            if isinstance(cell, str | bytes):
                new = changed_text(cell.encode() if isinstance(cell, str) else cell, [edit])
                new = new.decode("utf-8", "replace") if isinstance(cell, str) else new
            with suppress(sqlite3.IntegrityError):
                database.execute(f"update {table} set {column} = ? where rowid = ?", (new, row))  # noqa: S608
        database.commit()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path]]:
    """By the program's name the folder of its files, and the path in it by which they are imported."""
    folders = {name: tmp_path_factory.mktemp("written") for name in WRITERS}
    return {name: (folder, WRITERS[name](folder).relative_to(folder)) for name, folder in folders.items()}


@pytest.mark.parametrize("name", WRITERS)
@given(edits=EDITS, which=st.integers(0, 100), as_bytes=st.booleans())
@relaxed(60)
def test_a_session_with_anything_in_it_changed(
    written: dict[str, tuple[Path, Path]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    edits: list[Edit],
    which: int,
    as_bytes: bool,
) -> None:
    folder, path = written[name]
    here = tmp_path / "changed"
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(folder, here)
    monkeypatch.setenv("HOME", str(tmp_path))
    files = sorted(each for each in here.rglob("*") if each.is_file())
    file = files[which % len(files)]
    data = file.read_bytes()
    if as_bytes:
        file.write_bytes(changed_bytes(data, edits))
    elif data.startswith(MARK):
        change_database(file, edits)
    else:
        file.write_bytes(changed_lines(data, edits) if b"\n" in data else changed_text(data, edits))

    is_transcript(here / path)
    with suppress(OSError):
        for session in sessions_in(here / path):
            source = prescan_source(session)
            if source is not None:
                load(source, None, None, None)
