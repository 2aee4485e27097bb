"""Decode bytes in any character set."""

import codecs
from typing import Final

_NO_CHARSETS: Final = frozenset({"idna", "punycode"})
"""Codecs whose time grows with the square of the length."""
_MAX_NAME_LENGTH: Final = 40
_SAMPLE: Final = 65_536
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decoded(data: bytes, charset: str) -> str:
    """Decode with `charset`, or UTF-8 if it is unknown. Invalid bytes become U+FFFD."""
    try:
        name = codecs.lookup(charset[:_MAX_NAME_LENGTH]).name
        return data.decode("utf-8" if name in _NO_CHARSETS else name, "replace")
    except (LookupError, ValueError):
        return data.decode("utf-8", "replace")


def text_of(data: bytes) -> str:
    """Decode a text that does not say its character set.

    A byte order mark decides, else valid UTF-8, else NUL bytes of UTF-16, else detection by its letters.
    """
    for mark, charset in _MARKS:
        if data.startswith(mark):
            return decoded(data[len(mark) :], charset)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return decoded(data, _detected(data))


def _detected(data: bytes) -> str:
    """Guess the character set of a text that is not valid UTF-8."""
    sample = data[:_SAMPLE]
    nuls = [sample[first::2].count(0) for first in (0, 1)]
    if max(nuls) * 20 > len(sample):  # blanks, digits and line ends of UTF-16
        return "utf-16-be" if nuls[0] > nuls[1] else "utf-16-le"
    text = sample.decode("utf-8", "replace")
    if text.count("\ufffd") * 2 <= sum(each > "\x7f" for each in text):
        return "utf-8"  # damaged at a few places
    # only here, because few texts need it
    import chardetng_py

    place = next(number for number, byte in enumerate(data) if byte > 0x7F)
    return chardetng_py.detect(data[max(0, place - _SAMPLE // 2) : place + _SAMPLE // 2])
