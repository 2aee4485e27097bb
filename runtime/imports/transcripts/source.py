"""A source: a transcript file, what its first pass told, and how its session is called."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcontract.runtime.imports.transcripts.detection import harness_of
from vcontract.runtime.imports.transcripts.identity import is_uuid, uuid_in
from vcontract.runtime.imports.transcripts.model import Harness
from vcontract.runtime.imports.transcripts.projects import project_of
from vcontract.runtime.imports.transcripts.redaction import Redactor
from vcontract.runtime.imports.transcripts.survey import Survey, survey_file

_OF_ITS_OWN: Final = "~"


def name_of(path: str | Path) -> str:
    """A path as text: a byte that is not UTF-8, which no database holds, is U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class FileState:
    """A file as it lies there; when neither changes, it need not be read again."""

    path: Path
    size: int
    mtime_ns: int

    @property
    def name(self) -> str:
        """The path as it is stored and told."""
        return name_of(self.path)


@dataclass(frozen=True, slots=True)
class Source:
    """A transcript file after its first pass."""

    state: FileState
    harness: Harness
    survey: Survey
    session: str

    @property
    def path(self) -> Path:
        return self.state.path

    @property
    def project(self) -> str:
        return project_of(self.survey.cwd)

    @property
    def session_of_its_own(self) -> str:
        """The session of a second file that claims the identity of another."""
        return f"{self.session}{_OF_ITS_OWN}{hashlib.sha256(self.survey.first_line).hexdigest()[:8]}"

    def is_of(self, session: str) -> bool:
        """Whether that is what the session is called, as the only file that claims it or as a second one."""
        return session.partition(_OF_ITS_OWN)[0] == self.session


def look_at(path: Path) -> FileState:
    """The state of a file.

    Raises: OSError.
    """
    path = path.absolute()
    stat = path.stat()
    return FileState(path, stat.st_size, stat.st_mtime_ns)


def survey_source(state: FileState) -> Source | None:
    """The source that a file is; None when it is no transcript that is known.

    Raises: OSError.
    """
    path = state.path
    harness = harness_of(path)
    if harness is None:
        return None
    survey = survey_file(path, harness, Redactor().line)
    return Source(state, harness, survey, _session(path, harness, survey))


def _session(path: Path, harness: Harness, survey: Survey) -> str:
    if harness == "codex":
        return survey.session or uuid_in(path.stem) or path.stem
    if survey.agent is None and is_uuid(path.stem):
        return path.stem
    beside = path.parent.parent.name if path.parent.name == "subagents" else path.stem
    return survey.session or beside
