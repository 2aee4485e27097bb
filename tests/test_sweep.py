"""A sweep tries every case, and names each that fails."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.house import ROOT
from tests.sweep import sweep

SWEPT = """
from tests.sweep import sweep

@sweep(("one", "other"), [(1, 1), (1, 2), (3, 3), (4, 5)])
def test_same(tmp_path, one, other):
    assert one == other

@sweep("name", ["a", "b"])
async def test_short(name):
    assert name != "b"

@sweep("number", [1, 2], ids=["first", "second"])
def test_odd(number):
    assert number % 2
"""


def test_every_case_is_tried_and_each_that_fails_is_named(tmp_path: Path) -> None:
    file = tmp_path / "test_swept.py"
    file.write_text(SWEPT)

    command = [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path)]
    outcome = subprocess.run(  # noqa: S603
        [*command, "-p", "no:cacheprovider", str(file)], cwd=ROOT, capture_output=True, text=True
    )

    failed = [line for line in outcome.stdout.splitlines() if line.startswith("SUBFAILED")]
    assert outcome.returncode == pytest.ExitCode.TESTS_FAILED
    assert [label for line in failed for label in ("[1-2]", "[4-5]", "[b]", "[second]") if label in line] == [
        *("[1-2]", "[4-5]", "[b]", "[second]")
    ]


def test_a_sweep_without_cases_is_refused() -> None:
    def test_nothing(name: str) -> None:
        raise AssertionError(name)

    with pytest.raises(ValueError, match="test_nothing has no cases"):
        sweep("name", [])(test_nothing)
