"""generated/docs/tools.md: every tool with its parameters, result, errors and an example."""

from collections.abc import Iterator

from vcontract.codegen.documents import JsonObject, JsonValue, is_object, print_json
from vcontract.codegen.emit.printing import render
from vcontract.codegen.model import Contract, Tool
from vcontract.codegen.output import OutputFile
from vcontract.codegen.schemas import DEFS


def emit(contract: Contract) -> Iterator[OutputFile]:
    toolsets = [
        {"toolset": toolset, "tools": [_tool(contract, tool) for tool in toolset.tools]}
        for toolset in contract.toolsets
        if toolset.tools
    ]
    classes = contract.policy["rate_classes"]
    yield OutputFile("docs/tools.md", render("tools.md.jinja", toolsets=toolsets, rate_classes=classes))


def _tool(contract: Contract, tool: Tool) -> dict[str, object]:
    example = next(example for example in tool.examples if example.response is not None)
    forms: list[JsonObject] = tool.output_schema["oneOf"][:-1]
    defs: JsonObject = tool.output_schema.get("$defs", {})
    return {
        "tool": tool,
        "facts": _facts(tool),
        "parameters": list(member_rows(tool.input_schema)),
        "results": [list(member_rows(form, defs, depth=2)) for form in forms],
        "errors": [contract.error(code) for code in tool.errors],
        "example_params": print_json(example.params).rstrip("\n"),
        "example_response": print_json(example.response).rstrip("\n"),
    }


def _facts(tool: Tool) -> list[str]:
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
    schema: JsonObject, given: JsonObject | None = None, prefix: str = "", depth: int = 3
) -> Iterator[dict[str, str]]:
    """One row a member, those of members below it down to `depth`; `given`: definitions not its own."""
    defs: JsonObject = schema.get("$defs", {}) if given is None else given
    required: list[str] = schema.get("required", [])
    for name, declared in schema.get("properties", {}).items():
        member = _resolved(declared, defs)
        yield {
            "name": prefix + name,
            "type": _type_of(member, defs),
            "required": "yes" if name in required else "",
            "description": _cell(" ".join(filter(None, [member.get("description", ""), _default(member)]))),
        }
        inner, mark = _inner(member, defs)
        if depth > 1 and inner is not None:
            yield from member_rows(inner, defs, f"{prefix}{name}{mark}.", depth - 1)


def _inner(schema: JsonObject, defs: JsonObject) -> tuple[JsonObject | None, str]:
    if schema.get("type") == "array":
        return _resolved(schema.get("items", {}), defs), "[]"
    return (schema, "") if "properties" in schema else (None, "")


def _resolved(schema: JsonValue, defs: JsonObject) -> JsonObject:
    if not is_object(schema):
        return {}
    reference = schema.get("$ref")
    if reference is None:
        return schema
    return {**_resolved(defs[reference.removeprefix(DEFS)], defs), **schema}


def _type_of(schema: JsonObject, defs: JsonObject) -> str:
    if "const" in schema:
        return _cell(f"`{print_json(schema['const']).strip()}`")
    if "enum" in schema:
        return _cell(" | ".join(f"`{value}`" for value in schema["enum"]))
    if "anyOf" in schema:
        return _cell(" | ".join(_type_of(_resolved(branch, defs), defs) for branch in schema["anyOf"]))
    stated = schema.get("type", "any")
    types: list[str] = [stated] if isinstance(stated, str) else stated
    named = [_array_type(schema, defs) if name == "array" else name for name in types]
    return _cell(" | ".join(named) + _bounds(schema))


def _array_type(schema: JsonObject, defs: JsonObject) -> str:
    items = _resolved(schema.get("items", {}), defs)
    return f"array of {_type_of(items, defs)}" if items else "array"


def _bounds(schema: JsonObject) -> str:
    for least, most, unit in (
        ("minimum", "maximum", ""),
        ("minLength", "maxLength", " character"),
        ("minItems", "maxItems", " element"),
        ("minProperties", "maxProperties", " member"),
    ):
        low, high = schema.get(least), schema.get(most)
        last = low if high is None else high
        if last is None:
            continue
        words = (
            f"{low} to {high}"
            if None not in (low, high)
            else f"at {'least' if high is None else 'most'} {last}"
        )
        return f", {words}{unit}{'s' if unit and last != 1 else ''}"
    return ""


def _default(schema: JsonObject) -> str:
    return f"Default `{_compact(schema['default'])}`." if "default" in schema else ""


def _compact(value: JsonValue) -> str:
    return " ".join(print_json(value).split())


def _cell(text: str) -> str:
    """`text` inside one cell of a Markdown table."""
    return " ".join(text.split()).replace("\\|", "|").replace("|", "\\|").replace("<", "&lt;")
