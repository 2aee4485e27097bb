"""The workflows: of pull requests the gate, of the night what takes long; none can do harm."""

import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from vcontract.codegen.documents import JsonObject

ROOT = Path(__file__).parents[2]
WORKFLOWS = ROOT / ".github" / "workflows"
TRIGGERS = {
    "contract.yml": ["pull_request"],
    "docs.yml": ["push", "pull_request"],
    "nightly.yml": ["schedule", "workflow_dispatch"],
    "release.yml": ["push"],
    "test.yml": ["push", "pull_request"],
}


def read(name: str = "contract.yml") -> JsonObject:
    document: JsonObject = YAML(typ="safe", pure=True).load(WORKFLOWS / name)  # pyright: ignore[reportUnknownMemberType]
    return document


def steps(name: str) -> list[JsonObject]:
    return [step for job in read(name)["jobs"].values() for step in job["steps"]]


def test_these_are_the_workflows() -> None:
    assert {file.name for file in WORKFLOWS.iterdir()} == TRIGGERS.keys()


@pytest.mark.parametrize("name", TRIGGERS)
def test_a_workflow_may_only_read(name: str) -> None:
    workflow = read(name)

    assert list(workflow["on"]) == TRIGGERS[name]
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in (WORKFLOWS / name).read_text(encoding="utf-8")


def test_the_night_tries_fresh_texts_and_takes_out_every_guard() -> None:
    runs = [step["run"] for step in steps("nightly.yml") if "run" in step]

    assert set(runs) == {"make setup", "make fuzz", "make mutants", "make stranger"}


def test_the_suite_runs_on_the_database_of_the_compose_file() -> None:
    image: str = YAML(typ="safe").load(ROOT / "compose.yaml")["services"]["database"]["image"]  # pyright: ignore[reportUnknownMemberType]
    by_url = [step for step in steps("test.yml") if "VCONTRACT_TEST_DATABASE_URL" in step.get("env", {})]

    assert [step["run"] for step in by_url] == ["make test-postgres"]
    assert any(image in step.get("run", "") for step in steps("test.yml"))


@pytest.mark.parametrize("name", TRIGGERS)
def test_actions_are_pinned_to_a_major_version_of_their_makers(name: str) -> None:
    actions = [step["uses"] for step in steps(name) if "uses" in step]

    assert actions
    others = [action for action in actions if not re.fullmatch(r"actions/[a-z-]+@v\d+", action)]
    assert set(others) <= {
        "pypa/gh-action-pypi-publish@release/v1",  # how the index of packages asks for it
        "marocchino/sticky-pull-request-comment@v2",  # the code host has no action of its own for it
    }


def test_what_comes_from_the_pull_request_is_no_part_of_a_script() -> None:
    scripts = [step["run"] for step in read()["jobs"]["gate"]["steps"] if "run" in step]

    assert [script for script in scripts if "${{" in script] == []


def test_the_gate_decides_and_writes_the_comment_and_the_report() -> None:
    gate = read()["jobs"]["gate"]
    runs = [step["run"] for step in gate["steps"] if "run" in step]

    assert "permissions" not in gate, "what runs the code of the pull request only reads"
    assert any("FORMAT=markdown" in run and "GITHUB_STEP_SUMMARY" in run for run in runs)
    assert any("contract-report" in run for run in runs)
    assert any("__snapshots__" in run for run in runs)
    assert runs[-1] == 'make --silent breaking BASE="$BASE" FORMAT=annotations'


def test_one_comment_is_kept_up_to_date_by_a_job_that_runs_nothing_of_the_pull_request() -> None:
    comment = read()["jobs"]["comment"]

    assert comment["permissions"] == {"pull-requests": "write"}
    assert not any("run" in step or "checkout" in step["uses"] for step in comment["steps"])
    assert comment["steps"][-1]["with"] == {"header": "contract", "path": "comment.md"}
