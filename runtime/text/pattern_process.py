"""The process that matches a user's patterns, with limited memory and processor time.

It is run as a file, so it imports nothing of this package.
"""

import json
import resource
import sys
from contextlib import suppress
from time import perf_counter
from typing import Any, Final

import regex

MEMORY_BYTES: Final = 512 * 1024 * 1024
_PROCESSOR_SECONDS: Final = 60
"""Backstop should nobody end this process."""


def main() -> None:
    """Answer requests until the input ends: a line of JSON each, and `bytes` of text after it."""
    for limit, most in ((resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_CPU, _PROCESSOR_SECONDS)):
        with suppress(ValueError, OSError):  # not every system has each limit
            resource.setrlimit(limit, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while line := sys.stdin.buffer.readline():
        request = json.loads(line)
        begun = perf_counter()
        try:
            text = sys.stdin.buffer.read(request["bytes"]).decode(errors="surrogatepass")
            answer: dict[str, object] = dict(_answer(request["pattern"], text))
        except regex.error as error:
            answer = {"error": str(error)}
        except (MemoryError, RecursionError):
            answer = {"error": "memory"}
        answer["seconds"] = perf_counter() - begun
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


def _answer(pattern: str, text: str) -> dict[str, Any]:
    found = regex.compile(pattern, regex.IGNORECASE).finditer(text)
    return {"spans": [match.span() for match in found]}


if __name__ == "__main__":
    main()
