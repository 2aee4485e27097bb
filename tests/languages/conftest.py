"""What the tests of other languages share: Node, the TypeScript compiler, Ajv, and documents gone wrong."""

import copy
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import strategies as st
from ruamel.yaml import YAML

from tests.conftest import PATIENCE
from vcontract.codegen.documents import JsonObject, JsonValue, is_array, is_object
from vcontract.codegen.load import load_spec
from vcontract.codegen.model import Contract
from vcontract.codegen.resolve import resolve

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
MUST_RUN = "VCONTRACT_LANGUAGES"
"""Set by `make languages`: what is missing is then a failure."""

Compile = Callable[..., list[list[str]]]
Verdict = Callable[[str, JsonValue], bool]
StartAjv = Callable[[Mapping[str, JsonObject]], Verdict]
InChromium = Callable[[str, JsonObject], JsonValue]
Mutations = Callable[[JsonObject], st.SearchStrategy[JsonObject]]

_DIAGNOSTIC = re.compile(r"(?P<file>[^\s(]+)\((?P<line>\d+),\d+\): error (?P<code>TS\d+): ")


@pytest.fixture(scope="session")
def node() -> str:
    """The path of Node, where it and the packages of package.json are installed."""
    found = shutil.which("node")
    missing = None
    if found is None:
        missing = "node is not installed"
    elif not (FOLDER / "node_modules" / "typescript").is_dir():
        missing = "the packages of tests/languages are not installed; run: make languages"
    if missing is not None or found is None:
        if os.environ.get(MUST_RUN):
            pytest.fail(str(missing))
        pytest.skip(str(missing))
    return found


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of Chromium, where it is installed."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("chromium is not installed; on Debian: apt-get install chromium")
    packages = ("playwright-core", "axe-core")
    if not all((FOLDER / "node_modules" / package).is_dir() for package in packages):
        pytest.skip("the packages of tests/languages are not installed; run: make languages")
    return found


@pytest.fixture(scope="session")
def in_chromium(node: str, chromium: str) -> InChromium:
    """Runs a script of this folder that drives Chromium, with what it is told, and gives what it saw."""

    def run(script: str, reported: JsonObject) -> JsonValue:
        ended = subprocess.run(  # noqa: S603 - Node and a script of ours
            [node, str(FOLDER / script)],
            input=json.dumps({"browser": chromium, **reported}),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    return run


@pytest.fixture(scope="session")
def contract() -> Contract:
    return resolve(load_spec(ROOT))


@pytest.fixture(scope="session")
def vcons() -> dict[str, JsonObject]:
    """The example vCons by name."""
    reader = YAML(typ="safe", pure=True)
    files = sorted((ROOT / "spec" / "examples").glob("*.yaml"))
    return {file.stem: reader.load(file.read_text(encoding="utf-8"))["vcon"] for file in files}  # pyright: ignore[reportUnknownMemberType]


@pytest.fixture(scope="session")
def compile_typescript(node: str, tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Compiles lines of TypeScript in strict mode, beside modules they import; the error codes line by line.

    Further compiler options may follow. An error anywhere else, in a module say, fails the test.
    """

    def compile_typescript(
        modules: Mapping[str, str], lines: Sequence[str], *options: str
    ) -> list[list[str]]:
        folder = tmp_path_factory.mktemp("typescript")
        for name, text in modules.items():
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "lines.ts").write_text("\n".join(lines) + "\n", encoding="utf-8")
        shutil.copy(FOLDER / "tsconfig.json", folder)
        compiler = str(FOLDER / "node_modules" / "typescript" / "bin" / "tsc")
        run = subprocess.run(  # noqa: S603 - the compiler that package.json pins
            [node, compiler, "--project", str(folder), "--pretty", "false", *options],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        codes: list[list[str]] = [[] for _ in lines]
        for line in run.stdout.splitlines():
            found = _DIAGNOSTIC.match(line)
            if found and found["file"] == "lines.ts":
                codes[int(found["line"]) - 1].append(found["code"])
            else:
                assert line.startswith(" "), line
        assert bool(run.returncode) == any(codes), run.stdout + run.stderr
        return codes

    return compile_typescript


@pytest.fixture(scope="module")
def start_ajv(node: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartAjv]:
    """Starts Ajv with schemas by name; what comes back says whether a document fits one of them."""
    running: list[subprocess.Popen[str]] = []

    def start_ajv(schemas: Mapping[str, JsonObject]) -> Verdict:
        file = tmp_path_factory.mktemp("ajv") / "schemas.json"
        file.write_text(json.dumps(schemas), encoding="utf-8")
        process = subprocess.Popen(  # noqa: S603 - our own script
            [node, str(FOLDER / "verdicts.mjs"), str(file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        running.append(process)
        questions, answers = process.stdin, process.stdout
        assert questions is not None
        assert answers is not None

        def fits(schema: str, document: JsonValue) -> bool:
            questions.write(json.dumps({"schema": schema, "document": document}) + "\n")
            questions.flush()
            answer = answers.readline()
            assert answer in ("true\n", "false\n"), "Ajv has ended; its last words are above"
            return answer == "true\n"

        return fits

    yield start_ajv
    for process in running:
        process.communicate()


_NUMBERS = ("0", "-1", "7", "0.5")
_TEXTS = ("", "0", "text", "none", "json", "2025-10-14T10:30:00Z")
_ODD: st.SearchStrategy[JsonValue] = st.sampled_from(
    ["null", "true", "false", *_NUMBERS, *map(json.dumps, _TEXTS), "[]", "[0]", "{}"]
).map(json.loads)


@pytest.fixture(scope="session")
def mutations() -> Mutations:
    """Documents like a given one with one to three changes: a value replaced, removed, added or doubled."""

    @st.composite
    def mutated(draw: st.DrawFn, document: JsonObject) -> JsonObject:
        changed = copy.deepcopy(document)
        for _ in range(draw(st.integers(1, 3))):
            _change(draw, changed)
        return changed

    return mutated


def _change(draw: st.DrawFn, document: JsonObject) -> None:
    containers = list(_containers(document))
    container = draw(st.sampled_from(containers))
    names = ["further", *sorted({name for other in containers if is_object(other) for name in other})]
    if is_object(container):
        present = sorted(container)
        kind = draw(st.sampled_from(["replace", "remove", "add"] if present else ["add"]))
        name = draw(st.sampled_from(names if kind == "add" else present))
        if kind == "remove":
            del container[name]
        else:
            container[name] = draw(_ODD)
    elif is_array(container):
        kind = draw(st.sampled_from(["replace", "remove", "double", "add"] if container else ["add"]))
        position = draw(st.integers(0, max(0, len(container) - 1)))
        if kind == "replace":
            container[position] = draw(_ODD)
        elif kind == "remove":
            del container[position]
        else:
            container.append(copy.deepcopy(container[position]) if kind == "double" else draw(_ODD))


def _containers(value: JsonValue) -> Iterator[JsonValue]:
    """Every object and array in `value`, itself included."""
    if is_object(value) or is_array(value):
        yield value
        for member in value.values() if is_object(value) else value:
            yield from _containers(member)
