"""Weight: whether the reading of JSON would be felt by whoever waits for the same process."""

from collections.abc import Collection
from typing import Final

MOST_CHARACTERS: Final = 1 << 19
MOST_VALUES: Final = 20_000
"""Of text that is read, checked and printed again in a tenth of a second."""


class TooHeavy(Exception):
    """Raised instead of reading something that others would wait for: another process is to read it."""


def is_heavy(text: bytes) -> bool:
    """Whether a JSON text has more characters or values than are read beside other work."""
    return len(text) > MOST_CHARACTERS or text.count(b",") > MOST_VALUES


def check_weight(texts: Collection[str]) -> None:
    """Pass for texts that together are light enough.

    Raises: TooHeavy.
    """
    if sum(map(len, texts)) > MOST_CHARACTERS or sum(text.count(",") for text in texts) > MOST_VALUES:
        raise TooHeavy
