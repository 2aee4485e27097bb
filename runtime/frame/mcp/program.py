"""Run a function with arguments in a separate process."""

import base64
import os
import pickle
import sys
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Program:
    """Command line and input that start a process."""

    command: tuple[str, ...]
    order: bytes
    """The first line of its stdin, which stays open while the parent process runs."""

    @classmethod
    def calling(cls, module: str, function: str, *order: object) -> Self:
        """Return a program that calls a function. The function reads its `order` with `read_order`."""
        command = (sys.executable, "-P", "-c", f"from {module} import {function}; {function}()")
        return cls(command, base64.b64encode(pickle.dumps(order)) + b"\n")


def read_order() -> tuple[Any, ...]:
    """Read the arguments from the parent through a pipe, so that no process list shows them."""
    order = bytearray()
    while (byte := os.read(0, 1)) not in (b"\n", b""):  # leave the lines after it in the pipe
        order += byte
    order_and_arguments: tuple[Any, ...] = pickle.loads(base64.b64decode(order))  # noqa: S301  (of who started this process)
    return order_and_arguments
