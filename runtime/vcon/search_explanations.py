"""Texts that explain where a search hit is and why a search found little."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from vcontract.runtime.frame.documents.json import JsonObject

MATCH_LABELS: Final = {
    "own": "words",
    "together": "phrase",
    "beside": "next turn",
    "speaker": "speaker",
    "subject": "subject",
    "day": "day",
    "meaning": "meaning",
}
"""Label of each reason for a match."""

_REASONS_OF_NOTHING: Final = {
    "nothing_stored": "No conversation is stored yet. Run `vcontract import` or `vcontract sync`",
    "no_vcons_of_that_time": "No conversation is from that time",
    "value_not_seen": "No conversation has this value",
    "words_never_together": "No conversation contains all of these words",
    "below_threshold": "Nothing is close enough in meaning",
    "vectors_pending": "Not everything is embedded yet. Run `vcontract embed` to search all of it by meaning",
    "demands_never_together": "Each filter matches some conversation, but none matches all of them",
    "only_weak_matches": "These are weak matches; nothing fits well",
}
_FILTER_LABELS: Final = {
    "party_name": "party",
    "party_role": "role",
    "analysis_type": "analysis",
    "attachment_type": "attachment",
    "start_date": "since",
    "end_date": "until",
}
"""What commands and the web UI call a filter."""
_WORDS_NOT_SEEN: Final = "words_not_seen"


def place_of(hit: "JsonObject") -> str:
    """Describe the position of a hit: `summary (analysis 0)`, `dialog 3`, `subject`."""
    part: str = hit["content_type"]
    index: int | None = hit.get("content_index")
    place = part if index is None else f"{part} {index}"
    name: str | None = hit.get("content_name")
    return place if name is None else f"{name} ({place})"


def hints_of(meta: "JsonObject") -> Iterator[str]:
    """Sentences that explain why little or nothing was found, or what could not be judged."""
    if unknown := meta.get("said_unknown"):
        what = "conversation is" if unknown == 1 else "conversations are"
        yield f"{unknown:,} more {what} left out: words, times or roles are unknown."
    for correction in meta.get("corrections", ()):
        yield f"Searched {correction['used']} for {correction['word']}."
    unheard = [word["word"] for word in meta.get("words", ()) if word.get("vcons") == 0]
    for hint in meta.get("hints", ()):
        reason: str = hint["reason"]
        if reason == _WORDS_NOT_SEEN:
            continue  # reported below from the word counts
        reason_text = _REASONS_OF_NOTHING.get(reason, reason.replace("_", " ").capitalize())
        near = [text for each in hint.get("nearest", ()) if (text := _nearest_value_text(each))]
        concerned = f" ({_FILTER_LABELS.get(name, name)})" if (name := hint.get("filter")) else ""
        yield reason_text + concerned + (f"; near: {', '.join(near)}" if near else "") + "."
    if unheard:
        quoted = " or ".join(f'"{word}"' for word in unheard)
        yield f"No conversation contains {quoted}."


def _nearest_value_text(known: "JsonObject") -> str:
    """Text of a stored value similar to the requested one."""
    return " ".join(value for value in known.values() if isinstance(value, str))
