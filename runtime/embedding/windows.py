"""Windows of a conversation: turns that a model reads in one pass, overlapping by about half."""

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
    """Consecutive turns of a conversation."""

    turns: tuple[Turn, ...]

    @cached_property
    def content(self) -> bytes:
        """Speakers and texts of the turns, for digests."""
        return b"\0".join(_content(turn) for turn in self.turns)


@dataclass(frozen=True, slots=True)
class TurnInWindow:
    """A turn with the window in which its vector is made."""

    window: Window
    place: int
    """Its index in the window."""

    @property
    def turn(self) -> Turn:
        return self.window.turns[self.place]

    @property
    def digest(self) -> int:
        """Digest of the window and of the place in it as a signed 64-bit integer."""
        content = b"%d\0%s" % (self.place, self.window.content)
        return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), signed=True)


def windows_of(turns: Sequence[Turn], counts: Sequence[int], most: int) -> list[TurnInWindow]:
    """Return each turn of a conversation in the window where it is nearest to the middle.

    `counts` are the tokens of each turn, none above `most`, the tokens of a window.
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
    """Return where the window after `start` to `end` begins: about its middle, with room for turn `end`.

    Among several turns it is the one with the smallest mark: so a change of the text moves few windows.
    """
    earliest = bisect_left(ends, ends[end + 1] - most)
    size = ends[end] - ends[start]
    first = bisect_left(ends, ends[start] + size / 4, start + 1, end)
    last = bisect_right(ends, ends[start] + size * 3 / 4, start + 1, end)
    near = range(max(first, earliest), last)
    return min(near, key=marks.__getitem__) if near else max(first, earliest)


def _content(turn: Turn) -> bytes:
    return f"{turn.speaker or ''}\n{turn.text}".encode("utf-8", "surrogatepass")
