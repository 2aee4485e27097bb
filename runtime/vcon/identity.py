"""Parse and create UUIDs of vCons."""

import re
import secrets
from datetime import UTC, datetime, timedelta
from uuid import UUID

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_uuid(text: str) -> UUID | None:
    """Parse a UUID in the form 8-4-4-4-12; None for anything else."""
    return UUID(text) if _UUID.fullmatch(text) else None


def new_uuid(now: datetime) -> UUID:
    """Create a UUID of version 7 for `now`. Source: RFC 9562, 5.7."""
    milliseconds = (now - _EPOCH) // timedelta(milliseconds=1) & ((1 << 48) - 1)
    first, last = secrets.randbits(12), secrets.randbits(62)
    return UUID(int=milliseconds << 80 | 7 << 76 | first << 64 | 0b10 << 62 | last)
