"""Store a transcript in one transaction, after its archive copy is in place."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final, Self
from uuid import UUID

from vcontract.runtime.imports.transcripts.archive import ArchiveWriter
from vcontract.runtime.imports.transcripts.files import FileState
from vcontract.runtime.imports.transcripts.model import Session, TranscriptFacts
from vcontract.runtime.imports.transcripts.preparing import PreparedTranscript, prepare_transcript
from vcontract.runtime.imports.transcripts.reading import Loaded, load
from vcontract.runtime.imports.transcripts.source import Source, prescan_source
from vcontract.runtime.store.postgres.database import Connection, Database
from vcontract.runtime.store.postgres.errors import QuotaExceeded
from vcontract.runtime.store.transcripts import rows as transcripts
from vcontract.runtime.store.transcripts.rows import TranscriptRow
from vcontract.runtime.store.vcons import audit
from vcontract.runtime.store.vcons.deletion import delete_vcon
from vcontract.runtime.store.vcons.holds import UnderLegalHold
from vcontract.runtime.store.vcons.preparation import PrepareContext
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.vcon.conformance import WRITTEN_VERSION

_CALLER: Final = "import"


class ConcurrentImport(Exception):
    """Another run has changed the transcript in the meantime."""


class ArchiveCopy:
    """The archive copy being written; deleted unless it is committed."""

    def __init__(self, writer: ArchiveWriter | None) -> None:
        self.writer = writer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.writer is not None:
            self.writer.abandon()


@dataclass(frozen=True, slots=True)
class TranscriptStore:
    """The transcripts of one tenant."""

    database: Database
    vcons: VconStore
    prepare_context: PrepareContext
    tenant: str
    clock: Callable[[], datetime]
    version: str = WRITTEN_VERSION
    """Version of new vCons."""

    async def all(self) -> list[TranscriptRow]:
        """Every transcript."""
        async with self.database.reading(self.tenant) as connection:
            return await transcripts.all_of(connection, self.tenant)

    async def known(self, uuid: UUID) -> tuple[TranscriptRow | None, bool]:
        """Return the stored transcript, and whether it was deleted."""
        async with self.database.reading(self.tenant) as connection:
            row = await transcripts.get(connection, self.tenant, uuid)
            return row, await transcripts.is_forgotten(connection, self.tenant, uuid)

    async def store(
        self,
        source: Source,
        read: Session,
        known: TranscriptRow | None,
        loaded: Loaded,
        writer: ArchiveWriter,
        redactions: int,
    ) -> TranscriptRow:
        """Move the copy into place and store everything else in the database.

        Raises: ConcurrentImport, VconRefused, UnderLegalHold, QuotaExceeded.
        """
        tenant, now, uuid = self.tenant, self.clock(), read.uuid
        async with _no_copy_beyond_quota(writer, known), self.database.writing(tenant) as connection:
            await transcripts.lock(connection, tenant, uuid)
            if not _same(await transcripts.get(connection, tenant, uuid), known):
                raise ConcurrentImport
            prepared = await self._put_vcon(connection, read, known, loaded.facts, now)
            place = await self._place(connection, writer.path, uuid)
            await asyncio.to_thread(writer.commit, place, source.state.mtime_ns)
            row = _row(source, read, loaded, prepared, writer, redactions, now)
            await transcripts.put(
                connection, tenant, row, prepared.exchanges, prepared.files, loaded.facts.records
            )
            others = await self._keep_summaries(connection, loaded.facts, now)
            await audit.record(
                connection, tenant, caller=_CALLER, action="import_transcript", now=now, vcon=uuid
            )
        if known is not None and known.archive_path != row.archive_path:
            transcripts.discard(Path(known.archive_path))
        for other in others - {uuid}:
            await self._retell(other)
        return row

    async def keep_summaries(self, facts: TranscriptFacts) -> None:
        """Store summaries in a file that refer to other files' transcripts."""
        async with self.database.writing(self.tenant) as connection:
            others = await self._keep_summaries(connection, facts, self.clock())
        for other in others:
            await self._retell(other)

    async def note_source(self, row: TranscriptRow, state: FileState) -> None:
        """Record the source's state, so that it is not read again unchanged."""
        noted = replace(row, source_path=state.name, source_size=state.size, source_mtime_ns=state.mtime_ns)
        async with self.database.writing(self.tenant) as connection:
            await transcripts.lock(connection, self.tenant, row.vcon)
            if _same(await transcripts.get(connection, self.tenant, row.vcon), row):
                await transcripts.put_row(connection, self.tenant, noted)

    async def remove(self, vcon: UUID, *, leave_tombstone: bool, caller: str = _CALLER) -> None:
        """Remove a transcript with its vCon and archived file.

        Raises: UnderLegalHold.
        """
        async with self.database.writing(self.tenant) as connection:
            await transcripts.lock(connection, self.tenant, vcon)
            await self.vcons.lock(connection, self.tenant, vcon, ())
            archived = await delete_vcon(connection, self.tenant, vcon, leave_tombstone=leave_tombstone)
            await audit.record(
                connection,
                self.tenant,
                caller=caller,
                action="forget_transcript",
                now=self.clock(),
                vcon=vcon,
            )
        transcripts.discard(archived)

    async def _put_vcon(
        self,
        connection: Connection,
        read: Session,
        known: TranscriptRow | None,
        facts: TranscriptFacts,
        now: datetime,
    ) -> PreparedTranscript:
        """Store the vCon. Raises: ConcurrentImport, VconRefused, UnderLegalHold."""
        stored = await self.vcons.lock(connection, self.tenant, read.uuid)
        if stored is None and known is not None:
            raise ConcurrentImport  # deleted while this waited, so do not restore it
        shared_summary = await transcripts.summary_of(connection, self.tenant, facts.records)
        prepared = await asyncio.to_thread(
            prepare_transcript,
            read,
            stored,
            known,
            shared_summary,
            self.prepare_context,
            now,
            self.version,
        )
        if stored is None:
            if await self.vcons.create(connection, self.tenant, prepared.vcon) is not None:
                raise ConcurrentImport
        elif prepared.changed:
            await self.vcons.revise(connection, self.tenant, prepared.vcon)
        return prepared

    async def _place(self, connection: Connection, path: Path, uuid: UUID) -> Path:
        """Path of the copy; a different one if another transcript has that path."""
        if await transcripts.holds_archive(connection, self.tenant, str(path), uuid):
            return path.with_name(f"{path.stem}~{uuid.hex[:8]}.jsonl")
        return path

    async def _keep_summaries(
        self, connection: Connection, facts: TranscriptFacts, now: datetime
    ) -> set[UUID]:
        """Store summaries. Returns the transcripts they refer to."""
        elsewhere = {
            record: text
            for record, text in facts.summaries
            if record is not None and record not in facts.records
        }
        if not elsewhere:
            return set()
        return await transcripts.note_summaries(connection, self.tenant, list(elsewhere.items()), now)

    async def _retell(self, uuid: UUID) -> None:
        """Update a transcript's summary from another file, unless it is under legal hold."""
        row, _ = await self.known(uuid)
        if row is None:
            return
        state = FileState(Path(row.archive_path), row.source_size, row.source_mtime_ns)
        read = await asyncio.to_thread(_read_archive, state, row)
        if read is None:
            return
        now = self.clock()
        with suppress(UnderLegalHold):
            await self._update_summary(row, read, now)

    async def _update_summary(self, row: TranscriptRow, read: Session, now: datetime) -> None:
        """Update the summary. Raises: ConcurrentImport, VconRefused, UnderLegalHold."""
        uuid = row.vcon
        async with self.database.writing(self.tenant) as connection:
            await transcripts.lock(connection, self.tenant, uuid)
            if not _same(await transcripts.get(connection, self.tenant, uuid), row):
                return
            prepared = await self._put_vcon(connection, read, row, read.facts, now)
            updated = replace(row, summary=prepared.summary, given=prepared.given)
            await transcripts.put_row(connection, self.tenant, updated)


