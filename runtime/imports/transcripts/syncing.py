"""A project's own transcripts, brought in from where programs keep them on this machine."""

import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vcontract.runtime.imports.transcripts.folders import known_folders, transcript_files
from vcontract.runtime.imports.transcripts.importer import Options, TranscriptImporter
from vcontract.runtime.imports.transcripts.report import TranscriptSummary
from vcontract.runtime.imports.transcripts.source import look_at, survey_source

if TYPE_CHECKING:
    from vcontract.runtime.imports.transcripts.storing import TranscriptStore
    from vcontract.runtime.settings import Settings

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
