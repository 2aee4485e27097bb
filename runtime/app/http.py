"""The HTTP server put together: the application, who may come, and from where."""

import asyncio
import contextlib
import gc
import socket
from collections.abc import Collection
from dataclasses import dataclass, replace
from tempfile import TemporaryFile
from typing import IO
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.routing import Mount

from vcontract.runtime import logs
from vcontract.runtime.app import LOCAL_TENANT, App, be_modest, build, check_settings, give_memory_back
from vcontract.runtime.app.browsing import page_behind_tokens
from vcontract.runtime.calls.metrics import Metrics
from vcontract.runtime.calls.resources import KINDS
from vcontract.runtime.context import SCOPES, Caller, Scope
from vcontract.runtime.contract.package import load_package
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.mcp import http
from vcontract.runtime.mcp.access_tokens import AccessTokens, Issuer
from vcontract.runtime.mcp.gate import LOOPBACK, Doors, Identify
from vcontract.runtime.mcp.heavy import Second
from vcontract.runtime.mcp.program import Program, read_order
from vcontract.runtime.mcp.server import build_server
from vcontract.runtime.mcp.workers import Workers
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database, is_tenant
from vcontract.runtime.store.postgres.tokens import Tokens


class NotServed(ValueError):
    """Nobody can be served there, or others than who should be; `cure` says what to do."""

    def __init__(self, what: str, cure: str) -> None:
        super().__init__(what)
        self.cure = cure


@dataclass(frozen=True, slots=True)
class _Order:
    """What one of the processes of a server does."""

    settings: Settings
    host: str
    asks: bool
    """Whether a client needs a token."""
    listening: int
    """The descriptor of the socket whose clients it serves."""
    metrics: int
    """That of the file in which it counts."""
    parts: tuple[int, int]
    """Which part of that file is its own, and which that of its second server."""
    is_second: bool = False
    """Whether it answers what is heavy, for another one."""


async def serve_http(settings: Settings, host: str, port: int, workers: int = 1) -> None:
    """Serve clients over HTTP at `host` and `port`, by that many processes, until told to end.

    Raises: what `build` and `Database.open` raise; NotServed.
    """
    logs.configure(settings.log_level)
    check_settings(settings)
    try:
        listening = http.listen(host, port)
    except OSError as error:
        message = f"nothing can listen at {host}, port {port}: {error.strerror or error}"
        raise NotServed(message, "end what listens there, or name another HOST:PORT") from None
    with contextlib.closing(listening), metrics_file(2 * workers) as counts:
        # It stays open: an embedded database then waits for a worker that is replaced.
        database = await Database.open(settings)
        try:
            asks = await asks_for_tokens(settings, database, host)
            descriptors = listening.fileno(), counts.fileno()

            def order(number: int) -> _Order:
                return _Order(settings, host, asks, *descriptors, (number, workers + number))

            if workers == 1:
                await _serve(order(0), listening)
            else:
                await Workers(lambda number: _program(order(number)), listening, workers, descriptors).serve()
        finally:
            await database.close()


def serve_process() -> None:
    """Serve as one of several processes, on the socket of the one that started this one."""
    (order,) = read_order()
    logs.configure(order.settings.log_level)
    if order.is_second:
        be_modest()
    asyncio.run(_serve(order, socket.socket(fileno=order.listening), lifeline=0))


def _program(order: _Order) -> Program:
    return Program.calling(__name__, serve_process.__name__, order)


async def _serve(order: _Order, listening: socket.socket, *, lifeline: int | None = None) -> None:
    give_memory_back()
    _take_many_connections()
    has_second = not order.is_second and hasattr(socket, "AF_UNIX")
    metrics = Metrics(*_counted(), order.metrics, order.parts[order.is_second])
    app = await build(order.settings, light_only=has_second, shared_rates=True, meters=(metrics,))
    async with contextlib.AsyncExitStack() as closing:
        closing.push_async_callback(app.close)
        second = _second(order) if has_second else None
        if second is not None:
            closing.callback(second.close)
        application = http_application(app, order.settings, order.host, metrics, order.asks, second)
        if not order.is_second:
            app.start()
        gc.freeze()
        await http.serve_http(application, listening, lifeline=lifeline)


