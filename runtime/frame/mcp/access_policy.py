"""Access control of the HTTP server: check host, origin and token, and identify the caller."""

import asyncio
import contextlib
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as Connection

from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.contract.catalogue import Catalogue, UnknownSelection
from vcontract.runtime.frame.logs import Log
from vcontract.runtime.frame.mcp.requests import MISSING_SCOPE

Identify = Callable[[Sequence[str]], Awaitable[Mapping[str, Caller]]]
"""Look up the callers of tokens; invalid ones are missing. Raises: IdentityUnavailable."""

CALLER: Final = "vcontract.caller"
"""Key of a connection's ASGI scope that holds the caller."""

_LOG = Log("http")
_SCHEME: Final = "bearer "
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
"""Hosts that only this machine can reach."""
_HOST: Final = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
"""A name or address and a port, without user, path or fragment."""
_TRUE: Final = frozenset({"true", "1", "on", "yes"})
_KNOWN_SECONDS: Final = 5.0
_LIVELY_SECONDS: Final = 30.0
"""How long after its last call a token is refreshed along with the others."""
_MAX_CACHED_TOKENS: Final = 10_000
_MAX_CONCURRENT_LOOKUPS: Final = 2
"""Maximum concurrent look-ups, so that a flood of invalid tokens does not overload the database."""


class IdentityUnavailable(Exception):
    """The token cannot be checked now, for example because the store is unavailable."""


@dataclass(frozen=True, slots=True)
class CallerSource:
    """Callers of the server: the guest, and whether tokens are required."""

    guest: Caller
    """The caller when no tokens are required."""
    no_tenant: str
    """Placeholder tenant without rows, used while the store is unavailable."""
    asks: Callable[[], Awaitable[bool | None]]
    """Whether tokens are required; None while this is unknown."""
    identify: Identify


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """Hosts and origins that may send requests."""

    hosts: frozenset[str] = LOOPBACK
    """Host names, without ports, by which clients may address the server."""
    origins: frozenset[str] = frozenset()
    """Allowed origins of web pages, as browsers send them, in addition to those of `hosts`."""
    metadata_url: str | None = None
    """URL where a client learns which issuer's access tokens are accepted (RFC 9728)."""
    scope_prefix: str = ""
    """Prefix of the issuer's names for scopes."""

    def admits_host(self, host: str | None) -> bool:
        return host is not None and bool(_HOST.fullmatch(host)) and _name_of(f"//{host}") in self.hosts

    def admits_origin(self, origin: str | None) -> bool:
        """Whether a web page of this origin may send requests. No origin means no page of another site."""
        return origin is None or origin in self.origins or _name_of(origin) in self.hosts


