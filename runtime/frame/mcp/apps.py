"""MCP Apps: detect clients that show views inside a chat, and list views for them only.

Source: the extension io.modelcontextprotocol/ui, version 2026-01-26.
"""

import secrets
from collections.abc import Mapping
from typing import Final

import pydantic_core
from mcp import types
from mcp.server.context import ServerRequestContext
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vcontract.runtime.frame.contract.catalogue import CallerContract
from vcontract.runtime.frame.contract.registry import App
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, members

EXTENSION: Final = "io.modelcontextprotocol/ui"
MEDIA_TYPE: Final = "text/html;profile=mcp-app"

_SESSION: Final = "mcp-session-id"
_KNOWS: Final = ".apps"
"""Suffix of session IDs of clients that support views. They say so once, and the server keeps no session."""
_NOTHING_ELSEWHERE: Final[Mapping[str, list[str]]] = {
    "connectDomains": [],
    "resourceDomains": [],
    "frameDomains": [],
    "baseUriDomains": [],
}


_LONGEST_RESULT: Final = "anthropic/maxResultSizeChars"
_MAX_RESULT_CHARACTERS: Final = 250_000
"""The default byte budget of a response; the client accepts at most 500,000."""


def knows_apps(context: ServerRequestContext[JsonObject]) -> bool:
    """Whether the client that sent a request supports views."""
    if context.request is not None and context.request.headers.get(_SESSION, "").endswith(_KNOWS):
        return True
    capabilities = context.session.client_capabilities
    return capabilities is not None and _shows(capabilities.extensions)


def tool_meta(contract: JsonObject, *, with_view: bool) -> JsonObject | None:
    """Return a tool's metadata: its view, and how long its results may be; None without either.

    Without the second, Claude Code replaces a result of more than 50,000 characters by the name of a file.
    """
    meta: JsonObject = {"ui": {"resourceUri": contract["ui"]}} if with_view and "ui" in contract else {}
    if contract["annotations"].get("readOnlyHint"):
        meta[_LONGEST_RESULT] = _MAX_RESULT_CHARACTERS
    return meta or None


def listed_views(contract: CallerContract) -> list[types.Resource]:
    """List the views that a caller may read, as resources/list shows them."""
    return [
        types.Resource(
            name=f"{app.name}_view",
            title=app.title,
            description=app.description,
            uri=app.uri,
            mime_type=MEDIA_TYPE,
            _meta=_meta(),
        )
        for app in contract.apps.values()
    ]


def content(app: App, html: str) -> types.TextResourceContents:
    """Return a view for resources/read. Its policy forbids all network access."""
    return types.TextResourceContents(uri=app.uri, mime_type=MEDIA_TYPE, text=html, _meta=_meta())


def _meta() -> dict[str, JsonObject]:
    return {"ui": {"csp": dict(_NOTHING_ELSEWHERE), "prefersBorder": True}}


def _shows(extensions: JsonValue) -> bool:
    return MEDIA_TYPE in array(members(members(extensions).get(EXTENSION)).get("mimeTypes"))


class AppSupportMiddleware:
    """Middleware that puts the client's support for views into its session ID, so that no state is kept."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST" or _SESSION in Headers(scope=scope):
            await self._app(scope, receive, send)
            return
        shows = False

        async def reading() -> Message:
            nonlocal shows
            message = await receive()
            shows = shows or _introduces(message.get("body", b""))
            return message

        async def sending(message: Message) -> None:
            if shows and message["type"] == "http.response.start":
                MutableHeaders(scope=message)[_SESSION] = secrets.token_hex(16) + _KNOWS
            await send(message)

        await self._app(scope, reading, sending)


def _introduces(body: bytes) -> bool:
    """Whether a message initializes a session of a client that supports views."""
    if EXTENSION.encode() not in body or b'"initialize"' not in body:
        return False
    try:
        message = members(pydantic_core.from_json(body))
    except ValueError:
        return False
    capabilities = members(members(message.get("params")).get("capabilities"))
    return message.get("method") == "initialize" and _shows(capabilities.get("extensions"))
