"""The keys that an issuer signs access tokens with: fetched, kept for some minutes, and fetched again."""

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
"""So long keys are used without asking whether the issuer still has them."""
_LAST_SECONDS: Final = 3_600.0
"""So long at most while the issuer does not answer."""
_PAUSE_SECONDS: Final = 10.0
"""Between two fetches, also where tokens name keys that nobody has."""
_WAIT_SECONDS: Final = 10


class KeysMissing(Exception):
    """The issuer's keys are not known, and cannot be fetched now."""


@dataclass(frozen=True, slots=True)
class _Fetched:
    keys: Mapping[str, jwt.PyJWK]
    at: float


class IssuerKeys:
    """Keys by their names (`kid`). One that the issuer publishes no more is of no use five minutes later.

    While the issuer does not answer, those that it had go on for an hour. Source: RFC 7517, section 5.
    """

    def __init__(self, url: str) -> None:
        self._client = jwt.PyJWKClient(url, cache_jwk_set=False, timeout=_WAIT_SECONDS)
        self._fetched: _Fetched | None = None
        self._tried_at: float | None = None
        self._fetching: asyncio.Task[None] | None = None

    async def key(self, name: str) -> jwt.PyJWK | None:
        """The key of this name; None where the issuer has none. Raises: KeysMissing."""
        if self._may_differ(name):
            if self._fetching is None or self._fetching.done():
                self._fetching = asyncio.create_task(self._fetch())
            await asyncio.shield(self._fetching)
        if self._fetched is None or time.monotonic() >= self._fetched.at + _LAST_SECONDS:
            raise KeysMissing
        return self._fetched.keys.get(name)

    def _may_differ(self, name: str) -> bool:
        """Whether to ask the issuer: what is kept is old or lacks the key, and was not fetched just now."""
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
