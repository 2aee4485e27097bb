"""generated/resources/<name>.json: each resource as the server offers it, with the schema of its content."""

from collections.abc import Iterator

from vcontract.codegen import naming
from vcontract.codegen.documents import JsonObject, print_json
from vcontract.codegen.model import Contract, Resource
from vcontract.codegen.output import OutputFile
from vcontract.codegen.schemas import without_markers


def emit(contract: Contract) -> Iterator[OutputFile]:
    for resource in contract.resources:
        yield OutputFile(f"resources/{resource.name}.json", print_json(_document(resource)))


def _document(resource: Resource) -> JsonObject:
    return {
        "name": resource.name,
        "toolset": resource.toolset,
        "tool": resource.tool,
        "since": resource.since,
        "title": resource.title,
        "description": resource.description,
        "mimeType": "application/json",
        "uris": [
            {"name": naming.resource_name(resource.name, resource.uris, number), "uri": uri}
            for number, uri in enumerate(resource.uris)
        ],
        "paramsSchema": resource.params_schema,
        "completions": {
            parameter.name: parameter.complete for parameter in resource.parameters if parameter.complete
        },
        "contentSchema": without_markers(resource.content),
    }
