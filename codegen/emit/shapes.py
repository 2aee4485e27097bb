"""generated/shapes/<tool>.json: what describe_response_shape answers about each tool."""

from collections.abc import Iterator

from vcontract.codegen.documents import JsonObject, print_json
from vcontract.codegen.model import Contract, ErrorCode, Tool
from vcontract.codegen.output import OutputFile
from vcontract.codegen.resolve import typical_bytes


def emit(contract: Contract) -> Iterator[OutputFile]:
    for tool in contract.tools:
        yield OutputFile(f"shapes/{tool.key}.json", print_json(_document(contract, tool)))


def _document(contract: Contract, tool: Tool) -> JsonObject:
    return {
        "tool_name": tool.key,
        "toolset": tool.toolset,
        "title": tool.title,
        "envelope": tool.envelope,
        **({"text": True} if tool.has_text else {}),
        "stability": tool.stability,
        "schema": tool.output_schema,
        "example": tool.success_example,
        "typical_bytes": typical_bytes(contract, tool),
        "errors": [_error(contract.error(code)) for code in tool.errors],
    }


def _error(error: ErrorCode) -> JsonObject:
    return {
        "code": error.code,
        "retryable": error.retryable,
        "message": error.message,
        "details_schema": error.details,
    }
