"""A repository of its own with a small contract, committed and released."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from vcontract.codegen.__main__ import main

REPOSITORY = Path(__file__).resolve().parents[2]

Gate = Callable[..., tuple[int, str]]


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True)  # noqa: S603, S607


def commit(root: Path) -> None:
    assert main(["--root", str(root), "generate"]) == 0
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "A state of the contract")


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The branch `change`, made from `main`, where version 1.2.3 is released; for copying."""
    root = tmp_path_factory.mktemp("released") / "repository"
    shutil.copytree(REPOSITORY / "tests" / "codegen" / "good_spec", root)
    shutil.copytree(REPOSITORY / "spec" / "meta", root / "spec" / "meta")
    git(root, "init", "--quiet", "--initial-branch=main")
    assert main(["--root", str(root), "release"]) == 0
    commit(root)
    git(root, "checkout", "--quiet", "-b", "change")
    return root


@pytest.fixture
def repository(released: Path, tmp_path: Path) -> Path:
    """A copy of the released repository, on its branch `change`."""
    return shutil.copytree(released, tmp_path / "repository")


@pytest.fixture
def gate(repository: Path, capsys: pytest.CaptureFixture[str]) -> Gate:
    """Runs `breaking` with options; returns the exit code, and what it printed."""

    def run(*options: str) -> tuple[int, str]:
        capsys.readouterr()
        code = main(["--root", str(repository), "breaking", *options])
        shown = capsys.readouterr()
        return code, shown.out + shown.err

    return run


@pytest.fixture
def edit(repository: Path) -> Callable[[str, str, str], None]:
    """Replaces a text that is in a file of the spec."""

    def change(path: str, old: str, new: str) -> None:
        file = repository / "spec" / path
        text = file.read_text(encoding="utf-8")
        assert old in text, f"{path} does not hold {old!r}"
        file.write_text(text.replace(old, new, 1), encoding="utf-8")

    return change
