"""Where programs keep their transcripts on this machine, and a project's own brought in from there."""

import asyncio
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vcontract.runtime.imports.summary import TranscriptSummary
from vcontract.runtime.imports.transcripts.importer import Options, TranscriptImporter
from vcontract.runtime.imports.transcripts.source import look_at, survey_source

if TYPE_CHECKING:
    from vcontract.runtime.imports.transcripts.storing import TranscriptStore
    from vcontract.runtime.settings import Settings


ENDING: Final = ".jsonl"


def known_folders(environment: Mapping[str, str]) -> list[Path]:
    """The folders of Claude Code and Codex that are there."""
    claude = Path(environment.get("CLAUDE_CONFIG_DIR") or "~/.claude").expanduser()
    codex = Path(environment.get("CODEX_HOME") or "~/.codex").expanduser()
    candidates = (claude / "projects", codex / "sessions", codex / "archived_sessions")
    return [folder for folder in candidates if _may_be(stat.S_ISDIR, folder)]


def transcript_files(folders: Iterable[Path]) -> list[Path]:
    """Every file that may be a transcript below the folders, sorted; linked folders are not entered.

    A folder that cannot be read stands for what it may hold, so that whoever reads the files meets the fault.
    """
    return sorted({path for folder in folders for path in _below(folder)})


def _below(folder: Path) -> Iterator[Path]:
    unreadable: list[Path] = []
    for root, _, names in os.walk(folder, onerror=lambda error: unreadable.append(Path(error.filename))):
        for name in names:
            path = Path(root, name)
            if name.endswith(ENDING) and _may_be(stat.S_ISREG, path):
                yield path
    yield from unreadable


def _may_be(is_kind: Callable[[int], bool], path: Path) -> bool:
    """Whether the path is of that kind, links followed, or cannot be looked at."""
    try:
        return is_kind(path.stat().st_mode)
    except PermissionError:
        return True
    except OSError:
        return False


MOST_SECONDS: Final = 30.0


class ProjectTranscripts:
    """Imports what programs have written about a project lately."""

    def __init__(self, settings: "Settings", store_of: "Callable[[str], TranscriptStore]") -> None:
        self._settings = settings
        self._store_of = store_of
        """The transcripts of a tenant."""

    async def bring_in(self, tenant: str, root: Path, since: datetime) -> TranscriptSummary | None:
        """Import the transcripts of sessions below `root` that were written from `since` on.

        None when that takes longer than 30 s; what is stored by then stays, `vcontract sync` goes on.
        """
        options = Options.of(self._settings, tenant)
        try:
            async with asyncio.timeout(MOST_SECONDS):
                files = await asyncio.to_thread(files_of, root, since)
                return await TranscriptImporter(self._store_of(tenant), options).run(files)
        except TimeoutError:
            return None


def files_of(root: Path, since: datetime) -> list[Path]:
    """The transcripts of sessions that began below a folder, of those written from a moment on."""
    return [path for path in transcript_files(known_folders(os.environ)) if _is_of(path, root, since)]


def _is_of(path: Path, root: Path, since: datetime) -> bool:
    try:
        if datetime.fromtimestamp(path.stat().st_mtime, UTC) < since:
            return False
        source = survey_source(look_at(path))
    except OSError:
        return False
    if source is None or not source.survey.cwd:
        return False
    began = Path(os.path.realpath(source.survey.cwd))
    return began == root or root in began.parents
