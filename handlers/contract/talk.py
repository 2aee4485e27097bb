"""Count turns, words and seconds of a conversation and of each speaker."""

import math
from collections.abc import Mapping, Sequence

from vcontract.generated.results.contract import ItemCounts, ItemCountsSpeakersEntry
from vcontract.handlers.contract.recall_text import shortened
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.vcon.transcript import TranscriptTurn, read_transcript

_DECIMALS = 3
_MAX_OPENING = 160


def counts_document(stored: StoredVcon) -> ItemCounts:
    """Lengths of the arrays and transcript; parties, dialogs and analyses must be loaded."""
    turns = [turn for turn in read_transcript({**stored.arrays}) if turn.words]
    lengths = stored.counts
    counts: ItemCounts = {
        "parties": lengths["parties"],
        "dialog": lengths["dialog"],
        "analysis": lengths["analysis"],
        "attachments": lengths["attachments"],
        "turns": len(turns),
        "words": sum(_words(turn) for turn in turns),
        "speakers": speakers_of(turns),
    }
    if opening := next((turn.words for turn in turns), ""):
        counts["opening"] = shortened(opening, _MAX_OPENING)
    if durations := _durations(stored.arrays):
        counts["duration_seconds"] = round(sum(durations), _DECIMALS)
    return in_order(ItemCounts, counts)


def speakers_of(turns: Sequence[TranscriptTurn]) -> list[ItemCountsSpeakersEntry]:
    """Each named speaker, by words, most first."""
    entries: dict[str, ItemCountsSpeakersEntry] = {}
    for turn in turns:
        if turn.speaker is None or not turn.words:
            continue
        entry = entries.setdefault(turn.speaker, {"speaker": turn.speaker, "turns": 0, "words": 0})
        entry["turns"] += 1
        entry["words"] += _words(turn)
        if turn.length is not None and math.isfinite(turn.length) and turn.length > 0:
            entry["seconds"] = round(entry.get("seconds", 0) + turn.length, _DECIMALS)
    return sorted(entries.values(), key=lambda entry: (-entry["words"], entry["speaker"]))


def _words(turn: TranscriptTurn) -> int:
    return len(turn.words.split())


def _durations(arrays: Mapping[str, Sequence[JsonObject]]) -> list[float]:
    """Durations in seconds of dialogs that have one."""
    given = (dialog.get("duration") for dialog in arrays.get("dialog", ()))
    numbers = (float(each) for each in given if isinstance(each, int | float) and not isinstance(each, bool))
    return [number for number in numbers if math.isfinite(number) and number >= 0]
