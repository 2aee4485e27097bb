"""Navigation: link only to views for which the visitor's store has data."""

import time
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.pages.auth import Visitor
from vcontract.runtime.vcon.traces import TRACE_TYPE

ALL: Final = frozenset({"conversations", "sessions", "records"})
_SECONDS: Final = 5.0
_MAX_CACHED_VISITORS: Final = 100


class Present:
    """Cache of what visitors' stores contain, for some seconds; empty stores are not cached."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, frozenset[str]]] = {}

    async def of(self, kept: str, visitor: Visitor, changes: bool) -> frozenset[str]:
        """Which of `ALL` the visitor with this cookie has. `changes` invalidates the cache."""
        if changes:
            self._known.pop(kept, None)
            return ALL
        now = time.monotonic()
        at, has = self._known.get(kept, (-_SECONDS, ALL))
        if now - at >= _SECONDS:
            if len(self._known) >= _MAX_CACHED_VISITORS:
                self._known.clear()
            has = await _has(visitor)
            if "conversations" in has:  # an empty store is checked each time, so that an import shows at once
                self._known[kept] = (now, has)
        return has


async def _has(visitor: Visitor) -> frozenset[str]:
    """Views with data. What cannot be counted is assumed to exist; what the visitor may not read is not."""
    has: set[str] = set()
    if visitor.may("vcon_graph_shape"):
        given: JsonObject = {"node_types": ["analysis_type"], "max_edges": 0, "max_nodes": 200}
        answer, is_error = await visitor.ask("vcon_graph_shape", given)
        item: JsonObject = {} if is_error else answer["item"]
        if is_error or item["corpus"]["vcons"]:
            has.add("conversations")
        if is_error or any(node["label"] == TRACE_TYPE for node in item["nodes"]):
            has.add("sessions")
    elif visitor.may("vcon_search"):
        has.add("conversations")
    if visitor.may("bridge_search"):
        answer, is_error = await visitor.ask("bridge_search", {"limit": 1})
        if is_error or answer["total"]:
            has.add("records")
    return frozenset(has)
