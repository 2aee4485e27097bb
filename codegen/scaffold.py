"""A first version of a tool's handler, to be put where the handlers of its group are."""

from pathlib import Path
from typing import Final

from vcontract.codegen import naming
from vcontract.codegen.emit.printing import render
from vcontract.codegen.emit.protocols import method
from vcontract.codegen.model import Contract, Tool

_GENERATED: Final = "vcontract.generated"


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
        class_name=naming.class_name(tool.group),
        protocol=naming.protocol_class(tool.toolset, tool.group),
        imports=_imports(tool),
        method=method(tool),
        path=f"spec/tools/{tool.toolset}/{tool.name}.yaml",
    )
    return f"# {home or f'handlers/{tool.toolset}/{tool.group}.py'}\n{text}"


def _module_with(root: Path, toolset: str, names: set[str]) -> str | None:
    """The first module of handlers/<toolset> that has a method of one of `names`, relative to `root`."""
    for file in sorted((root / "handlers" / toolset).glob("**/*.py")):
        text = file.read_text(encoding="utf-8")
        if any(f"    async def {name}(" in text for name in names):
            return file.relative_to(root).as_posix()
    return None


def _imports(tool: Tool) -> list[tuple[str, str]]:
    return [
        (f"{_GENERATED}.models.{tool.toolset}", naming.params_class(tool.key)),
        (f"{_GENERATED}.results.{tool.toolset}", naming.result_class(tool.key)),
        ("vcontract.runtime.context", "ToolContext"),
        *([("vcontract.runtime.envelope", "Document")] if tool.has_text else []),
    ]
