"""Exclusion: transcripts that a person wants kept out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Final, Self

from vcontract.runtime.transcripts.model import Event, Exchange, Message

MARKERS: Final = (
    "<vcontract:do-not-index/>",
    "<INSTRUCTIONS-TO-EPISODIC-MEMORY>DO NOT INDEX THIS CHAT</INSTRUCTIONS-TO-EPISODIC-MEMORY>",
)
_FILE: Final = "exclude.txt"
_OF_TOOLS: Final = "tool-result-without-call"


@dataclass(frozen=True, slots=True)
class Exclusion:
    """The globs against which project, working directory and source path are held."""

    globs: tuple[str, ...] = ()

    @classmethod
    def load(cls, data_dir: Path, globs: Sequence[str]) -> Self:
        """The globs given, and those of `exclude.txt` in the data folder, one a line, `#` comments."""
        path = data_dir / _FILE
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        written = (line.strip() for line in lines)
        return cls((*globs, *(line for line in written if line and not line.startswith("#"))))

    def matches(self, project: str, cwd: str | None, source: str) -> str | None:
        """The glob that keeps a transcript out; None when none does."""
        values = [value for value in (project, cwd, source) if value]
        return next((glob for glob in self.globs if any(_fits(value, glob) for value in values)), None)


def marker_in(exchanges: Iterable[Exchange]) -> bool:
    """Whether a person or the program says that the conversation is not to be indexed."""
    for exchange in exchanges:
        for entry in exchange.entries:
            said = isinstance(entry, Message) and entry.speaker == "user"
            told = isinstance(entry, Event) and entry.type != _OF_TOOLS
            if (said or told) and any(marker in entry.text for marker in MARKERS):  # type: ignore[union-attr]
                return True
        if marker_in(exchange.sidechains):
            return True
    return False


def _fits(value: str, glob: str) -> bool:
    folder = glob.rstrip("/")
    return fnmatch(value, glob) or fnmatch(value, folder) or fnmatch(value, f"{folder}/*")
