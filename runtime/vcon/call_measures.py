"""Measures of a call: talk, silence, overlaps, hold, transfers and handle time. None is unknown, not zero."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import is_array, objects
from vcontract.runtime.vcon.call_events import HOLDS, TRANSFERS, CallEvent, call_events
from vcontract.runtime.vcon.spoken_turns import SpokenTurn, length_of, seconds_from
from vcontract.runtime.vcon.times import earliest_start, read_time

_NO_CONTENT: Final = ("transfer", "incomplete")
"""Types of dialogs in which nothing is said."""
_DECIMALS: Final = 3


class CallMeasures(NamedTuple):
    """Measures of one vCon; times are in seconds."""

    handle_seconds: float | None = None
    """From its start to its end."""
    talk_seconds: float | None = None
    """Total length of its turns, if each has one and no words are missing."""
    silence_seconds: float | None = None
    """Time in which no turn runs."""
    longest_turn_seconds: float | None = None
    overlapping_turns: int | None = None
    """Turns that begin while a turn of another speaker runs."""
    hold_seconds: float | None = None
    """Time in which somebody is on hold; unknown if the vCon records no events at all."""
    transfers: int | None = None


UNMEASURED: Final = CallMeasures()


def call_measures(vcon: JsonObject, turns: Sequence[SpokenTurn]) -> CallMeasures:
    """Measure a vCon. `turns` may lack first turns of one in which nothing has a length."""
    said = [turn for turn in turns if turn.words is not None]
    handle = _handle_seconds(vcon, said)
    holds, transfers = _holds_and_transfers(vcon, handle)
    lengths = [turn.length for turn in said if turn.length is not None]
    if not said or len(lengths) < len(said) or any(turn.is_missing for turn in turns):
        return CallMeasures(handle_seconds=handle, hold_seconds=holds, transfers=transfers)
    spans = [
        (round(turn.starts, _DECIMALS), round(turn.starts + turn.length, _DECIMALS), turn.speaker)
        for turn in said
        if turn.starts is not None and turn.length is not None
    ]
    silence = overlaps = None
    if len(spans) == len(said):
        spans.sort(key=lambda span: span[:2])
        overlaps = _overlaps(spans)
        if handle is not None:
            silence = round(handle - _covered((starts, ends) for starts, ends, _ in spans), _DECIMALS)
    return CallMeasures(
        handle, round(sum(lengths), _DECIMALS), silence, max(lengths), overlaps, holds, transfers
    )


def _handle_seconds(vcon: JsonObject, said: Sequence[SpokenTurn]) -> float | None:
    """End of the conversation; None if nothing has a length or a recording's end is unknown."""
    dialogs = [each for each in objects(vcon.get("dialog")) if each[1].get("type") not in _NO_CONTENT]
    began = earliest_start(vcon)
    ends: list[float] = []
    spoken: set[int] = set()
    untimed: set[int] = set()
    for turn in said:
        if turn.starts is None or turn.length is None:
            untimed.add(turn.dialog)
        else:
            ends.append(turn.starts + turn.length)
            spoken.add(turn.dialog)
    for index, dialog in dialogs:
        start, length = dialog.get("start"), length_of(dialog.get("duration"))
        starts = seconds_from(read_time(start) if isinstance(start, str) else None, began)
        if starts is None and len(dialogs) == 1:
            starts = 0.0
        if starts is not None and length is not None:
            ends.append(starts + length)
        elif dialog.get("type") != "text" and index not in spoken - untimed:
            return None
    return round(max(ends), _DECIMALS) if ends else None


def _overlaps(spans: Sequence[tuple[float, float, str | None]]) -> int | None:
    """Turns, in order of time, that begin while one of another speaker runs; None if a speaker is unknown."""
    ends: dict[str, float] = {}
    found = 0
    for starts, until, speaker in spans:
        if speaker is None:
            return None
        found += any(end > starts for other, end in ends.items() if other != speaker)
        ends[speaker] = max(until, ends.get(speaker, until))
    return found


def _covered(spans: Iterable[tuple[float, float]]) -> float:
    """Length of the union of spans in order of their start."""
    total, reached = 0.0, -math.inf
    for starts, ends in spans:
        total += max(0.0, ends - max(starts, reached))
        reached = max(reached, ends)
    return total


def _holds_and_transfers(vcon: JsonObject, handle: float | None) -> tuple[float | None, int | None]:
    """Seconds on hold and number of transfers; None if the vCon records no events."""
    dialogs = [dialog for _, dialog in objects(vcon.get("dialog"))]
    records_events = is_array(vcon.get("events")) or any(
        is_array(dialog.get("party_history")) or dialog.get("type") == "transfer" for dialog in dialogs
    )
    if not records_events:
        return None, None
    events = call_events(vcon)
    transfers = sum(event.kind in TRANSFERS for event in events)
    try:
        holds = sorted(_holds(vcon, [event for event in events if event.kind in HOLDS], handle))
    except _UnknownTime:
        return None, transfers
    return round(_covered(holds), _DECIMALS), transfers


class _UnknownTime(Exception):
    """A hold whose begin or end is unknown."""


def _holds(
    vcon: JsonObject, events: Sequence[CallEvent], handle: float | None
) -> Iterator[tuple[float, float]]:
    """Spans in which a party is on hold; one that does not end lasts to the end of the conversation."""
    began = earliest_start(vcon) or min(filter(None, (event.at for event in events)), default=None)
    held: dict[tuple[int | None, int | None], float] = {}
    for event in events:
        at, key = seconds_from(event.at, began), (event.party, event.session)
        if at is None or (event.kind == "unhold" and key not in held):
            raise _UnknownTime
        if event.kind == "unhold":
            yield held.pop(key), at
        else:
            held.setdefault(key, at)
    for starts in held.values():
        if handle is None:
            raise _UnknownTime
        yield starts, max(handle, starts)
