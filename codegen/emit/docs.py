"""generated/docs/tools.md: every tool with its parameters, result, errors and an example."""

from collections.abc import Iterator

from vcontract.codegen.documents import JsonObject, print_json
from vcontract.codegen.emit.printing import render
from vcontract.codegen.member_docs import members_of
from vcontract.codegen.model import Contract, Tool
from vcontract.codegen.output import OutputFile


def emit(contract: Contract) -> Iterator[OutputFile]:
    toolsets = [
        {"toolset": toolset, "tools": [_tool(contract, tool) for tool in toolset.tools]}
        for toolset in contract.toolsets
        if toolset.tools
    ]
    classes = contract.policy["rate_classes"]
    text = render("tools.md.jinja", toolsets=toolsets, rate_classes=classes, reasons=contract.reasons)
    yield OutputFile("docs/tools.md", text)


def _tool(contract: Contract, tool: Tool) -> dict[str, object]:
    example = next(example for example in tool.examples if example.response is not None)
    forms: list[JsonObject] = tool.output_schema["oneOf"][:-1]
    defs: JsonObject = tool.output_schema.get("$defs", {})
    return {
        "tool": tool,
        "facts": facts_of(tool),
        "parameters": list(member_rows(tool.input_schema)),
        "results": [list(member_rows(form, defs, levels=2)) for form in forms],
        "errors": [contract.error(code) for code in tool.errors],
        "example_params": print_json(example.params).rstrip("\n"),
        "example_response": print_json(example.response).rstrip("\n"),
    }


def facts_of(tool: Tool) -> list[str]:
    """Facts that a caller needs before a call, in words; names in backticks."""
    hints = tool.annotations
    facts = [f"scope `{tool.scope}`", f"rate class `{tool.rate_class}`", f"envelope `{tool.envelope}`"]
    facts.append("reads only" if hints.read_only else "writes")
    if hints.destructive:
        facts.append("may destroy data")
    if hints.idempotent and not hints.read_only:
        facts.append("safe to repeat")
    if hints.open_world:
        facts.append("reaches beyond the store")
    return [*facts, f"{tool.stability} since {tool.since}"]


def member_rows(
    schema: JsonObject, definitions: JsonObject | None = None, levels: int = 3
) -> Iterator[dict[str, str]]:
    """One row of a Markdown table for each member of `schema`, down to `levels` levels."""
    for member in members_of(schema, definitions, levels):
        yield {
            "name": member.path,
            "type": _cell(member.type),
            "required": "yes" if member.required else "",
            "description": _cell(member.description),
        }


def _cell(text: str) -> str:
    """`text` inside one cell of a Markdown table."""
    return " ".join(text.split()).replace("\\|", "|").replace("|", "\\|").replace("<", "&lt;")
