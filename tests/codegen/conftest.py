"""The small spec that the generator's tests change."""

import shutil
from pathlib import Path

import pytest

from vcontract.codegen.generate import print_files
from vcontract.codegen.load import load_spec
from vcontract.codegen.model import Contract
from vcontract.codegen.resolve import resolve

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def repository() -> Path:
    """The folder that holds spec/, generated/ and handlers/."""
    return REPOSITORY


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a small spec in which nothing is wrong, under the meta-schemas of this repository."""
    return _copied_to(tmp_path / "project")


@pytest.fixture(scope="session")
def good_contract(tmp_path_factory: pytest.TempPathFactory) -> Contract:
    """The contract of the small spec, for tests that only read it."""
    return resolve(load_spec(_copied_to(tmp_path_factory.mktemp("good") / "project")))


@pytest.fixture(scope="session")
def good_files(good_contract: Contract) -> dict[str, str]:
    """What the small spec is generated to: path to text."""
    return {file.path: file.text for file in print_files(good_contract)}


def _copied_to(root: Path) -> Path:
    shutil.copytree(Path(__file__).parent / "good_spec", root)
    shutil.copytree(REPOSITORY / "spec" / "meta", root / "spec" / "meta")
    return root
