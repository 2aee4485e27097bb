"""Authentication and CSRF protection of the web page."""

import hashlib
import hmac
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.pages.rendering import HAS, Pages

VISITOR: Final = "vcontract.visitor"
FORM: Final = "vcontract.form"
CHANGE: Final = "vcontract.change"
"""Keys of the ASGI scope: the visitor, submitted form, and token that forms must send."""

_COOKIE: Final = "vcontract"
_FIELD: Final = "change"
_MAX_BODY_BYTES: Final = 1_000_000
_SENT: Final = "/import/files"
"""Path of file uploads, which are streamed; a header replaces the form's CSRF field."""
_HEADER: Final = "x-vcontract-change"
_SAFE: Final = frozenset({"GET", "HEAD"})
_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; "
    "media-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    # not `no-referrer`, which would remove the origin from forms
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Unread(Exception):
    """The requested resource does not exist or is unreadable; the message is for the visitor."""


@dataclass(frozen=True, slots=True)
class Written:
    """A sentence written by a language model."""

    text: str
    sources: Sequence[str]
    """`ID#TURN` of search results, or only an ID; an ID may be truncated."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """A visitor, with access to the tools."""

    ask: Callable[[str, JsonObject], Awaitable[tuple[JsonObject, bool]]]
    """Calls a tool. Returns the result, and whether it is an error."""
    tools: Mapping[str, JsonObject]
    """Contract of the tools that the visitor may use, by name."""
    read: Callable[[str, Mapping[str, str]], Awaitable[JsonObject]]
    """Reads a resource by name and parameters. Raises: Unread."""
    resources: Collection[str] = ()
    prompts: Collection[str] = ()
    """Names of available prompts."""
    answer: Callable[[str], AsyncGenerator[Written]] | None = None
    """Streams a language model's answer from search results; None without a model.

    Raises: Unread.
    """

    def may(self, tool: str) -> bool:
        """Whether they may use this tool."""
        return tool in self.tools


class Authenticator(Protocol):
    """Authenticates visitors."""

    asks: bool
    """Whether visitors enter a token, instead of using a link that contains it."""

    async def admit(self, token: str) -> str | None:
        """Check a token. Returns the cookie value; None if the token is invalid."""
        ...

    async def visitor(self, kept: str) -> Visitor | None:
        """Return the visitor of a cookie value; None if it is no longer valid."""
        ...


class OneVisitor:
    """Admits only the first visitor who opens the generated link."""

    asks = False

    def __init__(self, visitor: Visitor) -> None:
        self.token: str | None = secrets.token_urlsafe(32)
        """Token in the link, until it is used."""
        self._visitor = visitor
        self._kept = secrets.token_urlsafe(32)

    async def admit(self, token: str) -> str | None:
        if self.token is None or not hmac.compare_digest(token.encode(), self.token.encode()):
            return None
        self.token = None
        return self._kept

    async def visitor(self, kept: str) -> Visitor | None:
        return self._visitor if hmac.compare_digest(kept.encode(), self._kept.encode()) else None


class AuthMiddleware:
    """Middleware that authenticates requests and adds the visitor to the ASGI scope."""

    def __init__(
        self,
        app: ASGIApp,
        pages: Pages,
        keeper: Authenticator,
        admits_host: Callable[[str | None], bool],
        has: Callable[[str, Visitor, bool], Awaitable[frozenset[str]]],
    ) -> None:
        """`has` returns what the visitor's store contains, by cookie; changes invalidate its cache."""
        self._app = app
        self._pages = pages
        self._keeper = keeper
        self._admits_host = admits_host
        self._has = has

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
            await send(message)

        flows = _path(scope) == _SENT
        body = b"" if flows or scope["method"] in _SAFE else await _body(receive)
        way = await self._way(scope, Request(scope), body)
        await way(scope, receive if flows or body is None else _replayed(body, receive), send_guarded)

    async def _way(self, scope: Scope, request: Request, body: bytes | None) -> ASGIApp:
        headers = request.headers
        if not self._admits_host(headers.get("host")):
            return self._pages.notice(request, 421, "This is not the name of this page.")
        if not _is_of_here(scope, headers):
            return self._pages.notice(request, 403, "Another page sent this; nothing was done.")
        if body is None:
            return self._pages.notice(request, 413, "That is too much for a form; nothing was done.")
        form = _form(body)
        path = _path(scope)
        if path == "/enter":
            return await self._enter(request, form)
        if path.startswith("/static/"):
            return self._app
        kept = request.cookies.get(_COOKIE, "")
        visitor = await self._keeper.visitor(kept) if kept else None
        if visitor is None:
            return self._stranger(request)
        change = hmac.new(kept.encode(), b"change", hashlib.sha256).hexdigest()
        given = headers.get(_HEADER, "") if path == _SENT else form.pop(_FIELD, "")
        if scope["method"] not in _SAFE and not hmac.compare_digest(given.encode(), change.encode()):
            return self._pages.notice(
                request, 403, "This form is out of date; go back and load the page again."
            )
        scope[VISITOR], scope[FORM], scope[CHANGE] = visitor, form, change
        scope[HAS] = await self._has(kept, visitor, scope["method"] not in _SAFE)
        return self._app

    async def _enter(self, request: Request, form: Mapping[str, str]) -> ASGIApp:
        """Exchange a token for a cookie that is hidden from scripts and other sites."""
        token = form.get("token", "")
        if not self._keeper.asks:
            token = request.query_params.get("token", "")
        kept = await self._keeper.admit(token)
        if kept is None:
            return self._stranger(request)
        # not a redirect, because the strict cookie is only sent with requests from this page
        answer = self._pages.answer(request, "entered.html.jinja")
        path = request.scope.get("root_path", "") or "/"
        answer.set_cookie(
            _COOKIE, kept, path=path, httponly=True, samesite="strict", secure=request.url.scheme == "https"
        )
        return answer

    def _stranger(self, request: Request) -> ASGIApp:
        if self._keeper.asks:
            return self._pages.answer(request, "token.html.jinja", 401)
        return self._pages.notice(
            request, 403, "Come by the address that `vcontract browse` printed; it lets in one browser, once."
        )


def _path(scope: Scope) -> str:
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _is_of_here(scope: Scope, headers: Headers) -> bool:
    """Whether a request comes from this page, or from no page at all."""
    origin = headers.get("origin")
    host = headers.get("host")
    if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
        return False
    if scope["method"] in _SAFE:
        return True
    return headers.get("sec-fetch-site", "same-origin") == "same-origin"


async def _body(receive: Receive) -> bytes | None:
    """Read a request body; None if it is too large for a form."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > _MAX_BODY_BYTES:
            return None
        if not message.get("more_body", False):
            return bytes(body)


def _form(body: bytes) -> dict[str, str]:
    """Parse a form of up to a hundred fields."""
    try:
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=100))
    except ValueError:
        return {}


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that first yields an already received body."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay
