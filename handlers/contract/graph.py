"""vcon_graph_shape: count features of a tenant's vCons, and which occur together."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.models.contract import SearchFilters, VconGraphShapeParams
from vcontract.generated.results.contract import (
    HintsEntry,
    VconGraphShapeResult,
    VconGraphShapeResultItem,
    VconGraphShapeResultItemCorpus,
    VconGraphShapeResultItemEdgesEntry,
    VconGraphShapeResultItemNodesEntry,
    VconGraphShapeResultMeta,
    WordCountsEntry,
)
from vcontract.handlers.contract.hints import hints, uuid_hints, word_hints
from vcontract.handlers.contract.search_filters import refuse_unknown_tags
from vcontract.handlers.contract.search_words import FILTERS, corrections, matching, word_counts
from vcontract.handlers.contract.taxonomy import end_document
from vcontract.handlers.contract.word_hints import unread_word_hints
from vcontract.handlers.services import Services, Tools
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.filter_conditions import (
    COUNTED_TO,
    Filters,
    count_matching,
    count_unknown,
    tally,
)
from vcontract.runtime.store.search.newest import ends
from vcontract.runtime.store.search.search_params import read_filters, read_query
from vcontract.runtime.store.vcons.counts import About, count, feature_sets
from vcontract.runtime.store.vcons.versions import superseded_versions
from vcontract.runtime.vcon.tags import TAGS_PURPOSE
from vcontract.runtime.vcon.times import format_time

MAX_COUNTED_VCONS: Final = 10_000
"""Above this number of vCons, edges are counted over a sample of this size."""
SHARE_OF_SAMPLE: Final = 1_000
"""An edge needs at least one vCon in this many."""
KEPT_SECONDS: Final = 60.0
MAX_CACHED: Final = 64

NODE_TYPES: Final[Mapping[str, About]] = {
    "analysis_type": "analysis",
    "tag_key": "tag",
    "attachment_purpose": "attachment",
    "dialog_type": "dialog",
    "party_role": "role",
    "extension": "extension",
}
TALLIED: Final[Mapping[str, str]] = {
    **NODE_TYPES,
    "dealer": "dealer",
    "month": "month",
    "day": "day",
    "hour": "hour",
    "party": "party",
    "tag_value": "tag_value",
}
"""Node types counted over search results."""
_LEFT_OUT: Final = f"attachment:{TAGS_PURPOSE}"
"""Tags are shown by key instead."""


WITHOUT_WORDS: Final[JsonObject] = {"leave_out": ["query"]}
"""A call without a query."""


def filters_of(params: VconGraphShapeParams) -> JsonObject:
    """Return a call's filters as given."""
    return {} if params.filters is MISSING else params.filters.model_dump()


@dataclass(frozen=True, slots=True)
class _GraphQuery:
    """A request of a tenant."""

    tenant: str
    consent: tuple[str, ...]
    """The purposes, and what is withheld for them."""
    node_types: tuple[str, ...]
    max_nodes: int
    max_edges: int
    min_strength: float
    latest_versions: bool


