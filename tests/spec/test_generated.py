"""What is true of every tool of the contract, as it is generated now."""

import importlib.resources
import re
from collections.abc import Mapping
from pathlib import Path

import jsonschema_rs
import pytest

from vcontract.codegen.__main__ import OUT_OF_DATE
from vcontract.codegen.generate import generate_files
from vcontract.codegen.load import load_spec
from vcontract.codegen.model import Contract, Example
from vcontract.codegen.output import differences
from vcontract.codegen.resolve import resolve
from vcontract.codegen.validate import problems_of
from vcontract.generated import registry
from vcontract.generated.errors import ERRORS
from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.frame.documents.json import JsonObject, dump_json, parse_json

Examples = Mapping[str, tuple[Example, ...]]

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def contract() -> Contract:
    return resolve(load_spec(ROOT))


@pytest.fixture(scope="module")
def examples(contract: Contract) -> Examples:
    """A tool's key to its examples."""
    return {tool.key: tool.examples for tool in contract.tools}


@pytest.fixture(scope="module")
def documents() -> Mapping[str, JsonObject]:
    """A tool's key to its contract document, as the server reads it."""
    folder = importlib.resources.files("vcontract.generated") / "contract"
    return {name: parse_json((folder / f"{name}.json").read_bytes()) for name in registry.TOOLS}


def test_the_spec_has_no_problem() -> None:
    assert [str(problem) for problem in problems_of(load_spec(ROOT))] == []


def test_generated_is_current() -> None:
    assert differences(generate_files(load_spec(ROOT)), ROOT / "generated") == "", OUT_OF_DATE


def test_the_registry_has_the_tools_of_the_spec_in_order(contract: Contract) -> None:
    assert list(registry.TOOLS) == [tool.key for tool in contract.tools]
    order = [toolset.id for toolset in registry.TOOLSETS]
    places = [(order.index(tool.toolset), tool.name) for tool in registry.TOOLS.values()]
    assert places == sorted(places)


def test_every_code_of_every_tool_has_its_class() -> None:
    for tool in registry.TOOLS.values():
        assert tool.errors <= ERRORS.keys()
    for toolset in registry.TOOLSETS:
        assert set(toolset.codes.values()) <= ERRORS.keys()
    assert all(error.code == code for code, error in ERRORS.items())


def test_parameters_of_every_example_pass_through_their_model(
    examples: Examples,
) -> None:
    for name, tool in registry.TOOLS.items():
        for example in examples[name]:
            if example.response is not None:
                model = tool.params.model_validate(example.params)
                assert model.model_dump(mode="json", exclude_unset=True) == example.params, (
                    name,
                    example.name,
                )


def test_every_error_of_every_tool_fits_its_output_schema(documents: Mapping[str, JsonObject]) -> None:
    styles = {toolset.id: toolset.style for toolset in registry.TOOLSETS}
    for name, document in documents.items():
        validator = jsonschema_rs.Draft202012Validator(document["outputSchema"])
        for code in registry.TOOLS[name].errors:
            error: JsonObject = (
                {"ok": False, "error": {"code": code, "message": "x", "details": {}}}
                if styles[registry.TOOLS[name].toolset] == "item"
                else {"success": False, "error": "x", "error_code": code, "details": {}, "suggestions": ["x"]}
            )
            assert validator.is_valid(error), (name, code)
        assert not validator.is_valid({"ok": False, "success": False})


def test_no_wire_schema_refers_beyond_itself(documents: Mapping[str, JsonObject]) -> None:
    for name, document in documents.items():
        assert "$ref" not in dump_json(document["inputSchema"]).decode(), name
        references = re.findall(r'"\$ref":"([^"]*)"', dump_json(document["outputSchema"]).decode())
        definitions = document["outputSchema"].get("$defs", {})
        assert all(reference.removeprefix("#/$defs/") in definitions for reference in references), name


def test_no_marker_of_the_generator_reaches_the_wire(documents: Mapping[str, JsonObject]) -> None:
    for name, document in documents.items():
        assert not re.search(r'"x-[a-z]+":', dump_json(document).decode()), name


def test_each_shape_holds_the_published_output_schema(documents: Mapping[str, JsonObject]) -> None:
    read_shape = load_package().read_shape
    for name, document in documents.items():
        shape = read_shape(name)
        assert shape["schema"] == document["outputSchema"]
        assert shape["typical_bytes"]["example"] == len(dump_json(shape["example"]))
        assert [error["code"] for error in shape["errors"]] == document["errors"]


def test_the_documentation_has_every_tool() -> None:
    text = (ROOT / "generated" / "docs" / "tools.md").read_text()

    assert [name for name in registry.TOOLS if f"\n### `{name}`\n" not in text] == []
