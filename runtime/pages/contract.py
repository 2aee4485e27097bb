"""Views of the served contract, with a form for each tool."""

from functools import lru_cache
from importlib.resources import files
from typing import cast

from starlette.requests import Request
from starlette.responses import Response

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, MalformedJson, parse_json
from vcontract.runtime.pages.auth import CHANGE, FORM
from vcontract.runtime.pages.rendering import Pages, printed
from vcontract.runtime.pages.tool_client import visitor_of


@lru_cache
def _report() -> JsonObject:
    """The content of the contract report, by kind and name."""
    report: JsonObject = parse_json(files("vcontract.generated").joinpath("report.json").read_bytes())
    return report


def _entry(tool: JsonObject) -> JsonObject:
    """Return the report's entry of a tool, with or without the toolset's prefix."""
    entries: JsonObject = _report()["tools"]
    entry: JsonObject = entries.get(tool["name"]) or entries[f"{tool['toolset']}_{tool['name']}"]
    return entry


async def contract(request: Request, pages: Pages) -> Response:
    """Show everything that is served."""
    visitor, report = visitor_of(request), _report()
    tools = [_entry(tool) | tool for tool in visitor.tools.values()]
    by_toolset = {id_: [tool for tool in tools if tool["toolset"] == id_] for id_ in report["toolsets"]}
    used = {code for tool in tools for code in _entry(tool)["errors"]}
    return pages.answer(
        request,
        "contract.html.jinja",
        toolsets=[(report["toolsets"][id_], tools) for id_, tools in by_toolset.items() if tools],
        tokens=sum(tool["tokens"] for tool in tools),
        most=max((tool["tokens"] for tool in tools), default=1),
        resources=[report["resources"][name] for name in visitor.resources],
        prompts=[report["prompts"][name] for name in visitor.prompts],
        errors=[error for code, error in report["errors"].items() if code in used],
        reasons=report["reasons"],
    )


async def tool(request: Request, pages: Pages) -> Response:
    """Show a tool, and the result for the arguments in the form."""
    found = visitor_of(request).tools.get(request.path_params["name"])
    if found is None:
        return pages.notice(request, 404, "There is no such tool here.")
    entry = _entry(found)
    shown: JsonObject = {
        "arguments": _begun(request, found, entry),
        "problem": "",
        "answer": "",
        "is_error": False,
    }
    status = 200
    if request.method == "POST":
        text = request.scope[FORM].get("arguments", "") or "{}"
        shown["arguments"] = text
        try:
            arguments = parse_json(text.encode())
        except MalformedJson as error:
            arguments, status, shown["problem"] = None, 400, f"This is not JSON: {error}"
        if isinstance(arguments, dict):
            answer, is_error = await visitor_of(request).ask(found["name"], cast("JsonObject", arguments))
            shown |= {"answer": printed(answer), "is_error": is_error}
        elif not shown["problem"]:
            status, shown["problem"] = 400, "The arguments are JSON, but no object."
    return pages.answer(
        request,
        "tool.html.jinja",
        status,
        tool=found,
        entry=entry,
        errors=[_report()["errors"][code] for code in entry["errors"]],
        change=request.scope[CHANGE],
        **shown,
    )


def _begun(request: Request, tool: JsonObject, entry: JsonObject) -> str:
    """Initial content of the form: an example if requested, else the required parameters."""
    number = request.query_params.get("example", "")
    examples: list[JsonObject] = entry["examples"]
    if number.isdecimal() and int(number[:9]) < len(examples):
        return printed(examples[int(number)]["params"])
    return _skeleton(tool)


def _skeleton(tool: JsonObject) -> str:
    """Required parameters to fill in."""
    return printed(_least(tool["inputSchema"]))


def _least(schema: JsonObject) -> JsonValue:
    """Minimal value for a schema."""
    if values := schema.get("enum"):
        return values[0]
    kind = schema.get("type")
    if kind == "object":
        properties: JsonObject = schema.get("properties", {})
        required: list[str] = schema.get("required", [])
        return {name: _least(properties.get(name, {})) for name in required}
    if kind == "array":
        return [_least(schema.get("items", {})) for _ in range(schema.get("minItems", 0))]
    if kind in ("integer", "number"):
        return schema.get("minimum", 0)
    return False if kind == "boolean" else ""
