"""An answer that does not fit its tool is an error in both type checkers."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

import pytest

from vcontract.codegen import naming
from vcontract.codegen.load import load_spec
from vcontract.codegen.model import Contract
from vcontract.codegen.resolve import resolve

ROOT = Path(__file__).resolve().parents[2]
FILLED_IN_BY_THE_SERVER = ("response_bytes", "max_response_bytes")

HANDLER = """\
from vcontract.generated.results.memory import MemoryReadResult, MemorySearchResultScope
from vcontract.generated.results.vcon import AnalysisTypesContent

class Handler:
    async def right(self) -> MemorySearchResultScope:
        return {"sidechains": True, "after": "2025-01-01"}
    async def wrong(self) -> MemorySearchResultScope:
        return {"sidechains": "yes"}  # refused
    async def missing(self) -> MemorySearchResultScope:
        return {"after": "2025-01-01"}  # refused
    async def surplus(self) -> MemorySearchResultScope:
        return {"sidechains": True, "befor": "2025-01-01"}  # refused
    async def added(self, answer: MemoryReadResult) -> MemoryReadResult:
        answer["next_line"] = 7  # refused
        answer["exchanges"][0]["tools"] = ["ls", 7]  # refused
        return answer
    async def content(self) -> AnalysisTypesContent:
        return {"count": 1, "analysis_types": [{"value": "summary", "count": "1"}]}  # refused
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A module with answers that must be refused, and with the responses of all examples, which must not."""
    folder = tmp_path_factory.mktemp("answers")
    module = folder / "answers.py"
    module.write_text("\n".join((HANDLER, *_examples(resolve(load_spec(ROOT))))), encoding="utf-8")
    checked = {"typeCheckingMode": "strict", "extraPaths": [str(ROOT / "src")], "include": [module.name]}
    (folder / "pyrightconfig.json").write_text(json.dumps(checked), encoding="utf-8")
    return module


def _examples(contract: Contract) -> Iterator[str]:
    """One function a tool: it answers with the responses of the tool's examples, as a handler would."""
    for tool in contract.tools:
        result = naming.result_class(tool.key)
        yield f"from vcontract.generated.results.{tool.toolset} import {result}"
        yield f"def {tool.key}() -> list[{result}]:"
        responses = [dict(example.response) for example in tool.examples if example.response is not None]
        for response in responses:
            if "meta" in response:
                members = response["meta"].items()
                response["meta"] = {
                    name: value for name, value in members if name not in FILLED_IN_BY_THE_SERVER
                }
        yield indent(f"return {responses!r}", "    ")


def _refused(command: list[str], module: Path) -> set[int]:
    """The lines of `module` in which a type checker finds an error."""
    run = subprocess.run(command, cwd=module.parent, capture_output=True, text=True, check=False)  # noqa: S603
    found = {int(line) for line in re.findall(r"answers\.py:(\d+)(?::\d+)?(?:: | - )error", run.stdout)}
    assert found, run.stdout + run.stderr
    return found


@pytest.mark.parametrize(
    "command",
    [
        pytest.param([sys.executable, "-m", "mypy", "--strict", "answers.py"], id="mypy"),
        pytest.param([sys.executable, "-m", "pyright", "-p", "pyrightconfig.json"], id="pyright"),
    ],
)
def test_a_wrong_a_missing_and_a_surplus_member_are_refused_and_no_example_is(
    command: list[str], answers: Path
) -> None:
    lines = answers.read_text(encoding="utf-8").splitlines()
    planted = {number for number, line in enumerate(lines, start=1) if line.endswith("# refused")}

    assert _refused(command, answers) == planted
