"""Lints for names: of tools, their files, aliases, successors and classes. `LINTS` has each rule in words."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from vcontract.codegen import naming
from vcontract.codegen.documents import JsonObject
from vcontract.codegen.lints.lint import Lint
from vcontract.codegen.load import Spec
from vcontract.codegen.model_objects import NameTakenError, params_schemas, result_schemas
from vcontract.codegen.problems import Problem
from vcontract.codegen.published import contract_schemas
from vcontract.codegen.references import BrokenReferenceError
from vcontract.codegen.resolve import resolve, tool_key

_TOOL_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,31}")


def _tool_name(spec: Spec) -> Iterator[Problem]:
    for document in spec.of_kind("tool"):
        name: str = document.data["name"]
        if not _TOOL_NAME.fullmatch(name):
            message = f"the name {name!r} does not match ^[a-z][a-z0-9_]{{0,31}}$"
            yield document.problem(("name",), "tool-name", message)
        elif not naming.is_identifier(name):
            yield document.problem(
                ("name",), "tool-name", f"{name!r} is a Python keyword; choose another name"
            )


def _tool_path(spec: Spec) -> Iterator[Problem]:
    for document in spec.of_kind("tool"):
        data: JsonObject = document.data
        expected = f"spec/tools/{data['toolset']}/{data['name']}.yaml"
        if document.path != expected:
            message = f"a tool {data['name']} of the toolset {data['toolset']} belongs in {expected}"
            yield document.problem(("name",), "tool-path", message)


def _tool_name_unique(spec: Spec) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for document in spec.of_kind("tool"):
        name = tool_key(spec, document.data)
        if name in first:
            yield document.problem(("name",), "tool-name-unique", f"{first[name]} declares a tool {name} too")
        first.setdefault(name, document.path)


def _alias_is_free(spec: Spec) -> Iterator[Problem]:
    taken: dict[str, str] = {}
    for document in spec.of_kind("tool"):
        name = tool_key(spec, document.data)
        taken[name] = f"there is a tool {name}"
    for document in spec.of_kind("tool"):
        for index, alias in enumerate(document.data.get("aliases", [])):
            if alias in taken:
                message = f"{alias} cannot be an alias: {taken[alias]}"
                yield document.problem(("aliases", index), "alias-is-free", message)
            elif not _TOOL_NAME.fullmatch(alias):
                message = f"the alias {alias!r} does not match ^[a-z][a-z0-9_]{{0,31}}$"
                yield document.problem(("aliases", index), "alias-is-free", message)
            taken.setdefault(alias, f"the tool {document.data['name']} has this alias")


def _successor_is_live(spec: Spec) -> Iterator[Problem]:
    tools = {tool_key(spec, document.data): document.data for document in spec.of_kind("tool")}
    for document in spec.of_kind("tool"):
        if "deprecated" not in document.data:
            continue
        successor: str | None = document.data["deprecated"].get("successor")
        if successor is None:
            continue
        if successor not in tools:
            message = f"there is no tool {successor}"
        elif "deprecated" in tools[successor]:
            message = f"{successor} is itself deprecated; name the tool that replaces it"
        else:
            continue
        yield document.problem(("deprecated", "successor"), "deprecated-successor", message)


def _class_name_unique(spec: Spec) -> Iterator[Problem]:
    try:
        contract = resolve(spec)
    except (BrokenReferenceError, RecursionError, KeyError):
        return  # other lints report the cause
    document = spec.the("toolsets")
    resources = {each.name: each for each in contract.resources}
    for number, toolset in enumerate(contract.toolsets):
        try:
            params_schemas(toolset, contract.shapes)
            result_schemas(toolset, resources.values(), contract.shapes)
        except NameTakenError as error:
            yield document.problem(("toolsets", number, "id"), "class-name-unique", str(error))
    tools = {tool.key for tool in contract.tools}
    if len(tools) < len(contract.tools) or len(resources) < len(contract.resources):
        return  # tool-name-unique and resource-name report the cause
    try:
        contract_schemas(contract)
    except NameTakenError as error:
        yield document.problem(("toolsets",), "class-name-unique", str(error))


LINTS: Final[Sequence[Lint]] = (
    Lint("tool-name", "a tool's name matches ^[a-z][a-z0-9_]{0,31}$ and is not a Python keyword", _tool_name),
    Lint("tool-path", "a tool's file is spec/tools/<toolset>/<name>.yaml", _tool_path),
    Lint("tool-name-unique", "no two tools have the same name, toolset prefix included", _tool_name_unique),
    Lint("alias-is-free", "an alias is not the name of a tool or an alias of another tool", _alias_is_free),
    Lint(
        "deprecated-successor",
        "the successor of a deprecated tool exists and is not deprecated",
        _successor_is_live,
        needs_whole_spec=True,
    ),
    Lint(
        "class-name-unique",
        "no two schemas produce a class or published type of the same name",
        _class_name_unique,
    ),
)
