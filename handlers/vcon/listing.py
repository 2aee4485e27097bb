"""Lists of whole vCons: as many as one answer holds, in the order they were found."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from vcontract.handlers.vcon.fitting import room_for_vcons, too_large
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents.json import JsonObject, dump_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.vcons.preparation import ARRAYS
from vcontract.runtime.store.vcons.store import VconStore

_LOADED_AT_ONCE: Final = 10
_CURE: Final = "Give include_components only the arrays that you need, or read it with vcon_fetch."


def named_arrays(include_components: Sequence[str]) -> tuple[str, ...]:
    """The component arrays that `include_components` asks for, in their usual order."""
    return ARRAYS if "all" in include_components else tuple(a for a in ARRAYS if a in include_components)


async def list_vcons(
    vcons: VconStore,
    connection: Connection,
    ctx: ToolContext,
    uuids: Sequence[UUID],
    arrays: Sequence[str],
) -> list[JsonObject]:
    """The vCons of `uuids` with these arrays, in that order; fewer when no more fit into one answer.

    Raises: ValidationError when not even the first one fits.
    """
    room = room_for_vcons(ctx)
    documents: list[JsonObject] = []
    used = 0
    for start in range(0, len(uuids), _LOADED_AT_ONCE):
        part = uuids[start : start + _LOADED_AT_ONCE]
        loaded = {vcon.uuid: vcon for vcon in await vcons.load(connection, ctx.tenant, part, arrays)}
        for document in (loaded[uuid].document(arrays) for uuid in part if uuid in loaded):
            size = len(dump_json(document))
            used += size
            if used > room:
                if not documents:
                    raise too_large("The first vCon", size, room, size, _CURE)
                return documents
            documents.append(document)
    return documents
