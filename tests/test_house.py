"""The rules of the house: who imports whom, what files may hold, and that its papers are in order."""

import ast
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house import ROOT, files, imports, modules
from tests.sweep import sweep

FOLDERS = ("spec", "codegen", "generated", "handlers", "runtime", "migrations", "tests")
LINKED = ("spec", "codegen", "generated", "handlers", "runtime", "migrations")


def frame(*rooms: str) -> tuple[str, ...]:
    return tuple(f"frame.{room}" for room in rooms)


# The import rule, top floor first: a module may import its own room and the rooms its line names, nothing
# else of ours. The rooms of `runtime` stand without their prefix; a line names only rooms below it.
STORE = (
    *("store.inspect", "store.bridge", "store.sessions", "store.search", "store.embeddings"),
    *("store.vocabulary", "store.vcons", "store.transcripts", "store.queries", "store.postgres"),
)
BELOW_THE_STORE = ("text", "vcon", *frame("logs", "documents"))
ROOMS: dict[str, tuple[str, ...]] = {
    # a form is read within the limits of a call
    "pages": ("vcon", "frame.mcp", "frame.documents"),
    "imports": (*STORE, "text", "vcon", "workspace", "settings", *frame("logs", "documents")),
    "embedding": (*STORE, "text", "vcon", "llm", "settings", *frame("errors", "logs", "documents")),
    "store.inspect": (*STORE[1:], *BELOW_THE_STORE),
    "store.bridge": (*STORE[2:], *BELOW_THE_STORE),
    "store.sessions": (*STORE[3:], *BELOW_THE_STORE),
    "store.search": (*STORE[4:], *BELOW_THE_STORE),
    "store.embeddings": (*STORE[5:], *BELOW_THE_STORE),
    "store.vocabulary": (*STORE[6:], *BELOW_THE_STORE),
    "store.vcons": (*STORE[7:], *BELOW_THE_STORE),
    "store.transcripts": (*STORE[8:], *BELOW_THE_STORE),
    "store.queries": ("frame.documents",),
    "store.postgres": ("settings", *frame("errors", "logs", "documents")),
    "text": ("vcon", "frame.documents"),
    "vcon": ("settings", "frame.documents"),
    "workspace": ("settings", "frame.documents"),
    "llm": ("settings", "frame.documents"),
    "settings": (),
    # The frame imports no room but its own: a server for something else could stand in it.
    "frame.mcp": frame("calls", "contract", "context", "logs", "documents"),
    "frame.calls": frame("contract", "envelope", "context", "errors", "logs", "documents"),
    "frame.contract": frame("envelope", "context", "errors", "documents"),
    "frame.envelope": frame("errors", "documents"),
    "frame.context": ("frame.documents",),
    "frame.errors": ("frame.documents",),
    "frame.logs": ("frame.documents",),
    "frame.documents": (),
}
OF_HANDLERS = (
    *frame("context", "envelope", "errors", "documents", "calls.cursor"),
    *("text", "vcon", "workspace", "llm", "store", "embedding", "settings", "imports.transcripts"),
)
MAY_IMPORT: dict[str, frozenset[str]] = {
    # what counts as not given is one fact, which the gate takes from the dispatcher
    "codegen.compat": frozenset({"codegen", "runtime.frame.calls.schemas"}),
    "codegen.vcon": frozenset({"codegen"}),
    "codegen": frozenset(),
    # it imports a handler's module on the first call
    "generated.handlers": frozenset({"generated", "handlers"}),
    "generated": frozenset(
        f"runtime.{room}" for room in frame("contract.registry", "context", "documents", "envelope", "errors")
    ),
    "handlers": frozenset({"generated", *(f"runtime.{room}" for room in OF_HANDLERS)}),
    "runtime.app": frozenset({"generated", "handlers", "runtime"}),
    "runtime.cli": frozenset({"generated", "runtime"}),
    **{
        f"runtime.{room}": frozenset({"generated", *(f"runtime.{other}" for other in below)})
        for room, below in ROOMS.items()
    },
    "runtime.frame": frozenset(),
    "runtime.store": frozenset(),
    "runtime": frozenset(),
}


