"""The views of the store, counted and drawn, and of the contract, with a form for each tool."""

from typing import Final, cast

from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response

from vcontract.runtime.documents.json import JsonObject, MalformedJson, dump_json, parse_json
from vcontract.runtime.documents.plain import one_line
from vcontract.runtime.pages.asking import asked, visitor_of
from vcontract.runtime.pages.door import CHANGE, FORM
from vcontract.runtime.pages.rendering import Pages
from vcontract.runtime.pages.searching import Asked
from vcontract.runtime.vcon.times import by_month

_MOST_BARS: Final = 12
_MOST_NODES: Final = 1_000
_COLUMN: Final = Markup(
    '<rect class="bar" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"><title>{}: {:,}</title></rect>'
)
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
    plots = [
        (
            title,
            _bars([node for node in kinds["item"]["nodes"] if node["type"] == kind][:_MOST_BARS], kind, root),
        )
        for kind, title in _PLOTS.items()
        if any(node["type"] == kind for node in kinds["item"]["nodes"])
    ]
    facts = _facts(months["item"]["corpus"], capabilities["embedding"])
    return pages.answer(
        request, "store.html.jinja", facts=facts, months=_columns(counts) if counts else "", plots=plots
    )


def _facts(corpus: JsonObject, embedding: JsonObject) -> list[tuple[str, str]]:
    facts = [("conversations", f"{corpus['vcons']:,}")]
    facts += [(name, corpus[name]["created_at"]) for name in ("first", "last") if name in corpus]
    if "passages" in embedding:
        facts.append(("found by meaning", f"{embedding['embedded']:,} of {embedding['passages']:,} passages"))
        facts.append(("model", str(embedding["model"])))
    return facts


def _bars(nodes: list[JsonObject], kind: str, root: str) -> Markup:
    """Values with a bar each, as long as it has conversations; most are links to these."""
    most = max(node["count"] for node in nodes)
    rows: list[Markup] = []
    for number, node in enumerate(nodes):
        label = one_line(node["label"])
        text = Markup('<text x="0" y="{}">{} ({:,})</text>').format(
            number * 36 + 12, label if len(label) < 48 else f"{label[:47]}…", node["count"]
        )
        href = _narrowed(kind, node["label"], root)
        rows.append(Markup('<a href="{}">{}</a>').format(href, text) if href else text)
        width = max(1, round(400 * node["count"] / most))
        rows.append(
            Markup('<rect class="bar" x="0" y="{}" width="{}" height="10"/>').format(number * 36 + 17, width)
        )
    return Markup('<svg role="img" aria-label="Counts" viewBox="0 0 400 {}">{}</svg>').format(
        len(nodes) * 36, Markup("").join(rows)
    )


def _narrowed(kind: str, label: str, root: str) -> str:
    if kind == "tag_value":
        return Asked(tag=(label.replace(":", "=", 1),)).address(root)
    return Asked().narrowed(_NAMES[kind], label).address(root) if kind in _NAMES else ""


def _columns(counts: list[tuple[str, int]]) -> Markup:
    """A column for each month; what it stands for is its title."""
    most = max(count for _, count in counts)
    step = 800 / max(12, len(counts))
    columns = Markup("").join(
        _COLUMN.format(number * step, 100 - 100 * count / most, step * 0.8, 100 * count / most, month, count)
        for number, (month, count) in enumerate(counts)
    )
    ends = Markup('<text x="0" y="116">{}</text><text x="{:.1f}" y="116" text-anchor="end">{}</text>').format(
        counts[0][0], max(160.0, len(counts) * step), counts[-1][0]
    )
    label = escape(f"Conversations by month, from {counts[0][0]} to {counts[-1][0]}, at most {most:,}")
    return Markup('<svg role="img" aria-label="{}" viewBox="0 0 800 120">{}{}</svg>').format(
        label, columns, ends
    )


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