def _name_of(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


class Gate:
    """Middleware that passes valid requests to `app` with their caller in the ASGI scope.

    Source of the responses for a missing token or scope: RFC 6750, section 3.
    """

    def __init__(
        self,
        app: ASGIApp,
        catalogue: Catalogue,
        access_policy: AccessPolicy,
        who: CallerSource,
        count_refused: Callable[[str], None],
    ) -> None:
        self._app = app
        self._catalogue = catalogue
        self._policy = access_policy
        self._who = who
        self._known = _Known(who.identify, who.no_tenant)
        self._count_refused = count_refused

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        if connection["type"] != "http":
            await self._app(connection, receive, send)
            return
        headers = Headers(scope=connection)
        answer = self._refusal(headers)
        if answer is None:
            try:
                caller = await self._caller(headers)
            except IdentityUnavailable:
                answer = self._refused(
                    503,
                    "unavailable",
                    "The token cannot be verified now; retry in a few seconds.",
                )
            else:
                if caller is None:
                    answer = self._unknown(headers)
                else:
                    answer = self._confine(connection, caller, headers)
                    if self._policy.metadata_url is not None:
                        send = self._asking_for_more(connection, caller, send)
        await (answer or self._app)(connection, receive, send)

    def _refusal(self, headers: Headers) -> Response | None:
        if not self._policy.admits_host(headers.get("host")):
            self._count_refused("unknown_host")
            return unknown_host()
        if not all(map(self._policy.admits_origin, headers.getlist("origin"))):
            return self._refused(
                403,
                "unknown_origin",
                "Pages of this origin may not call; whoever runs the server names origins in "
                "VCONTRACT_HTTP_ORIGINS.",
            )
        if len(headers.getlist("authorization")) > 1:
            # a proxy before us may have checked the other one
            return self._refused(400, "invalid_request", "Send one Authorization header.")
        return None

    async def _caller(self, headers: Headers) -> Caller | None:
        asks = await self._who.asks()
        if not asks:
            guest = self._who.guest
            return guest if asks is False else replace(guest, tenant=self._who.no_tenant)
        given = bearer_of(headers)
        return await self._known.bearer(given) if given else None

    def _unknown(self, headers: Headers) -> Response:
        """Build the response for an invalid token: the same for every kind, so that it gives no hint."""
        parts = ['Bearer realm="vcontract"']
        has_token = "authorization" in headers
        if has_token:
            parts.append('error="invalid_token"')
        if self._policy.metadata_url is not None:
            parts.append(f'resource_metadata="{self._policy.metadata_url}"')
        _LOG.info("refused", reason="invalid_token" if has_token else "no_token")
        answer = self._refused(
            401,
            "invalid_token" if has_token else "no_token",
            "Invalid token." if has_token else "Send a token: Authorization: Bearer …",
        )
        answer.headers["www-authenticate"] = ", ".join(parts)
        return answer

    def _asking_for_more(self, connection: Connection, caller: Caller, send: Send) -> Send:
        """Wrap `send` so that a call beyond its token's scopes gets 403 with the scopes to request.

        Source: MCP authorization, 2025-11-25, Scope Challenge Handling.
        """

        async def sending(message: Message) -> None:
            needed = connection.get(MISSING_SCOPE)
            if message["type"] == "http.response.start" and needed and needed not in caller.scopes:
                message["status"] = 403
                MutableHeaders(scope=message)["www-authenticate"] = ", ".join(
                    (
                        'Bearer realm="vcontract"',
                        'error="insufficient_scope"',
                        f'scope="{self._policy.scope_prefix}{needed}"',
                        f'resource_metadata="{self._policy.metadata_url}"',
                    )
                )
            await send(message)

        return sending

    def _refused(self, status: int, reason: str, message: str) -> JSONResponse:
        self._count_refused(reason)
        return problem(status, reason, message)

    def _confine(self, connection: Connection, caller: Caller, headers: Headers) -> Response | None:
        """Restrict the caller as its headers request; headers can only remove access."""
        toolsets, tools = _names(headers, "x-mcp-toolsets"), _names(headers, "x-mcp-tools")
        if headers.get("x-mcp-readonly", "").lower() in _TRUE:
            caller = replace(caller, scopes=caller.scopes - {"write"})
        if toolsets or tools:
            try:
                caller = replace(caller, only=self._catalogue.narrowed(toolsets, tools))
            except UnknownSelection as error:
                return self._refused(
                    400, "unknown_selection", f"X-MCP-{str(error)[:1].upper()}{str(error)[1:]}"
                )
        connection[CALLER] = caller
        return None


@dataclass(slots=True)
class _Bearer:
    caller: Caller | None
    asked_at: float
    used_at: float


class _Known:
    """Cache of callers by token. A revoked token may work for a few seconds longer.

    Active tokens are refreshed together before they expire, so that no call waits.
    """

    def __init__(self, identify: Identify, no_tenant: str) -> None:
        self._identify = identify
        self._no_tenant = no_tenant
        self._asking = asyncio.Semaphore(_MAX_CONCURRENT_LOOKUPS)
        self._kept: OrderedDict[str, _Bearer] = OrderedDict()
        self._renewing: asyncio.Task[None] | None = None

    async def bearer(self, token: str) -> Caller | None:
        """Return the caller of a token. If the store is unavailable, a known caller keeps its access.

        Raises: IdentityUnavailable.
        """
        now = time.monotonic()
        kept = self._kept.get(token)
        if kept is not None and now < kept.asked_at + _KNOWN_SECONDS:
            kept.used_at = now
            self._kept.move_to_end(token)  # so a flood of others does not evict it
            if now > kept.asked_at + _KNOWN_SECONDS / 2 and kept.caller is not None:
                self._renew()
            return kept.caller
        # known callers do not wait behind a flood of unknown ones
        is_stranger = kept is None or kept.caller is None
        async with self._asking if is_stranger else contextlib.nullcontext():
            try:
                caller = (await self._identify([token])).get(token)
            except IdentityUnavailable:
                if kept is None or kept.caller is None:
                    raise
                return replace(kept.caller, tenant=self._no_tenant)
        self._kept[token] = _Bearer(caller, now, now)
        self._kept.move_to_end(token)
        if len(self._kept) > _MAX_CACHED_TOKENS:
            self._kept.popitem(last=False)
        return caller

    def _renew(self) -> None:
        if self._renewing is None or self._renewing.done():
            self._renewing = asyncio.create_task(self._ask_again())

    async def _ask_again(self) -> None:
        """Refresh all tokens that were used lately."""
        now = time.monotonic()
        tokens = [
            token
            for token, kept in self._kept.items()
            if kept.caller is not None and kept.used_at > now - _LIVELY_SECONDS
        ]
        try:
            callers = await self._identify(tokens)
        except IdentityUnavailable:
            return  # the next call looks it up itself
        for token in tokens:
            if kept := self._kept.get(token):
                kept.caller, kept.asked_at = callers.get(token), now


def bearer_of(headers: Headers) -> str | None:
    """The token of a request. Source: RFC 6750, section 2.1."""
    given = headers.get("authorization", "")
    return given[len(_SCHEME) :].strip() if given[: len(_SCHEME)].lower() == _SCHEME else None


def _names(headers: Headers, name: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in headers.get(name, "").split(",") if part.strip())


def unknown_host() -> JSONResponse:
    return problem(
        421,
        "unknown_host",
        "This server has another name; its operator lists host names in VCONTRACT_HTTP_HOSTS.",
    )


async def unserved(request: Request, error: Exception) -> Response:
    """Answer a path or method that is not served."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 405:
        headers: Mapping[str, str] = getattr(error, "headers", None) or {}
        allowed = headers.get("Allow", "")
        answer = problem(405, "method_not_allowed", f"{request.method} is not for this path: {allowed} is.")
        answer.headers["allow"] = allowed
        return answer
    return problem(
        status,
        "not_found",
        "Nothing is served at this path: MCP is at /mcp, tools at /v1/tools/NAME, what they take in "
        "/v1/openapi.json.",
    )


def problem(status: int, reason: str, message: str) -> JSONResponse:
    """Build the error response for a request that reaches no tool. Source of the members: RFC 6749, section
    5.2.
    """
    return JSONResponse({"error": reason, "error_description": message}, status)
