"""A first version of a tool's handler, written once where the handlers of its group are."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcontract.codegen import naming
from vcontract.codegen.emit.printing import render
from vcontract.codegen.emit.protocols import method
from vcontract.codegen.model import Contract, Tool

_MODELS: Final = "vcontract.generated.models"
_RESULTS: Final = "vcontract.generated.results"


class ScaffoldError(Exception):
    """No stub can be written; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Stub:
    """A method to be: the file it goes to, and that file's text with the method in it."""

    path: str
    """Relative to the repository."""
    class_name: str
    text: str


@dataclass(frozen=True, slots=True)
class _Home:
    """A class that may have methods of tools."""

    path: str
    source: str
    module: ast.Module
    node: ast.ClassDef


def stub_for(contract: Contract, name: str, root: Path) -> Stub:
    """The stub of the tool `name`, placed in the class under `root`/handlers of its group.

    The first tool of a group gets a new module with a new class.
    Raises: ScaffoldError, when there is no such tool, its method exists, or its class cannot be told.
    """
    tool = next((tool for tool in contract.tools if tool.key == name), None)
    if tool is None:
        known = ", ".join(tool.key for tool in contract.tools)
        raise ScaffoldError(
            f"the spec has no tool {name}; write spec/tools/<toolset>/{name}.yaml first. It has: {known}"
        )
    toolset = next(toolset for toolset in contract.toolsets if toolset.id == tool.toolset)
    homes = list(_classes(root, tool.toolset))
    written = next((home for home in homes if tool.name in _methods(home.node)), None)
    if written is not None:
        line = _methods(written.node)[tool.name].lineno
        raise ScaffoldError(f"{written.path}:{line} has the method {tool.name} already; nothing was changed")
    names = {other.name for other in toolset.groups[tool.group]}
    fitting = [home for home in homes if names & _methods(home.node).keys()]
    path = f"handlers/{tool.toolset}/{tool.group}.py"
    if len(fitting) == 1:
        return _added(fitting[0], tool)
    if not fitting and not (root / path).exists():
        return _new_module(path, tool)
    found = ", ".join(f"{home.path}: {home.node.name}" for home in fitting) or f"{path}: no tool of the group"
    raise ScaffoldError(
        f"which class the method belongs to cannot be told ({found}); "
        f"put this into the right one:\n\n{_method(tool)}"
    )


def _classes(root: Path, toolset: str) -> Iterator[_Home]:
    """Every class in the package handlers/<toolset>."""
    for file in sorted((root / "handlers" / toolset).glob("**/*.py")):
        source = file.read_text(encoding="utf-8")
        module = ast.parse(source, filename=str(file))
        for node in module.body:
            if isinstance(node, ast.ClassDef):
                yield _Home(file.relative_to(root).as_posix(), source, module, node)


def _methods(node: ast.ClassDef) -> dict[str, ast.AsyncFunctionDef | ast.FunctionDef]:
    return {part.name: part for part in node.body if isinstance(part, ast.AsyncFunctionDef | ast.FunctionDef)}


def _method(tool: Tool, params_prefix: str = "", result_prefix: str = "") -> str:
    path = f"spec/tools/{tool.toolset}/{tool.name}.yaml"
    return render(
        "handler_method.py.jinja",
        method=method(tool, result_prefix),
        path=path,
        prefix=params_prefix,
    )


def _new_module(path: str, tool: Tool) -> Stub:
    class_name = naming.class_name(tool.group)
    text = render(
        "handler_module.py.jinja",
        toolset=tool.toolset,
        group=tool.group.replace("_", " "),
        class_name=class_name,
        protocol=naming.protocol_class(tool.toolset, tool.group),
        imports=_imports(tool),
        body=_method(tool),
    )
    return Stub(path, class_name, text)


def _added(home: _Home, tool: Tool) -> Stub:
    lines = home.source.splitlines(keepends=True)
    end = home.node.end_lineno or len(lines)
    before = "".join(lines[:end]).rstrip("\n")
    after = "".join(lines[end:])
    aliases = {
        f"{package}.{tool.toolset}": alias
        for package in (_MODELS, _RESULTS)
        if (alias := _alias_of(home.module, package, tool.toolset))
    }
    prefixes = (f"{aliases[module]}." if module in aliases else "" for module, _ in _imports(tool)[:2])
    text = f"{before}\n\n{_method(tool, *prefixes)}{after}"
    for module, names in _imports(tool):
        if module not in aliases:
            text = _with_import(text, module, names)
    return Stub(home.path, home.node.name, text)


def _alias_of(module: ast.Module, package: str, toolset: str) -> str | None:
    """The name under which `module` has the toolset's classes of `package` as a whole, if it has."""
    for node in module.body:
        if isinstance(node, ast.ImportFrom) and node.module == package:
            for alias in node.names:
                if alias.name == toolset:
                    return alias.asname or alias.name
    return None


def _imports(tool: Tool) -> list[tuple[str, list[str]]]:
    return [
        (f"{_MODELS}.{tool.toolset}", [naming.params_class(tool.key)]),
        (f"{_RESULTS}.{tool.toolset}", [naming.result_class(tool.key)]),
        ("vcontract.runtime.context", ["ToolContext"]),
        *([("vcontract.runtime.envelope", ["Document"])] if tool.has_text else []),
    ]


def _with_import(source: str, module: str, names: Sequence[str]) -> str:
    """`source` with `names` imported from `module`: in the statement that is there, or in a new one."""
    body = ast.parse(source).body
    lines = source.splitlines(keepends=True)
    for node in body:
        if (
            isinstance(node, ast.ImportFrom)
            and node.module == module
            and not any(alias.asname for alias in node.names)
        ):
            present = {alias.name for alias in node.names}
            if present >= set(names):
                return source
            statement = _import_statement(module, sorted(present | set(names)))
            return "".join([*lines[: node.lineno - 1], statement, *lines[node.end_lineno or node.lineno :]])
    imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    documented = bool(body) and ast.get_docstring(ast.parse(source)) is not None
    at = imports[-1].end_lineno or 0 if imports else (body[0].end_lineno or 0 if documented else 0)
    gap = "" if imports else "\n"
    return "".join([*lines[:at], gap, _import_statement(module, sorted(names)), *lines[at:]])


def _import_statement(module: str, names: Sequence[str]) -> str:
    line = f"from {module} import {', '.join(names)}\n"
    if len(line) <= 111:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in names) + ")\n"
