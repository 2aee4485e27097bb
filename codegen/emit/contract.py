"""generated/contract/<tool>.json for each tool, contract.json with what all share, and sizes.json."""

from collections.abc import Iterator
from typing import Final

from vcontract.codegen.documents import JsonObject, digest_of, print_json
from vcontract.codegen.model import Contract, Example, Tool
from vcontract.codegen.output import OutputFile
from vcontract.codegen.resolve import typical_bytes
from vcontract.codegen.schemas import without_markers

CONTRACT_FILE: Final = "contract.json"
CONTRACT_FOLDER: Final = "contract"
SIZES_FILE: Final = "sizes.json"


def emit(contract: Contract) -> Iterator[OutputFile]:
    yield OutputFile(CONTRACT_FILE, print_json(_shared(contract)))
    yield OutputFile(
        SIZES_FILE, print_json({tool.key: typical_bytes(contract, tool) for tool in contract.tools})
    )
    for tool in contract.tools:
        yield OutputFile(f"{CONTRACT_FOLDER}/{tool.key}.json", print_json(_document(tool)))


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
        "examples": {tool.key: [_example(example) for example in tool.examples] for tool in contract.tools},
    }


def _example(example: Example) -> JsonObject:
    if example.error is None:
        return {"name": example.name, "params": example.params, "response": example.response}
    error: JsonObject = {"code": example.error.code}
    if example.error.details is not None:
        error["details"] = example.error.details
    return {"name": example.name, "params": example.params, "error": error}


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
    }
