"""View of co-occurrence: pairs of types, tag keys and roles that conversations have together."""

from dataclasses import dataclass, replace
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.pages.rendering import Pages
from vcontract.runtime.pages.searching import SearchForm
from vcontract.runtime.pages.store import KINDS, filter_of, narrowed, shape

_MAX_NODES: Final = 60
_MAX_EDGES: Final = 200


@dataclass(frozen=True, slots=True)
class Feature:
    """What conversations may have: its kind, name, number of conversations, and the link to them."""

    kind: str
    label: str
    count: int
    href: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Two features, how many conversations have both, their share of the rarer one's, and a link."""

    one: Feature
    other: Feature
    joint: int
    share: float
    href: str


async def graph(request: Request, pages: Pages) -> Response:
    """Show the pairs as a table, strongest first."""
    root = request.scope.get("root_path", "")
    item = await shape(request, max_nodes=_MAX_NODES, max_edges=_MAX_EDGES)
    corpus: JsonObject = item["corpus"]
    nodes: dict[str, JsonObject] = {node["id"]: node for node in item["nodes"]}
    return pages.answer(
        request,
        "graph.html.jinja",
        pairs=[_pair(edge, nodes, root) for edge in item["edges"]],
        is_empty=not nodes,
        sample=corpus["edges_from"] if corpus["sampled"] else 0,
        left_out=item["truncated"],
    )


def _feature(node: JsonObject, root: str) -> Feature:
    return Feature(KINDS[node["type"]], node["label"], node["count"], narrowed(node, root))


def _pair(edge: JsonObject, nodes: dict[str, JsonObject], root: str) -> Pair:
    ends = [nodes[edge[end]] for end in ("source", "target")]
    one, other = (filter_of(end) for end in ends)
    both = one | other if one and other and one.keys().isdisjoint(other) else {}
    href = replace(SearchForm(), **both).address(root) if both else ""
    first, second = (_feature(end, root) for end in ends)
    return Pair(first, second, edge["joint_count"], edge["strength"], href)
