"""The demo and the benchmarks, run as a person runs them."""

import json
import subprocess
import sys
from pathlib import Path

from tests.conftest import PATIENCE

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603  (our own scripts)
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE
    )


def test_demo_shows_import_evidence_search_paging_budget_a_helpful_error_and_a_memory() -> None:
    done = run("docs/demo.py")

    assert done.returncode == 0, done.stdout + done.stderr
    for shown in (
        "14 of 14 conform",
        "[10] Andre Castillo: The refund was blocked by the inspection note.",
        "answerable: nothing_found, said nowhere: zeppelin, harpsichord, quarks",
        "<mark>refund",
        "14 conversations, each of them once.",
        "RESPONSE_TOO_LARGE",
        "AMBIGUOUS_QUERY",
        "The nearest key is department.",
        "## Search Results (1 conversation)",
        "Nothing yet. I suggest to keep it for one release",
    ):
        assert shown in done.stdout
    assert done.stderr == ""


def test_benchmarks_run(tmp_path: Path) -> None:
    report = tmp_path / "report.json"

    done = run("-m", "bench.run", "--sizes", "10,60", "--runs", "1", "--json", str(report))

    assert done.returncode == 0, done.stderr
    found = json.loads(report.read_text(encoding="utf-8"))
    assert {len(growth["at"]) for growth in found["growths"]} == {2}
    assert all(one["ratio"] > 0 for one in [*found["ratios"], *found["rates"]])
