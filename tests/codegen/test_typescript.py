"""Types of a schema: everything that fits it, as narrow as TypeScript can say it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from vcontract.codegen.documents import JsonObject, JsonValue
from vcontract.codegen.emit import typescript
from vcontract.codegen.emit.typescript import declarations
from vcontract.codegen.load import load_spec
from vcontract.codegen.model import Contract, DocumentSchema
from vcontract.codegen.resolve import resolve
from vcontract.codegen.vcon import schemas

TEXT: JsonObject = {"type": "string"}
COUNT: JsonObject = {"type": "integer"}
POINT: JsonObject = {"type": "object", "required": ["x"], "properties": {"x": COUNT, "y": COUNT}}
PARTS: dict[str, JsonObject] = {
    "Point": POINT,
    "Name": TEXT,
    "Tree": {
        "type": "object",
        "properties": {"branches": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
    },
    "Rule": {"if": {"required": ["a"]}, "then": {"required": ["b"]}},
    "Date": TEXT,
}


def type_of(schema: JsonValue) -> str:
    """The type as text, white space made single."""
    text = declarations({**PARTS, "Whole": schema}, ["Whole"])
    declaration = text.partition("export type Whole =")[2].partition(";\n\n")[0]
    return " ".join(declaration.removesuffix(";\n").split()).removeprefix("| ")


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, "unknown"),
        ({"description": "Anything."}, "unknown"),
        (TEXT, "string"),
        (COUNT, "number"),
        ({"type": ["integer", "number"]}, "number"),
        ({"type": ["string", "null"]}, "string | null"),
        ({"const": "a"}, '"a"'),
        ({"const": None}, "null"),
        ({"const": False}, "false"),
        ({"type": "string", "enum": ["a", "é\n"]}, '"a" | "é\\n"'),
        ({"enum": [1, "1", True, None]}, '1 | "1" | true | null'),
        ({"type": "string", "enum": ["a", 1]}, '"a"'),
        ({"const": {"a": [1, 2]}}, "{ a: [1, 2]; }"),
        ({"type": "string", "enum": []}, "never"),
        ({"anyOf": [TEXT, {"const": "a"}]}, 'string | "a"'),
        ({"oneOf": [TEXT, COUNT]}, "string | number"),
        ({"anyOf": [TEXT, {}]}, "unknown"),
        ({"allOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]}, '("a" | "b") & ("b" | "c")'),
        ({"allOf": [TEXT, COUNT]}, "never"),
        ({"$ref": "#/$defs/Point"}, "Point"),
        ({"$ref": "#/$defs/Rule"}, "unknown"),
        ({"$ref": "#/$defs/Date"}, "DateValue"),
        ({"anyOf": [{"$ref": "#/$defs/Point"}, {"type": "null"}]}, "Point | null"),
    ],
)
def test_a_value_is_as_narrow_as_its_schema(schema: JsonValue, expected: str) -> None:
    assert type_of(schema) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "array"}, "unknown[]"),
        ({"type": "array", "items": TEXT}, "string[]"),
        ({"type": "array", "items": {"type": ["string", "null"]}}, "Array<string | null>"),
        ({"type": "array", "prefixItems": [TEXT, COUNT]}, "[string?, number?, ...unknown[]]"),
        (
            {"type": "array", "prefixItems": [TEXT, COUNT], "minItems": 1, "items": False},
            "[string, number?]",
        ),
        ({"type": "array", "prefixItems": [TEXT], "minItems": 3, "items": COUNT}, "[string, ...number[]]"),
        ({"type": "array", "items": False}, "[]"),
        (
            {"type": "array", "prefixItems": [{"type": ["string", "null"]}], "items": False},
            "[(string | null)?]",
        ),
        ({"type": ["integer", "array"], "minimum": 0, "items": COUNT}, "number | number[]"),
        (
            {"allOf": [{"type": "array", "prefixItems": [TEXT, TEXT]}, {"items": {"const": "a"}}]},
            '[string?, string?, ...unknown[]] & Array<"a">',
        ),
    ],
)
def test_an_array_keeps_the_places_of_its_elements(schema: JsonValue, expected: str) -> None:
    assert type_of(schema) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "object"}, "Record<string, unknown>"),
        ({"type": "object", "additionalProperties": False}, "Record<string, never>"),
        ({"type": "object", "additionalProperties": TEXT}, "Record<string, string>"),
        (POINT, "{ x: number; y?: number; [member: string]: unknown; }"),
        ({**POINT, "additionalProperties": False}, "{ x: number; y?: number; }"),
        (
            {**POINT, "additionalProperties": TEXT},
            "{ x: number; y?: number; [member: string]: string | number | undefined; }",
        ),
        (
            {"type": "object", "properties": {"a b": {"type": ["string", "null"]}, "1": TEXT}},
            '{ "a b"?: string | null; "1"?: string; [member: string]: unknown; }',
        ),
        ({"type": "object", "required": ["a"]}, "{ a: unknown; [member: string]: unknown; }"),
        (
            {"type": "object", "properties": {"a": False}},
            "{ a?: never; [member: string]: unknown; }",
        ),
        (
            {"type": "object", "additionalProperties": False, "patternProperties": {"^x-": TEXT}},
            "Record<string, string>",
        ),
        (
            {"allOf": [POINT, {"type": "object", "properties": {"y": {"const": 1}}, "required": ["y"]}]},
            "{ x: number; y?: number; [member: string]: unknown; } & { y: 1; [member: string]: unknown; }",
        ),
        (
            {"$ref": "#/$defs/Point", "properties": {"z": COUNT}},
            "Point & { z?: number; [member: string]: unknown; }",
        ),
        ({"type": "object", "$ref": "#/$defs/Point"}, "Point"),
        ({"type": "string", "$ref": "#/$defs/Point"}, "never"),
    ],
)
def test_an_object_tells_required_optional_and_further_members_apart(
    schema: JsonValue, expected: str
) -> None:
    assert type_of(schema) == expected


def test_members_without_a_type_leave_every_other_kind_of_value() -> None:
    assert type_of({"properties": {"a": TEXT}}) == (
        "string | number | boolean | null | unknown[] | { a?: string; [member: string]: unknown; }"
    )


def test_a_condition_with_two_outcomes_is_both_of_them() -> None:
    def with_kind(*kinds: str) -> JsonObject:
        return {"properties": {"kind": {"enum": list(kinds)}}}

    schema = {"type": "object", "if": {}, "then": with_kind("a", "b"), "else": with_kind("a")}

    assert type_of(schema) == (
        '{ kind?: "a" | "b"; [member: string]: unknown; } | { kind?: "a"; [member: string]: unknown; }'
    )


def test_a_condition_with_one_outcome_says_nothing() -> None:
    assert type_of({"type": "string", "if": {"minLength": 3}, "then": {"const": "abc"}}) == "string"


def test_a_recursive_schema_refers_to_itself() -> None:
    assert declarations(PARTS, ["Tree"]) == (
        "export type Tree = {\n  branches?: Tree[];\n  [member: string]: unknown;\n};\n"
    )


def test_only_what_is_referred_to_is_declared_sorted_by_name() -> None:
    whole = {"type": "object", "properties": {"p": {"$ref": "#/$defs/Point"}, "n": {"$ref": "#/$defs/Name"}}}

    text = declarations({**PARTS, "Whole": whole}, ["Whole"])

    assert [line.split()[2] for line in text.splitlines() if line.startswith("export")] == [
        "Whole",
        "Name",
        "Point",
    ]


def test_what_types_cannot_say_stands_in_comments() -> None:
    schema: JsonObject = {
        "title": "A word",
        "description": "Ends */ nothing.",
        "type": "object",
        "properties": {
            "size": {"type": "integer", "minimum": 0, "default": 5, "description": "How large."},
            "old": {"type": "string", "format": "uuid", "deprecated": True},
        },
        "additionalProperties": False,
    }

    assert declarations({"Word": schema}, ["Word"]) == (
        "/** A word. Ends *\\/ nothing. */\n"
        "export type Word = {\n"
        "  /**\n"
        "   * How large.\n"
        "   * @default 5\n"
        "   * @minimum 0\n"
        "   */\n"
        "  size?: number;\n"
        "  /**\n"
        "   * @deprecated\n"
        "   * @format uuid\n"
        "   */\n"
        "  old?: string;\n"
        "};\n"
    )


def test_a_long_union_has_one_alternative_a_line() -> None:
    words = [f"alternative number {number}" for number in range(5)]

    text = declarations({"Word": {"enum": words}}, ["Word"])

    assert text == "export type Word =" + "".join(f"\n  | {json.dumps(word)}" for word in words) + ";\n"


@pytest.fixture
def contract_types(good_files: dict[str, str]) -> str:
    return good_files["contract.d.ts"]


@pytest.mark.parametrize(
    "line",
    [
        "export type ToolName = keyof Tools;",
        "  /** Read one note. */",
        "  read_note: {\n    params: ReadNoteParams;\n    response: ReadNoteResponse;\n  };",
        "export type ReadNoteResponse = ReadNoteResult | ReadNoteError;",
        'export type Kind = "memo" | "letter";',
        "export type Labels = Record<string, string | number>;",
        "  schema?: string | null;",
        '    code: "BAD_REQUEST" | "NO_SUCH_NOTE" | "TOO_LARGE" | "FAILED";',
        "  /** Only notes of this sort. */\n  kind?: Kind;",
    ],
)
def test_the_contract_has_the_types_of_every_tool(contract_types: str, line: str) -> None:
    assert line + "\n" in contract_types


def test_the_contract_has_the_uris_and_the_content_of_every_resource(contract_types: str) -> None:
    resources = contract_types.partition("export type Resources = ")[2].partition("\n};")[0]

    assert '    template: "note://v1/notes/newest" | "note://v1/notes/newest/{limit}";\n' in resources
    assert '    uri: "note://v1/notes/newest" | `note://v1/notes/newest/${number}`;\n' in resources
    assert "    uri: `note://v1/notes/${string}`;\n" in resources
    assert "      limit?: number;\n" in resources
    assert "      id: string;\n" in resources
    assert "    content: NewestContent;\n" in resources
    assert "export type ResourceName = keyof Resources;\n" in contract_types
    assert "  notes: Note[];\n" in contract_types.partition("export type NewestContent = ")[2]


def test_members_beside_a_reference_are_part_of_the_type(contract_types: str) -> None:
    result = contract_types.partition("export type FindNotesResult = ")[2].partition("\n};")[0]

    assert "    score: number;\n" in result
    assert "    author?: {\n" in result


def test_parameters_are_closed_and_answers_open(contract_types: str) -> None:
    def body(name: str) -> str:
        return contract_types.partition(f"export type {name} = ")[2].partition("\n};")[0]

    assert "[member: string]" not in body("ReadNoteParams")
    assert body("ReadNoteResult").endswith("\n  [member: string]: unknown;")


def test_each_vcon_version_has_its_types_and_the_latest_is_the_last_by_number(
    project: Path, good_contract: Contract
) -> None:
    for version in ("0.10.0", "0.9.0"):
        file = project / "spec" / "vcon" / version / "vcon.schema.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"$id": "urn:x", "type": "object", "required": [f"v{version}"]}))

    files = {file.path: file.text for file in schemas.EMITTER.emit(resolve(load_spec(project)))}

    assert [name for name in files if name.endswith(".d.ts")] == [
        "vcon/0.9.0/vcon.d.ts",
        "vcon/0.10.0/vcon.d.ts",
        "vcon.d.ts",
    ]
    assert files["vcon.d.ts"] == files["vcon/0.10.0/vcon.d.ts"]
    assert '  "v0.10.0": unknown;\n' in files["vcon.d.ts"]


def test_printing_does_not_depend_on_what_was_printed_before(good_contract: Contract) -> None:
    schema: JsonObject = {"type": "object", "properties": {"p": {"$ref": "#/$defs/P"}}, "$defs": {"P": POINT}}
    contract = replace(good_contract, document_schemas=(DocumentSchema("vcon", "1.0", schema),))

    for emit in (typescript.emit, schemas.EMITTER.emit):
        assert list(emit(contract)) == list(emit(contract))
