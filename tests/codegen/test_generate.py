"""Generating: equal everywhere, compared to the byte, and nothing left over."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vcontract.codegen.__main__ import OUT_OF_DATE, main


def generate(root: Path, *options: str) -> int:
    return main(["--root", str(root), "generate", *options])


def contents(root: Path) -> dict[str, bytes]:
    folder = root / "generated"
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_two_folders_and_two_hash_seeds_give_equal_bytes(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "another place" / "copy"
    shutil.copytree(project, other)

    for root, seed in ((project, "1"), (other, "4242")):
        subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "vcontract.codegen", "--root", str(root), "generate"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        )

    assert contents(project) == contents(other)
    assert len(contents(project)) == 26


def test_generating_twice_changes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    generate(project)
    capsys.readouterr()

    assert generate(project) == 0
    assert capsys.readouterr().out == "26 files, 0 changed\n"


def test_check_is_content_with_what_was_just_generated(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    generate(project)
    capsys.readouterr()

    assert generate(project, "--check") == 0
    assert capsys.readouterr() == ("", "")


def test_check_shows_a_changed_byte(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    generate(project)
    target = project / "generated" / "errors.py"
    target.write_text(target.read_text().replace("The server failed.", "The server fails.", 1))
    before = contents(project)
    capsys.readouterr()

    assert generate(project, "--check") == 1
    shown = capsys.readouterr()
    assert shown.err == f"{OUT_OF_DATE}\n"
    assert "--- generated/errors.py\n+++ generated/errors.py\n" in shown.out
    assert '-    """The server fails."""\n+    """The server failed."""\n' in shown.out
    assert contents(project) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"\n", b"\r\n"), (b"Do not edit", b"Do not \xff edit")],
    ids=["line ends", "broken UTF-8"],
)
def test_check_sees_bytes_and_not_text(
    project: Path, capsys: pytest.CaptureFixture[str], old: bytes, new: bytes
) -> None:
    generate(project)
    target = project / "generated" / "protocols.py"
    target.write_bytes(target.read_bytes().replace(old, new))

    assert generate(project, "--check") == 1
    assert "+++ generated/protocols.py" in capsys.readouterr().out


def test_check_names_a_file_too_many_and_generating_removes_it(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    generate(project)
    orphan = project / "generated" / "models" / "old" / "left_over.py"
    orphan.parent.mkdir()
    orphan.write_text("x = 1\n")

    assert generate(project, "--check") == 1
    assert "--- generated/models/old/left_over.py\n+++ /dev/null\n" in capsys.readouterr().out
    generate(project)
    assert not orphan.parent.exists()
    assert generate(project, "--check") == 0


def test_check_names_a_file_that_is_missing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    generate(project)
    (project / "generated" / "contract" / "read_note.json").unlink()

    assert generate(project, "--check") == 1
    assert "--- /dev/null\n+++ generated/contract/read_note.json\n" in capsys.readouterr().out


def test_an_empty_file_too_many_is_named_too(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    generate(project)
    (project / "generated" / "empty.py").touch()

    assert generate(project, "--check") == 1
    assert "generated/empty.py: should not be there\n" in capsys.readouterr().out


def test_bytecode_is_no_orphan(project: Path) -> None:
    generate(project)
    cache = project / "generated" / "__pycache__"
    cache.mkdir()
    (cache / "errors.cpython-311.pyc").write_bytes(b"x")

    assert generate(project, "--check") == 0
    generate(project)
    assert cache.exists()


def test_a_tool_that_is_gone_leaves_nothing_behind(project: Path) -> None:
    generate(project)
    shutil.rmtree(project / "spec" / "tools" / "desk")
    toolsets = project / "spec" / "toolsets.yaml"
    toolsets.write_text(toolsets.read_text().partition("  - id: desk")[0])

    generate(project)

    left = [path for path, content in contents(project).items() if b"write_note" in content or "desk" in path]
    assert left == []


def test_a_spec_with_problems_is_not_generated_from(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tool = project / "spec" / "tools" / "notes" / "read_note.yaml"
    tool.write_text(tool.read_text().replace("rate_class: other", "rate_class: slow"))

    assert generate(project) == 1
    assert not (project / "generated").exists()
    assert capsys.readouterr().err == (
        "spec/tools/notes/read_note.yaml:11: rate-class-exists: "
        "there is no rate class 'slow'; there is: search, other\n"
        "1 problem in the spec; nothing was written\n"
    )


def test_comments_and_layout_of_the_spec_change_nothing(project: Path) -> None:
    generate(project)
    for path in (project / "spec").rglob("*.yaml"):
        path.write_text(path.read_text() + "\n# A remark.\n")

    assert generate(project, "--check") == 0


def test_a_change_to_one_toolset_leaves_the_models_of_the_other_alone(project: Path) -> None:
    generate(project)
    before = contents(project)
    tool = project / "spec" / "tools" / "desk" / "write_note.yaml"
    tool.write_text(tool.read_text().replace("Colours to use.", "Colours wanted."))

    generate(project)

    after = contents(project)
    changed = {path for path in after if after[path] != before[path]}
    assert changed == {
        "models/desk.py",
        "contract/desk_write_note.json",
        "contract.d.ts",
        "docs/tools.md",
        "openapi.json",
        "report.json",
        "surface.json",
    }


def test_lints_are_listed_with_what_they_are_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lints"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert "tool-path" in [line.split()[0] for line in lines]
    assert all(len(line.split(maxsplit=1)) == 2 for line in lines)
