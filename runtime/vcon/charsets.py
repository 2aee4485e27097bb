"""Decode bytes in any character set."""

import codecs
from typing import Final

_NO_CHARSETS: Final = frozenset({"idna", "punycode"})
"""Codecs whose time grows with the square of the length."""
_MAX_NAME_LENGTH: Final = 40


def decoded(data: bytes, charset: str) -> str:
    """Decode with `charset`, or UTF-8 if it is unknown. Invalid bytes become U+FFFD."""
    try:
        name = codecs.lookup(charset[:_MAX_NAME_LENGTH]).name
        return data.decode("utf-8" if name in _NO_CHARSETS else name, "replace")
    except (LookupError, ValueError):
        return data.decode("utf-8", "replace")
