"""Exclude transcripts by glob patterns or a marker in the conversation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Final, Self

from vcontract.runtime.imports.transcripts.model import Event, Exchange, Message

MARKERS: Final = (
    "<vcontract:do-not-index/>",
    "<INSTRUCTIONS-TO-EPISODIC-MEMORY>DO NOT INDEX THIS CHAT</INSTRUCTIONS-TO-EPISODIC-MEMORY>",
)
_FILE: Final = "exclude.txt"
_OF_TOOLS: Final = "tool-result-without-call"


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Globs that are matched against project, working directory and source path."""

    globs: tuple[str, ...] = ()
    """Globs for every import."""
    of_this_run: tuple[str, ...] = ()
    """Globs for one run."""

    @classmethod
    def load(cls, data_dir: Path, globs: Sequence[str], of_this_run: Sequence[str] = ()) -> Self:
        """Combine the given globs with `exclude.txt` in the data folder, one a line, `#` comments."""
        path = data_dir / _FILE
        written: list[str] = []
        if path.is_file():
            # the file may have a byte order mark, and paths may have any bytes
            written = path.read_text(encoding="utf-8-sig", errors="surrogateescape").splitlines()
        lines = (line.strip() for line in written)
        listed = (line for line in lines if line and not line.startswith("#"))
        return cls((*globs, *listed), tuple(of_this_run))

    @property
    def standing(self) -> "Exclusion":
        """The globs for every import."""
        return Exclusion(self.globs)

    def matches(self, project: str, cwd: str | None, source: str) -> str | None:
        """Return the glob that excludes a transcript; None if none does."""
        values = [value for value in (project, cwd, source) if value]
        globs = (*self.globs, *self.of_this_run)
        return next((glob for glob in globs if any(_fits(value, glob) for value in values)), None)


def marker_in(exchanges: Iterable[Exchange]) -> bool:
    """Whether a user or the program marked the conversation as not to be indexed."""
    for exchange in exchanges:
        for entry in exchange.entries:
            said = isinstance(entry, Message) and entry.speaker == "user"
            is_note = isinstance(entry, Event) and entry.type != _OF_TOOLS
            if (said or is_note) and any(marker in entry.text for marker in MARKERS):  # type: ignore[union-attr]
                return True
        if marker_in(exchange.sidechains):
            return True
    return False


def _fits(value: str, glob: str) -> bool:
    folder = glob.rstrip("/")
    return fnmatch(value, glob) or fnmatch(value, folder) or fnmatch(value, f"{folder}/*")
