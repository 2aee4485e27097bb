"""generated/registry.py: every tool as the server needs it. generated/handlers.py: its handler."""

from collections.abc import Iterator

from vcontract.codegen import naming
from vcontract.codegen.emit.printing import render
from vcontract.codegen.emit.protocols import reading_toolsets
from vcontract.codegen.model import Contract, Resource, Tool, Toolset
from vcontract.codegen.output import OutputFile


def emit(contract: Contract) -> Iterator[OutputFile]:
    served = [toolset for toolset in contract.toolsets if toolset.tools]
    headings = contract.toolset_headings
    text = render(
        "registry.py.jinja",
        contract=contract,
        imports=[_imports(toolset) for toolset in sorted(served, key=lambda toolset: toolset.id)],
        tools=[_tool(tool, headings.get(tool.key, "")) for toolset in served for tool in toolset.tools],
        apps=[{"app": app, "tools": contract.tools_of(app)} for app in contract.apps],
        resources=[_resource(resource) for resource in contract.resources],
        completions=[
            {"source": source, "toolset": toolset, "method": naming.completion_method(source)}
            for source, toolset in contract.completions.items()
        ],
    )
    yield OutputFile("registry.py", text)
    text = render(
        "handlers.py.jinja",
        protocols=sorted(
            [naming.protocol_class(toolset.id, group) for toolset in served for group in toolset.groups]
            + [naming.resources_class(toolset) for toolset in reading_toolsets(contract)]
        ),
        toolsets=[_handlers(toolset) for toolset in served],
        readers=[
            {"name": toolset, "type": naming.resources_class(toolset)}
            for toolset in reading_toolsets(contract)
        ],
    )
    yield OutputFile("handlers.py", text)


def _handlers(toolset: Toolset) -> dict[str, object]:
    return {
        "id": toolset.id,
        "type": naming.groups_class(toolset.id),
        "groups": [
            {
                "name": group,
                "type": naming.protocol_class(toolset.id, group),
                "handler": naming.handler_class(group),
            }
            for group in toolset.groups
        ],
    }


def _imports(toolset: Toolset) -> dict[str, object]:
    classes = (naming.params_class(tool.key) for tool in toolset.tools)
    return {"id": toolset.id, "names": sorted(classes, key=str.lower)}


def _tool(tool: Tool, heading: str) -> dict[str, object]:
    return {
        "tool": tool,
        "heading": heading,
        "params": naming.params_class(tool.key),
        "messages": tuple((message.at, message.keyword, message.message) for message in tool.messages),
        "refuses": tuple(
            (refusal.at, refusal.having, refusal.message, refusal.details, refusal.suggestion)
            for refusal in tool.refuses
        ),
    }


def _resource(resource: Resource) -> dict[str, object]:
    arguments = "".join(
        f', {each.name}=params["{each.name}"]'
        if each.required or each.default is not None
        else f', {each.name}=params.get("{each.name}")'
        for each in resource.parameters
    )
    return {"resource": resource, "arguments": arguments}
