"""Session owner: which process and connection holds a session, and whether it is still running."""

import os
import socket
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Holder:
    """The holder of a session. `pid` is None if one process serves many connections."""

    connection: str | None
    host: str
    pid: int | None
    pid_started: float | None

    def is_gone(self) -> bool | None:
        """Whether its process has ended; None if this is unknown."""
        if self.pid is None or self.host != socket.gethostname():
            return None
        started = _started(self.pid)
        if started is None:
            return not _is_alive(self.pid)
        # a reused number belongs to another process
        return self.pid_started is not None and started != self.pid_started


def this_process(connection: str | None, *, alone: bool) -> Holder:
    """Return this process as a holder. `alone`: the connection lives as long as the process."""
    pid = os.getpid() if alone else None
    return Holder(connection, socket.gethostname(), pid, _started(pid) if pid is not None else None)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # the process exists, but belongs to another user
    return True


def _started(pid: int) -> float | None:
    """Start time of a process, in clock ticks since boot; None if the system does not report it.

    Source: proc(5), /proc/pid/stat, field 22.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    # a zombie has ended, too
    return None if fields[0] == b"Z" else float(fields[19])
