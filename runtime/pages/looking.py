"""The views of the store, counted and drawn, and of the contract, with a form for each tool."""

from typing import Final, cast

from starlette.requests import Request
from starlette.responses import Response

from vcontract.runtime.documents.json import JsonObject, MalformedJson, dump_json, parse_json
from vcontract.runtime.pages.asking import asked, visitor_of
from vcontract.runtime.pages.door import CHANGE, FORM
from vcontract.runtime.pages.drawing import Bar, bars, columns
from vcontract.runtime.pages.rendering import Pages
from vcontract.runtime.pages.searching import Asked
from vcontract.runtime.vcon.times import by_month

_MOST_BARS: Final = 12
_MOST_NODES: Final = 1_000
_PLOTS: Final = {
    "party": "Parties",
    "tag_value": "Tags",
    "analysis_type": "Analyses",
    "attachment_purpose": "Attachments",
    "dialog_type": "Dialogs",
    "party_role": "Roles",
    "dealer": "Dealers",
}
_NAMES: Final = {
    "party": "party",
    "analysis_type": "analysis",
    "attachment_purpose": "attachment",
    "party_role": "role",
}
"""What a value of each kind narrows a search by."""


async def store(request: Request, pages: Pages) -> Response:
    """The page of the store: how much there is, when, of what."""
    root = request.scope.get("root_path", "")
    months = await asked(
        request, "vcon_graph_shape", node_types=["month"], max_edges=0, max_nodes=_MOST_NODES
    )
    kinds = await asked(
        request, "vcon_graph_shape", node_types=list(_PLOTS), max_edges=0, max_nodes=_MOST_NODES
    )
    capabilities = (await asked(request, "vcon_capabilities"))["item"]
    counts = by_month({node["label"]: node["count"] for node in months["item"]["nodes"]})
    by_kind: dict[str, list[Bar]] = {kind: [] for kind in _PLOTS}
    for node in kinds["item"]["nodes"]:
        by_kind[node["type"]].append(
            Bar(node["label"], node["count"], _narrowed(node["type"], node["label"], root))
        )
    plots = [(_PLOTS[kind], bars(found[:_MOST_BARS])) for kind, found in by_kind.items() if found]
    facts = _facts(months["item"]["corpus"], capabilities["embedding"])
    return pages.answer(
        request, "store.html.jinja", facts=facts, months=columns(counts) if counts else "", plots=plots
    )


def _facts(corpus: JsonObject, embedding: JsonObject) -> list[tuple[str, str]]:
    facts = [("conversations", f"{corpus['vcons']:,}")]
    facts += [(name, corpus[name]["created_at"]) for name in ("first", "last") if name in corpus]
    if "passages" in embedding:
        facts.append(("found by meaning", f"{embedding['embedded']:,} of {embedding['passages']:,} passages"))
        facts.append(("model", str(embedding["model"])))
    return facts


def _narrowed(kind: str, label: str, root: str) -> str:
    if kind == "tag_value":
        return Asked(tag=(label.replace(":", "=", 1),)).address(root)
    return Asked().narrowed(_NAMES[kind], label).address(root) if kind in _NAMES else ""


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
