"""Validate OAuth 2.1 access tokens: whether a token is meant for this server, and for whom."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import jwt

from vcontract.runtime.frame.context import SCOPES, Caller, Scope
from vcontract.runtime.frame.logs import Log
from vcontract.runtime.frame.mcp.issuer_keys import IssuerKeys

_LOG = Log("access_tokens")
_ALGORITHMS: Final[Mapping[str, Sequence[str]]] = {
    "RSA": ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    "EC": ("ES256", "ES384"),
    "OKP": ("EdDSA",),
}
"""Algorithms by key type. Only asymmetric ones: with a shared secret, the server could make tokens itself."""
_MIN_RSA_BITS: Final = 2_048
_TYPES: Final = frozenset({"jwt", "at+jwt", "application/at+jwt"})
"""Accepted token types, apart from none; ID tokens are rejected. Source: RFC 9068, section 4."""
LEEWAY_SECONDS: Final = 30
"""Tolerated difference from the issuer's clock."""
_PURPOSE: Final = "purpose:"


@dataclass(frozen=True, slots=True)
class Issuer:
    """An accepted issuer, and which claims identify the caller."""

    url: str
    audience: str
    """Required audience: this server's address."""
    keys_url: str
    """URL of the issuer's keys (RFC 7517)."""
    tenant_claim: str = "tenant"
    scope_prefix: str = ""
    """Prefix of scopes meant for this server, as in `vcontract:` for `vcontract:read`."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Holder of an access token."""

    caller: Caller
    issued_at: float | None
    """Seconds since 1970, if the token has it."""


class AccessTokens:
    """Validates access tokens of one issuer. Source: RFC 9068."""

    def __init__(self, issuer: Issuer) -> None:
        self._issuer = issuer
        self._keys = IssuerKeys(issuer.keys_url)

    async def holder(self, token: str) -> Holder | None:
        """Return the holder, or None if the token is not for this server or has no tenant or scope.

        Raises: KeysMissing.
        """
        claims = await self._claims(token)
        if claims is None:
            return None
        tenant, scopes = claims.get(self._issuer.tenant_claim), self._scopes(claims)
        if not isinstance(tenant, str) or not scopes:
            _LOG.debug("token_without_rights", has_tenant=isinstance(tenant, str), scopes=len(scopes))
            return None
        issued_at: object = claims.get("iat")
        return Holder(
            Caller(tenant, scopes, name=f"subject:{claims['sub']}", purposes=self._purposes(claims)),
            float(issued_at) if isinstance(issued_at, int | float) else None,
        )

    async def _claims(self, token: str) -> dict[str, Any] | None:
        """Return the claims; None if the issuer did not sign them for us, or if the token has expired."""
        try:
            header = jwt.get_unverified_header(token)
            name: object = header.get("kid")
            key = await self._keys.key(name) if isinstance(name, str) else None
            if key is None or str(header.get("typ", "JWT")).lower() not in _TYPES:
                return None
            claims: dict[str, Any] = jwt.decode(
                token,
                key.key,
                algorithms=_algorithms_of(key),
                audience=self._issuer.audience,
                issuer=self._issuer.url,
                leeway=LEEWAY_SECONDS,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, RecursionError):  # RecursionError: deeply nested JSON
            return None
        return claims if claims["sub"].strip() else None

    def _scopes(self, claims: dict[str, Any]) -> frozenset[Scope]:
        words = self._words(claims)
        return frozenset(scope for scope in SCOPES if scope in words)

    def _purposes(self, claims: dict[str, Any]) -> frozenset[str]:
        """Purposes from scopes `purpose:NAME`, with or without the prefix. They only remove access."""
        words = _words(claims) | self._words(claims)
        return frozenset(word.removeprefix(_PURPOSE) for word in words if word.startswith(_PURPOSE))

    def _words(self, claims: dict[str, Any]) -> set[str]:
        """Scopes that are meant for this server."""
        prefix = self._issuer.scope_prefix
        return {word.removeprefix(prefix) for word in _words(claims) if word.startswith(prefix)}


def _words(claims: dict[str, Any]) -> set[str]:
    """The words of `scope` (RFC 8693), as text or as a list."""
    given: object = claims.get("scope", claims.get("scp", ""))
    if not isinstance(given, str | list):
        return set()
    words = given.split() if isinstance(given, str) else cast("list[object]", given)
    return {word for word in words if isinstance(word, str)}


def _algorithms_of(key: jwt.PyJWK) -> list[str]:
    """Algorithms that a key of the issuer may use; none if the key is too short."""
    if key.key_type == "RSA" and key.key.key_size < _MIN_RSA_BITS:
        return []
    return list(_ALGORITHMS.get(key.key_type or "", ()))
