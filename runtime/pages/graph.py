"""View of co-occurrence: which types, tag keys and roles occur together in conversations."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.pages.chord_diagram import Edge, Node, chord_diagram
from vcontract.runtime.pages.rendering import Pages
from vcontract.runtime.pages.store import KINDS, narrowed, shape

_MAX_NODES: Final = 40
_MAX_EDGES: Final = 120


async def graph(request: Request, pages: Pages) -> Response:
    """Show co-occurrence as a diagram and a table."""
    root = request.scope.get("root_path", "")
    item = await shape(request, max_nodes=_MAX_NODES, max_edges=_MAX_EDGES)
    corpus: JsonObject = item["corpus"]
    order = list(KINDS)
    listed = sorted(item["nodes"], key=lambda node: order.index(node["type"]))
    nodes = {node["id"]: _node(node, root) for node in listed}
    edges = [
        Edge(nodes[edge["source"]], nodes[edge["target"]], edge["strength"], edge["joint_count"])
        for edge in item["edges"]
    ]
    return pages.answer(
        request,
        "graph.html.jinja",
        drawn=chord_diagram(list(nodes.values()), edges) if nodes else "",
        kinds=list(dict.fromkeys(node.kind for node in nodes.values())),
        edges=edges,
        sample=corpus["edges_from"] if corpus["sampled"] else 0,
        left_out=item["truncated"],
    )


def _node(node: JsonObject, root: str) -> Node:
    return Node(node["label"], KINDS[node["type"]], node["count"], narrowed(node, root))
