"""The wheel, built from the sdist, carries everything that the folders hold."""

import ast
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOT_PACKAGED = {"vcontract/generated/surface.json"}
"""The gate reads it in a checkout, from git."""
PACKAGED = ("spec", "codegen", "generated", "handlers", "runtime", "migrations")
# What patch releases of 3.11 added. Debian 12 has 3.11.2, and type checkers do not know patch releases.
ADDED_AFTER_3_11_0 = {
    *(("filter", call) for call in ("extract", "extractall", "unpack_archive")),
    *(("strict", call) for call in ("getaddresses", "parseaddr")),
}
NAMES_ADDED_AFTER_3_11_0 = {
    *("data_filter", "tar_filter", "fully_trusted_filter", "extraction_filter"),
    *("verify_generated_headers", "SetReparseDeferral", "GetReparseDeferralEnabled", "ALLOW_MISSING"),
}
NEEDED_TO_BUILD = ("pyproject.toml", "README.md", "LICENSE", "src", *PACKAGED)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from the sdist of a copy of the tree, offline."""
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("out")
    for name in NEEDED_TO_BUILD:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(
                source, tree / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
            )
        else:
            shutil.copy(source, tree / name)
    built = subprocess.run(  # noqa: S603  (our own tree)
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(tree)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return next(out.glob("*.whl"))


def test_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    packaged = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        f"vcontract/{file.relative_to(ROOT).as_posix()}"
        for folder in PACKAGED
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert wanted
    assert sorted(wanted - packaged) == sorted(NOT_PACKAGED)
    assert {"vcontract/__init__.py", "vcontract/py.typed"} <= packaged


def test_wheel_puts_one_name_into_site_packages(wheel: Path) -> None:
    names = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {name for name in names if not name.endswith(".dist-info")} == {"vcontract"}


def test_sdist_holds_files_where_the_tree_has_links(wheel: Path) -> None:
    with tarfile.open(next(wheel.parent.glob("*.tar.gz"))) as archive:
        members = archive.getmembers()
    assert [member.name for member in members if member.issym() or member.islnk()] == []
    assert any(member.name.endswith("src/vcontract/spec/server.yaml") for member in members)


def test_wheel_names_the_command(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    entry_points = next(name for name in archive.namelist() if name.endswith("entry_points.txt"))
    assert "vcontract = vcontract.runtime.cli.main:main" in archive.read(entry_points).decode()


@pytest.mark.parametrize("folder", ["bench", "codegen", "docs", "generated", "handlers", "runtime", "tests"])
def test_sources_run_on_the_first_python_3_11(folder: str) -> None:
    newer: list[str] = []
    for file in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), keywords=keywords):
                    if any((each.arg, name) in ADDED_AFTER_3_11_0 for each in keywords):
                        newer.append(f"{file.relative_to(ROOT)}:{node.lineno} {name}")
                case ast.Name(id=name) | ast.Attribute(attr=name) if name in NAMES_ADDED_AFTER_3_11_0:
                    newer.append(f"{file.relative_to(ROOT)}:{node.lineno} {name}")
                case _:
                    pass
    assert newer == []
