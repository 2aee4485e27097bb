"""Up to where the log of the primary holds the writes of tenants, in a memory that processes share."""

import mmap
import zlib
from typing import Final

_SLOTS: Final = 4_096
"""Tenants that share one wait for each other's writes, which costs a read of the primary and nothing else."""
_NUMBER_BYTES: Final = 8
UNKNOWN: Final = 2**64 - 1
"""After every other: what was written somewhere, nobody knows up to where."""


class Positions:
    """The newest write of each tenant: a process writes its own part of the memory, and reads all."""

    def __init__(self, file: int = -1, part: int = 0) -> None:
        """Tell in `part` of the file with a descriptor, which has all parts; without one for itself."""
        memory = memoryview(mmap.mmap(file, 0 if file >= 0 else self.size(1))).cast("Q")
        self._parts = [memory[start : start + _SLOTS] for start in range(0, len(memory), _SLOTS)]
        self._own = self._parts[part]

    @staticmethod
    def size(processes: int) -> int:
        """Bytes for this many processes."""
        return processes * _SLOTS * _NUMBER_BYTES

    def wrote(self, tenant: str, position: int) -> None:
        """Note a write of the tenant that the log holds up to the position."""
        slot = _slot_of(tenant)
        held = self._own[slot]
        self._own[slot] = position if held == UNKNOWN else max(held, position)

    def of(self, tenant: str) -> int:
        """Up to where the log has to be read for all that the tenant wrote; 0 where it wrote nothing."""
        slot = _slot_of(tenant)
        return max(part[slot] for part in self._parts)


def _slot_of(tenant: str) -> int:
    return zlib.crc32(tenant.encode()) % _SLOTS
