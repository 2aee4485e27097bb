"""Shorten the hits of one search result, and drop repeated texts and those for machines."""

from collections.abc import Iterable, Sequence
from typing import Final

from vcontract.generated.results.contract import VconSearchResultEntryMatchHitsEntry as Hit
from vcontract.runtime.text.excerpts import is_for_machines
from vcontract.runtime.text.snippets import shortened
from vcontract.runtime.vcon.repetition import Runs, repeats, runs_of

_MAX_SNIPPETS_LENGTH: Final = 320
"""Maximum length of all snippets of one item with up to four."""
_OF_A_FURTHER_ONE: Final = 80


def without_repeats(hits: Sequence[Hit], shown: Iterable[str]) -> list[Hit]:
    """Keep each text once, shortened; the first new text gets most of the space.

    Texts often repeat, such as in a transcript and the same by speakers. `shown` are texts of the item
    itself. IDs and rows of numbers that no word matches are left out, unless there is nothing else.
    """
    hits = [hit for hit in hits if not _is_noise(hit)] or hits[:1]
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


def _is_noise(hit: Hit) -> bool:
    is_turn = "turn" in hit or hit["content_type"] == "dialog"
    return not is_turn and "<mark>" not in hit["snippet"] and is_for_machines(hit["snippet"])
