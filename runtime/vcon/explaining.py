"""Where and why something was found, and why little or nothing was, in words."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from vcontract.runtime.documents.json import JsonObject

BECAUSE: Final = {
    "own": "by words",
    "together": "by words side by side",
    "beside": "by words beside it",
    "speaker": "by who speaks",
    "day": "by the day",
    "meaning": "by meaning",
}
"""What speaks for a place."""

_REASONS_OF_NOTHING: Final = {
    "nothing_stored": "nothing is stored yet; `vcontract import` brings conversations in",
    "no_vcons_of_that_time": "there are none of that time",
    "value_not_seen": "no conversation has this value",
    "words_never_together": "no conversation has all of these words",
    "below_threshold": "nothing is near enough in meaning",
    "vectors_pending": "not everything can be found by meaning yet; `vcontract embed` does the rest",
    "demands_never_together": "each filter fits some conversation, but no conversation fits all",
    "only_weak_matches": "these are weak matches; nothing fits well",
}
_UNHEARD: Final = "words_not_seen"


def place_of(hit: "JsonObject") -> str:
    """Where in a conversation a hit is: `summary (analysis 0)`, `dialog 3`, `subject`."""
    part: str = hit["content_type"]
    index: int | None = hit.get("content_index")
    place = part if index is None else f"{part} {index}"
    name: str | None = hit.get("content_name")
    return place if name is None else f"{name} ({place})"


def hints_of(meta: "JsonObject") -> Iterator[str]:
    """Why little or nothing was found, in words."""
    for correction in meta.get("corrections", ()):
        yield f"searched {correction['used']} for {correction['word']}"
    unheard = [word["word"] for word in meta.get("words", ()) if word.get("vcons") == 0]
    for hint in meta.get("hints", ()):
        reason: str = hint["reason"]
        if reason == _UNHEARD:
            unheard = list(dict.fromkeys((*unheard, *map(_near, hint.get("nearest", ())))))
            continue
        told = _REASONS_OF_NOTHING.get(reason, reason.replace("_", " "))
        near = [text for each in hint.get("nearest", ()) if (text := _near(each))]
        concerned = f" ({hint['filter']})" if "filter" in hint else ""
        yield told + concerned + (f"; near: {', '.join(near)}" if near else "")
    if unheard:
        yield f"nowhere said: {', '.join(unheard)}"


def _near(known: "JsonObject") -> str:
    """A known value that is close to one that was asked for."""
    return " ".join(value for value in known.values() if isinstance(value, str))
