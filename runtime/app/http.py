"""The HTTP server put together: the application, who may come, and from where."""

import gc
from dataclasses import replace
from urllib.parse import urlsplit

from starlette.applications import Starlette

from vcontract.runtime import logs
from vcontract.runtime.app import LOCAL_TENANT, App, build
from vcontract.runtime.context import SCOPES, Caller, Scope
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.mcp import http
from vcontract.runtime.mcp.access_tokens import AccessTokens, Issuer
from vcontract.runtime.mcp.gate import LOOPBACK, Doors, Identify
from vcontract.runtime.mcp.server import build_server
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import is_tenant
from vcontract.runtime.store.postgres.tokens import Tokens


class NotServed(ValueError):
    """The settings do not say who may come, and others than the users of this machine could."""

    def __init__(self, what: str, cure: str) -> None:
        super().__init__(what)
        self.cure = cure


async def serve_http(settings: Settings, host: str, port: int) -> None:
    """Serve clients over HTTP at `host` and `port` until the process is told to end.

    Raises: what `build` and `http_application` raise; OSError, when nothing can listen there.
    """
    logs.configure(settings.log_level)
    app = await build(settings)
    try:
        application = await http_application(app, settings, host)
        app.start()
    except BaseException:
        await app.close()
        raise
    gc.freeze()
    await http.serve_http(application, host, port, app.close)


async def http_application(app: App, settings: Settings, host: str) -> Starlette:
    """What is served at `host`.

    Where tokens were made, or access tokens of an issuer are taken, a client needs one; else everybody who
    reaches this machine from itself is served, as `serve` does the client that starts it.

    Raises: NotServed.
    """
    tokens = Tokens(app.database, LOCAL_TENANT)
    asks_for_tokens = settings.oauth_issuer is not None or await tokens.exist()
    if not asks_for_tokens and host not in LOOPBACK:
        raise NotServed(
            f"{host} can be reached from other machines, and no token was made yet",
            "`vcontract token create NAME` makes one",
        )
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
        _identify(settings, tokens) if asks_for_tokens else None,
        app.database.answers,
        _protected_resource(settings),
    )
    return http.application(served, _doors(settings, host))


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
