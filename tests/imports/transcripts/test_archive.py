"""The archive: a copy appears when it is whole, and nowhere but below its folder."""

from pathlib import Path

import pytest

from vcontract.runtime.imports.transcripts.archive import ArchiveWriter, archive_path, begins_with, sweep
from vcontract.runtime.imports.transcripts.lines import Line


@pytest.mark.parametrize(
    ("project", "stem"),
    [
        ("ledger", "a"),
        ("..", "../../etc/passwd"),
        ("a/b", ".hidden"),
        ("", ""),
        ("x" * 500, "y" * 500),
        ("日" * 200, "語" * 200),
    ],
)
def test_a_copy_lies_below_the_folder_of_its_tenant(tmp_path: Path, project: str, stem: str) -> None:
    path = archive_path(tmp_path, "default", "claude-code", project, "s", None, stem)
    folder = tmp_path / "archive" / "default" / "claude-code"
    assert path.parent.parent == folder
    assert path.resolve().is_relative_to(folder.resolve())
    assert path.name.endswith(".jsonl")
    assert not path.name.startswith(".")
    writer = ArchiveWriter(path)
    writer.commit(path, 0)
    assert path.is_file()


def test_a_copy_appears_when_it_is_whole_and_is_as_old_as_its_source(tmp_path: Path) -> None:
    path = tmp_path / "archive" / "a.jsonl"
    writer = ArchiveWriter(path)
    writer.write(Line(1, b"one"))
    writer.write(Line(2, b"two", ended=False))
    assert not path.exists()

    writer.commit(path, 1_000_000_000)

    assert path.read_bytes() == b"one\ntwo"
    assert path.stat().st_mtime_ns == 1_000_000_000
    assert (writer.size, begins_with(path, writer.size, writer.digest)) == (7, True)
    writer.abandon()
    assert [file.name for file in path.parent.iterdir()] == ["a.jsonl"]


def test_what_is_abandoned_leaves_nothing(tmp_path: Path) -> None:
    writer = ArchiveWriter(tmp_path / "a.jsonl")
    writer.write(Line(1, b"one"))
    writer.abandon()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_run_left_is_removed_and_what_is_being_written_stays(tmp_path: Path) -> None:
    folder = tmp_path / "archive" / "default"
    writing = ArchiveWriter(folder / "writing.jsonl")
    (folder / ".left.jsonl.0123.part").write_text("what was said")

    sweep(tmp_path, "default")

    assert [path.name.split(".")[1] for path in folder.iterdir()] == ["writing"]
    writing.commit(writing.path, 0)
    assert [path.name for path in folder.iterdir()] == ["writing.jsonl"]
