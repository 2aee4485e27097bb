"""Shorten the hits of one search result, and drop repeated texts."""

from collections.abc import Iterable, Sequence
from typing import Final

from vcontract.generated.results.contract import VconSearchResultEntryMatchHitsEntry as Hit
from vcontract.runtime.text.snippets import shortened
from vcontract.runtime.vcon.repetition import Runs, repeats, runs_of

_MAX_SNIPPETS_LENGTH: Final = 320
"""Maximum length of all snippets of one item with up to four."""
_OF_A_FURTHER_ONE: Final = 80


def without_repeats(hits: Sequence[Hit], shown: Iterable[str]) -> list[Hit]:
    """Keep each text once, shortened; the first new text gets most of the space.

    Texts often repeat, such as in a transcript and the same by speakers. `shown` are texts of the item
    itself.
    """
    shown_runs = Runs().union(*map(runs_of, shown))
    seen = Runs()
    kept: list[Hit] = []
    first: Hit | None = None
    for hit in hits:
        runs = runs_of(hit["snippet"])
        if not repeats(runs, seen):
            kept.append(hit)
            if first is None and not repeats(runs, shown_runs):
                first = hit
        seen = seen.union(runs, *(runs_of(one["snippet"]) for one in hit.get("neighbours", ())))
    room = max(_MAX_SNIPPETS_LENGTH - _OF_A_FURTHER_ONE * (len(kept) - 1), _OF_A_FURTHER_ONE)
    return [
        hit
        if "turn" in hit  # the speaker matters as much as the words
        else {**hit, "snippet": shortened(hit["snippet"], room if hit is first else _OF_A_FURTHER_ONE)}
        for hit in kept
    ]
