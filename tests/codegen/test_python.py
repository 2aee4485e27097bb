"""The Python that is generated: its classes, its literals, its docstrings."""

import ast
from pathlib import Path

import pytest

from vcontract.codegen import naming
from vcontract.codegen.documents import JsonValue
from vcontract.codegen.emit.printing import docstring, literal
from vcontract.codegen.load import load_spec
from vcontract.codegen.model_objects import NameTakenError, result_schemas
from vcontract.codegen.resolve import resolve


def classes(source: str) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}


def fields(node: ast.ClassDef) -> dict[str, str]:
    return {
        part.target.id: ast.unparse(part).partition(": ")[2]
        for part in node.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    }


def test_parameters_become_fields_with_their_defaults(good_files: dict[str, str]) -> None:
    found = classes(good_files["models/notes.py"])

    assert fields(found["FindNotesParams"]) == {
        "word": "str",
        "kind": "Literal['memo', 'letter'] | MISSING = MISSING",
        "labels": "dict[str, int | str | float] | MISSING = MISSING",
        "limit": "int = 5",
        "cursor": "str | MISSING = MISSING",
    }


def test_a_document_becomes_a_dict_and_an_object_a_class(good_files: dict[str, str]) -> None:
    found = classes(good_files["models/desk.py"])

    assert fields(found["DeskWriteNoteParams"]) == {
        "note": "dict[str, Any]",
        "options": "DeskWriteNoteParamsOptions | MISSING = MISSING",
        "colours": "list[str] | MISSING = MISSING",
    }
    assert fields(found["DeskWriteNoteParamsOptions"]) == {"kind": "Literal['memo', 'letter'] = 'memo'"}


def test_a_result_is_the_whole_success_and_leaves_meta_to_the_server(good_files: dict[str, str]) -> None:
    found = classes(good_files["results/notes.py"])

    assert fields(found["ReadNoteResult"]) == {
        "ok": "Literal[True]",
        "item": "Note",
        "meta": "NotRequired[ReadNoteResultMeta]",
    }
    assert fields(found["ReadNoteResultMeta"]) == {"response_bytes": "NotRequired[int]"}


def test_results_are_typed_dicts_and_parameters_models(good_files: dict[str, str]) -> None:
    bases = {
        folder: {ast.unparse(base) for node in found.values() for base in node.bases}
        for folder in ("models", "results")
        for found in [classes(good_files[f"{folder}/desk.py"])]
    }

    assert bases == {"models": {"Model"}, "results": {"TypedDict"}}


def test_an_item_that_adds_to_a_shape_inherits_from_its_class(good_files: dict[str, str]) -> None:
    found = classes(good_files["results/notes.py"])

    assert [ast.unparse(base) for base in found["FindNotesResultEntry"].bases] == ["Note"]
    assert fields(found["FindNotesResultEntry"]) == {"score": "float"}


def test_a_member_that_python_knows_keeps_its_name_on_the_wire(good_files: dict[str, str]) -> None:
    note = classes(good_files["results/notes.py"])["Note"]

    assert fields(note)["schema"] == "NotRequired[str | None]"


def test_inputs_are_closed(good_files: dict[str, str]) -> None:
    found = classes(good_files["models/desk.py"])

    closed = {name for name, node in found.items() if "extra='forbid'" in ast.unparse(node)}
    assert closed == set(found) == {"DeskWriteNoteParams", "DeskWriteNoteParamsOptions"}


def test_a_protocol_has_one_method_a_tool_and_one_a_resource(good_files: dict[str, str]) -> None:
    found = classes(good_files["protocols.py"])

    methods = {
        name: [
            ast.unparse(part).splitlines()[0] for part in node.body if isinstance(part, ast.AsyncFunctionDef)
        ]
        for name, node in found.items()
    }
    assert methods == {
        "DeskWritingTools": [
            "async def write_note(self, params: DeskWriteNoteParams, ctx: ToolContext, /)"
            " -> DeskWriteNoteResult:"
        ],
        "NotesResources": [
            "async def newest(self, ctx: ToolContext, /, *, limit: int) -> NewestContent:",
            "async def note(self, ctx: ToolContext, /, *, id: str) -> NoteContent:",
            "async def complete_note_ids(self, ctx: ToolContext, /, *,"
            " beginning: str, given: Mapping[str, str]) -> Sequence[str]:",
        ],
        "NotesFindingTools": [
            "async def find_notes(self, params: FindNotesParams, ctx: ToolContext, /) -> FindNotesResult:",
        ],
        "NotesReadingTools": [
            "async def read_note(self, params: ReadNoteParams, ctx: ToolContext, /) -> ReadNoteResult:",
        ],
    }
    read = next(part for part in found["NotesReadingTools"].body if getattr(part, "name", "") == "read_note")
    assert isinstance(read, ast.AsyncFunctionDef)
    assert ast.get_docstring(read) == "Read one note.\n\nRaises: BadRequest, Failed, NoSuchNote, TooLarge."


def test_an_error_becomes_a_class_of_its_code(good_files: dict[str, str]) -> None:
    found = classes(good_files["errors.py"])

    assert list(found) == ["BadRequest", "Failed", "NoSuchNote", "TooLarge"]
    assert fields(found["Failed"]) == {
        "code": "ClassVar[str] = 'FAILED'",
        "fault": "ClassVar[Fault] = 'server'",
        "retryable": "ClassVar[bool] = True",
        "default_message": "ClassVar[str] = 'The server failed.'",
    }


def test_every_module_says_what_it_is_made_from(good_files: dict[str, str]) -> None:
    for path in ("errors.py", "models/notes.py", "results/desk.py", "protocols.py", "registry.py"):
        text = ast.get_docstring(ast.parse(good_files[path])) or ""
        assert "Made from spec" in text, path
        assert "make generate" in text, path


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -1.5,
        "it's",
        'say "yes"',
        """both ' and " """,
        "line\nline\ttab \\ ü ￿",
        "word " * 60,
        "x" * 300,
        ("a", ("b",)),
        [],
        {},
        {"a": [1, {"b": "long " * 40}], "it's": None},
    ],
)
def test_a_literal_reads_back_as_its_value(value: JsonValue) -> None:
    assert ast.literal_eval(literal(value)) == value


@pytest.mark.parametrize(
    "text", ['ends in """', "back\\slash \\n", 'a "quoted" end"', "two\n\nparagraphs " * 20]
)
def test_a_docstring_keeps_its_words(text: str) -> None:
    source = f'def f():\n    """{docstring(text)}\n    """\n'

    node = ast.parse(source).body[0]

    assert isinstance(node, ast.FunctionDef)
    assert (ast.get_docstring(node) or "").split() == text.split()
    assert max(len(line) for line in source.splitlines()) <= 100


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("vcon_search", "VconSearch"),
        ("VALIDATION_ERROR", "ValidationError"),
        ("SearchHit", "SearchHit"),
        ("wtf-segments", "WtfSegments"),
        ("a", "A"),
    ],
)
def test_a_class_name_is_made_of_the_words(name: str, expected: str) -> None:
    assert naming.class_name(name) == expected


def test_two_objects_of_one_class_name_are_refused(project: Path) -> None:
    note = project / "spec" / "shapes" / "note.yaml"
    inner = "      Author: {type: object, properties: {a: {type: string}}}\n"
    note.write_text(note.read_text().replace("      author:\n", f"{inner}      author:\n"))
    contract = resolve(load_spec(project))

    with pytest.raises(
        NameTakenError, match="`Author` of Note and `author` of Note would both be the class NoteAuthor"
    ):
        result_schemas(contract.toolsets[0], contract.resources, contract.shapes)
