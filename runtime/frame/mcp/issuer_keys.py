"""Fetch and cache the keys with which an issuer signs access tokens."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException
from typing import Final

import jwt

from vcontract.runtime.frame.logs import Log

_LOG = Log("access_tokens")
_KEPT_SECONDS: Final = 300.0
"""How long keys are used without fetching them again."""
_LAST_SECONDS: Final = 3_600.0
"""How long keys are used at most while the issuer is unavailable."""
_PAUSE_SECONDS: Final = 10.0
"""Minimum time between two fetches, even if tokens name unknown keys."""
_WAIT_SECONDS: Final = 10


class KeysMissing(Exception):
    """The issuer's keys are unknown and cannot be fetched now."""


@dataclass(frozen=True, slots=True)
class _Fetched:
    keys: Mapping[str, jwt.PyJWK]
    at: float


class IssuerKeys:
    """Keys by `kid`. A key that the issuer withdraws is rejected five minutes later.

    While the issuer is unavailable, cached keys are used for up to an hour. Source: RFC 7517, section 5.
    """

    def __init__(self, url: str) -> None:
        self._client = jwt.PyJWKClient(url, cache_jwk_set=False, timeout=_WAIT_SECONDS)
        self._fetched: _Fetched | None = None
        self._tried_at: float | None = None
        self._fetching: asyncio.Task[None] | None = None

    async def key(self, name: str) -> jwt.PyJWK | None:
        """Return the key with this name, or None if the issuer has none. Raises: KeysMissing."""
        if self._may_differ(name):
            if self._fetching is None or self._fetching.done():
                self._fetching = asyncio.create_task(self._fetch())
            await asyncio.shield(self._fetching)
        if self._fetched is None or time.monotonic() >= self._fetched.at + _LAST_SECONDS:
            raise KeysMissing
        return self._fetched.keys.get(name)

    def _may_differ(self, name: str) -> bool:
        """Whether to fetch: the cache is old or lacks the key, and was not fetched just now."""
        now, fetched = time.monotonic(), self._fetched
        if self._tried_at is not None and now < self._tried_at + _PAUSE_SECONDS:
            return False
        return fetched is None or name not in fetched.keys or now >= fetched.at + _KEPT_SECONDS

    async def _fetch(self) -> None:
        began = time.monotonic()
        try:
            keys = await asyncio.to_thread(self._client.get_signing_keys)
        except (jwt.PyJWTError, OSError, HTTPException, ValueError, RecursionError) as error:
            _LOG.error("keys_not_fetched", error)
        else:
            self._fetched = _Fetched({key.key_id: key for key in keys if key.key_id}, began)
        self._tried_at = time.monotonic()
