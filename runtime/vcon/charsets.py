"""Character sets: bytes as text, whatever set they claim to be in."""

import codecs
from typing import Final

_NO_CHARSETS: Final = frozenset({"idna", "punycode"})
"""Codecs of names, in which the time for a text grows with the square of its length."""
_MAX_NAME_LENGTH: Final = 40


def decoded(data: bytes, charset: str) -> str:
    """The text in `charset`, in UTF-8 where nobody knows that; U+FFFD replaces what is not in it."""
    try:
        name = codecs.lookup(charset[:_MAX_NAME_LENGTH]).name
        return data.decode("utf-8" if name in _NO_CHARSETS else name, "replace")
    except (LookupError, ValueError):
        return data.decode("utf-8", "replace")
