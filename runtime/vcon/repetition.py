"""Detect texts that repeat other texts."""

import re
from typing import Final

_RUN: Final = 4
"""Number of consecutive words compared."""
_MARK: Final = re.compile(r"</?mark>")
_WORD: Final = re.compile(r"\w+")

Runs = set[tuple[str, ...]]


def runs_of(text: str) -> Runs:
    """Return every sequence of a few words; the whole text if it has fewer."""
    words = _WORD.findall(_MARK.sub("", text).casefold())
    return {tuple(words[at : at + _RUN]) for at in range(max(len(words) - _RUN + 1, 1))}


def repeats(runs: Runs, seen: Runs) -> bool:
    """Whether at least half of a text's sequences occur in those already seen."""
    return 2 * len(runs & seen) >= len(runs)
