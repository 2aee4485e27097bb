"""Chord diagram of co-occurrence: names on a circle, connected by lines."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from vcontract.runtime.frame.documents.plain_text import one_line

_RADIUS: Final = 190
_ROOM: Final = 190
"""Space for labels on each side."""
_MAX_LABEL_LENGTH: Final = 26
_NODE: Final = Markup(
    '<g class="node k{}" transform="rotate({:.1f}) translate({})"><title>{}</title><circle r="5"/>{}</g>'
)
_RIGHT: Final = Markup('<text dy="4" x="10">{}</text>')
_LEFT: Final = Markup('<text dy="4" x="-10" text-anchor="end" transform="rotate(180)">{}</text>')
"""On the left half, so that no label is upside down."""
_LINE: Final = Markup(
    '<path class="edge" d="M{:.1f} {:.1f}Q0 0 {:.1f} {:.1f}" stroke-width="{:.1f}"><title>{}</title></path>'
)


@dataclass(frozen=True, slots=True)
class Node:
    """A name of some kind, its number of conversations, and the link to them."""

    label: str
    kind: str
    count: int
    href: str


@dataclass(frozen=True, slots=True)
class Edge:
    """Two nodes, how many conversations have both, and their share of the rarer node's conversations."""

    one: Node
    other: Node
    strength: float
    joint: int


def chord_diagram(nodes: Sequence[Node], edges: Sequence[Edge]) -> Markup:
    """Draw the nodes in order on a circle, with thicker lines for stronger pairs."""
    turn = 360 / len(nodes)
    places = {node: number * turn for number, node in enumerate(nodes)}
    kinds = list(dict.fromkeys(node.kind for node in nodes))
    lines = Markup("").join(_line(edge, places) for edge in reversed(edges))
    names = Markup("").join(_name(node, kinds.index(node.kind), angle) for node, angle in places.items())
    half = _RADIUS + _ROOM
    label = f"What occurs together: {len(nodes)} names, {len(edges)} pairs"
    return Markup('<svg class="circle" role="group" aria-label="{}" viewBox="{} {} {} {}">{}{}</svg>').format(
        label, -half, -half, 2 * half, 2 * half, lines, names
    )


def _line(edge: Edge, places: dict[Node, float]) -> Markup:
    (x, y), (to_x, to_y) = (_point(places[node]) for node in (edge.one, edge.other))
    label = f"{edge.one.label} and {edge.other.label}: {edge.joint:,}, {edge.strength:.0%}"
    return _LINE.format(x, y, to_x, to_y, 0.5 + 3.5 * edge.strength, label)


def _point(angle: float) -> tuple[float, float]:
    turned = math.radians(angle)
    return _RADIUS * math.cos(turned), _RADIUS * math.sin(turned)


def _name(node: Node, kind: int, angle: float) -> Markup:
    label = one_line(node.label)
    label = label if len(label) <= _MAX_LABEL_LENGTH else f"{label[: _MAX_LABEL_LENGTH - 1]}…"
    text = (_LEFT if 90 < angle < 270 else _RIGHT).format(f"{label} ({node.count:,})")
    if node.href:
        text = Markup('<a href="{}">{}</a>').format(node.href, text)
    return _NODE.format(kind, angle, _RADIUS, f"{node.kind}: {node.label}, {node.count:,}", text)