@asynccontextmanager
async def _no_copy_beyond_quota(writer: ArchiveWriter, known: TranscriptRow | None) -> AsyncGenerator[None]:
    """Remove a new copy if the tenant's quota is exceeded."""
    try:
        yield
    except QuotaExceeded:
        if known is None:
            transcripts.discard(writer.path)
        raise


def _read_archive(state: FileState, row: TranscriptRow) -> Session | None:
    """Read a session from its archived file; None if that is unreadable."""
    try:
        source = prescan_source(state)
        if source is None:
            return None
        loaded = load(source, None, None, None)
    except OSError:
        return None
    return Session(row.vcon, source.harness, row.session, row.sidechain, loaded.facts, loaded.exchanges)


def _same(current: TranscriptRow | None, known: TranscriptRow | None) -> bool:
    """Whether the transcript is unchanged since it was read."""
    if current is None or known is None:
        return current is known
    return (current.imported_at, current.imported_hash) == (known.imported_at, known.imported_hash)


def _row(
    source: Source,
    read: Session,
    loaded: Loaded,
    prepared: PreparedTranscript,
    archive: ArchiveWriter,
    redactions: int,
    now: datetime,
) -> TranscriptRow:
    return TranscriptRow(
        vcon=read.uuid,
        harness=read.harness,
        session=read.session,
        agent=source.survey.agent,
        sidechain=read.is_sidechain,
        project=source.project,
        cwd=loaded.facts.cwd,
        git_branch=loaded.facts.branch,
        title=prepared.title,
        summary=prepared.summary,
        source_path=source.state.name,
        source_size=source.state.size,
        source_mtime_ns=source.state.mtime_ns,
        imported_bytes=loaded.size,
        imported_hash=loaded.digest,
        archive_path=str(archive.path),
        archive_size=archive.size,
        archive_hash=archive.digest,
        lines=loaded.lines,
        exchanges=len(loaded.exchanges),
        malformed=loaded.facts.malformed,
        redactions=redactions,
        started_at=read.started_at,
        ended_at=read.ended_at,
        imported_at=now,
        given=prepared.given,
    )
