"""generated/protocols.py: what the handlers of each toolset must be."""

from collections.abc import Iterator

from vcontract.codegen import naming
from vcontract.codegen.documents import digest_of
from vcontract.codegen.emit.printing import render
from vcontract.codegen.model import Contract, Tool, Toolset
from vcontract.codegen.output import OutputFile


def emit(contract: Contract) -> Iterator[OutputFile]:
    toolsets = [toolset for toolset in contract.toolsets if toolset.tools]
    facts = [[tool.key, tool.envelope, tool.description, tool.errors] for tool in contract.tools]
    views = [_toolset(toolset) for toolset in sorted(toolsets, key=lambda toolset: toolset.id)]
    text = render(
        "protocols.py.jinja",
        digest=digest_of(facts),
        toolsets=views,
        documents=any(tool.envelope == "document" for tool in contract.tools),
    )
    yield OutputFile("protocols.py", text)


def method(tool: Tool) -> dict[str, object]:
    """What the template needs to print the method of `tool`."""
    result = naming.result_class(tool.key)
    raises = ", ".join(sorted(naming.error_class(code) for code in tool.errors))
    return {
        "name": tool.name,
        "params": naming.params_class(tool.key),
        "result": f"Document[{result}]" if tool.envelope == "document" else result,
        "text": f"{tool.description}\n\nRaises: {raises}.",
    }


def _toolset(toolset: Toolset) -> dict[str, object]:
    classes = [
        name(tool.key) for tool in toolset.tools for name in (naming.params_class, naming.result_class)
    ]
    return {
        "id": toolset.id,
        "class_name": naming.protocol_class(toolset.id),
        "imports": sorted(classes),
        "methods": [method(tool) for tool in toolset.tools],
    }