def lies_in(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def forbidden_imports(module: str, source: str) -> list[str]:
    """One line for each import in `source` that the rule denies to `module`."""
    layer = next(layer for layer in MAY_IMPORT if lies_in(module, layer))
    allowed = MAY_IMPORT[layer] | {layer}
    return [
        f"{module}, line {line}: {layer} may not import {name}"
        for line, name in imports(source)
        if not any(lies_in(name, package) for package in allowed)
    ]


@pytest.mark.parametrize("folder", ["codegen", "generated", "handlers", "runtime"])
def test_modules_import_only_what_their_layer_may(folder: str) -> None:
    found = modules(folder)
    assert found
    assert [
        line for module, file in found for line in forbidden_imports(module, file.read_text(encoding="utf-8"))
    ] == []


@pytest.mark.parametrize(
    ("module", "statement", "denied"),
    [
        ("codegen.load", "from vcontract.runtime.frame.documents.json import JsonObject", True),
        ("generated.errors", "from vcontract.runtime.frame.errors import ToolError", False),
        ("generated.errors", "from vcontract.runtime.errors_of_others import ToolError", True),
        ("handlers.vcon", "import vcontract.runtime.frame.calls.dispatch", True),
        ("handlers.vcon", "from vcontract.runtime.store.vcons import store", False),
        (
            "runtime.frame.mcp.server",
            "def late() -> None:\n    from vcontract.handlers.vcon import Vcon",
            True,
        ),
        ("runtime.app", "def late() -> None:\n    from vcontract.handlers.vcon import Vcon", False),
        ("runtime.app", "from vcontract.codegen import model", True),
        ("runtime.cli.main", "from vcontract.handlers.vcon import Vcon", True),
        ("runtime.store.vcons.store", "from vcontract.runtime.store.search import ranking", True),
        ("runtime.store.search.ranking", "from vcontract.runtime.store.vcons import store", False),
        ("runtime.store.stray", "from vcontract.runtime.frame.documents.json import JsonObject", True),
        ("runtime.frame.documents.json", "from vcontract.runtime.vcon.times import read_time", True),
    ],
)
def test_import_rule_tells_what_is_denied(module: str, statement: str, denied: bool) -> None:
    assert bool(forbidden_imports(module, statement)) is denied


def test_the_core_of_codegen_knows_no_vcons() -> None:
    """What knows them is named by spec/project.yaml. The gate's rules are data about every contract."""
    core = [
        (module, file)
        for module, file in modules("codegen")
        if not lies_in(module, "codegen.vcon") and not lies_in(module, "codegen.compat")
    ]
    said = [
        f"{module}: {found[0]}"
        for module, file in core
        for found in re.finditer(r"(?i)(?<![a-z])vcons?(?![a-z])", file.read_text(encoding="utf-8"))
    ]
    imported = [
        f"{module}: {name}"
        for module, file in modules("codegen")
        for _, name in imports(file.read_text(encoding="utf-8"))
        if lies_in(name, "codegen.vcon") and not lies_in(module, "codegen.vcon")
    ]
    assert said + imported == []


def test_no_arrow_runs_up() -> None:
    order = list(ROOMS)
    assert [
        f"{room} names {below}, which does not stand below it"
        for room, allowed in ROOMS.items()
        for below in allowed
        if order.index(below) <= order.index(room)
    ] == []


def test_every_room_of_the_runtime_has_a_line() -> None:
    above = {"app", "cli", "store"}
    rooms = {
        ".".join(module.split(".")[1 : 3 if module.split(".")[1] in {"frame", "store"} else 2])
        for module, _ in modules("runtime")
        if module not in {"runtime", "runtime.frame"}
    }
    assert rooms - above == set(ROOMS)


@pytest.mark.parametrize("folder", FOLDERS)
def test_top_level_folder_exists(folder: str) -> None:
    assert (ROOT / folder).is_dir()


@pytest.mark.parametrize("folder", LINKED)
def test_package_links_to_the_top_level_folder(folder: str) -> None:
    assert os.readlink(ROOT / "src" / "vcontract" / folder) == f"../../{folder}"


def test_tests_are_not_in_the_package() -> None:
    package = ROOT / "src" / "vcontract"
    assert {entry.name for entry in package.iterdir()} - {"__pycache__"} == {
        *LINKED,
        "__init__.py",
        "py.typed",
    }


def test_every_module_says_in_its_docstring_what_lives_there() -> None:
    silent = [
        str(file.relative_to(ROOT))
        for folder in ("codegen", "generated", "handlers", "runtime", "bench", "docs")
        for _, file in modules(folder)
        if not (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").strip()
    ]
    assert silent == []


# Written in pieces, so that this file does not hold what it looks for.
FORBIDDEN = {
    "a package registry's host": re.compile("pypi" + r"\.org|python" + r"hosted|registry\.npm" + "js"),
    "a path of somebody's machine": re.compile(r"(?<![\w.:/-])/(?:root|work|Users)/\w"),
    "a ticket's number": re.compile(r"\b[Ii]ssue " + r"#?\d"),
}


def test_no_file_holds_what_belongs_to_one_machine() -> None:
    findings: list[str] = []
    for file in files():
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        findings += [
            f"{file.relative_to(ROOT)}: {what}: {found.group()}"
            for what, pattern in FORBIDDEN.items()
            for found in pattern.finditer(text)
        ]
    assert findings == []


def test_every_spec_file_names_its_schema_in_its_first_line() -> None:
    wrong: list[str] = []
    for file in sorted((ROOT / "spec").rglob("*.yaml")):
        first = file.read_text(encoding="utf-8").partition("\n")[0]
        found = re.fullmatch(r"# yaml-language-server: \$schema=(\S+\.schema\.json)", first)
        if found is None or not (file.parent / found.group(1)).is_file():
            wrong.append(f"{file.relative_to(ROOT)}: {first}")
    assert wrong == []


def locked(name: str) -> dict[str, str]:
    """Package to version; each must carry hashes."""
    versions: dict[str, str] = {}
    for block in re.split(r"\n(?=[A-Za-z0-9])", (ROOT / name).read_text(encoding="utf-8")):
        if block.startswith("#"):
            continue
        found = re.match(r"([A-Za-z0-9._-]+)==(\S+) \\\n", block)
        assert found, f"{name} does not pin this: {block.splitlines()[0]}"
        assert re.findall(r"--hash=sha256:[0-9a-f]{64}", block), f"{name}: {found.group(1)} has no hash"
        versions[canonicalize_name(found.group(1))] = found.group(2)
    return versions


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_lock_carries_hashes_and_no_addresses(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert locked(name)
    assert re.findall(r"\S*://\S*|^-.*|.*@ .*", text, re.MULTILINE) == []


def test_locks_agree_with_each_other_and_with_the_project_file() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    runtime, development = locked("requirements.lock"), locked("requirements-dev.lock")

    wanted = [
        *((line, runtime) for line in project["dependencies"]),
        *((line, development) for line in project["optional-dependencies"]["dev"]),
    ]
    missing = [
        f"{line}; run: make lock"
        for line, lock in wanted
        if (version := lock.get(canonicalize_name(Requirement(line).name))) is None
        or not Requirement(line).specifier.contains(version)
    ]

    assert missing == []
    assert runtime.items() <= development.items()


DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@sweep("page", DOCUMENTS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_of_a_page_resolve(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    broken: list[str] = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", path):
            continue
        linked = page.parent / path if path else page
        if not linked.exists() or (
            anchor and linked.suffix == ".md" and anchor not in anchors(linked.read_text(encoding="utf-8"))
        ):
            broken.append(target)
    assert broken == []


@sweep("page", DOCUMENTS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_files_that_a_page_names_exist(page: Path) -> None:
    named = re.findall(rf"`((?:{'|'.join(FOLDERS)}|docs|bench)/[\w./-]+)`", page.read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_modules_that_the_page_about_the_architecture_names_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"\b((?:frame|store|imports|vcon|text|pages)\.[a-z_.]*[a-z_])\b", text)
    places = [ROOT / "runtime" / name.replace(".", "/") for name in named]

    assert len(named) > 5
    assert [each for each in places if not each.is_dir() and not each.with_suffix(".py").exists()] == []


def test_changelog_has_an_entry_for_the_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_a_change_is_one_line_of_the_changelog() -> None:
    _, _, text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition("\n## ")
    lines = [line for line in text.splitlines()[1:] if line and not line.startswith("##")]

    assert [line for line in lines if not line.startswith("- ") or len(line) > 150] == []


def test_make_alone_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^\.PHONY: (\S+)$", makefile, re.MULTILINE))

    listed = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S607

    described = set(re.findall(r"^  (\S+) +\S.*$", listed, re.MULTILINE))
    assert targets == described
    assert targets >= {"setup", "generate", "check", "test", "demo", "bench", "scaffold", "snapshots", "lock"}


def test_ci_runs_what_a_developer_runs() -> None:
    script = ROOT / ".ci" / "run"
    lines = script.read_text(encoding="utf-8").splitlines()

    assert os.access(script, os.X_OK)
    assert lines[0] == "#!/usr/bin/env bash"
    assert {"set -euo pipefail", "export CI=true", "make check", "make breaking", "make test"} <= set(lines)


def test_the_product_makes_one_search_so_that_all_tools_share_its_counts() -> None:
    made = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for folder in ("handlers", "runtime")
        for file in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Search"
    ]

    assert [place.partition(":")[0] for place in made] == ["handlers/services.py"]
