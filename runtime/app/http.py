"""Assemble and run the HTTP server: application, workers, tokens and access policy."""

import asyncio
import contextlib
import gc
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.routing import Mount

from vcontract.handlers.vcon.senders import IsSender, sender_of
from vcontract.runtime.app import App, build, check_settings
from vcontract.runtime.app.token_requirement import Admission, NotServed, asks_for_tokens, identifies
from vcontract.runtime.app.web_ui import page_behind_tokens
from vcontract.runtime.app.webhook_receiver import receiving
from vcontract.runtime.frame import logs
from vcontract.runtime.frame.calls.metrics import FOLDER_VARIABLE, Metrics
from vcontract.runtime.frame.context import SCOPES, Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.mcp import http
from vcontract.runtime.frame.mcp.access_policy import LOOPBACK, AccessPolicy, CallerSource
from vcontract.runtime.frame.mcp.program import Program, read_order
from vcontract.runtime.frame.mcp.server import build_server
from vcontract.runtime.frame.mcp.workers import Workers
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import NO_TENANT, Database, is_tenant
from vcontract.runtime.store.postgres.tokens import Tokens


@dataclass(frozen=True, slots=True)
class _Order:
    """Arguments of a worker process."""

    settings: Settings
    host: str
    asks: bool | None
    """Whether a client needs a token; None if only the database knows and it is not available yet."""
    listening: int
    """Descriptor of the listening socket."""
    number: int
    """Number of this process."""


async def serve_http(
    settings: Settings,
    host: str,
    port: int,
    workers: int = 1,
    on_listening: Callable[[], None] = lambda: None,
) -> None:
    """Serve clients over HTTP at `host` and `port` with this number of processes, until a signal.

    `on_listening` is called once the socket is bound.

    Raises: what `build` and `Database.open` raise; NotServed.
    """
    logs.configure(settings.log_level)
    check_settings(settings)
    _is_sender(settings)
    try:
        listening = http.listen(host, port)
    except OSError as error:
        message = f"nothing can listen at {host}, port {port}: {error.strerror or error}"
        raise NotServed(message, "end what listens there, or name another HOST:PORT") from None
    on_listening()
    with contextlib.closing(listening):
        # Stays open, so that an embedded database keeps running while a worker is replaced.
        database = await Database.open(settings, waits=True)
        try:
            asks = await asks_for_tokens(settings, database, host)

            def order(number: int) -> _Order:
                return _Order(settings, host, asks, listening.fileno(), number)

            if workers == 1:
                await _serve(order(0), listening)
            else:
                with TemporaryDirectory(prefix="vcontract-metrics-") as counts:
                    environment = {**os.environ, FOLDER_VARIABLE: counts}
                    await Workers(
                        lambda number: _program(order(number)), listening, workers, environment
                    ).serve()
        finally:
            await database.close()


def serve_process() -> None:
    """Serve as a worker process, on the socket of the parent process."""
    (order,) = read_order()
    logs.configure(order.settings.log_level)
    asyncio.run(_serve(order, socket.socket(fileno=order.listening), lifeline=0))


def _program(order: _Order) -> Program:
    return Program.calling(__name__, serve_process.__name__, order)


async def _serve(order: _Order, listening: socket.socket, *, lifeline: int | None = None) -> None:
    _take_many_connections()
    metrics = Metrics(order.number)
    app = await build(order.settings, waits=True, meters=(metrics,))
    async with contextlib.AsyncExitStack() as closing:
        closing.push_async_callback(app.close)
        application = http_application(app, order.settings, order.host, metrics, order.asks)
        app.start()
        gc.freeze()
        await http.serve_http(application, listening, lifeline=lifeline)


def _take_many_connections() -> None:
    """Raise the limit of open files as far as the system allows: each connection needs one."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # Windows has no such limit
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def http_application(
    app: App,
    settings: Settings,
    host: str,
    metrics: Metrics,
    asks: bool | None,
) -> Starlette:
    """Build the application at `host`. `asks`: whether it requires a token; None while this is unknown."""
    guest = replace(app.caller, name="guest", local=False)
    identify = identifies(settings, Tokens(app.database))
    who = CallerSource(guest, NO_TENANT, Admission(settings, app.database, asks).asks, identify)
    served = http.Served(
        build_server(
            app.catalogue,
            app.dispatcher,
            guest,
            caller_of=http.caller_of,
            resources=app.resources,
        ),
        app.catalogue,
        app.dispatcher,
        app.resources,
        who,
        app.answers,
        metrics,
        settings.metrics_token,
        lambda: app.connections,
        _protected_resource(settings),
    )
    access_policy = _access_policy(settings, host)
    application = http.application(served, access_policy)
    is_sender = _is_sender(settings)
    sender = Caller(settings.tenant, app.caller.scopes & {"write"}, name="webhook")
    application.router.routes.append(Mount("/webhooks", receiving(served, access_policy, is_sender, sender)))
    if asks is not False:
        page = page_behind_tokens(app, identify, access_policy.admits_host, served.bodies)
        application.router.routes.append(Mount("/browse", page))
    return application


def _is_sender(settings: Settings) -> IsSender | None:
    """Return a check of webhook signatures; None if none is configured. Raises: NotServed."""
    if settings.webhook_secret is None:
        return None
    if not is_tenant(settings.tenant):
        raise NotServed(
            f"VCONTRACT_TENANT is {settings.tenant!r}, which is no tenant's name",
            "lowercase letters, digits, '_', '.' and '-' are allowed, at most 63",
        )
    try:
        return sender_of(settings.webhook_secret.get_secret_value())
    except ValueError as error:
        raise NotServed(
            f"VCONTRACT_WEBHOOK_SECRET cannot be used: {error}",
            'make one: echo "whsec_$(openssl rand -base64 32)"',
        ) from None


def _protected_resource(settings: Settings) -> JsonObject | None:
    """Metadata that says whose tokens a client needs. Source: RFC 9728, section 2."""
    if _metadata_url(settings) is None:
        return None
    return {
        "resource": settings.oauth_audience,
        "authorization_servers": [settings.oauth_issuer],
        "scopes_supported": [settings.oauth_scope_prefix + scope for scope in SCOPES],
        "bearer_methods_supported": ["header"],
    }


def _metadata_url(settings: Settings) -> str | None:
    """URL of that metadata; None without an issuer, or if its audience is not a URL of this server."""
    if settings.oauth_issuer is None or settings.oauth_audience is None:
        return None
    address = urlsplit(settings.oauth_audience)
    if address.scheme not in {"https", "http"}:
        return None
    return f"{address.scheme}://{address.netloc}{http.METADATA_PATH}{address.path.rstrip('/')}"


def _access_policy(settings: Settings, host: str) -> AccessPolicy:
    return AccessPolicy(
        frozenset({*LOOPBACK, host, *settings.http_hosts}),
        frozenset(settings.http_origins),
        _metadata_url(settings),
        settings.oauth_scope_prefix,
    )
