"""Lists of whole vCons: as many as fit in a response, or an error if none fits."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from vcontract.generated.errors import ValidationError
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.vcons.preparation import ARRAYS
from vcontract.runtime.store.vcons.store import VconStore

_BESIDE: Final = 65_536
"""Bytes reserved for the rest of a result."""
_LOADED_AT_ONCE: Final = 10


def named_arrays(include_components: Sequence[str]) -> tuple[str, ...]:
    """Component arrays in `include_components`, in standard order."""
    return ARRAYS if "all" in include_components else tuple(a for a in ARRAYS if a in include_components)


async def list_vcons(
    vcons: VconStore,
    connection: Connection,
    ctx: ToolContext,
    uuids: Sequence[UUID],
    arrays: Sequence[str],
) -> list[JsonObject]:
    """Load the vCons of `uuids` in order, with these arrays, until the byte budgets are exceeded."""
    room = room_for_vcons(ctx)
    documents: list[JsonObject] = []
    used = 0
    for start in range(0, len(uuids), _LOADED_AT_ONCE):
        part = uuids[start : start + _LOADED_AT_ONCE]
        loaded = {vcon.uuid: vcon for vcon in await vcons.load(connection, ctx.tenant, part, arrays)}
        for document in (loaded[uuid].document(arrays) for uuid in part if uuid in loaded):
            documents.append(document)
            used += len(dump_json(document))
            if used > room:
                return documents
    return documents


def room_for_vcons(ctx: ToolContext) -> int:
    """Maximum bytes of all vCons in one response."""
    room: int = ctx.contract.policy["result_limit_bytes"] - _BESIDE
    return room


def fits(vcon: JsonObject, ctx: ToolContext) -> bool:
    """Whether the vCon fits in a response."""
    return len(dump_json(vcon)) <= room_for_vcons(ctx)


def too_large(size: int, room: int, sizes: JsonValue, cure: str) -> ValidationError:
    """Build the error for a vCon that only fits with fewer components."""
    return ValidationError(
        f"This vCon has {size} bytes; one answer holds {room}. Ask for fewer components.",
        details={
            "parameter": "include_components",
            "reason": "result_too_large",
            "limit_bytes": room,
            "bytes": sizes,
        },
        suggestions=[cure],
    )
