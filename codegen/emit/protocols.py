"""generated/protocols.py: what the handlers of each group of tools must be."""

from collections.abc import Iterator, Mapping
from typing import Final

from vcontract.codegen import naming
from vcontract.codegen.emit.printing import render
from vcontract.codegen.model import Contract, ParameterType, Resource, Tool, Toolset
from vcontract.codegen.model_objects import has_members
from vcontract.codegen.output import OutputFile

_PYTHON_TYPES: Final[Mapping[ParameterType, str]] = {"string": "str", "integer": "int"}


def emit(contract: Contract) -> Iterator[OutputFile]:
    toolsets = [toolset for toolset in contract.toolsets if toolset.tools]
    views = [_toolset(toolset, contract) for toolset in sorted(toolsets, key=lambda toolset: toolset.id)]
    text = render(
        "protocols.py.jinja",
        toolsets=views,
        readers=list(_readers(contract)),
        completes=bool(contract.completions),
        any_form=not all(has_members(resource) for resource in contract.resources),
        documents=any(tool.has_text for tool in contract.tools),
    )
    yield OutputFile("protocols.py", text)


def method(tool: Tool, prefix: str = "") -> dict[str, object]:
    """Template values for the method of `tool`; `prefix` precedes its result's class."""
    result = prefix + naming.result_class(tool.key)
    raises = ", ".join(sorted(naming.error_class(code) for code in tool.errors))
    return {
        "name": tool.name,
        "params": naming.params_class(tool.key),
        "result": f"Document[{result}]" if tool.has_text else result,
        "text": f"{tool.description}\n\nRaises: {raises}.",
    }


def reading_toolsets(contract: Contract) -> list[str]:
    """The toolsets that have resources, or values to offer, sorted."""
    return sorted({each.toolset for each in contract.resources} | set(contract.completions.values()))


def _readers(contract: Contract) -> Iterator[dict[str, object]]:
    """Template values for the resource readers of each toolset."""
    for toolset in reading_toolsets(contract):
        yield {
            "id": toolset,
            "class_name": naming.resources_class(toolset),
            "methods": [_reading(each) for each in contract.resources if each.toolset == toolset],
            "sources": [
                {"name": naming.completion_method(source), "source": source.replace("_", " ")}
                for source, owner in contract.completions.items()
                if owner == toolset
            ],
        }


def _reading(resource: Resource) -> dict[str, object]:
    parameters = ", ".join(
        f"{each.name}: {_PYTHON_TYPES[each.type]}"
        + ("" if each.required or each.default is not None else " | None")
        for each in resource.parameters
    )
    return {
        "name": resource.name,
        "content": naming.content_class(resource.name) if has_members(resource) else "JsonObject",
        "parameters": f", *, {parameters}" if parameters else "",
        "text": f"{resource.description}\n\nSource: {', '.join(resource.uris)}.",
    }


def _toolset(toolset: Toolset, contract: Contract) -> dict[str, object]:
    results = [naming.result_class(tool.key) for tool in toolset.tools]
    contents = [
        naming.content_class(resource.name)
        for resource in contract.resources
        if resource.toolset == toolset.id and has_members(resource)
    ]
    return {
        "id": toolset.id,
        "groups": [
            {
                "name": group,
                "class_name": naming.protocol_class(toolset.id, group),
                "methods": [method(tool) for tool in tools],
            }
            for group, tools in toolset.groups.items()
        ],
        "params": sorted((naming.params_class(tool.key) for tool in toolset.tools), key=str.lower),
        "results": sorted(results + contents, key=str.lower),
    }
