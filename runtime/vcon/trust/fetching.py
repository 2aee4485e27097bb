"""Fetch certificates and content by HTTPS, only from hosts that the operator allows."""

from collections.abc import AsyncGenerator, Collection, Iterable
from dataclasses import dataclass
from typing import Final

import httpx2
from cryptography import x509

from vcontract.runtime.vcon.trust.hashes import Digests

_SECONDS: Final = 20.0
"""Timeout of a response."""
_MAX_CERTIFICATE_BYTES: Final = 64 * 1024
_MAX_CONTENT_BYTES: Final = 1 << 30


class NotFetched(Exception):
    """A URL may not be fetched, or not completely."""


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches over HTTPS from allowed hosts, without following redirects."""

    hosts: Collection[str]

    def may_fetch(self, url: str) -> bool:
        try:
            parsed = httpx2.URL(url)
        except httpx2.InvalidURL:
            return False
        return parsed.scheme == "https" and parsed.host in self.hosts

    async def certificates(self, url: str) -> tuple[x509.Certificate, ...]:
        """Return the PEM certificates at a URL; none if it may not be fetched or has none."""
        held = bytearray()
        try:
            async for piece in self._pieces(url, _MAX_CERTIFICATE_BYTES):
                held += piece
            return tuple(x509.load_pem_x509_certificates(bytes(held)))
        except (NotFetched, ValueError):
            return ()

    async def digests(self, url: str, algorithms: Iterable[str]) -> list[str] | None:
        """Return the hashes of the content at a URL; None if it cannot or may not be fetched."""
        digests = Digests(algorithms)
        try:
            async for piece in self._pieces(url, _MAX_CONTENT_BYTES):
                digests.add(piece)
        except NotFetched:
            return None
        return digests.made()

    async def _pieces(self, url: str, most: int) -> AsyncGenerator[bytes]:
        if not self.may_fetch(url):
            raise NotFetched(url)
        try:
            async with (
                httpx2.AsyncClient(timeout=_SECONDS, follow_redirects=False) as client,
                client.stream("GET", url, headers={"accept-encoding": "identity"}) as response,
            ):
                if not response.is_success:
                    raise NotFetched(url)
                async for piece in response.aiter_raw():
                    most -= len(piece)
                    if most < 0:
                        raise NotFetched(url)
                    yield piece
        except (httpx2.HTTPError, httpx2.InvalidURL):
            raise NotFetched(url) from None
