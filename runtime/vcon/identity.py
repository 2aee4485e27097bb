"""UUIDs of vCons: reading them, and making new ones."""

import hashlib
import re
import secrets
from datetime import UTC, datetime, timedelta
from uuid import UUID

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_uuid(text: str) -> UUID | None:
    """The UUID, or None unless the text is hex groups of 8-4-4-4-12 with nothing around them."""
    return UUID(text) if _UUID.fullmatch(text) else None


def new_uuid(domain: str | None, now: datetime) -> UUID:
    """A new UUID of `now`: version 8 when the maker's domain name is known, else version 7.

    Version 8 has the layout of version 7, except that its last 62 bits are the high 62 bits of SHA-1 over
    the domain name, so that only 12 bits are random: two made in one millisecond may clash.
    Source: draft-ietf-vcon-vcon-core-04, uuid; RFC 9562, 5.7 and 5.8.
    """
    last = _domain_bits(domain) if domain else secrets.randbits(62)
    version = 8 if domain else 7
    milliseconds = (now - _EPOCH) // timedelta(milliseconds=1) & ((1 << 48) - 1)
    return UUID(int=milliseconds << 80 | version << 76 | secrets.randbits(12) << 64 | 0b10 << 62 | last)


def _domain_bits(domain: str) -> int:
    # The draft asks for SHA-1; nothing secret hangs on it.
    digest = hashlib.sha1(domain.encode(), usedforsecurity=False).digest()
    return int.from_bytes(digest[:8], "big") >> 2
