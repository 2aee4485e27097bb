"""Where programs keep their transcripts on this machine, and a project's own brought in from there."""

import asyncio
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vcontract.runtime.imports.summary import TranscriptSummary
from vcontract.runtime.imports.transcripts.agents.agent_registry import PROGRAMS
from vcontract.runtime.imports.transcripts.agents.declaration import Agent, Program
from vcontract.runtime.imports.transcripts.files import FileState
from vcontract.runtime.imports.transcripts.importer import Options, TranscriptImporter
from vcontract.runtime.imports.transcripts.source import sessions_in, survey_source

if TYPE_CHECKING:
    from vcontract.runtime.imports.transcripts.storing import TranscriptStore


@dataclass(frozen=True, slots=True)
class Place:
    """A folder, or a file, in which a program keeps sessions on this machine."""

    program: Program
    path: Path


def known_places(environment: Mapping[str, str]) -> list[Place]:
    """The places of all known programs that are there."""
    candidates = (Place(program, path) for program in PROGRAMS for path in program.places(environment))
    return [place for place in candidates if _may_be(_is_place, place.path)]


def transcript_files(places: Iterable[Place]) -> list[Path]:
    """Every file that may hold sessions at the places, sorted; linked folders are not entered.

    A folder that cannot be read is returned itself, so that reading it raises the error.
    """
    return sorted({path for place in places for path in _below(place)})


def _below(place: Place) -> Iterator[Path]:
    unreadable: list[Path] = []
    if _may_be(stat.S_ISREG, place.path):
        if _is_of(place.program, place.path):
            yield place.path
        return
    for root, _, names in os.walk(place.path, onerror=lambda error: unreadable.append(Path(error.filename))):
        for name in names:
            path = Path(root, name)
            if place.program.may_hold(name) and _may_be(stat.S_ISREG, path) and _is_of(place.program, path):
                yield path
    yield from unreadable


def _is_of(program: Program, path: Path) -> bool:
    """Whether the file may be the program's, judged by its beginning; True if it cannot be read."""
    try:
        return not isinstance(program, Agent) or program.holds(path)
    except OSError:
        return True


def _is_place(mode: int) -> bool:
    return stat.S_ISDIR(mode) or stat.S_ISREG(mode)


def _may_be(is_kind: Callable[[int], bool], path: Path) -> bool:
    """Whether the path is of that kind, links followed, or cannot be looked at."""
    try:
        return is_kind(path.stat().st_mode)
    except PermissionError:
        return True
    except OSError:
        return False


MAX_SYNC_SECONDS: Final = 30.0


class ProjectTranscripts:
    """Imports what programs have written about a project lately."""

    def __init__(
        self, options_of: Callable[[str], Options], store_of: "Callable[[str], TranscriptStore]"
    ) -> None:
        """How the transcripts of a tenant are imported, and where they are stored."""
        self._options_of = options_of
        self._store_of = store_of

    async def bring_in(self, tenant: str, root: Path, since: datetime) -> TranscriptSummary | None:
        """Import the transcripts of sessions below `root` that were written from `since` on.

        None when that takes longer than 30 s; what is stored by then stays, `vcontract sync` goes on.
        """
        options = self._options_of(tenant)
        try:
            async with asyncio.timeout(MAX_SYNC_SECONDS):
                files = await asyncio.to_thread(files_of, root, since)
                return await TranscriptImporter(self._store_of(tenant), options).run(files)
        except TimeoutError:
            return None


def files_of(root: Path, since: datetime) -> list[FileState]:
    """The sessions that began below a folder, of those that were written from a moment on."""
    places = known_places({**os.environ, "PWD": str(root)})
    return [state for path in transcript_files(places) for state in _of_project(path, root, since)]


def _of_project(path: Path, root: Path, since: datetime) -> Iterator[FileState]:
    try:
        for state in sessions_in(path):
            if state.mtime_ns >= since.timestamp() * 1e9 and _began_below(state, root):
                yield state
    except OSError:
        return


def _began_below(state: FileState, root: Path) -> bool:
    try:
        source = survey_source(state)
    except OSError:
        return False
    if source is None or not source.survey.cwd:
        return False
    began = Path(os.path.realpath(source.survey.cwd))
    return began == root or root in began.parents
