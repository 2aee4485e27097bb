"""Presence: which process and connection holds a session, and whether it still lives."""

import os
import socket
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a session. `pid` is None where one process serves many connections."""

    connection: str | None
    host: str
    pid: int | None
    pid_started: float | None

    def is_gone(self) -> bool | None:
        """Whether its process has ended; None when that cannot be known from here."""
        if self.pid is None or self.host != socket.gethostname():
            return None
        started = _started(self.pid)
        if started is None:
            return not _is_alive(self.pid)
        # a number that was given out again is another process
        return self.pid_started is not None and started != self.pid_started


def this_process(connection: str | None, *, alone: bool) -> Holder:
    """The holder that this process is; `alone` says that the connection lives as long as it does."""
    pid = os.getpid() if alone else None
    return Holder(connection, socket.gethostname(), pid, _started(pid) if pid is not None else None)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's
    return True


def _started(pid: int) -> float | None:
    """When a process began, in clock ticks since the machine did; None where the system does not say.

    Source: proc(5), /proc/pid/stat, field 22.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    # a process that has ended and was not asked after yet is gone, too
    return None if fields[0] == b"Z" else float(fields[19])
