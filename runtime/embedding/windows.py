"""Windows of a talk: turns that a model reads in one pass, half of them again in the next window."""

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from zlib import crc32

from vcontract.runtime.embedding.embedder import Turn


@dataclass(frozen=True)
class Window:
    """Turns of a talk that follow one another."""

    turns: tuple[Turn, ...]

    @cached_property
    def content(self) -> bytes:
        """What tells its turns from others."""
        return b"\0".join(_content(turn) for turn in self.turns)


@dataclass(frozen=True, slots=True)
class TurnInWindow:
    """A turn with the window that its vector is read from."""

    window: Window
    place: int
    """Its index in the window."""

    @property
    def digest(self) -> int:
        """What tells its vector from others, in 64 bits with a sign."""
        content = b"%d\0%s" % (self.place, self.window.content)
        return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), signed=True)


def windows_of(turns: Sequence[Turn], counts: Sequence[int], most: int) -> list[TurnInWindow]:
    """Each turn of a talk in the window where it is nearest to the middle.

    `counts` are the tokens of each turn, none more than `most`, which is what a window holds.
    """
    ends = list(accumulate(counts, initial=0))
    marks = [crc32(_content(turn)) for turn in turns]
    found: list[tuple[int, Window, int] | None] = [None] * len(turns)
    start = end = 0
    while end < len(turns):
        start = _next_start(ends, marks, start, end, most) if end else 0
        end = bisect_right(ends, ends[start] + most) - 1
        window = Window(tuple(turns[start:end]))
        for turn in range(start, end):
            off_centre = abs(ends[turn] + ends[turn + 1] - ends[start] - ends[end])
            best = found[turn]
            if best is None or off_centre < best[0]:
                found[turn] = off_centre, window, turn - start
    return [TurnInWindow(best[1], best[2]) for best in found if best is not None]


def _next_start(ends: Sequence[int], marks: Sequence[int], start: int, end: int, most: int) -> int:
    """Where the window after that of `start` to `end` begins: about its middle, and with room for turn `end`.

    Of several turns it is the one with the least mark, so that after a change windows soon are as before.
    """
    earliest = bisect_left(ends, ends[end + 1] - most)
    size = ends[end] - ends[start]
    first = bisect_left(ends, ends[start] + size / 4, start + 1, end)
    last = bisect_right(ends, ends[start] + size * 3 / 4, start + 1, end)
    near = range(max(first, earliest), last)
    return min(near, key=marks.__getitem__) if near else max(first, earliest)


def _content(turn: Turn) -> bytes:
    return f"{turn.speaker or ''}\n{turn.text}".encode("utf-8", "surrogatepass")
