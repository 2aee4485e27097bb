"""The ways in which a server, its database and what runs both can die."""

import os
import random
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from vcontract.runtime.store.postgres.embedded import EmbeddedCluster

Death = Callable[[int, Path], None]
"""Kills something of the server with this process id and of the store in this folder."""


def postmaster(folder: Path) -> int:
    return int((EmbeddedCluster(folder).data / "postmaster.pid").read_text().splitlines()[0])


def parents() -> dict[int, int]:
    """Every process and its parent."""
    listing = subprocess.run(  # noqa: S603 - nothing of it comes from outside
        [shutil.which("ps") or "ps", "-e", "-o", "pid=,ppid="],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return {int(pid): int(parent) for pid, parent in (line.split() for line in listing.splitlines())}


def launcher(folder: Path) -> int:
    """The process that keeps the postmaster."""
    return parents()[postmaster(folder)]


def stop_database(folder: Path) -> None:
    """Stop the database of a folder that nobody uses any more, without waiting for others to come."""
    with suppress(FileNotFoundError, KeyError, ProcessLookupError):  # it stops by itself
        os.kill(launcher(folder), signal.SIGTERM)
    EmbeddedCluster(folder).stop()


def _family(root: int) -> list[int]:
    """A process of ours and everything below it."""
    found, by_pid = [root], parents()
    for pid in found:
        found += [child for child, parent in by_pid.items() if parent == pid]
    return found


def _kill(*pids: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _of_server(server: int, _folder: Path) -> None:
    _kill(server)


def _of_a_backend(_server: int, folder: Path) -> None:
    """PostgreSQL ends all its connections then, and recovers."""
    _kill(random.choice(_family(postmaster(folder))[1:]))  # noqa: S311 - any of them


def _of_the_postmaster(_server: int, folder: Path) -> None:
    _kill(postmaster(folder))


def _of_the_launcher(_server: int, folder: Path) -> None:
    _kill(launcher(folder))


def _of_everything(server: int, folder: Path) -> None:
    _kill(server, *_family(launcher(folder)))


DEATHS: Final[Mapping[str, Death]] = {
    "server": _of_server,
    "backend": _of_a_backend,
    "postmaster": _of_the_postmaster,
    "launcher": _of_the_launcher,
    "everything": _of_everything,
}
