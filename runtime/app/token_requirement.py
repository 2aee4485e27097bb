"""Decide whether clients of the HTTP server need a token, and identify the callers of tokens."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from vcontract.runtime.frame.context import SCOPES, Caller, Scope
from vcontract.runtime.frame.mcp.access_policy import LOOPBACK, Identify, IdentityUnavailable
from vcontract.runtime.frame.mcp.access_tokens import LEEWAY_SECONDS, AccessTokens, Issuer
from vcontract.runtime.frame.mcp.issuer_keys import KeysMissing
from vcontract.runtime.settings import Settings, is_purpose
from vcontract.runtime.store.postgres.database import Database, is_tenant
from vcontract.runtime.store.postgres.error_mapping import StoreDown, reaching_store
from vcontract.runtime.store.postgres.tokens import Tokens

_LEARNING_SECONDS: Final = 2.0
"""How long a request waits for an unavailable database to learn whether it needs a token."""


class NotServed(ValueError):
    """The server must not start, because clients could not be identified safely; `cure` says what to do."""

    def __init__(self, what: str, cure: str) -> None:
        super().__init__(what)
        self.cure = cure


async def asks_for_tokens(settings: Settings, database: Database, host: str) -> bool | None:
    """Whether a client needs a token: if tokens exist, or access tokens of an issuer are accepted.

    Otherwise every local client is served without one. None if only the database knows and it is not
    available yet. Raises: NotServed.
    """
    if settings.oauth_issuer is not None:
        return True
    try:
        with reaching_store():
            asks = await Tokens(database).exist()
    except StoreDown:
        return None if host in LOOPBACK else True
    if not asks and host not in LOOPBACK:
        raise NotServed(
            f"{host} can be reached from other machines, and no token was made yet",
            "`vcontract token create NAME` makes one",
        )
    return asks


class Admission:
    """Caches whether a client needs a token, once the database is available."""

    def __init__(self, settings: Settings, database: Database, asks: bool | None) -> None:
        """`asks` is the answer if it is known already."""
        self._tokens = Tokens(database)
        self._asks = asks
        # clients use other host names than this machine's, for example through a proxy
        self._meanwhile = True if settings.http_hosts else None
        self._learning: asyncio.Task[None] | None = None

    async def asks(self) -> bool | None:
        """Whether a client needs a token; None while this is unknown."""
        if self._asks is None:
            if self._learning is None or self._learning.done():
                self._learning = asyncio.create_task(self._learn())
            await asyncio.wait((self._learning,), timeout=_LEARNING_SECONDS)
        return self._meanwhile if self._asks is None else self._asks

    async def _learn(self) -> None:
        try:
            with reaching_store():
                self._asks = await self._tokens.exist()
        except StoreDown:
            return


def identifies(settings: Settings, tokens: Tokens) -> Identify:
    """Return a look-up of callers by our own tokens and by the configured issuer's access tokens."""
    denied: frozenset[Scope] = frozenset({"write"}) if settings.read_only else frozenset()
    issuer = _issuer(settings)
    access_tokens = None if issuer is None else AccessTokens(issuer)

    async def identify(given: Sequence[str]) -> dict[str, Caller]:
        try:
            with reaching_store():
                callers = await _bearers(tokens, given)
                if access_tokens is not None:
                    others = [token for token in given if token not in callers]
                    callers |= await _holders(access_tokens, tokens, others)
        except (StoreDown, KeysMissing) as error:
            raise IdentityUnavailable from error
        return {token: replace(caller, scopes=caller.scopes - denied) for token, caller in callers.items()}

    return identify


async def _bearers(tokens: Tokens, given: Sequence[str]) -> dict[str, Caller]:
    return {
        token: Caller(
            bearer.tenant,
            frozenset(scope for scope in SCOPES if scope in bearer.scopes),
            name=f"token:{bearer.name}",
            purposes=bearer.purposes,
        )
        for token, bearer in (await tokens.bearers(given)).items()
    }


async def _holders(access_tokens: AccessTokens, tokens: Tokens, given: Sequence[str]) -> dict[str, Caller]:
    """Return the callers of access tokens, except those issued before their tenant was deleted."""
    found = {token: await access_tokens.holder(token) for token in given}
    holders = {
        token: holder
        for token, holder in found.items()
        if holder is not None
        and is_tenant(holder.caller.tenant)
        and all(map(is_purpose, holder.caller.purposes))
    }
    if not holders:
        return {}
    removed = await tokens.removed_tenants([holder.caller.tenant for holder in holders.values()])
    return {
        token: holder.caller
        for token, holder in holders.items()
        if (when := removed.get(holder.caller.tenant)) is None
        or (holder.issued_at or 0.0) > when.timestamp() + LEEWAY_SECONDS
    }


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
