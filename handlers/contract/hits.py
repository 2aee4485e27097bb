"""Hits: the places of one item of a search, short, and none that says what another one says."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from vcontract.generated.results.contract import VconSearchResultEntryMatchHitsEntry as Hit
from vcontract.runtime.text.snippets import shortened
from vcontract.runtime.text.words import fold

_MOST_CHARACTERS: Final = 320
"""Of all snippets of one item, when they are four or fewer."""
_OF_A_FURTHER_ONE: Final = 80
_RUN: Final = 4
"""Words in sequence by which two texts are compared."""
_MARK: Final = re.compile(r"</?mark>")
_WORD: Final = re.compile(r"\w+")


def without_repeats(hits: Sequence[Hit], shown: Iterable[str]) -> list[Hit]:
    """The hits, each text once, shortened: the first that says something new has most of the room.

    One text often stands in several places: a transcript, and the same by speakers. `shown` are texts of the
    item itself, which need not be told again.
    """
    told = set[tuple[str, ...]]().union(*map(_runs, shown))
    seen = set[tuple[str, ...]]()
    kept: list[Hit] = []
    first: Hit | None = None
    for hit in hits:
        runs = _runs(hit["snippet"])
        if not _repeats(runs, seen):
            kept.append(hit)
            if first is None and not _repeats(runs, told):
                first = hit
        seen |= runs
    room = max(_MOST_CHARACTERS - _OF_A_FURTHER_ONE * (len(kept) - 1), _OF_A_FURTHER_ONE)
    return [
        {**hit, "snippet": shortened(hit["snippet"], room if hit is first else _OF_A_FURTHER_ONE)}
        for hit in kept
    ]


def _repeats(runs: set[tuple[str, ...]], seen: set[tuple[str, ...]]) -> bool:
    return 2 * len(runs & seen) >= len(runs)


def _runs(text: str) -> set[tuple[str, ...]]:
    """Every few words in sequence; all of a text that has fewer."""
    words = _WORD.findall(fold(_MARK.sub("", text)))
    return {tuple(words[at : at + _RUN]) for at in range(max(len(words) - _RUN + 1, 1))}
