"""The OpenAPI documents keep the rules that people lint them with."""

import subprocess
from pathlib import Path

import pytest

from vcontract.codegen.generate import print_files
from vcontract.codegen.model import Contract
from vcontract.runtime.vcon.conformance import VERSIONS

FOLDER = Path(__file__).parent


@pytest.fixture
def documents(contract: Contract, tmp_path: Path) -> list[str]:
    """The files, each in a folder of its own."""
    found = [file for file in print_files(contract) if file.path.endswith("openapi.json")]
    for file in found:
        target = tmp_path / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file.text, encoding="utf-8")
    return [str(tmp_path / file.path) for file in found]


def lint(node: str, script: str, files: list[str]) -> list[str]:
    run = subprocess.run(  # noqa: S603 - our own script
        [node, str(FOLDER / script), *files], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


@pytest.mark.parametrize("script", ["redocly.mjs", "spectral.mjs"])
def test_the_linter_finds_nothing(node: str, documents: list[str], script: str) -> None:
    assert len(documents) == 1 + len(VERSIONS)
    assert lint(node, script, documents) == []


@pytest.mark.parametrize(
    ("script", "rule"), [("redocly.mjs", "no-unresolved-refs"), ("spectral.mjs", "invalid-ref")]
)
def test_the_linter_would_find_something(node: str, documents: list[str], script: str, rule: str) -> None:
    file = Path(documents[0])
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"$ref": "#/components/schemas/Get', '"$ref": "#/components/schemas/Got', 1))

    assert any(rule in finding for finding in lint(node, script, documents))
