"""Locations of agents' transcripts on this machine."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from vcontract.runtime.imports.transcripts.agents.agent_registry import PROGRAMS
from vcontract.runtime.imports.transcripts.agents.declaration import ConvertedProgram, Program


@dataclass(frozen=True, slots=True)
class SessionLocation:
    """A folder or file in which a program keeps sessions."""

    program: Program
    path: Path


def known_session_locations(environment: Mapping[str, str]) -> list[SessionLocation]:
    """Existing locations of all known programs."""
    candidates = (
        SessionLocation(program, path) for program in PROGRAMS for path in program.places(environment)
    )
    return [place for place in candidates if _may_be(_is_place, place.path)]


def transcript_files(places: Iterable[SessionLocation]) -> list[Path]:
    """Every possible session file at the locations, sorted. Linked folders are not entered.

    An unreadable folder is included, so that reading it raises the error.
    """
    return sorted({path for place in places for path in _below(place)})


def _below(place: SessionLocation) -> Iterator[Path]:
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
    """Whether the file may be the program's, judged by its beginning; True if unreadable."""
    try:
        return not isinstance(program, ConvertedProgram) or program.holds(path)
    except OSError:
        return True


def _is_place(mode: int) -> bool:
    return stat.S_ISDIR(mode) or stat.S_ISREG(mode)


def _may_be(is_kind: Callable[[int], bool], path: Path) -> bool:
    """Whether the path, with links followed, is of that kind or inaccessible."""
    try:
        return is_kind(path.stat().st_mode)
    except PermissionError:
        return True
    except OSError:
        return False
