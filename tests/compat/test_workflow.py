"""The workflow for pull requests: it runs the gate, and can do no harm."""

import re
from pathlib import Path

from ruamel.yaml import YAML

from vcontract.codegen.documents import JsonObject

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "contract.yml"


def read() -> JsonObject:
    document: JsonObject = YAML(typ="safe", pure=True).load(WORKFLOW)  # pyright: ignore[reportUnknownMemberType]
    return document


def test_it_runs_for_pull_requests_and_may_only_read() -> None:
    workflow = read()

    assert list(workflow["on"]) == ["pull_request"]
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in WORKFLOW.read_text(encoding="utf-8")


def test_actions_are_pinned_to_a_major_version_of_their_makers() -> None:
    actions = [step["uses"] for step in read()["jobs"]["gate"]["steps"] if "uses" in step]

    assert actions
    assert [action for action in actions if not re.fullmatch(r"actions/[a-z-]+@v\d+", action)] == []


def test_what_comes_from_the_pull_request_is_no_part_of_a_script() -> None:
    scripts = [step["run"] for step in read()["jobs"]["gate"]["steps"] if "run" in step]

    assert [script for script in scripts if "${{" in script] == []


def test_the_gate_decides_and_the_summary_gets_the_report() -> None:
    runs = [step["run"] for step in read()["jobs"]["gate"]["steps"] if "run" in step]

    assert any("FORMAT=markdown" in run and "GITHUB_STEP_SUMMARY" in run for run in runs)
    assert any("__snapshots__" in run for run in runs)
    assert runs[-1] == 'make --silent breaking BASE="$BASE" FORMAT=annotations'
