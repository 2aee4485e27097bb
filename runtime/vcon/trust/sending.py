"""POST messages to user-supplied URLs, never to private networks (SSRF protection)."""

import asyncio
import ipaddress
import socket
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    import httpx2

_SECONDS: Final = 15.0
"""Timeout of a message: DNS, connection and response headers."""
_WRAPPING: Final = tuple(
    map(ipaddress.ip_network, ("64:ff9b::/96", "::/96", "::ffff:0:0/96", "::ffff:0:0:0/96"))
)
"""Networks whose last 32 bits are an IPv4 address: NAT64, compatible, mapped, translated."""
_NOT_PUBLIC: Final = tuple(
    map(
        ipaddress.ip_network,
        (
            "64:ff9b:1::/48",
            "fec0::/10",
            "192.0.0.0/24",
            "192.88.99.0/24",
            "3fff::/20",
            "5f00::/16",
            "100::/64",
        ),
    )
)
"""Special networks that some Python versions consider global. Source: the registries of RFC 6890."""
_HTTPS, _HTTP = 443, 80

_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


class NotSent(Exception):
    """Nothing was sent, or no response came. The message quotes nothing from the other side."""


@dataclass(frozen=True, slots=True)
class Sender:
    """Sends over HTTPS to public addresses; to `private_hosts` also over HTTP, at any address.

    Redirects are not followed and proxies not used. A name is resolved once, and the checked address is used
    for the connection.
    """

    private_hosts: Collection[str] = ()

    def check(self, url: str) -> None:
        """Check a URL without sending. Raises: NotSent if such a URL is never allowed."""
        self._read(url)

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        """POST and return the status. Raises: NotSent."""
        import httpx2

        target = self._read(url)
        try:
            async with asyncio.timeout(_SECONDS):
                address = await self._address_of(target)
                request = httpx2.Request(
                    "POST",
                    target.copy_with(host=address),
                    headers={
                        **headers,
                        "host": target.netloc.decode("ascii"),
                        "content-type": "application/json",
                    },
                    content=body,
                    # the certificate must match the host name
                    extensions={"sni_hostname": target.host},
                )
                async with httpx2.AsyncClient(timeout=_SECONDS, trust_env=False) as client:
                    answer = await client.send(request, stream=True, follow_redirects=False)
                    await answer.aclose()
                    return answer.status_code
        except (TimeoutError, httpx2.TimeoutException):
            raise NotSent(f"no answer in {_SECONDS:.0f} s") from None
        except (httpx2.HTTPError, OSError) as error:
            raise NotSent(f"it could not be reached ({type(error).__name__})") from None

    def _read(self, url: str) -> "httpx2.URL":
        import httpx2

        try:
            read = httpx2.URL(url)
        except httpx2.InvalidURL:
            raise NotSent("the address is no URL") from None
        if not read.host or read.userinfo or read.fragment:
            raise NotSent("the address has to name a host, and neither a user nor a fragment")
        if read.scheme != "https" and not (read.scheme == "http" and read.host in self.private_hosts):
            raise NotSent(
                "the address has to begin with https://; http:// needs its host in VCONTRACT_WEBHOOK_HOSTS"
            )
        return read

    async def _address_of(self, target: "httpx2.URL") -> str:
        port = target.port or (_HTTPS if target.scheme == "https" else _HTTP)
        try:
            found = await asyncio.get_running_loop().getaddrinfo(target.host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):  # UnicodeError: a label of more than 63 characters
            raise NotSent("its host's name leads nowhere") from None
        addresses = [str(place[0]) for *_, place in found]
        if target.host not in self.private_hosts and not all(map(_is_public, addresses)):
            raise NotSent("its host is no public one; VCONTRACT_WEBHOOK_HOSTS may name it")
        return addresses[0]


def _is_public(text: str) -> bool:
    try:
        return all(
            each.is_global and not each.is_multicast and not any(each in net for net in _NOT_PUBLIC)
            for each in _meant(ipaddress.ip_address(text))
        )
    except ValueError:
        return False  # one with a zone, such as fe80::1%eth0


def _meant(address: _Address) -> list[_Address]:
    """Return the address, and the embedded one if there is any."""
    if isinstance(address, ipaddress.IPv4Address):
        return [address]
    inner = address.sixtofour
    if any(address in net for net in _WRAPPING):
        inner = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return [address] if inner is None else [address, inner]
