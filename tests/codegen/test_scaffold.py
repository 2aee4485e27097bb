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


def test_a_toolset_without_handlers_gets_a_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert scaffold(project, "read_note") == 0

    text = (project / "handlers" / "notes.py").read_text()
    stub = methods(text, "NotesTools")["read_note"]
    assert ast.unparse(stub.args) == "self, params: ReadNoteParams, ctx: ToolContext, /"
    assert stub.returns is not None
    assert ast.unparse(stub.returns) == "ReadNoteResult"
    assert (ast.get_docstring(stub) or "").startswith("Read one note.")
    assert capsys.readouterr().out == "handlers/notes.py: NotesTools.read_note\n"


def test_the_stub_says_that_it_is_not_written(project: Path) -> None:
    scaffold(project, "read_note")

    stub = methods((project / "handlers" / "notes.py").read_text(), "NotesTools")["read_note"]
    assert ast.unparse(stub.body[-1]) == (
        "raise NotImplementedError('read_note stands in spec/tools/notes/read_note.yaml, "
        "but its handler is not written yet')"
    )


def test_a_method_is_added_to_the_class_that_has_the_others(project: Path) -> None:
    target = write(project, "handlers/notes.py", HANDLERS)

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


def test_a_package_of_handlers_is_searched_for_the_class(project: Path) -> None:
    write(project, "handlers/notes/__init__.py", "")
    target = write(project, "handlers/notes/tools.py", HANDLERS)
    write(project, "handlers/notes/helpers.py", "class Helper:\n    pass\n")

    assert scaffold(project, "read_note") == 0
    assert "read_note" in methods(target.read_text(), "Notes")


def test_classes_imported_as_a_whole_are_used_by_that_name(project: Path) -> None:
    text = HANDLERS.replace("models.notes import FindNotesParams", "models import notes as models").replace(
        "results.notes import FindNotesResult", "results import notes"
    )
    target = write(project, "handlers/notes.py", text)

    scaffold(project, "read_note")

    stub = methods(target.read_text(), "Notes")["read_note"]
    assert ast.unparse(stub.args) == "self, params: models.ReadNoteParams, ctx: ToolContext, /"
    assert stub.returns is not None
    assert ast.unparse(stub.returns) == "notes.ReadNoteResult"
    imports = target.read_text().partition("class Notes")[0]
    assert "ReadNoteParams" not in imports
    assert "ReadNoteResult" not in imports


def test_a_method_that_is_there_is_never_touched(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = write(project, "handlers/notes.py", HANDLERS)

    assert scaffold(project, "find_notes") == 1
    assert target.read_text() == HANDLERS
    assert (
        "handlers/notes.py:12 has the method find_notes already; nothing was changed"
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
    target = write(project, "handlers/notes.py", text)

    assert scaffold(project, "read_note") == 1
    assert target.read_text() == text
    shown = capsys.readouterr().err
    assert "handlers/notes.py: One, handlers/notes.py: Two" in shown
    assert "    async def read_note(\n" in shown
