"""Fitting: how much of vCons one answer holds, and what is said when they are larger."""

from typing import Final

from vcontract.generated.errors import ValidationError
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents.json import JsonObject, JsonValue, dump_json

_BESIDE: Final = 65_536
"""Bytes of a result that are not the vCons themselves."""


def room_for_vcons(ctx: ToolContext) -> int:
    """The most bytes that the vCons of one answer may have together."""
    room: int = ctx.contract.policy["result_limit_bytes"] - _BESIDE
    return room


def fits(vcon: JsonObject, ctx: ToolContext) -> bool:
    """Whether an answer holds the vCon beside what it is about."""
    return len(dump_json(vcon)) <= room_for_vcons(ctx)


def too_large(which: str, size: int, room: int, sizes: JsonValue, cure: str) -> ValidationError:
    """The error for a vCon of which fewer components have to be asked for."""
    return ValidationError(
        f"{which} has {size} bytes; one answer holds {room}. Ask for fewer components.",
        details={
            "parameter": "include_components",
            "reason": "result_too_large",
            "limit_bytes": room,
            "bytes": sizes,
        },
        suggestions=[cure],
    )
