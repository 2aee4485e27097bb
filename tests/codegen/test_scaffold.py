"""Scaffolding: a handler's first version is printed, with the module that it belongs to."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from vcontract.codegen.__main__ import main
from vcontract.codegen.load import load_spec
from vcontract.codegen.resolve import resolve
from vcontract.codegen.scaffold import stub_for

REPOSITORY = Path(__file__).parents[2]

HANDLERS = '''"""Handlers of the `notes` toolset."""

from vcontract.generated.errors import NoSuchNote
from vcontract.generated.models.notes import FindNotesParams
from vcontract.generated.results.notes import FindNotesResult
from vcontract.runtime.frame.context import ToolContext


class Notes:
    """Finds notes."""

    async def find_notes(self, params: FindNotesParams, ctx: ToolContext, /) -> FindNotesResult:
        raise NoSuchNote(params.word)


LAST = 1
'''


def scaffold(root: Path, tool: str) -> int:
    return main(["--root", str(root), "scaffold", tool])


def one_group(root: Path) -> None:
    """Let both tools of the notes be of one group."""
    file = root / "spec" / "tools" / "notes" / "read_note.yaml"
    file.write_text(file.read_text().replace("group: reading", "group: finding"))


def write(root: Path, path: str, text: str) -> Path:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    return target


def test_a_group_without_handlers_gets_a_whole_module(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project, "handlers/notes/finding.py", HANDLERS)

    assert scaffold(project, "read_note") == 0

    place, _, text = capsys.readouterr().out.partition("\n")
    assert place == "# handlers/notes/reading.py"
    assert '"""Implements `generated.protocols.NotesReadingTools`."""' in text
    (class_,) = (node for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
    (stub,) = (node for node in class_.body if isinstance(node, ast.AsyncFunctionDef))
    assert class_.name == "ReadingTools"
    assert ast.unparse(stub.args) == "self, params: models.ReadNoteParams, ctx: ToolContext, /"
    assert stub.returns is not None
    assert ast.unparse(stub.returns) == "results.ReadNoteResult"
    assert (ast.get_docstring(stub) or "").startswith("Read one note.")
    assert ast.unparse(stub.body[-1]) == "raise NotImplementedError('read_note has no handler yet')"
    assert list((project / "handlers").rglob("reading.py")) == [], "nothing is written"


def test_a_method_is_shown_for_the_module_that_has_the_others_of_its_group(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one_group(project)
    target = write(project, "handlers/notes/tools.py", HANDLERS)
    write(project, "handlers/notes/helpers.py", "class Helper:\n    pass\n")

    assert scaffold(project, "read_note") == 0

    shown = capsys.readouterr().out
    assert shown.startswith(
        "# handlers/notes/tools.py\n"
        "from vcontract.generated.models import notes as models\n"
        "from vcontract.generated.results import notes as results\n"
        "from vcontract.runtime.frame.context import ToolContext\n\n"
        "    async def read_note("
    )
    ast.parse(HANDLERS.replace("\n\n\nLAST", "\n" + shown.partition("\n\n")[2] + "\n\nLAST"))
    assert target.read_text() == HANDLERS


def test_a_method_that_is_there_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(project, "handlers/notes/finding.py", HANDLERS)

    assert scaffold(project, "find_notes") == 1
    assert capsys.readouterr().err == "handlers/notes/finding.py has the method find_notes already\n"


def test_the_stub_of_each_tool_passes_the_linter_and_the_formatter(tmp_path: Path) -> None:
    contract = resolve(load_spec(REPOSITORY))
    for tool in contract.tools:
        _, _, module = stub_for(contract, tool.key, tmp_path).partition("\n")
        write(tmp_path, f"{tool.key}.py", module)

    for command in (["check"], ["format", "--check"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--config", str(REPOSITORY / "pyproject.toml")]
        run = subprocess.run([*ruff, str(tmp_path)], capture_output=True, text=True, check=False)  # noqa: S603
        assert run.returncode == 0, run.stdout


def test_a_tool_comes_into_the_spec_first(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert scaffold(project, "burn_note") == 1
    assert capsys.readouterr().err == (
        "the spec has no tool burn_note; write spec/tools/<toolset>/burn_note.yaml first. "
        "It has: find_notes, read_note, desk_write_note\n"
    )
