"""Scaffolding: a handler's first version, once, and never over anything."""

import ast
from pathlib import Path

import pytest

from vcontract.codegen.__main__ import main

HANDLERS = '''"""Handlers of the `notes` toolset."""

from vcontract.generated.errors import NoSuchNote
from vcontract.generated.models.notes import FindNotesParams
from vcontract.generated.results.notes import FindNotesResult
from vcontract.runtime.context import ToolContext


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


def methods(source: str, name: str) -> dict[str, ast.AsyncFunctionDef]:
    node = next(
        part for part in ast.parse(source).body if isinstance(part, ast.ClassDef) and part.name == name
    )
    return {part.name: part for part in node.body if isinstance(part, ast.AsyncFunctionDef)}


def test_a_group_without_handlers_gets_a_module(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(project, "handlers/notes/finding.py", HANDLERS)

    assert scaffold(project, "read_note") == 0

    text = (project / "handlers" / "notes" / "reading.py").read_text()
    assert '"""Implements `generated.protocols.NotesReadingTools`."""' in text
    stub = methods(text, "Reading")["read_note"]
    assert ast.unparse(stub.args) == "self, params: ReadNoteParams, ctx: ToolContext, /"
    assert stub.returns is not None
    assert ast.unparse(stub.returns) == "ReadNoteResult"
    assert (ast.get_docstring(stub) or "").startswith("Read one note.")
    assert capsys.readouterr().out == "handlers/notes/reading.py: Reading.read_note\n"


def test_the_stub_says_that_it_is_not_written(project: Path) -> None:
    scaffold(project, "read_note")

    stub = methods((project / "handlers" / "notes" / "reading.py").read_text(), "Reading")["read_note"]
    assert ast.unparse(stub.body[-1]) == (
        "raise NotImplementedError('read_note stands in spec/tools/notes/read_note.yaml, "
        "but its handler is not written yet')"
    )


def test_a_method_is_added_to_the_class_that_has_the_others_of_its_group(project: Path) -> None:
    one_group(project)
    target = write(project, "handlers/notes/tools.py", HANDLERS)
    write(project, "handlers/notes/helpers.py", "class Helper:\n    pass\n")

    assert scaffold(project, "read_note") == 0

    text = target.read_text()
    assert list(methods(text, "Notes")) == ["find_notes", "read_note"]
    imports = [ast.unparse(node) for node in ast.parse(text).body if isinstance(node, ast.ImportFrom)]
    assert imports == [
        "from vcontract.generated.errors import NoSuchNote",
        "from vcontract.generated.models.notes import FindNotesParams, ReadNoteParams",
        "from vcontract.generated.results.notes import FindNotesResult, ReadNoteResult",
        "from vcontract.runtime.context import ToolContext",
    ]
    assert text.endswith("\n\n\nLAST = 1\n")
    assert "raise NoSuchNote(params.word)\n\n    async def read_note(" in text


def test_classes_imported_as_a_whole_are_used_by_that_name(project: Path) -> None:
    text = HANDLERS.replace("models.notes import FindNotesParams", "models import notes as models").replace(
        "results.notes import FindNotesResult", "results import notes"
    )
    one_group(project)
    target = write(project, "handlers/notes/finding.py", text)

    scaffold(project, "read_note")

    stub = methods(target.read_text(), "Notes")["read_note"]
    assert ast.unparse(stub.args) == "self, params: models.ReadNoteParams, ctx: ToolContext, /"
    assert stub.returns is not None
    assert ast.unparse(stub.returns) == "notes.ReadNoteResult"
    imports = target.read_text().partition("class Notes")[0]
    assert "ReadNoteParams" not in imports
    assert "ReadNoteResult" not in imports


def test_a_method_that_is_there_is_never_touched(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = write(project, "handlers/notes/finding.py", HANDLERS)

    assert scaffold(project, "find_notes") == 1
    assert target.read_text() == HANDLERS
    assert (
        "handlers/notes/finding.py:12 has the method find_notes already; nothing was changed"
        in capsys.readouterr().err
    )


def test_a_tool_comes_into_the_spec_first(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert scaffold(project, "burn_note") == 1
    assert capsys.readouterr().err == (
        "the spec has no tool burn_note; write spec/tools/<toolset>/burn_note.yaml first. "
        "It has: find_notes, read_note, desk_write_note\n"
    )


def test_a_class_that_cannot_be_told_gets_the_stub_printed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "class One:\n    pass\n\n\nclass Two:\n    pass\n"
    target = write(project, "handlers/notes/reading.py", text)

    assert scaffold(project, "read_note") == 1
    assert target.read_text() == text
    shown = capsys.readouterr().err
    assert "cannot be told (handlers/notes/reading.py: no tool of the group)" in shown
    assert "    async def read_note(\n" in shown
