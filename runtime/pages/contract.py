"""The views of the contract, with a form for each tool."""

from typing import cast

from starlette.requests import Request
from starlette.responses import Response

from vcontract.runtime.documents.json import JsonObject, MalformedJson, dump_json, parse_json
from vcontract.runtime.pages.asking import visitor_of
from vcontract.runtime.pages.door import CHANGE, FORM
from vcontract.runtime.pages.rendering import Pages


async def contract(request: Request, pages: Pages) -> Response:
    """The page of all tools."""
    return pages.answer(request, "contract.html.jinja", tools=list(visitor_of(request).tools.values()))


async def tool(request: Request, pages: Pages) -> Response:
    """The page of a tool, and of what it answered to the arguments in the form."""
    found = visitor_of(request).tools.get(request.path_params["name"])
    if found is None:
        return pages.notice(request, 404, "There is no such tool here.")
    told: JsonObject = {"arguments": _skeleton(found), "problem": "", "answer": "", "is_error": False}
    status = 200
    if request.method == "POST":
        text = request.scope[FORM].get("arguments", "") or "{}"
        told["arguments"] = text
        try:
            arguments = parse_json(text.encode())
        except MalformedJson as error:
            arguments, status, told["problem"] = None, 400, f"This is not JSON: {error}"
        if isinstance(arguments, dict):
            answer, is_error = await visitor_of(request).ask(found["name"], cast("JsonObject", arguments))
            told |= {"answer": dump_json(answer, indent=2).decode(), "is_error": is_error}
        elif not told["problem"]:
            status, told["problem"] = 400, "The arguments are JSON, but no object."
    return pages.answer(request, "tool.html.jinja", status, tool=found, change=request.scope[CHANGE], **told)


def _skeleton(tool: JsonObject) -> str:
    """The required parameters, to be filled in."""
    schema: JsonObject = tool["inputSchema"]
    properties: JsonObject = schema.get("properties", {})
    required: list[str] = schema.get("required", [])
    given = {name: (properties[name].get("enum") or [""])[0] for name in required}
    return dump_json(given, indent=2).decode() if given else "{}"
