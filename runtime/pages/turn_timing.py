"""Timing of turns: silences and overlaps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from math import inf
from typing import Final

from vcontract.runtime.vcon.transcript import TranscriptTurn

_MIN_SILENCE_SECONDS: Final = 2.0
_MIN_OVERLAP_SECONDS: Final = 0.5
_MIN_NOTED_OVERLAP_SECONDS: Final = 2.0
"""Shorter overlaps, such as a "yes" in between, are only added up."""
_MIN_BREAK_SECONDS: Final = 300.0
"""Minimum seconds of a reported pause; between two starts if ends are unknown."""

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Timing:
    """Silences and overlaps as (begin, end) in seconds; turns of unknown length are not counted."""

    silences: tuple[Span, ...] = ()
    overlaps: tuple[Span, ...] = ()

    @property
    def caption(self) -> str:
        """Silences and overlaps as text; empty if there are none."""
        words: list[str] = []
        if self.silences:
            longest = max(end - begin for begin, end in self.silences)
            total = sum(end - begin for begin, end in self.silences)
            words.append(f"{duration(total)} of silence, the longest {duration(longest)}")
        if self.overlaps:
            total = sum(end - begin for begin, end in self.overlaps)
            words.append(f"{duration(total)} in which two people speak at the same time")
        return "; ".join(words)


def moment_of(turn: TranscriptTurn) -> float | None:
    """Start of a turn in seconds since 1970, or since the recording began if its clock time is unknown."""
    return turn.seconds if turn.at is None else turn.at.timestamp()


def timed(said: Sequence[TranscriptTurn]) -> tuple[Timing, Mapping[int, str]]:
    """Silences and overlaps, and by turn number a note to show above it, such as `after 5 s of silence`.

    If the previous turn in time is not listed directly above, only an overlap is noted, no silence or break.
    Overlaps are of the words of two known speakers: a recording that spans its own transcript is none.
    """
    silences: list[Span] = []
    overlaps: list[Span] = []
    notes: dict[int, str] = {}
    last: float | None = None
    before = -1
    knows_end = False
    speaking: tuple[float, str | None] = (-inf, None)
    begun = sorted(
        (begin, number) for number, turn in enumerate(said) if (begin := moment_of(turn)) is not None
    )
    for begin, number in begun:
        turn = said[number]
        end = begin + max(turn.length or 0.0, 0.0)
        is_next = number == before + 1
        if last is not None and knows_end and begin - last >= _MIN_SILENCE_SECONDS:
            silences.append((last, begin))
            if is_next:
                notes[number] = f"after {duration(begin - last)} of silence"
        elif last is not None and is_next and begin - last >= _MIN_BREAK_SECONDS:
            notes[number] = f"{duration(begin - last)} later"
        if turn.words:
            until, speaker = min(speaking[0], end), speaking[1]
            if until - begin >= _MIN_OVERLAP_SECONDS and turn.speaker and speaker not in (None, turn.speaker):
                overlaps.append((begin, until))
                if until - begin >= _MIN_NOTED_OVERLAP_SECONDS:
                    notes[number] = f"while another speaks, for {duration(until - begin)}"
            speaking = max(speaking, (end, turn.speaker), key=lambda each: each[0])
        if last is None or end >= last:
            last, knows_end = end, turn.length is not None
        before = number
    return Timing(tuple(silences), tuple(overlaps)), notes


def clock(turn: TranscriptTurn, later: float = 0.0) -> str:
    """Start of a turn plus `later` seconds: date and time, or time in the recording; empty if unknown."""
    if turn.at is not None:
        return f"{turn.at + timedelta(seconds=later):%Y-%m-%d %H:%M:%S}"
    if turn.seconds is None:
        return ""
    minutes, seconds = divmod(int(turn.seconds + later), 60)
    return f"{minutes:02}:{seconds:02}"


def day_and_time(turn: TranscriptTurn) -> tuple[str, str]:
    """Day of a turn, such as `Thursday, 4 September 2025`, and its time. The day is empty if unknown."""
    if turn.at is None:
        return "", clock(turn)
    return f"{turn.at:%A}, {turn.at.day} {turn.at:%B %Y}", f"{turn.at:%H:%M:%S}"


def duration(seconds: float) -> str:
    """Format a duration: `12 s`, `5 min`, `3 h`, `2 days`."""
    for least, of_one, unit in ((172_800, 86_400, "days"), (5_400, 3_600, "h"), (100, 60, "min")):
        if seconds >= least:
            return f"{seconds / of_one:,.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 or seconds == round(seconds) else f"{seconds:.1f} s"
