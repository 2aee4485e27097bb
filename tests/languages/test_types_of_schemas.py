"""The types of any schema: the compiler accepts them, and with them what fits and little else."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import jsonschema_rs
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from vcontract.codegen.documents import JsonObject, JsonValue, compact_json
from vcontract.codegen.emit.typescript import declarations

Compile = Callable[..., list[list[str]]]
Mutations = Callable[[JsonObject], st.SearchStrategy[JsonObject]]

TEXT: JsonObject = {"type": "string"}
COUNT: JsonObject = {"type": "integer"}
NULLABLE: JsonObject = {"type": ["string", "null"]}
POINT: JsonObject = {"type": "object", "required": ["x"], "properties": {"x": COUNT, "y": COUNT}}
TREE: JsonObject = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": TEXT, "branches": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
    "additionalProperties": False,
}
PARTS = {"Point": POINT, "Tree": TREE, "Date": TEXT}


@dataclass(frozen=True)
class Case:
    schema: JsonObject
    fit: list[JsonValue]
    unfit: list[JsonValue] = field(default_factory=list[JsonValue])


CASES = {
    "anything": Case({}, [None, 1, "a", [], {"a": [None]}]),
    "constant": Case({"const": "a"}, ["a"], ["b", None]),
    "nullable": Case(NULLABLE, ["a", None], [1, {}]),
    "enumeration": Case({"enum": ["a", 1, True, None]}, ["a", 1, True, None], ["b", 2, False]),
    "constant object": Case({"const": {"a": [1, "b"]}}, [{"a": [1, "b"]}], [{"a": [1]}, {"a": [1, "c"]}]),
    "list": Case({"type": "array", "items": NULLABLE}, [[], ["a", None]], [[1], "a"]),
    "closed tuple": Case(
        {"type": "array", "prefixItems": [TEXT, NULLABLE], "minItems": 1, "items": False},
        [["a"], ["a", None], ["a", "b"]],
        [[], [1], ["a", 1], ["a", "b", "c"]],
    ),
    "open tuple": Case(
        {"type": "array", "prefixItems": [TEXT, COUNT], "items": {"type": "boolean"}},
        [[], ["a"], ["a", 1, True, False]],
        [[1], ["a", 1, 1]],
    ),
    "open object": Case(
        POINT, [{"x": 1}, {"x": 1, "y": 2, "z": None}], [{}, {"x": "1"}, {"x": 1, "y": None}]
    ),
    "closed object": Case(
        {**POINT, "additionalProperties": False}, [{"x": 1}, {"x": 1, "y": 2}], [{}, {"x": 1, "z": 1}]
    ),
    "no members": Case({"type": "object", "additionalProperties": False}, [{}], [{"a": 1}, [1]]),
    "typed members": Case(
        {**POINT, "additionalProperties": TEXT}, [{"x": 1, "a": "b"}], [{"x": 1, "a": None}, {"x": "1"}]
    ),
    "map": Case(
        {"type": "object", "additionalProperties": NULLABLE}, [{}, {"a": None, "b c": "d"}], [{"a": 1}]
    ),
    "odd names": Case(
        {"type": "object", "properties": {"a-b": TEXT, "1": TEXT, 'q"': TEXT, "class": TEXT}},
        [{}, {"a-b": "x", "1": "x", 'q"': "x", "class": "x"}],
        [{"a-b": 1}, {"class": 1}, {'q"': 1}],
    ),
    "closed object of which one member is needed": Case(
        {
            "type": "object",
            "properties": {"a": TEXT, "b": COUNT},
            "additionalProperties": False,
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
        [{"a": "x"}, {"b": 1}, {"a": "x", "b": 1}],
        [{}, {"a": "x", "c": 1}, {"a": 1, "b": 1}],
    ),
    "lists of which one rule speaks": Case(
        {
            "type": "object",
            "properties": {"points": {"type": "array", "items": {"$ref": "#/$defs/Point"}}},
            "additionalProperties": False,
            "if": {"required": ["far"]},
            "then": {"properties": {"points": {"items": {"properties": {"y": {"enum": [1, 2]}}}}}},
            "else": {"properties": {"points": {"items": {"properties": {"y": {"const": 1}}}}}},
        },
        [{}, {"points": []}, {"points": [{"x": 1, "y": 1, "z": "far"}, {"x": 0}]}],
        [{"points": [{"y": 1}]}, {"points": [{"x": 1, "y": 3}]}, {"points": {}}, {"other": 1}],
    ),
    "forbidden member": Case({"type": "object", "properties": {"a": False}}, [{}, {"b": 1}], [{"a": 1}]),
    "tagged union": Case(
        {
            "oneOf": [
                {
                    "type": "object",
                    "required": ["ok", "item"],
                    "properties": {"ok": {"const": True}, "item": POINT},
                },
                {
                    "type": "object",
                    "required": ["ok", "why"],
                    "properties": {"ok": {"const": False}, "why": TEXT},
                },
            ]
        },
        [{"ok": True, "item": {"x": 1}}, {"ok": False, "why": "x"}],
        [{"ok": True, "why": "x"}, {"ok": False, "item": {"x": 1}}, {"ok": None, "why": "x"}],
    ),
    "intersection": Case(
        {
            "allOf": [
                {"$ref": "#/$defs/Point"},
                {"properties": {"z": {"enum": ["up", "down"]}}, "required": ["z"]},
            ]
        },
        [{"x": 1, "z": "up"}],
        [{"x": 1}, {"z": "up"}, {"x": 1, "z": "sideways"}],
    ),
    "recursion": Case(
        {"$ref": "#/$defs/Tree"},
        [{"name": "a"}, {"name": "a", "branches": [{"name": "b", "branches": []}]}],
        [{"name": "a", "branches": [{}]}, {"name": "a", "leaves": []}],
    ),
    "name of a global": Case({"$ref": "#/$defs/Date"}, ["today"], [1]),
    "words for the reader": Case(
        {"type": "string", "description": "Ends */ here; `x` {@link y} \\ é", "pattern": "^(*/|\\*/)?$"},
        [""],
        [1],
    ),
    "both outcomes of a condition": Case(
        {
            "type": "object",
            "if": {"required": ["a"]},
            "then": {"properties": {"kind": {"enum": ["a", "b"]}}},
            "else": {"properties": {"kind": {"enum": ["b", "c"]}}},
        },
        [{}, {"a": 1, "kind": "a"}, {"kind": "c"}],
        [{"kind": "d"}],
    ),
}
WITHOUT_A_REGULAR_EXPRESSION = "words for the reader"


@pytest.fixture(scope="module")
def module() -> dict[str, str]:
    """A module with the type `Case<number>` of every case."""
    schemas = {f"Case{number}": case.schema for number, case in enumerate(CASES.values())}
    return {"cases.d.ts": declarations({**PARTS, **schemas}, list(schemas))}


def lines_of(values: Mapping[str, list[JsonValue]]) -> Iterator[tuple[str, str]]:
    """`(about, line of TypeScript)` for each value of each case."""
    for number, name in enumerate(CASES):
        for value in values.get(name, []):
            yield f"{name}: {value}", f'((_: import("./cases").Case{number}) => {{}})({compact_json(value)});'


def broken(
    module: Mapping[str, str], values: Mapping[str, list[JsonValue]], compile_typescript: Compile
) -> list[str]:
    """What of `values` does not compile."""
    lines = list(lines_of(values))
    found = compile_typescript(module, [line for _, line in lines])
    return [about for (about, _), codes in zip(lines, found, strict=True) if codes]


def made_from(case: Case, mutations: Mutations) -> list[JsonValue]:
    """What becomes of the values of `case` when they are changed, and fits its schema still."""
    validator = jsonschema_rs.Draft202012Validator({**case.schema, "$defs": PARTS})
    made: list[JsonValue] = []

    @settings(max_examples=60, phases=[Phase.generate], derandomize=True, database=None, deadline=None)
    @given(data=st.data())
    def make(data: st.DataObject) -> None:
        value = data.draw(mutations({"value": data.draw(st.sampled_from(case.fit))})).get("value")
        if validator.is_valid(value) and value not in made:
            made.append(value)

    make()
    return made


def test_the_cases_are_what_they_claim_to_be() -> None:
    for name, case in CASES.items():
        if name == WITHOUT_A_REGULAR_EXPRESSION:
            continue
        validator = jsonschema_rs.Draft202012Validator({**case.schema, "$defs": PARTS})
        assert [value for value in case.fit if not validator.is_valid(value)] == [], name
        assert [value for value in case.unfit if validator.is_valid(value)] == [], name


def test_what_fits_compiles(module: Mapping[str, str], compile_typescript: Compile) -> None:
    assert broken(module, {name: case.fit for name, case in CASES.items()}, compile_typescript) == []


def test_what_does_not_fit_does_not_compile(module: Mapping[str, str], compile_typescript: Compile) -> None:
    unfit = {name: case.unfit for name, case in CASES.items()}
    expected = [about for about, _ in lines_of(unfit)]

    assert broken(module, unfit, compile_typescript) == expected


def test_whatever_else_fits_compiles(
    module: Mapping[str, str], mutations: Mutations, compile_typescript: Compile
) -> None:
    values = {
        name: made_from(case, mutations)
        for name, case in CASES.items()
        if name != WITHOUT_A_REGULAR_EXPRESSION
    }

    assert sum(map(len, values.values())) > 100
    assert broken(module, values, compile_typescript) == []
