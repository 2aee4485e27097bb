"""Blocks: matches in the order of wholes, scored place by place and ordered anew, a block at a time."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final
from uuid import UUID

from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.store.search.hits import Item

BLOCK: Final = 40
"""Things that are ordered together: those beyond bring nothing to a first page. It does not depend on the
size of a page, so that a list is the same whatever its pages."""

Position = JsonObject | None
Read = Callable[[Position, Position, int], Awaitable[tuple[Sequence[UUID], Position]]]
"""Gives the ids from one position to another and the one that follows, None when nothing does; where the end
is not known yet, so many ids. What was added in between meanwhile makes them more."""
Score = Callable[[Sequence[UUID]], Awaitable[list[Item]]]


async def page_of_blocks(
    read: Read,
    score: Score,
    limit: int,
    start: JsonObject | None,
    *,
    least: float = 0.0,
) -> tuple[list[Item], JsonObject | None]:
    """Up to `limit` items that score `least`, block after block, and where the next page begins.

    `start` is where this page begins, as the page before told. The items of one block are in the order of
    their scores.
    """
    if start is None:
        start = {"block": None, "until": None, "after": BEFORE_ALL}
    position: Position = start["block"]
    until: Position = start["until"]
    after: JsonObject = start["after"]
    items: list[Item] = []
    while True:
        ids, following = await read(position, until, BLOCK)
        scored = [item for item in await score(ids) if item.score >= least] if ids else []
        bound = (after["score"], UUID(after["id"]))
        left = [item for item in scored if (item.score, item.id) < bound]
        taken = left[: limit - len(items)]
        items += taken
        if len(taken) < len(left):
            last = items[-1]
            after = {"score": last.score, "id": str(last.id)}
            return items, {"block": position, "until": following, "after": after}
        if following is None or not scored:
            return items, None
        if len(items) == limit:
            return items, {"block": following, "until": None, "after": BEFORE_ALL}
        position, until, after = following, None, BEFORE_ALL


BEFORE_ALL: Final[JsonObject] = {"score": 2.0, "id": str(UUID(int=0))}
"""Where a block begins: no score is as large."""
