"""Requests of the protocol: what all methods have in common."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Final, TypeVar

import anyio
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from vcontract.runtime.frame.calls.dispatch import UnknownTool
from vcontract.runtime.frame.calls.telemetry import following
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject

Answer = TypeVar("Answer")
CallerOf = Callable[[ServerRequestContext[JsonObject]], Caller]
"""Who sent a request."""

MISSING_SCOPE: Final = "vcontract.missing_scope"
"""The member of an HTTP request's scope which says what scope a call needs that its caller lacks."""

_MAX_SHOWN_NAME_LENGTH = 60
_CLEANUP_SECONDS = 5.0
"""How long a cancelled call may take to roll back."""


def refuse_cursor(method: str, params: types.PaginatedRequestParams | None) -> None:
    """Every list is one page, so that any cursor is a foreign one. Raises: MCPError."""
    if params is not None and params.cursor is not None:
        raise MCPError(types.INVALID_PARAMS, f"Unknown cursor: {method} has one page; send no cursor.")


async def cancellable(
    call: Coroutine[None, None, Answer], context: ServerRequestContext[JsonObject]
) -> Answer:
    """Run a call in a task of its own, so that cancelling it interrupts it once and lets it roll back.

    The SDK cancels by a scope that interrupts every further await too, and a rollback awaits the database.
    Raises: what the call raises.
    """
    with following(context.meta or {}, {} if context.request is None else context.request.headers):
        task = asyncio.ensure_future(call)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        with anyio.move_on_after(_CLEANUP_SECONDS, shield=True):
            await asyncio.wait([task])
        raise


def unknown_tool(unknown: UnknownTool) -> MCPError:
    """The error for a call of an unknown tool."""
    hint = f"; did you mean {unknown.meant}?" if unknown.meant else ""
    if unknown.because is not None:
        hint = f". {unknown.because}"
    name = unknown.name[:_MAX_SHOWN_NAME_LENGTH]
    return MCPError(
        types.INVALID_PARAMS,
        f"Unknown tool: {name}{hint}",
        {"tool_name": name, "nearest": unknown.nearest},
    )
