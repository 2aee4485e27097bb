"""What a client knows of the things that it wrote: what was acknowledged, and what may have happened."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Final

ABSENT: Final = "absent"
"""The state of a thing that is not there."""


class RejectedWrite(Exception):
    """A write was answered with an error; `is_settled` says that nothing of it was done."""

    def __init__(self, message: str, *, is_settled: bool) -> None:
        super().__init__(message)
        self.is_settled = is_settled


class Ledger:
    """The state that each thing must be in, by its key."""

    def __init__(self) -> None:
        self.acknowledged: dict[str, str] = {}
        self.pending: dict[str, set[str]] = {}
        """By key, what writes make of it of which nothing more was heard."""
        self.writes = 0
        self.refusals: list[str] = []

    @contextmanager
    def change(self, key: str, state: str) -> Generator[None]:
        """A write that leaves the thing in `state`, acknowledged when the block ends without an error."""
        self.pending.setdefault(key, set()).add(state)
        try:
            yield
        except RejectedWrite as refused:
            self.refusals.append(str(refused))
            if refused.is_settled:
                self._settle(key, state)
            raise
        self.acknowledge(key, state)

    def acknowledge(self, key: str, state: str) -> None:
        """A write that was answered: the thing is in `state`."""
        self.acknowledge_all({key: state})

    def acknowledge_all(self, states: Mapping[str, str]) -> None:
        """The same of one write of several things."""
        for key in states:
            self.pending.pop(key, None)
        self.acknowledged.update(states)
        self.writes += 1

    def __contains__(self, key: str) -> bool:
        return key in self.acknowledged or key in self.pending

    def lost(self, found: Mapping[str, str]) -> list[str]:
        """One line for each thing in a state in which it may not be; `found` has those that are there."""
        wrong: list[str] = []
        for key in self.acknowledged.keys() | self.pending.keys() | found.keys():
            possible = {self.acknowledged.get(key, ABSENT), *self.pending.get(key, ())}
            state = found.get(key, ABSENT)
            if state not in possible:
                wrong.append(f"{key}: {state}, not {' or '.join(sorted(possible))}")
        return wrong

    def _settle(self, key: str, state: str) -> None:
        self.pending[key].discard(state)
        if not self.pending[key]:
            del self.pending[key]
