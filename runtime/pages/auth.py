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
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.mcp.bodies import BufferedBodies, body_of, in_time, replayed
from vcontract.runtime.pages.rendering import HAS, Pages

VISITOR: Final = "vcontract.visitor"
FORM: Final = "vcontract.form"
CHANGE: Final = "vcontract.change"
"""Keys of the ASGI scope: the visitor, submitted form, and token that forms must send."""

_COOKIE: Final = "vcontract"
_FIELD: Final = "change"
_MAX_BODY_BYTES: Final = 1_000_000
_MAX_TOKEN_BYTES: Final = 20_000
"""Maximum size of the form with a token, which anybody may send."""
_ENTER: Final = "/enter"
_STATIC: Final = "/static/"
_REJECTED: Final = {
    408: "Nothing came for a while; nothing was done.",
    413: "That is too much for a form; nothing was done.",
    503: "Too many forms are on their way; send it again in a moment.",
}
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


class ReadFailed(Exception):
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
    """Reads a resource by name and parameters. Raises: ReadFailed."""
    resources: Collection[str] = ()
    prompts: Collection[str] = ()
    """Names of available prompts."""
    answer: Callable[[str], AsyncGenerator[Written]] | None = None
    """Streams a language model's answer from search results; None without a model.

    Raises: ReadFailed.
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
        held: BufferedBodies,
    ) -> None:
        """`has` returns what the visitor's store contains, by cookie; changes invalidate its cache.

        `held` are the bodies that this process has in memory.
        """
        self._app = app
        self._pages = pages
        self._keeper = keeper
        self._admits_host = admits_host
        self._has = has
        self._held = held

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

        request, path = Request(scope), _path(scope)
        kept = request.cookies.get(_COOKIE, "")
        visitor = None
        refusal = self._refusal(request)
        is_static = scope["method"] in _SAFE and path.startswith(_STATIC)
        if refusal is None and path != _ENTER and not is_static:
            visitor = await self._keeper.visitor(kept) if kept else None
            refusal = self._stranger(request) if visitor is None else None
        if refusal is not None:
            if scope["method"] not in _SAFE:
                refusal.headers["connection"] = "close"  # so that the body is not read
            await refusal(scope, receive, send_guarded)
            return
        with self._held.place() as place:
            form = b""
            if path == _SENT:
                receive = in_time(receive)
            elif scope["method"] not in _SAFE:
                body = await body_of(receive, place, _MAX_TOKEN_BYTES if path == _ENTER else _MAX_BODY_BYTES)
                if body is None:
                    return
                if isinstance(body, Response):
                    rejected = self._pages.notice(request, body.status_code, _REJECTED[body.status_code])
                    rejected.headers["connection"] = "close"
                    await rejected(scope, receive, send_guarded)
                    return
                form, receive = body, replayed(body, receive)
            way = await self._way(scope, request, kept, visitor, _form(form))
            await way(scope, receive, send_guarded)

    def _refusal(self, request: Request) -> Response | None:
        """Return why a request is refused to any sender, or None."""
        if not self._admits_host(request.headers.get("host")):
            return self._pages.notice(request, 421, "This is not the name of this page.")
        if not _is_of_here(request.scope, request.headers):
            return self._pages.notice(request, 403, "Another page sent this; nothing was done.")
        return None

    async def _way(
        self, scope: Scope, request: Request, kept: str, visitor: Visitor | None, form: dict[str, str]
    ) -> ASGIApp:
        headers, path = request.headers, _path(scope)
        if path == _ENTER:
            return await self._enter(request, form)
        if visitor is None:
            return self._app  # a static file
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

    def _stranger(self, request: Request) -> Response:
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


def _form(body: bytes) -> dict[str, str]:
    """Parse a form of up to a hundred fields."""
    try:
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=100))
    except ValueError:
        return {}
