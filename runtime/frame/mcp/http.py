"""HTTP server: the MCP endpoint, and tools and resources as operations of an OpenAPI document."""

import asyncio
import contextlib
import os
import secrets
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, cast
from urllib.parse import urlsplit

import uvicorn
from mcp import types
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Match, Mount, Route, Router
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection
from uvicorn.protocols.http.h11_impl import H11Protocol

from vcontract.runtime.frame.calls.dispatch import Dispatcher, UnknownTool
from vcontract.runtime.frame.calls.metrics import MEDIA_TYPE, Metrics
from vcontract.runtime.frame.calls.resources import ResourceReader, ResourceRefused
from vcontract.runtime.frame.calls.telemetry import following
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.contract.catalogue import Catalogue
from vcontract.runtime.frame.documents.json import (
    JsonObject,
    JsonValue,
    MalformedJson,
    dump_json,
    parse_json,
)
from vcontract.runtime.frame.mcp.access_policy import (
    CALLER,
    AccessPolicy,
    CallerSource,
    Gate,
    bearer_of,
    problem,
    unknown_host,
    unserved,
)
from vcontract.runtime.frame.mcp.apps import AppSupportMiddleware
from vcontract.runtime.frame.mcp.bodies import MAX_BODY_BYTES, Bodies, BufferedBodies, parsed, replayed
from vcontract.runtime.frame.mcp.messages import refusal_of
from vcontract.runtime.frame.mcp.openapi import openapi_document
from vcontract.runtime.frame.mcp.requests import MISSING_SCOPE
from vcontract.runtime.frame.mcp.tool_call_fastpath import ToolCallFastPath
from vcontract.runtime.frame.mcp.workers import GRACE_SECONDS, on_ending_signals

_BACKLOG: Final = 2_048
"""Maximum number of connections waiting to be accepted."""
_IDLE_SECONDS: Final = 75
"""Keep-alive timeout, longer than that of proxies."""
METADATA_PATH: Final = "/.well-known/oauth-protected-resource"
"""Source: RFC 9728, section 3; the path of the server's address follows."""
_REST_PREFIX: Final = "/v1"
_ABOUT: Final = "A store of conversations for language models. Send a token: Authorization: Bearer TOKEN."
_MEASURES: Final = frozenset({b"content-length", b"transfer-encoding"})
_STATUS_OF_READS: Final = {"invalid": 400, "limited": 429, "failed": 500}


@dataclass(frozen=True, slots=True)
class Served:
    """Everything one process serves over HTTP."""

    server: Server[Any]
    catalogue: Catalogue
    dispatcher: Dispatcher
    resources: ResourceReader
    who: CallerSource
    answers: Callable[[], Awaitable[Mapping[str, bool]]]
    """Whether each store is available; the first one holds the tokens."""
    metrics: Metrics
    metrics_token: SecretStr | None
    """Token required by /metrics if tokens are required."""
    connections: Callable[[], tuple[int, int]]
    """Numbers of idle and used database connections."""
    metadata: JsonObject | None = None
    """Protected resource metadata (RFC 9728); None without an issuer."""
    bodies: BufferedBodies = field(default_factory=BufferedBodies)
    """Request bodies in memory, of all paths."""


