"""`vcontract people`: names are merged, listed, imported from a file, and split again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import CliRunner, Result

from vcontract.runtime.cli.main import app
from vcontract.runtime.frame.documents.json import JsonObject

Run: TypeAlias = Callable[..., Result]


@pytest.fixture
def run(database_url: str, tmp_path: Path, tenant: str) -> Run:
    """Runs the command on the module's database, for this test's tenant."""

    def invoke(*arguments: object) -> Result:
        env = {"VCONTRACT_DATABASE_URL": database_url, "VCONTRACT_DATA_DIR": str(tmp_path / "data")}
        return CliRunner().invoke(app, [*map(str, arguments), "--tenant", tenant], env=env)

    return invoke


def people(run: Run) -> list[JsonObject]:
    outcome = run("people", "list", "--json")
    assert outcome.exit_code == 0, outcome.output
    listed: list[JsonObject] = json.loads(outcome.stdout)["people"]
    return listed


def test_names_are_merged_listed_and_split(run: Run) -> None:
    merged = run("people", "merge", "Ana Souza", "+55 11 91234-5678", "ana@example.org")
    again = run("people", "merge", "ANA@example.org", "Aninha")
    listed = people(run)
    shown = run("people", "list").stdout
    removed = run("people", "split", "Aninha", "ana@example.org")
    rest = people(run)
    gone = run("people", "split", "ana souza")
    unknown = run("people", "split", "ana souza")

    assert merged.stdout == "Merged 3 names as Ana Souza.\n"
    assert again.stdout == "Merged 2 names as Ana Souza.\n"
    names = ["Ana Souza", "+55 11 91234-5678", "Aninha", "ana@example.org"]
    assert listed == [{"person": "Ana Souza", "names": names}]
    assert shown == "Ana Souza  +55 11 91234-5678, Aninha, ana@example.org\n"
    assert removed.stdout == "Removed 1 name.\n"
    assert rest == [{"person": "Ana Souza", "names": names[:3]}]
    assert gone.stdout == "Removed 3 names.\n"
    assert (unknown.exit_code, people(run)) == (1, [])
    assert "nothing is merged as 'ana souza'" in unknown.stderr
    actions = [line["what"] for line in json.loads(run("audit", "--json").stdout)["lines"]]
    assert sorted(actions) == ["people merge", "people merge", "people split", "people split"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("people.yaml", 'Ana Souza: [Aninha, "+55 11 91234-5678"]\nBo Li: [bo@example.org]\n'),
        ("people.csv", "Ana Souza,Aninha,+55 11 91234-5678\r\n\r\nBo Li,bo@example.org,\r\n"),
    ],
)
def test_a_file_of_people_is_merged_once_however_often_it_is_imported(
    run: Run, tmp_path: Path, name: str, content: str
) -> None:
    file = tmp_path / name
    file.write_text(content, encoding="utf-8-sig", newline="")

    first = run("people", "import", file)
    listed = people(run)
    second = run("people", "import", file)

    assert first.stdout == second.stdout == "Merged the names of 2 people.\n"
    assert listed == people(run)
    assert listed == [
        {"person": "Ana Souza", "names": ["Ana Souza", "+55 11 91234-5678", "Aninha"]},
        {"person": "Bo Li", "names": ["Bo Li", "bo@example.org"]},
    ]


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.yaml", "Ana: [x", "is not a valid people file"),
        ("a.yaml", "- Ana\n", "is not a valid people file"),
        ("a.yaml", "Ana: Aninha\n", "is not a valid people file"),
        ("a.yaml", "Ana: [Aninha]\nBo: [ANINHA]\n", "has 'ANINHA' under both 'Ana' and 'Bo'"),
        ("a.yaml", "Ana: [Aninha]\nBo: ['?']\n", "'?' has no letters or digits"),
        ("a.csv", 'Ana,"Aninha\n', "is not a valid people file"),
    ],
)
def test_a_file_that_cannot_be_used_changes_nothing(
    run: Run, tmp_path: Path, name: str, content: str, why: str
) -> None:
    file = tmp_path / name
    file.write_text(content)

    outcome = run("people", "import", file)

    assert (outcome.exit_code, people(run)) == (2, [])
    assert why in outcome.stderr


def test_one_name_and_a_missing_file_are_wrong_usage(run: Run, tmp_path: Path) -> None:
    alone = run("people", "merge", "Ana")
    missing = run("people", "import", tmp_path / "none.yaml")

    assert (alone.exit_code, missing.exit_code) == (2, 2)
    assert "one name cannot be merged" in alone.stderr
    assert "cannot be read" in missing.stderr
