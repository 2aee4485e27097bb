"""Helpers for MCP requests: cancellation, foreign cursors and unknown tools."""

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
"""Returns the caller of a request."""

MISSING_SCOPE: Final = "vcontract.missing_scope"
"""Key of an HTTP request's ASGI scope: the scope that the caller lacks for a call."""

_MAX_SHOWN_NAME_LENGTH = 60
_CLEANUP_SECONDS = 5.0
"""How long a cancelled call may take to roll back."""


def refuse_cursor(method: str, params: types.PaginatedRequestParams | None) -> None:
    """Reject any cursor, because every list has one page. Raises: MCPError."""
    if params is not None and params.cursor is not None:
        raise MCPError(types.INVALID_PARAMS, f"Unknown cursor: {method} has one page; send no cursor.")


async def cancellable(
    call: Coroutine[None, None, Answer], context: ServerRequestContext[JsonObject]
) -> Answer:
    """Run a call in its own task, so that cancelling interrupts it once and lets it roll back.

    The SDK's cancel scope interrupts every further await too, and a rollback awaits the database. Raises:
    what the call raises.
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
    """Build the error for a call of an unknown tool."""
    hint = f"; did you mean {unknown.meant}?" if unknown.meant else ""
    if unknown.because is not None:
        hint = f". {unknown.because}"
    name = unknown.name[:_MAX_SHOWN_NAME_LENGTH]
    return MCPError(
        types.INVALID_PARAMS,
        f"Unknown tool: {name}{hint}",
        {"tool_name": name, "nearest": unknown.nearest},
    )
