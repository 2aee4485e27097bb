"""Generate a stub of a tool's handler."""

from pathlib import Path
from typing import Final

from vcontract.codegen import naming
from vcontract.codegen.emit.printing import render
from vcontract.codegen.emit.protocols import method
from vcontract.codegen.model import Contract, Tool

_WIDEST: Final = 110
"""Characters of a line, as in pyproject.toml."""


class ScaffoldError(Exception):
    """There is no stub to show; the message says why and what to do."""


def stub_for(contract: Contract, name: str, root: Path) -> str:
    """The stub of the tool `name`, below a line that names the module under `root`/handlers it belongs to.

    The first tool of a group gets a whole module with a class.
    Raises: ScaffoldError, when there is no such tool or its method exists.
    """
    tool = next((tool for tool in contract.tools if tool.key == name), None)
    if tool is None:
        known = ", ".join(tool.key for tool in contract.tools)
        raise ScaffoldError(
            f"the spec has no tool {name}; write spec/tools/<toolset>/{name}.yaml first. It has: {known}"
        )
    if written := _module_with(root, tool.toolset, {tool.name}):
        raise ScaffoldError(f"{written} has the method {tool.name} already")
    toolset = next(toolset for toolset in contract.toolsets if toolset.id == tool.toolset)
    others = {other.name for other in toolset.groups[tool.group]}
    home = _module_with(root, tool.toolset, others)
    text = render(
        "handler_stub.py.jinja",
        is_new=home is None,
        toolset=tool.toolset,
        group=tool.group.replace("_", " "),
        class_name=naming.handler_class(tool.group),
        protocol=naming.protocol_class(tool.toolset, tool.group),
        imports=_imports(tool, is_new=home is None),
        method=method(tool, "results."),
        signature=_signature(tool),
    )
    return f"# {home or f'handlers/{tool.toolset}/{tool.group}.py'}\n{text}"


def _module_with(root: Path, toolset: str, names: set[str]) -> str | None:
    """The first module of handlers/<toolset> that has a method of one of `names`, relative to `root`."""
    for file in sorted((root / "handlers" / toolset).glob("**/*.py")):
        text = file.read_text(encoding="utf-8")
        if any(f"    async def {name}(" in text for name in names):
            return file.relative_to(root).as_posix()
    return None


def _imports(tool: Tool, *, is_new: bool) -> list[str]:
    """The imports that the method needs, in the order of the linter."""
    return [
        f"from vcontract.generated.models import {tool.toolset} as models",
        f"from vcontract.generated.results import {tool.toolset} as results",
        *(["from vcontract.handlers.services import Tools"] if is_new else []),
        "from vcontract.runtime.frame.context import ToolContext",
        *(["from vcontract.runtime.frame.envelope import Document"] if tool.has_text else []),
    ]


def _signature(tool: Tool) -> list[str]:
    """The head of the method, in lines as the formatter breaks them."""
    declared = method(tool, "results.")
    first, last = f"async def {tool.name}(", f") -> {declared['result']}:"
    parameters = f"self, params: models.{declared['params']}, ctx: ToolContext, /"
    whole = first + parameters + last
    return [whole] if len(whole) + 4 <= _WIDEST else [first, f"    {parameters}", last]
