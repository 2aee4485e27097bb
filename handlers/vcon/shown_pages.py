"""Remember results shown to callers, so that later pages repeat none although scores change."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from pydantic import BaseModel

from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import dump_json
from vcontract.runtime.store.search.hits import Item

_SECONDS: Final = 600.0
_MAX_CACHED_IDS: Final = 200_000
"""Maximum cached IDs over all lists; least recently used lists are evicted."""
_OF_A_PAGE: Final = frozenset({"offset", "limit", "include_components", "max_response_bytes"})
"""Parameters that select the page and its contents."""


@dataclass(frozen=True, slots=True)
class _Shown:
    ids: Sequence[UUID]
    until: float


class ShownPages:
    """Lists paged through in this process, each kept for ten minutes after its last page."""

    def __init__(self) -> None:
        self._lists: dict[bytes, _Shown] = {}
        self._kept = 0

    def page(self, list_: bytes, items: Sequence[Item], offset: int, limit: int) -> tuple[list[Item], bool]:
        """Return the page at an offset, and whether some of `items` are left after it.

        If the previous pages were shown, it has the best results that they did not show.
        """
        before = self._before(list_, offset)
        if before is None:
            left = items[offset:]
        else:
            seen = set(before)
            left = [item for item in items if item.id not in seen]
            self._keep(list_, (*before, *(item.id for item in left[:limit])))
        return list(left[:limit]), len(left) > limit

    def _before(self, list_: bytes, offset: int) -> Sequence[UUID] | None:
        """IDs shown before an offset; None if unknown."""
        if offset == 0:
            return ()
        shown = self._lists.get(list_)
        if shown is None or shown.until < time.monotonic() or len(shown.ids) < offset:
            return None
        return shown.ids[:offset]

    def _keep(self, list_: bytes, ids: Sequence[UUID]) -> None:
        self._forget(list_)
        self._lists[list_] = _Shown(ids, time.monotonic() + _SECONDS)
        self._kept += len(ids) + 1
        while self._kept > _MAX_CACHED_IDS:
            self._forget(next(iter(self._lists)))

    def _forget(self, list_: bytes) -> None:
        shown = self._lists.pop(list_, None)
        self._kept -= len(shown.ids) + 1 if shown else 0


def list_of(params: BaseModel, ctx: ToolContext) -> bytes:
    """Key of a search by one caller, the same for all its pages."""
    caller = ctx.caller
    asked = {
        "of": [
            caller.tenant,
            caller.name,
            caller.connection,
            *sorted(caller.purposes),
            type(params).__name__,
        ],
        **params.model_dump(mode="json", exclude=set(_OF_A_PAGE)),
    }
    return hashlib.sha256(dump_json(asked)).digest()
