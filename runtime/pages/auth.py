"""The door of the page: which hosts and origins may come, who comes, and what a browser may do then."""

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
"""The members of a connection's scope: who comes, what a form sent, and what its forms must send."""

_COOKIE: Final = "vcontract"
_FIELD: Final = "change"
_MAX_BODY_BYTES: Final = 1_000_000
_SENT: Final = "/import/files"
"""Where files are sent, which are read as they come; the header says what a form says in a field."""
_HEADER: Final = "x-vcontract-change"
_SAFE: Final = frozenset({"GET", "HEAD"})
_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; "
    "media-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    # not `no-referrer`, which would take the origin from forms
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Unread(Exception):
    """What a visitor asks for is not there, or cannot be read; the message is for them."""


@dataclass(frozen=True, slots=True)
class Written:
    """A sentence that a language model wrote."""

    text: str
    sources: Sequence[str]
    """`ID#TURN` of what was found, or an ID alone; an ID may be cut."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who looks at the page, and what the tools answer them."""

    ask: Callable[[str, JsonObject], Awaitable[tuple[JsonObject, bool]]]
    """What a tool answers to arguments, and whether that is an error."""
    tools: Mapping[str, JsonObject]
    """The tools that they may use, by name, as the contract has them."""
    read: Callable[[str, Mapping[str, str]], Awaitable[JsonObject]]
    """What a resource of a name holds with these parameters. Raises: Unread."""
    resources: Collection[str] = ()
    prompts: Collection[str] = ()
    """The names of those that they may read and ask for."""
    answer: Callable[[str], AsyncGenerator[Written]] | None = None
    """The answer that a language model writes to a question from what is found, where there is a model.

    Raises: Unread.
    """

    def may(self, tool: str) -> bool:
        """Whether they may use this tool."""
        return tool in self.tools


class Keeper(Protocol):
    """Knows who may come in."""

    asks: bool
    """Whether a visitor can be asked for a token, and does not come by an address that holds it."""

    async def admit(self, token: str) -> str | None:
        """What the browser is to keep and send from now on; None when the token is of no use."""
        ...

    async def visitor(self, kept: str) -> Visitor | None:
        """Who sends what `admit` gave; None when it is of no use any more."""
        ...


class OneVisitor:
    """Admits the first visitor with the generated address, and nobody else."""

    asks = False

    def __init__(self, visitor: Visitor) -> None:
        self.token: str | None = secrets.token_urlsafe(32)
        """What the address holds, until it was used."""
        self._visitor = visitor
        self._kept = secrets.token_urlsafe(32)

    async def admit(self, token: str) -> str | None:
        if self.token is None or not hmac.compare_digest(token.encode(), self.token.encode()):
            return None
        self.token = None
        return self._kept

    async def visitor(self, kept: str) -> Visitor | None:
        return self._visitor if hmac.compare_digest(kept.encode(), self._kept.encode()) else None


class Door:
    """Lets requests through to `app`, with who sends them in their scope."""

    def __init__(
        self,
        app: ASGIApp,
        pages: Pages,
        keeper: Keeper,
        admits_host: Callable[[str | None], bool],
        has: Callable[[str, Visitor, bool], Awaitable[frozenset[str]]],
    ) -> None:
        """`has` says what the visitor's store has, by their cookie; a change makes it ask again."""
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
        """A token becomes a cookie, which no script reads and no other site has sent."""
        token = form.get("token", "")
        if not self._keeper.asks:
            token = request.query_params.get("token", "")
        kept = await self._keeper.admit(token)
        if kept is None:
            return self._stranger(request)
        # not a redirect: the cookie is strict, and goes with what this page itself asks for, whoever led here
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
    """Whether a request comes from this page itself, or from nowhere in particular."""
    origin = headers.get("origin")
    host = headers.get("host")
    if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
        return False
    if scope["method"] in _SAFE:
        return True
    return headers.get("sec-fetch-site", "same-origin") == "same-origin"


async def _body(receive: Receive) -> bytes | None:
    """What a request sends; None for more than a form does."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > _MAX_BODY_BYTES:
            return None
        if not message.get("more_body", False):
            return bytes(body)


def _form(body: bytes) -> dict[str, str]:
    """The fields of a form; of those beyond a hundred none."""
    try:
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=100))
    except ValueError:
        return {}


def _replayed(body: bytes, receive: Receive) -> Receive:
    """What receives a body that was received before, and then whatever comes."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay
