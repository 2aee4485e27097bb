"""Parse, abbreviate and create UUIDs of vCons."""

import re
import secrets
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

MIN_DIGITS: Final = 4
"""Digits of an ID that a command may give in place of the whole."""
MIN_SHORT_DIGITS: Final = 8
"""Digits of an ID that a call may give in place of the whole."""

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_BEGINNING: Final = re.compile(rf"[0-9a-f]{{{MIN_DIGITS},31}}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_uuid(text: str) -> UUID | None:
    """Parse a UUID in the form 8-4-4-4-12; None for anything else."""
    return UUID(text) if _UUID.fullmatch(text) else None


def digits_of(text: str) -> str | None:
    """Return the hex digits of an ID prefix, with or without dashes; None for other text."""
    text = text.lower()
    digits = text.replace("-", "")
    if not _BEGINNING.fullmatch(digits):
        return None
    has_its_form = text == digits or str(first_uuid(digits)).startswith(text)
    return digits if has_its_form else None


def first_uuid(digits: str) -> UUID:
    """Return the first UUID that begins with these hex digits."""
    return UUID(digits.ljust(32, "0"))


def not_an_id(name: str, text: str) -> str:
    """Return the message for text that is neither a UUID nor the beginning of one."""
    return (
        f'{name} "{text[:60]}" is not a uuid (five groups of hex digits, 8-4-4-4-12), nor the first'
        f" {MIN_SHORT_DIGITS} digits or more of one."
    )


def new_uuid(now: datetime) -> UUID:
    """Create a UUID of version 7 for `now`. Source: RFC 9562, 5.7."""
    milliseconds = (now - _EPOCH) // timedelta(milliseconds=1) & ((1 << 48) - 1)
    first, last = secrets.randbits(12), secrets.randbits(62)
    return UUID(int=milliseconds << 80 | 7 << 76 | first << 64 | 0b10 << 62 | last)
