"""Match a user's patterns in a process of its own, with limits of time and memory."""

import json
import select
import subprocess
import sys
import weakref
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import regex

from vcontract.runtime.text import pattern_process

_SECONDS: Final = 5.0
"""Time limit of all patterns for all texts of a vCon, by the clock."""
_MOST_KNOWN: Final = 64
_START_SECONDS: Final = 30.0
_MOST_MEMORY: Final = f"{pattern_process.MEMORY_BYTES // 1024**2} MiB"


class BadPattern(ValueError):
    """An invalid or too slow pattern; the message says why."""


class Patterns:
    """Finds patterns in texts. `close` ends its process. Raises: BadPattern."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = tuple(patterns)
        self._left = _SECONDS
        self._known: dict[tuple[str, str], list[tuple[int, int]]] = {}
        if not self._patterns:
            return
        packages = Path(regex.__file__).parents[1]
        process = subprocess.Popen(  # noqa: S603 - our own program, no shell
            [sys.executable, "-I", "-S", "-c", _START, str(packages), _FILE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._process = process
        self._ended = weakref.finalize(self, _end, process)
        self._ask("a", "", _START_SECONDS)
        for pattern in self._patterns:
            if self._spans(pattern, ""):
                raise BadPattern(f"{pattern[:60]!r} matches the empty text, so it would match everywhere")

    def close(self) -> None:
        """End the process, if there is one."""
        if self._patterns:
            self._ended()

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield what the patterns match, as start and end."""
        for pattern in self._patterns:
            yield from (span for span in self._spans(pattern, text) if span[0] < span[1])

    def _spans(self, pattern: str, text: str) -> list[tuple[int, int]]:
        # words recur in transcripts
        if (known := self._known.get((pattern, text))) is not None:
            return known
        found = self._ask(pattern, text, max(self._left, 0.0))
        if len(text) <= _MOST_KNOWN:
            self._known[pattern, text] = found
        return found

    def _ask(self, pattern: str, text: str, seconds: float) -> list[tuple[int, int]]:
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answers is not None
        data = text.encode(errors="surrogatepass")
        try:
            asked.write(json.dumps({"pattern": pattern, "bytes": len(data)}).encode() + b"\n" + data)
            asked.flush()
        except BrokenPipeError:
            raise BadPattern(f"{pattern[:60]!r} {_NEEDS_MEMORY}") from None
        ready = select.poll()
        ready.register(answers, select.POLLIN | select.POLLHUP)
        if not ready.poll(seconds * 1000):
            raise BadPattern(f"{pattern[:60]!r} takes too long on the texts of this vCon")
        line = answers.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": "memory"}
        self._left -= answer.get("seconds", 0.0)  # without the way there and back
        if (error := answer.get("error")) is None:
            return [(start, end) for start, end in answer["spans"]]
        if error == "memory":
            raise BadPattern(f"{pattern[:60]!r} {_NEEDS_MEMORY}")
        raise BadPattern(f"{pattern[:60]!r} is no pattern: {error}")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()
    process.wait()


_START: Final = (
    "import runpy, sys; sys.path.append(sys.argv[1]); runpy.run_path(sys.argv[2], None, '__main__')"
)
_FILE: Final = str(Path(pattern_process.__file__))
_NEEDS_MEMORY: Final = f"needs more than {_MOST_MEMORY} of memory on the texts of this vCon"
