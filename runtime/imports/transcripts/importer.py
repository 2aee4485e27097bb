"""Import transcripts: compare each file with what is stored, then create, update, skip or remove."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final, Self

import asyncpg

from vcontract.runtime.imports.summary import Action, FileReport, TranscriptSummary, Watcher
from vcontract.runtime.imports.transcripts.agents.agent_registry import converted_program_named
from vcontract.runtime.imports.transcripts.archive import ArchiveWriter, archive_path, begins_with, sweep
from vcontract.runtime.imports.transcripts.exclusion import Exclusion, marker_in
from vcontract.runtime.imports.transcripts.files import FileState, file_state, name_of
from vcontract.runtime.imports.transcripts.identity import transcript_uuid
from vcontract.runtime.imports.transcripts.model import Session
from vcontract.runtime.imports.transcripts.reading import Change, Loaded, Prefix, load
from vcontract.runtime.imports.transcripts.redaction import Redactor
from vcontract.runtime.imports.transcripts.source import Source, prescan_source, sessions_in
from vcontract.runtime.imports.transcripts.storing import ArchiveCopy, ConcurrentImport, TranscriptStore
from vcontract.runtime.store.postgres.error_mapping import classify, is_invalid_statement
from vcontract.runtime.store.transcripts.rows import TranscriptRow
from vcontract.runtime.store.vcons.holds import UnderLegalHold
from vcontract.runtime.store.vcons.preparation import VconRefused
from vcontract.runtime.store.vcons.settling import Settling

_ATTEMPTS: Final = 4
_MARKER: Final = "it holds the marker"


@dataclass(frozen=True, slots=True)
class Options:
    """Options of an import, and the folder of copies."""

    tenant: str
    data_dir: Path
    redact: bool = True
    exclusion: Exclusion = field(default_factory=Exclusion)
    force: bool = False
    since: datetime | None = None
    project: str | None = None
    jobs: int = 2

    @classmethod
    def of(cls, tenant: str, data_dir: Path, globs: Sequence[str], exclude: Sequence[str] = ()) -> Self:
        """Read the memory settings; `exclude` are globs for this run."""
        return cls(tenant, data_dir, exclusion=Exclusion.load(data_dir, globs, exclude))


class TranscriptImporter:
    """Imports transcript files into one tenant's store; without a store, a dry run.

    Each file has its own transaction: after being killed, the next run continues.
    """

    def __init__(self, store: TranscriptStore | None, options: Options) -> None:
        self._store = store
        self._options = options
        self._by_source: dict[str, TranscriptRow] = {}

    async def run(
        self, files: Sequence[Path | FileState], watcher: Watcher | None = None
    ) -> TranscriptSummary:
        """Import the sessions of the files, several at a time, and count the results.

        Raises: what the database raises if it is unreachable. A bad file raises nothing.
        """
        summary = TranscriptSummary()
        if self._store is not None:
            self._by_source = {row.source_path: row for row in await self._store.all()}
            await asyncio.to_thread(sweep, self._options.data_dir, self._options.tenant)
        waiting = iter(files)
        bytes_done = 0
        settling = Settling(None if self._store is None else self._store.database, self._options.tenant)

        async def note(report: FileReport) -> None:
            summary.add(report)
            await settling.note(summary.stored)
            if watcher is not None:
                for fate, problem in report.problem_lines():
                    watcher.met(fate, (problem,))
                watcher.advanced(summary, bytes_done)

        async def work() -> None:
            nonlocal bytes_done
            for given in waiting:
                found = await asyncio.to_thread(self._sessions, given)
                for state in [found] if isinstance(found, FileReport) else found:
                    report = state if isinstance(state, FileReport) else await self._report(state)
                    await note(report)
                bytes_done += _size_of(given)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(max(1, self._options.jobs)):
                    group.create_task(work())
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        for report in await self._remove_excluded():
            await note(report)
        await settling.end()
        return summary

    async def _remove_excluded(self) -> list[FileReport]:
        """Remove transcripts that are now excluded and whose source file is gone."""
        standing = self._options.exclusion.standing
        return [
            await self._remove(row.source_path, row, glob)
            for row in ([] if self._store is None else await self._store.all())
            if (glob := standing.matches(row.project, row.cwd, row.source_path))
        ]

    def _sessions(self, given: Path | FileState) -> Sequence[FileState] | FileReport:
        """Return the sessions in a file, or why it is not recognized."""
        if isinstance(given, FileState):
            return (given,)
        try:
            known = self._by_source.get(name_of(given.absolute()))
            if known is not None and converted_program_named(known.harness) is None:
                return (file_state(given),)  # a file of lines need not be opened unless it has changed
            return sessions_in(given)
        except OSError as error:
            return FileReport(name_of(given), "failed", reason=error.strerror or str(error))
        except Exception as error:  # no file may stop the others
            return FileReport(name_of(given), "failed", reason=type(error).__name__)

    async def _report(self, state: FileState) -> FileReport:
        """Import a session and report the result. Raises only if the store is lost."""
        try:
            return await self._file(state)
        except (VconRefused, UnderLegalHold) as error:
            reason = str(error)
        except Exception as error:  # no file may stop the others
            fault = classify(error)
            if (fault is not None and fault.is_outage) or is_invalid_statement(error):
                raise
            is_known = isinstance(error, OSError | asyncpg.PostgresError)
            reason = getattr(error, "strerror", None) or str(error) if is_known else type(error).__name__
        return FileReport(state.name, "failed", reason=reason)

    async def _file(self, state: FileState) -> FileReport:
        options, path = self._options, state.name
        if options.since is not None and state.mtime_ns < options.since.timestamp() * 1e9:
            return FileReport(path, "skipped", reason="older")
        known = self._by_source.get(path)
        if known is not None:
            if glob := options.exclusion.matches(known.project, known.cwd, path):
                return await self._remove(path, known, glob)
            seen = replace(state, size=known.source_size, mtime_ns=known.source_mtime_ns)
            if seen == state and not options.force:
                return FileReport(path, "unchanged", str(known.vcon))
        source = await asyncio.to_thread(prescan_source, state)
        if source is None:
            return FileReport(path, "unrecognised")
        if options.project is not None and source.project.casefold() != options.project.casefold():
            return FileReport(path, "skipped", reason=f"of project {source.project}")
        if glob := options.exclusion.matches(source.project, source.survey.cwd, path):
            return FileReport(path, "excluded", reason=glob)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return await self._import(source, _session(source, known))
            except ConcurrentImport:
                continue
            except asyncpg.PostgresError as error:  # a deadlock, for example
                fault = classify(error)
                if fault is None or fault.is_outage or not fault.retryable or attempt == _ATTEMPTS:
                    raise
        return FileReport(path, "failed", reason="other runs keep changing it; run the command again")

    async def _import(self, source: Source, session: str) -> FileReport:
        """Import a file under this session, or under one of its own if another file has that.

        Raises: ConcurrentImport, VconRefused, OSError.
        """
        options, path = self._options, source.state.name
        uuid = transcript_uuid(options.tenant, source.harness, session, source.survey.agent)
        row, is_forgotten = (None, False) if self._store is None else await self._store.known(uuid)
        if is_forgotten and not options.force:
            return FileReport(path, "deleted", str(uuid))
        redactor = Redactor()
        with ArchiveCopy(self._writer(source, session)) as copy:
            loaded = await asyncio.to_thread(_load, source, redactor, options, copy.writer, row)
            if not loaded.exchanges:
                if self._store is not None:
                    await self._store.keep_summaries(loaded.facts)
                return FileReport(path, "empty", malformed=loaded.facts.malformed)
            if marker_in(loaded.exchanges):
                if row is not None and row.source_path == path:
                    return await self._remove(path, row, _MARKER)
                return FileReport(path, "excluded", reason=_MARKER)
            action, warnings = self._decide(source, row, loaded, copy.writer)
            if action is None:
                if session == source.session_of_its_own:
                    reason = f"two other files claim to be session {source.session}"
                    return FileReport(path, "failed", reason=reason)
                return await self._import(source, source.session_of_its_own)
            if "~" in session:
                warnings = (*warnings, "identity_clash")
            report = FileReport(path, action, str(uuid), warnings=warnings)
            if action in ("unchanged", "kept"):
                if row is not None and loaded.size == row.imported_bytes:
                    await self._note_source(row, source)
                return report
            if self._store is not None and copy.writer is not None:
                read = Session(
                    uuid,
                    source.harness,
                    session,
                    source.survey.is_sidechain,
                    loaded.facts,
                    loaded.exchanges,
                )
                stored = await self._store.store(source, read, row, loaded, copy.writer, redactor.total)
                self._by_source[path] = stored
        return replace(
            report,
            exchanges=len(loaded.exchanges),
            malformed=loaded.facts.malformed,
            redactions=redactor.total,
            unknown_types=loaded.facts.unknown_types,
        )

    def _writer(self, source: Source, session: str) -> ArchiveWriter | None:
        if self._store is None:
            return None
        options, agent = self._options, source.survey.agent
        is_file = source.lines is None and "~" not in session
        stem = source.path.stem if is_file else session
        return ArchiveWriter(
            archive_path(
                options.data_dir, options.tenant, source.harness, source.project, session, agent, stem
            )
        )

    def _decide(
        self, source: Source, row: TranscriptRow | None, loaded: Loaded, writer: ArchiveWriter | None
    ) -> tuple[Action | None, tuple[str, ...]]:
        """Compare a file with the stored transcript. None if it is another transcript of the same session."""
        force = self._options.force
        if row is None:
            return "imported", ()
        if loaded.begins_as_before:
            if loaded.size > row.imported_bytes:
                return "grown", ()
            return ("imported" if force else "unchanged"), ()
        if source.lines is not None:
            return self._decide_anew(source, row, loaded)
        if row.source_path != source.state.name:
            is_beginning = writer is not None and begins_with(
                Path(row.archive_path), writer.size, writer.digest
            )
            return ("unchanged", ()) if is_beginning else (None, ())
        if loaded.size < row.imported_bytes:
            return ("rewritten" if force else "kept"), ("source_shrank",)
        return "rewritten", ("rewritten",)

    def _decide_anew(
        self, source: Source, row: TranscriptRow, loaded: Loaded
    ) -> tuple[Action, tuple[str, ...]]:
        """Compare a session that its program rewrites instead of appending.

        Its name is unique, so another file with it has the same session; the longer one is kept.
        """
        if row.source_path != source.state.name:
            return ("grown" if loaded.lines > row.lines or self._options.force else "unchanged"), ()
        if loaded.lines >= row.lines:
            return "grown", ()
        return ("rewritten" if self._options.force else "kept"), ("source_shrank",)

    async def _note_source(self, row: TranscriptRow, source: Source) -> None:
        """Record the file's state. A moved file replaces the missing one."""
        is_the_same = row.source_path == source.state.name
        if self._store is not None and (
            is_the_same or not await asyncio.to_thread(Path(row.source_path).exists)
        ):
            await self._store.note_source(row, source.state)

    async def _remove(self, path: str, row: TranscriptRow, reason: str) -> FileReport:
        """Remove a newly excluded transcript. It can be imported again later."""
        try:
            if self._store is not None:
                await self._store.remove(row.vcon, leave_tombstone=False)
        except UnderLegalHold as error:
            return FileReport(path, "failed", str(row.vcon), reason=str(error))
        self._by_source.pop(row.source_path, None)
        return FileReport(path, "removed", str(row.vcon), reason=reason)


def _session(source: Source, known: TranscriptRow | None) -> str:
    """Return the session of a file: the stored one, unless the file now contains another."""
    return known.session if known is not None and source.is_of(known.session) else source.session


def _load(
    source: Source,
    redactor: Redactor,
    options: Options,
    writer: ArchiveWriter | None,
    row: TranscriptRow | None,
) -> Loaded:
    change: Change | None = redactor.line if options.redact else None
    before = None if row is None else Prefix(row.imported_bytes, row.imported_hash)
    return load(source, change, writer, before)


def _size_of(given: Path | FileState) -> int:
    """Size of a file in bytes; 0 if it is missing."""
    try:
        return (given.path if isinstance(given, FileState) else given).stat().st_size
    except OSError:
        return 0
