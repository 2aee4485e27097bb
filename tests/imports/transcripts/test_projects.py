"""A working directory names its project."""

import pytest

from vcontract.runtime.imports.transcripts.identity import project_of, relative_to


@pytest.mark.parametrize(
    ("cwd", "project"),
    [
        ("/p/example-project", "example-project"),
        ("/p/example-project/", "example-project"),
        ("/p/example-project/.worktrees/x", "example-project"),
        ("/p/example-project/.claude/worktrees/x/src", "example-project"),
        ("C:\\work\\ledger", "ledger"),
        ("/p/worktrees/x", "x"),
        ("/", "unknown"),
        (None, "unknown"),
    ],
)
def test_the_project_is_the_folder_or_that_of_its_work_tree(cwd: str | None, project: str) -> None:
    assert project_of(cwd) == project


def test_a_path_is_told_from_the_working_directory() -> None:
    assert relative_to("/p/a/src/x.py", "/p/a") == "src/x.py"
    assert relative_to("/p/ab/x.py", "/p/a") is None
