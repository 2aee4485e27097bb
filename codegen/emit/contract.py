"""generated/contract/<tool>.json: each tool as it goes on the wire."""

from collections.abc import Iterator

from vcontract.codegen.documents import JsonObject, print_json
from vcontract.codegen.model import Contract, Tool
from vcontract.codegen.output import OutputFile


def emit(contract: Contract) -> Iterator[OutputFile]:
    for tool in contract.tools:
        yield OutputFile(f"contract/{tool.key}.json", print_json(_document(tool)))


def _document(tool: Tool) -> JsonObject:
    deprecated = tool.deprecated
    return {
        "name": tool.key,
        "toolset": tool.toolset,
        "title": tool.title,
        "description": tool.description,
        "stability": tool.stability,
        "since": tool.since,
        **(
            {"deprecated": {"since": deprecated.since, "successor": deprecated.successor}}
            if deprecated
            else {}
        ),
        "aliases": list(tool.aliases),
        "scope": tool.scope,
        "rate_class": tool.rate_class,
        "envelope": tool.envelope,
        "annotations": {
            "readOnlyHint": tool.annotations.read_only,
            "destructiveHint": tool.annotations.destructive,
            "idempotentHint": tool.annotations.idempotent,
            "openWorldHint": tool.annotations.open_world,
        },
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "errors": list(tool.errors),
    }
