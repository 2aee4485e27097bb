"""Programs: a function that runs in a separate process, with its arguments."""

import base64
import os
import pickle
import sys
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Program:
    """How a process is started."""

    command: tuple[str, ...]
    order: bytes
    """The first line that it reads; its stdin is open as long as who started it lives."""

    @classmethod
    def calling(cls, module: str, function: str, *order: object) -> Self:
        """A process that calls a function, which finds its `order` with `read_order`."""
        command = (sys.executable, "-P", "-c", f"from {module} import {function}; {function}()")
        return cls(command, base64.b64encode(pickle.dumps(order)) + b"\n")


def read_order() -> tuple[Any, ...]:
    """What the process that started this one told it, off a pipe, so that no list of processes shows it."""
    order = bytearray()
    while (byte := os.read(0, 1)) not in (b"\n", b""):  # the lines behind it are not ours to take
        order += byte
    told: tuple[Any, ...] = pickle.loads(base64.b64decode(order))  # noqa: S301  (of who started this process)
    return told