def application(served: Served, access_policy: AccessPolicy) -> Starlette:
    """Build the ASGI application: `/mcp` and `/v1/…` with tokens; `/healthz` and `/readyz` for monitoring.

    No state of a client is kept between requests, so any process of a deployment can serve any client.
    """
    # The gate has already checked hosts and origins of every path.
    unguarded = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    manager = StreamableHTTPSessionManager(
        served.server,
        json_response=True,
        stateless=True,
        security_settings=unguarded,
        max_request_body_size=MAX_BODY_BYTES,
    )

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with manager.run():
            yield

    async def mcp(connection: Connection, receive: Receive, send: Send) -> None:
        if connection["method"] == "GET":
            # no stream is kept that a client could resume
            headers = [each for each in connection["headers"] if each[0] != b"last-event-id"]
            connection = {**connection, "headers": headers}
        elif connection["method"] == "POST":
            body: bytes = (await receive()).get("body", b"")
            if (refusal := await parsed(refusal_of, body)) is not None:
                await _json_rpc(refusal, 400)(connection, receive, send)
                return
            receive = replayed(body, receive)
        await manager.handle_request(connection, receive, send)

    async def about(request: Request) -> Response:
        if not access_policy.admits_host(request.headers.get("host")):
            return unknown_host()
        rest = {"tools": f"{_REST_PREFIX}/tools/NAME", "openapi": f"{_REST_PREFIX}/openapi.json"}
        return JSONResponse({"name": "vcontract", "about": _ABOUT, "mcp": "/mcp", **rest})

    async def healthy(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def ready(_: Request) -> Response:
        answers = await served.answers()
        is_ready, *others = answers.values()
        body: JsonObject = {"status": _readiness(is_ready, others)}
        if others:
            body["stores"] = {name: "ok" if answer else "unavailable" for name, answer in answers.items()}
        return JSONResponse(body, 200 if is_ready else 503)

    async def metadata(_: Request) -> Response:
        return JSONResponse(served.metadata)

    async def metrics(request: Request) -> Response:
        if refusal := await _refusal_of_metrics(served, access_policy, request):
            return refusal
        idle, used = served.connections()
        served.metrics.note_connections(idle=idle, used=used)
        return Response(served.metrics.text(), media_type=MEDIA_TYPE)

    def gated(app: ASGIApp) -> ASGIApp:
        return Gate(app, served.catalogue, access_policy, served.who, served.metrics.count_refused)

    messages = Bodies(ToolCallFastPath(served.dispatcher, AppSupportMiddleware(mcp)), served.bodies)
    others = {HTTPException: unserved}
    rest = Bodies(Starlette(routes=_Rest(served).routes(), exception_handlers=others), served.bodies)
    routes = [
        Route("/", about),
        Route("/healthz", healthy),
        Route("/readyz", ready),
        Route("/metrics", metrics),
        Route("/mcp", endpoint=_Endpoint(gated(messages))),
        Mount(_REST_PREFIX, gated(rest)),
    ]
    if access_policy.metadata_url is not None:
        # clients often use the server's bare URL
        paths = {METADATA_PATH, urlsplit(access_policy.metadata_url).path}
        routes += [Route(path, metadata) for path in sorted(paths)]
    built = Starlette(routes=routes, lifespan=lifespan, exception_handlers=others)
    # the router's own redirects go to any host that a request names
    built.router.redirect_slashes = False
    built.router.default = partial(_with_or_without_slash, built.router, access_policy)
    return built


def _readiness(is_ready: bool, others: Iterable[bool]) -> str:
    """Readiness text. If only stores without tokens are down, tenants of other stores are still served."""
    if not is_ready:
        return "unavailable"
    return "ok" if all(others) else "degraded"


async def _with_or_without_slash(
    router: Router, access_policy: AccessPolicy, connection: Connection, receive: Receive, send: Send
) -> None:
    """Redirect to the path that differs by a trailing slash if it exists, else respond 404."""
    if connection["type"] != "http":
        await router.not_found(connection, receive, send)
        return
    path = connection["path"]
    other = path[:-1] if path.endswith("/") else f"{path}/"
    is_ours = any(
        route.matches({**connection, "path": other})[0] is not Match.NONE for route in router.routes
    )
    if path == "/" or not is_ours:
        await router.not_found(connection, receive, send)
    elif not access_policy.admits_host(Headers(scope=connection).get("host")):
        await unknown_host()(connection, receive, send)
    else:
        query = connection["query_string"].decode("latin-1")
        await RedirectResponse(f"{other}?{query}" if query else other)(connection, receive, send)


def _json_rpc(answer: types.JSONRPCError, status: int) -> Response:
    text = answer.model_dump_json(by_alias=True, exclude_unset=True)
    return Response(text, status, media_type="application/json")


async def _refusal_of_metrics(
    served: Served, access_policy: AccessPolicy, request: Request
) -> Response | None:
    """Return why a request may not read the metrics of all tenants, or None. Without tokens, all may."""
    headers = request.headers
    if not access_policy.admits_host(headers.get("host")) or not access_policy.admits_origin(
        headers.get("origin")
    ):
        return problem(403, "unknown_origin", "Pages of other hosts may not read this.")
    if await served.who.asks() is False:
        return None
    given = bearer_of(headers)
    expected = served.metrics_token
    if given and expected and secrets.compare_digest(given.encode(), expected.get_secret_value().encode()):
        return None
    message = "Send the token that VCONTRACT_METRICS_TOKEN is set to: Authorization: Bearer …"
    answer = problem(401, "invalid_token" if given else "no_token", message)
    answer.headers["www-authenticate"] = 'Bearer realm="metrics"'
    return answer


def caller_of(context: Any) -> Caller:
    """Return the caller that the gate identified for the request of a call."""
    caller: Caller = context.request.scope[CALLER]
    return caller


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket.

    Raises: OSError if the address is not available.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only if the protocol is given explicitly
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # on Windows, this option would let two programs listen
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except BaseException:
        listening.close()
        raise
    return listening


async def serve_http(app: ASGIApp, listening: socket.socket, *, lifeline: int | None = None) -> None:
    """Serve until SIGTERM or SIGINT; what was asked before is answered, if that takes no longer than 10 s.

    A `lifeline` is a descriptor whose end says the same: of a pipe from the process that started this one.
    """
    config = uvicorn.Config(
        _measured_once(app),
        log_config=None,
        access_log=False,
        server_header=False,
        http=H11Protocol,
        ws="none",
        backlog=_BACKLOG,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    await _Listener(config, lifeline).serve([listening])


def _measured_once(app: ASGIApp) -> ASGIApp:
    """Reject requests with two lengths, because a proxy may use the other one.

    Source: RFC 9112, section 6.1.
    """

    async def measured(connection: Connection, receive: Receive, send: Send) -> None:
        if connection["type"] != "http" or not _MEASURES.issubset(name for name, _ in connection["headers"]):
            await app(connection, receive, send)
            return
        message = "Say how long the body is once: with Content-Length, or with Transfer-Encoding."
        answer = problem(400, "invalid_request", message)
        answer.headers["connection"] = "close"
        await answer(connection, receive, send)

    return measured


class _Listener(uvicorn.Server):
    """uvicorn server that returns after a signal. uvicorn itself raises it again before the store is
    closed.
    """

    def __init__(self, config: uvicorn.Config, lifeline: int | None) -> None:
        super().__init__(config)
        self._lifeline = lifeline

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        loop = asyncio.get_running_loop()
        if self._lifeline is not None:
            loop.add_reader(self._lifeline, self._end)
        with on_ending_signals(self._end):
            yield

    def _end(self) -> None:
        if self._lifeline is not None:
            asyncio.get_running_loop().remove_reader(self._lifeline)
        self.should_exit = True


class _Endpoint:
    """An ASGI application for one path. A class, because a route calls functions with a request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        await self._app(connection, receive, send)


class _Rest:
    """REST operations for tools and resources, through the same dispatch. Source: generated/openapi.json."""

    def __init__(self, served: Served) -> None:
        self._served = served

    def routes(self) -> list[Route]:
        return [
            Route("/tools/{name}", self._call, methods=["POST"]),
            Route("/resources/{name}", self._read, methods=["GET"]),
            Route("/openapi.json", self._document, methods=["GET"]),
        ]

    async def _document(self, request: Request) -> Response:
        catalogue = self._served.catalogue
        contract = catalogue.seen_by(request.scope[CALLER])

        def printed() -> bytes:
            whole = catalogue.package.read_openapi()
            return dump_json(openapi_document(whole, contract, _REST_PREFIX))

        return Response(await asyncio.to_thread(printed), media_type="application/json")

    async def _call(self, request: Request) -> Response:
        body = await request.body()
        try:
            arguments: JsonValue = await parsed(parse_json, body) if body.strip() else {}
        except MalformedJson as error:
            return problem(400, "malformed_json", f"The body is not JSON: {error}")
        if not isinstance(arguments, dict):
            return problem(400, "malformed_json", "The body is JSON, but no object of arguments.")
        try:
            with following(request.headers):
                outcome = await self._served.dispatcher.call(
                    request.path_params["name"], cast("JsonObject", arguments), request.scope[CALLER]
                )
        except UnknownTool as unknown:
            hint = f"Did you mean {unknown.meant}?" if unknown.meant else ""
            hint = unknown.because or hint
            return problem(404, "unknown_tool", f"There is no tool of this name. {hint}".rstrip())
        request.scope[MISSING_SCOPE] = outcome.missing_scope
        return Response(dump_json(outcome.structured), media_type="application/json")

    async def _read(self, request: Request) -> Response:
        try:
            with following(request.headers):
                text = await self._served.resources.read_named(
                    request.path_params["name"], request.query_params, request.scope[CALLER]
                )
        except ResourceRefused as refused:
            return JSONResponse(
                {"error": refused.kind, "error_description": refused.message, "details": refused.data},
                _STATUS_OF_READS[refused.kind],
            )
        if text is None:
            return problem(404, "unknown_resource", "There is no resource of this name.")
        return Response(text, media_type="application/json")
