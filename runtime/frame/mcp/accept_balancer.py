"""Clients shared out among processes: one that serves more than another leaves it the next."""

import mmap
import socket
import time
from collections.abc import Callable
from typing import Any, Final

BACKLOG: Final = 2_048
"""Connections that may wait to be taken."""
_PATIENCE_SECONDS: Final = 0.002
"""So long a connection is left to a process that has fewer: it may stand still, or have more to do."""
_NUMBER_BYTES: Final = 8


class Shares:
    """How many connections each of several processes has, in a memory that they share."""

    def __init__(self, file: int, part: int) -> None:
        """Tell in `part` of the file with a descriptor, which has all parts."""
        self._numbers = memoryview(mmap.mmap(file, 0)).cast("Q")
        self._part = part
        self.tell(0)

    @staticmethod
    def size(processes: int) -> int:
        """Bytes for this many processes."""
        return processes * _NUMBER_BYTES

    def tell(self, number: int) -> None:
        """Note how many this process has."""
        self._numbers[self._part] = number

    @property
    def is_ahead(self) -> bool:
        """Whether another process has fewer."""
        return self._numbers[self._part] > min(self._numbers)

    @property
    def of_others(self) -> int:
        """How many all the others have together."""
        return sum(self._numbers) - self._numbers[self._part]


class Listening(socket.socket):
    """A socket that many wait at, and from which a process takes its share, one in a turn of its loop.

    asyncio would take all that wait in one turn, and so a few processes, or one, would have all clients.
    """

    def __init__(self, listening: socket.socket, shares: Shares, held: Callable[[], int]) -> None:
        """Takes the place of `listening`; `held` says how many connections this process has."""
        super().__init__(fileno=listening.detach())
        self._shares = shares
        self._held = held
        self._left: tuple[int, float] | None = None
        """How many the others had when a connection was left to them, and when that was."""

    def listen(self, _taken_at_once: int = 1, /) -> None:
        """Have as many wait as may, whatever number asyncio takes at once."""
        super().listen(BACKLOG)

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection. Raises: BlockingIOError, when none is there for this process now."""
        held = self._held()
        self._shares.tell(held)
        if self._shares.is_ahead and self._leaves_it():
            raise BlockingIOError
        self._left = None
        taken = super().accept()
        self._shares.tell(held + 1)
        return taken

    def _leaves_it(self) -> bool:
        now, others = time.monotonic(), self._shares.of_others
        if self._left is None or self._left[0] != others:  # they took what was left before
            self._left = others, now
        return now - self._left[1] < _PATIENCE_SECONDS
