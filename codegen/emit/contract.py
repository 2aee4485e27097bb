"""generated/contract/<tool>.json for each tool, and contract.json with what all share."""

from collections.abc import Iterator
from dataclasses import asdict

from vcontract.codegen.documents import JsonObject, digest_of, print_json
from vcontract.codegen.model import Contract, Tool
from vcontract.codegen.output import OutputFile
from vcontract.codegen.resolve import typical_bytes
from vcontract.codegen.schemas import without_markers


def emit(contract: Contract) -> Iterator[OutputFile]:
    yield OutputFile("contract.json", print_json(_shared(contract)))
    for tool in contract.tools:
        yield OutputFile(f"contract/{tool.key}.json", print_json(_document(contract, tool)))


def _shared(contract: Contract) -> JsonObject:
    """What clients may rely on beside the tools' own documents."""
    return {
        "version": contract.server.version,
        "instructions": contract.server.instructions,
        "toolsets": {
            toolset.id: {
                "title": toolset.title,
                "description": toolset.description,
                "prefix": toolset.prefix,
                "default": toolset.default_on,
                "instructions": toolset.instructions,
            }
            for toolset in contract.toolsets
        },
        "policy": contract.policy,
        "errors": {
            error.code: {
                "fault": error.fault,
                "retryable": error.retryable,
                "message": error.message,
                "details": without_markers(error.details),
            }
            for error in contract.errors
        },
        "reasons": list(contract.reasons),
        "shapes": {name: digest_of(shape.schema) for name, shape in contract.shapes.items()},
    }


def _document(contract: Contract, tool: Tool) -> JsonObject:
    deprecated = tool.deprecated
    return {
        "name": tool.key,
        "toolset": tool.toolset,
        "title": tool.title,
        "description": tool.description,
        "stability": tool.stability,
        "since": tool.since,
        **(
            {"deprecated": {name: text for name, text in asdict(deprecated).items() if text}}
            if deprecated
            else {}
        ),
        "aliases": list(tool.aliases),
        "scope": tool.scope,
        "rate_class": tool.rate_class,
        "envelope": tool.envelope,
        **({"text": True} if tool.has_text else {}),
        "annotations": {
            "readOnlyHint": tool.annotations.read_only,
            "destructiveHint": tool.annotations.destructive,
            "idempotentHint": tool.annotations.idempotent,
            "openWorldHint": tool.annotations.open_world,
        },
        "inputSchema": tool.input_schema,
        "listedSchema": tool.listed_schema,
        "outputSchema": without_markers(tool.output_schema),
        "errors": list(tool.errors),
        **({"ui": tool.ui} if tool.ui else {}),
        "example": tool.success_example,
        "typical_bytes": typical_bytes(contract, tool),
    }