class GraphShape(Tools):
    """Computes vcon_graph_shape; results over a large store are cached for a minute."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._kept: dict[_GraphQuery, tuple[float, VconGraphShapeResultItem]] = {}

    async def result(self, tenant: str, params: VconGraphShapeParams) -> VconGraphShapeResult:
        """The answer of vcon_graph_shape. Raises: InvalidQuery; AmbiguousQuery, as vcon_search does."""
        given = () if params.node_types is MISSING else params.node_types
        filters_given = filters_of(params)
        filters = read_filters(filters_given, FILTERS, counts_latest=True)
        is_filtered = params.filters is not MISSING and filters_given.keys() != {"versions"}
        if params.query is not MISSING or is_filtered:
            return await self._of_search(tenant, params, filters, given or tuple(NODE_TYPES))
        return {"ok": True, "item": await self._of_all(tenant, params, filters, given)}

    async def _of_all(
        self, tenant: str, params: VconGraphShapeParams, filters: Filters, given: Sequence[str]
    ) -> VconGraphShapeResultItem:
        is_counted = NODE_TYPES.keys() >= set(given)
        node_types = tuple(name for name in TALLIED if name in given) or tuple(NODE_TYPES)
        wish = _GraphQuery(
            tenant,
            await self._database.purposes_and_withheld(tenant),
            node_types,
            params.max_nodes,
            params.max_edges,
            params.min_strength,
            filters.latest_versions,
        )
        now = time.monotonic()
        kept_at, kept = self._kept.get(wish, (now - KEPT_SECONDS, None))
        if kept is not None and now - kept_at < KEPT_SECONDS:
            return deepcopy(kept)
        if is_counted:
            item = await self._count(wish)
        else:
            async with self._database.reading(tenant) as connection:
                conditions = filters.conditions()
                item = await self._tally(connection, tenant, params, filters, node_types, conditions)
        if item["corpus"]["vcons"] > MAX_COUNTED_VCONS:
            self._kept.pop(wish, None)
            if len(self._kept) >= MAX_CACHED:
                del self._kept[next(iter(self._kept))]
            self._kept[wish] = (now, deepcopy(item))
        return item

    async def _of_search(
        self, tenant: str, params: VconGraphShapeParams, filters: Filters, node_types: Sequence[str]
    ) -> VconGraphShapeResult:
        """Count vCons that vcon_search finds in mode keyword, or in mode metadata without a query."""
        given = SearchFilters() if params.filters is MISSING else params.filters
        query = None if params.query is MISSING else read_query(params.query)
        conditions = filters.conditions()
        meta: VconGraphShapeResultMeta = {}
        why: list[HintsEntry] = []
        words: list[WordCountsEntry] = []
        async with self._database.reading(tenant) as connection:
            await refuse_unknown_tags(connection, tenant, given, filters, self._vocabulary)
            if query is None:
                total = await count_matching(connection, conditions)
            else:
                weighed, total = await self._search.matching(connection, tenant, query, filters)
                conditions |= weighed.conditions()
                meta["matching"] = matching(weighed)
                if weighed.corrections:
                    meta["corrections"] = corrections(weighed)
                words = word_counts(weighed)
                assert params.query is not MISSING
                why = [
                    *await uuid_hints(connection, tenant, params.query, "vcon_fetch", "id"),
                    *await unread_word_hints(
                        connection, params.query, words, filters_of(params), WITHOUT_WORDS
                    ),
                    *await word_hints(self._search, connection, weighed, total),
                ]
            item = await self._tally(connection, tenant, params, filters, node_types, conditions)
            if unknown := await count_unknown(connection, filters):
                item["corpus"]["said_unknown"] = unknown
            if not total:
                why = await hints(connection, tenant, filters, self._vocabulary, found=why, words=words)
        item["corpus"]["counted"] = min(total, COUNTED_TO)
        item["corpus"] = in_order(VconGraphShapeResultItemCorpus, item["corpus"])
        if why:
            meta["hints"] = why
        return {"ok": True, "item": item, "meta": meta}

    async def _tally(
        self,
        connection: Connection,
        tenant: str,
        params: VconGraphShapeParams,
        filters: Filters,
        node_types: Sequence[str],
        conditions: JsonObject,
    ) -> VconGraphShapeResultItem:
        """Count nodes of the vCons that meet conditions."""
        nodes: list[VconGraphShapeResultItemNodesEntry] = []
        names = 0
        without = await superseded_versions(connection) if filters.latest_versions else []
        if not without:
            conditions.pop("versions", None)  # counts of all vCons are maintained
        for type_ in dict.fromkeys(node_types):
            about = TALLIED[type_]
            found = await tally(connection, conditions, about, params.max_nodes + 1)
            names += found.names
            for name, label, vcons in found.counted:
                nodes.append({"id": f"{about}:{name}", "type": type_, "label": label or name, "count": vcons})
        corpus = await self._corpus(connection, tenant, most=0, without=without)
        names -= len([node for node in nodes if node["id"] == _LEFT_OUT])
        nodes = [node for node in nodes if node["id"] != _LEFT_OUT]
        nodes.sort(key=lambda node: (-node["count"], node["id"]))
        listed = nodes[: params.max_nodes]
        return {
            "nodes": listed,
            "edges": [],
            "corpus": in_order(VconGraphShapeResultItemCorpus, corpus),
            "truncated": {"nodes": names - len(listed), "edges": 0},
        }

    async def _corpus(
        self, connection: Connection, tenant: str, *, most: int, without: Sequence[UUID] = ()
    ) -> VconGraphShapeResultItemCorpus:
        """Count all vCons except `without`; edges from a sample of at most `most`."""
        counts = await count(connection, tenant, "vcon", without=without)
        (vcons,) = [each.vcons for each in counts["vcon"]] or [0]
        counted_from = min(vcons, most)
        corpus: VconGraphShapeResultItemCorpus = {
            "vcons": vcons,
            "edges_from": counted_from,
            "sampled": vcons > MAX_COUNTED_VCONS and counted_from > 0,
            "computed_at": format_time(datetime.now(UTC)),
        }
        if without:
            corpus["versions_left_out"] = len(without)
        if found := await ends(connection, tenant):
            corpus["first"], corpus["last"] = map(end_document, found)
        return corpus

    async def _count(self, wish: _GraphQuery) -> VconGraphShapeResultItem:
        abouts: list[About] = [NODE_TYPES[name] for name in wish.node_types]
        async with self._database.reading(wish.tenant) as connection:
            without = await superseded_versions(connection) if wish.latest_versions else []
            counts = await count(connection, wish.tenant, *abouts, without=without)
            corpus = await self._corpus(connection, wish.tenant, most=MAX_COUNTED_VCONS, without=without)
            sets = await feature_sets(connection, wish.tenant, MAX_COUNTED_VCONS, without)
        nodes: list[VconGraphShapeResultItemNodesEntry] = [
            {"id": f"{NODE_TYPES[type_]}:{each.name}", "type": type_, "label": each.name, "count": each.vcons}
            for type_ in wish.node_types
            for each in counts[NODE_TYPES[type_]]
        ]
        nodes = [node for node in nodes if node["id"] != _LEFT_OUT]
        nodes.sort(key=lambda node: (-node["count"], node["id"]))
        listed = nodes[: wish.max_nodes]
        least_joint = max(1.0, corpus["edges_from"] / SHARE_OF_SAMPLE)
        edges = await asyncio.to_thread(
            strong_edges, [node["id"] for node in listed], sets, wish.min_strength, least_joint
        )
        return {
            "nodes": listed,
            "edges": edges[: wish.max_edges],
            "corpus": corpus,
            "truncated": {
                "nodes": len(nodes) - len(listed),
                "edges": max(0, len(edges) - wish.max_edges),
            },
        }


def strong_edges(
    ids: Sequence[str], sets: Sequence[tuple[Sequence[str], int]], min_strength: float, least_joint: float
) -> list[VconGraphShapeResultItemEdgesEntry]:
    """Return each pair of `ids` that occurs together often enough, strongest first.

    `sets` are combinations of features with the number of vCons that have exactly these. Strength is the
    overlap coefficient: joint / min(count of one, count of the other).
    """
    import numpy as np

    names = sorted(ids)
    if not names or not sets:
        return []
    place = {name: index for index, name in enumerate(names)}
    has = np.zeros((len(sets), len(names)), dtype=np.float32)
    for row, (features, _) in enumerate(sets):
        has[row, [place[feature] for feature in features if feature in place]] = 1
    # integers up to 10,000 are exact in single precision
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
