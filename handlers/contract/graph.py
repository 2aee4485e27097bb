"""The graph shape: what a tenant's vCons have, and what occurs together in them."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from pydantic import MISSING

from vcontract.generated.models.contract import VconGraphShapeParams
from vcontract.generated.results.contract import (
    VconGraphShapeResultItem,
    VconGraphShapeResultItemEdgesEntry,
    VconGraphShapeResultItemNodesEntry,
)
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.counts import About, count, feature_sets
from vcontract.runtime.vcon.tags import TAGS_PURPOSE
from vcontract.runtime.vcon.times import format_time

MOST_COUNTED: Final = 10_000
"""Of so many vCons edges are counted over all, of more over a sample of so many."""
SHARE_OF_SAMPLE: Final = 1_000
"""A pair counts when at least one vCon in so many has both."""
KEPT_SECONDS: Final = 60.0
MOST_KEPT: Final = 64

NODE_TYPES: Final[Mapping[str, About]] = {
    "analysis_type": "analysis",
    "tag_key": "tag",
    "attachment_purpose": "attachment",
    "dialog_type": "dialog",
    "party_role": "role",
    "extension": "extension",
}
_LEFT_OUT: Final = f"attachment:{TAGS_PURPOSE}"
"""Tags show by their keys."""


@dataclass(frozen=True, slots=True)
class _Wish:
    """What is asked for, of which tenant."""

    tenant: str
    node_types: tuple[str, ...]
    max_nodes: int
    max_edges: int
    min_strength: float


class GraphShape:
    """Answers vcon_graph_shape; answers that come from a sample are kept for a minute."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kept: dict[_Wish, tuple[float, VconGraphShapeResultItem]] = {}

    async def item(self, tenant: str, params: VconGraphShapeParams) -> VconGraphShapeResultItem:
        """The item of vcon_graph_shape."""
        given = () if params.node_types is MISSING else params.node_types
        node_types = tuple(name for name in NODE_TYPES if not given or name in given)
        wish = _Wish(tenant, node_types, params.max_nodes, params.max_edges, params.min_strength)
        now = time.monotonic()
        kept_at, kept = self._kept.get(wish, (now - KEPT_SECONDS, None))
        if kept is not None and now - kept_at < KEPT_SECONDS:
            return deepcopy(kept)
        item = await self._count(wish)
        if item["corpus"]["sampled"]:
            self._kept.pop(wish, None)
            if len(self._kept) >= MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[wish] = (now, deepcopy(item))
        return item

    async def _count(self, wish: _Wish) -> VconGraphShapeResultItem:
        abouts: list[About] = [NODE_TYPES[name] for name in wish.node_types]
        async with self._database.reading(wish.tenant) as connection:
            counts = await count(connection, wish.tenant, "vcon", *abouts)
            sets = await feature_sets(connection, wish.tenant, MOST_COUNTED)
            now = datetime.now(UTC)
        (vcons,) = [each.vcons for each in counts["vcon"]] or [0]
        nodes: list[VconGraphShapeResultItemNodesEntry] = [
            {"id": f"{NODE_TYPES[type_]}:{each.name}", "type": type_, "label": each.name, "count": each.vcons}
            for type_ in wish.node_types
            for each in counts[NODE_TYPES[type_]]
        ]
        nodes = [node for node in nodes if node["id"] != _LEFT_OUT]
        nodes.sort(key=lambda node: (-node["count"], node["id"]))
        listed = nodes[: wish.max_nodes]
        counted_from = min(vcons, MOST_COUNTED)
        least_joint = max(1.0, counted_from / SHARE_OF_SAMPLE)
        edges = await asyncio.to_thread(
            strong_edges, [node["id"] for node in listed], sets, wish.min_strength, least_joint
        )
        return {
            "nodes": listed,
            "edges": edges[: wish.max_edges],
            "corpus": {
                "vcons": vcons,
                "edges_from": counted_from,
                "sampled": vcons > MOST_COUNTED,
                "computed_at": format_time(now),
            },
            "truncated": {
                "nodes": len(nodes) - len(listed),
                "edges": max(0, len(edges) - wish.max_edges),
            },
        }


def strong_edges(
    ids: Sequence[str], sets: Sequence[tuple[Sequence[str], int]], min_strength: float, least_joint: float
) -> list[VconGraphShapeResultItemEdgesEntry]:
    """Each pair of `ids` that occurs together often enough, the strongest first.

    `sets` are features with the number of vCons that have exactly them. Strength is the overlap coefficient:
    joint / min(count of one, count of the other).
    """
    import numpy as np

    names = sorted(ids)
    if not names or not sets:
        return []
    place = {name: index for index, name in enumerate(names)}
    has = np.zeros((len(sets), len(names)), dtype=np.float32)
    for row, (features, _) in enumerate(sets):
        has[row, [place[feature] for feature in features if feature in place]] = 1
    # whole numbers up to 10,000: exact in single precision
    joint = has.T @ (has * np.array([vcons for _, vcons in sets], dtype=np.float32)[:, None])
    counts = np.diagonal(joint)
    strength = joint / np.maximum(np.minimum(counts[:, None], counts[None, :]), 1).astype(np.float64)
    pairs = np.argwhere(np.triu((joint >= least_joint) & (strength >= min_strength), k=1))
    edges: list[VconGraphShapeResultItemEdgesEntry] = [
        {
            "source": names[one],
            "target": names[other],
            "strength": float(strength[one, other]),
            "joint_count": int(joint[one, other]),
        }
        for one, other in pairs.tolist()
    ]
    edges.sort(key=lambda edge: (-edge["strength"], -edge["joint_count"], edge["source"], edge["target"]))
    return edges