def _take_many_connections() -> None:
    """Have as many descriptors as the system lets us: each connection takes one."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # Windows has no such limit
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _second(order: _Order) -> Second:
    return Second(
        lambda listening: _program(replace(order, listening=listening, is_second=True)), (order.metrics,)
    )


def http_application(
    app: App, settings: Settings, host: str, metrics: Metrics, asks: bool, second: Second | None = None
) -> Starlette:
    """What is served at `host`, to those who bear a token if it `asks` for one."""
    guest = replace(app.caller, name="guest", local=False)
    served = http.Served(
        build_server(
            app.catalogue,
            app.dispatcher,
            guest,
            caller_of=http.caller_of,
            resources=app.resources,
            output_schemas=settings.output_schemas,
        ),
        app.catalogue,
        app.dispatcher,
        app.resources,
        guest,
        _identify(settings, Tokens(app.database, LOCAL_TENANT)) if asks else None,
        app.database.answers,
        metrics,
        settings.metrics_token,
        lambda: app.database.connections,
        second,
        _protected_resource(settings),
    )
    doors = _doors(settings, host)
    application = http.application(served, doors)
    if served.identify is not None:
        page = page_behind_tokens(app, served.identify, doors.admits_host, second)
        application.router.routes.append(Mount("/browse", page))
    return application


def metrics_file(processes: int) -> IO[bytes]:
    """A file without a name in which so many processes count."""
    file = TemporaryFile()  # noqa: SIM115  (for whoever asked to close)
    file.truncate(processes * Metrics.size(*_counted()))
    return file


def metrics_of(file: IO[bytes], part: int) -> Metrics:
    """The numbers of the process that has this part of a file."""
    return Metrics(*_counted(), file.fileno(), part)


def _counted() -> tuple[Collection[str], Collection[str]]:
    """The tools whose calls are counted, and how these may end."""
    package = load_package()
    return package.tools, {*package.errors, *KINDS}


async def asks_for_tokens(settings: Settings, database: Database, host: str) -> bool:
    """Whether a client needs a token: where some were made, or access tokens of an issuer are taken.

    Else everybody who reaches this machine from itself is served, as `serve` does the client that starts it.
    Raises: NotServed.
    """
    asks = settings.oauth_issuer is not None or await Tokens(database, LOCAL_TENANT).exist()
    if not asks and host not in LOOPBACK:
        raise NotServed(
            f"{host} can be reached from other machines, and no token was made yet",
            "`vcontract token create NAME` makes one",
        )
    return asks


def _identify(settings: Settings, tokens: Tokens) -> Identify:
    """Who bears a token of ours, or one of the issuer whose tokens are taken."""
    denied: frozenset[Scope] = frozenset({"write"}) if settings.read_only else frozenset()
    issuer = _issuer(settings)
    access_tokens = None if issuer is None else AccessTokens(issuer)

    async def identify(token: str) -> Caller | None:
        if bearer := await tokens.bearer(token):
            scopes: frozenset[Scope] = frozenset(scope for scope in SCOPES if scope in bearer.scopes)
            return Caller(bearer.tenant, scopes - denied, name=f"token:{bearer.name}")
        caller = None if access_tokens is None else await access_tokens.caller(token)
        if caller is None or not is_tenant(caller.tenant):
            return None
        return replace(caller, scopes=caller.scopes - denied)

    return identify


def _issuer(settings: Settings) -> Issuer | None:
    if settings.oauth_issuer is None:
        return None
    if settings.oauth_audience is None:
        raise ValueError(
            "VCONTRACT_OAUTH_ISSUER needs VCONTRACT_OAUTH_AUDIENCE: what its tokens are made for"
        )
    return Issuer(
        settings.oauth_issuer,
        settings.oauth_audience,
        settings.oauth_keys_url or settings.oauth_issuer.rstrip("/") + "/.well-known/jwks.json",
        settings.oauth_tenant_claim,
        settings.oauth_scope_prefix,
    )


def _protected_resource(settings: Settings) -> JsonObject | None:
    """What a client reads of whose tokens it needs. Source: RFC 9728, section 2."""
    if settings.oauth_issuer is None:
        return None
    return {
        "resource": settings.oauth_audience,
        "authorization_servers": [settings.oauth_issuer],
        "scopes_supported": [settings.oauth_scope_prefix + scope for scope in SCOPES],
        "bearer_methods_supported": ["header"],
    }


def _doors(settings: Settings, host: str) -> Doors:
    metadata = None
    if settings.oauth_issuer is not None and settings.oauth_audience is not None:
        address = urlsplit(settings.oauth_audience)
        metadata = f"{address.scheme}://{address.netloc}/.well-known/oauth-protected-resource{address.path}"
    return Doors(
        frozenset({*LOOPBACK, host, *settings.http_hosts}), frozenset(settings.http_origins), metadata
    )
