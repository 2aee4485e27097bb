"""Fast path for tool calls over HTTP: one request, one response, without the SDK's streams."""

from dataclasses import dataclass
from typing import Final

import pydantic_core
from mcp import types
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from vcontract.runtime.frame.calls.dispatch import CallOutcome, Dispatcher, UnknownTool
from vcontract.runtime.frame.calls.telemetry import following
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_object
from vcontract.runtime.frame.mcp.access_policy import CALLER
from vcontract.runtime.frame.mcp.bodies import parsed, replayed
from vcontract.runtime.frame.mcp.requests import MISSING_SCOPE, unknown_tool

_JSON: Final = "application/json"
_METHOD: Final = "tools/call"
_VERSIONS: Final = frozenset({"2025-06-18", "2025-11-25"})
"""Supported protocol versions: earlier ones lack structured results, later ones call in another form."""
_MEMBERS: Final = frozenset({"name", "arguments", "_meta"})
"""Parameters of a call that needs nothing but a response."""


class ToolCallFastPath:
    """Middleware that answers plain tool calls itself and passes all other requests to `rest`.

    `rest` is the SDK's application. It opens streams and starts tasks for each request, which takes longer
    than reading a vCon. A valid call needs neither. `rest` reports what is wrong with invalid calls, and
    handles the later era of the protocol.
    """

    def __init__(self, dispatcher: Dispatcher, rest: ASGIApp) -> None:
        self._dispatcher = dispatcher
        self._rest = rest

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        if not _may_call(connection):
            await self._rest(connection, receive, send)
            return
        body = (await receive()).get("body", b"")
        call = await parsed(_Call.of, body)
        if call is None:
            await self._rest(connection, replayed(body, receive), send)
            return
        answer = await self._answer(call, connection)
        await Response(answer, media_type=_JSON)(connection, receive, send)

    async def _answer(self, call: "_Call", connection: Connection) -> bytes | str:
        try:
            with following(call.meta, Headers(scope=connection)):
                outcome = await self._dispatcher.call(call.name, call.arguments, connection[CALLER])
        except UnknownTool as unknown:
            error = types.JSONRPCError(jsonrpc="2.0", id=call.id, error=unknown_tool(unknown).error)
            return error.model_dump_json(by_alias=True, exclude_unset=True)
        connection[MISSING_SCOPE] = outcome.missing_scope
        return _text_of(call.id, outcome)


@dataclass(frozen=True, slots=True)
class _Call:
    """A request to call a tool."""

    id: types.RequestId
    name: str
    arguments: JsonObject | None
    meta: JsonObject

    @classmethod
    def of(cls, body: bytes) -> "_Call | None":
        """Parse a body as a plain tool call. None if it is anything else or invalid."""
        try:
            message = types.jsonrpc_message_adapter.validate_python(
                pydantic_core.from_json(body), by_name=False
            )
            if not isinstance(message, types.JSONRPCRequest) or message.method != _METHOD:
                return None
            given = message.params or {}
            params = types.CallToolRequestParams.model_validate(given, by_name=False)
        except (ValidationError, ValueError):
            return None
        meta: JsonValue = given.get("_meta", {})
        if not _MEMBERS.issuperset(given) or not is_object(meta):
            return None
        return cls(message.id, params.name, params.arguments, meta)


def _may_call(connection: Connection) -> bool:
    """Whether the request line and headers are valid for a plain call."""
    headers = Headers(scope=connection)
    return (
        connection["method"] == "POST"
        and _media_type(headers.get("content-type", "")) == _JSON
        and _JSON in map(_media_type, headers.get("accept", "").split(","))
        and headers.get("mcp-protocol-version") in _VERSIONS
    )


def _media_type(text: str) -> str:
    return text.partition(";")[0].strip()


def _text_of(request: types.RequestId, outcome: CallOutcome) -> bytes:
    """Print the response to a call as the SDK does."""
    result: JsonObject = {
        "content": [{"text": outcome.text, "type": "text"}],
        "isError": outcome.is_error,
        "structuredContent": outcome.structured,
    }
    answer: JsonObject = {"jsonrpc": "2.0", "id": request, "result": result}
    return pydantic_core.to_json(answer, inf_nan_mode="null")
