"""Import vCons: read and prepare files while the database stores earlier ones."""

import asyncio
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Final
from uuid import UUID

import asyncpg

from vcontract.runtime.frame.documents.json import dump_json
from vcontract.runtime.frame.documents.json_values import array
from vcontract.runtime.imports.preparing import Prepared, Ready, Rejected, Workers
from vcontract.runtime.imports.programs.conversation import DATE_GUESSED, FileFormat, source_of
from vcontract.runtime.imports.programs.format_registry import FORMATS
from vcontract.runtime.imports.reader import Reader, Reading
from vcontract.runtime.imports.sources import Problem, RawDocument, Silent, SourceFile
from vcontract.runtime.imports.summary import Summary, Watcher
from vcontract.runtime.imports.turn_merging import (
    contains_conversation,
    joined_conversations,
    names_in,
    time_and_words,
    with_further_turns,
)
from vcontract.runtime.store.postgres.error_mapping import classify, is_invalid_statement
from vcontract.runtime.store.vcons.settling import Settling
from vcontract.runtime.store.vcons.store import OnConflict, Outcome, VconStore

BATCH_DOCUMENTS = 200
BATCH_BYTES = 4 * 1024 * 1024
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class _Batch:
    """Documents to store together, and the reader's progress after them."""

    documents: "asyncio.Future[list[Prepared]]"
    bytes_done: int
    files_done: int


@dataclass(frozen=True, slots=True)
class Importer:
    """Imports files into one tenant's store, one transaction per batch.

    Stored vCons stay if the import is killed. Run again, it finds them identical.
    """

    workers: Workers
    clock: Callable[[], datetime]
    tenant: str
    store: VconStore | None
    """None for a dry run, in which every usable document counts as created."""
    on_conflict: OnConflict = "skip"
    brings_back: bool = False
    """Whether to import vCons that were deleted here."""
    mapping: FileFormat | None = None
    """Format that takes precedence over known formats for files that it fits."""
    reports: bool = False
    """Whether the summary lists the result for each file."""

    async def run(self, files: Sequence[SourceFile], watcher: Watcher) -> Summary:
        """Import `files` in their order and count the results.

        Raises: what the database raises if it is unreachable. Bad documents raise nothing.
        """
        summary = Summary(of_files={} if self.reports else None)
        settling = Settling(None if self.store is None else self.store.database, self.tenant)
        batches = self._read(files)
        under_way: deque[_Batch] = deque()
        try:
            while True:
                # read and prepare the next batches while this one is stored
                with _interruptible():
                    while len(under_way) < self.workers.width and (batch := next(batches, None)):
                        under_way.append(batch)
                if not under_way:
                    break
                batch = under_way.popleft()
                await self._store(await batch.documents, summary, watcher)
                summary.files = batch.files_done
                watcher.advanced(summary, batch.bytes_done)
                await settling.note(summary.created + summary.replaced)
        finally:
            for batch in under_way:
                batch.documents.cancel()
            await asyncio.gather(*(batch.documents for batch in under_way), return_exceptions=True)
        summary.files = len(files)
        await settling.end()
        return summary

    def _read(self, files: Sequence[SourceFile]) -> Iterator[_Batch]:
        reader = Reader(mapping=self.mapping)
        readings: list[Reading] = []
        size = files_done = 0
        for files_done, file in enumerate(files):
            for reading in reader.read(file):
                readings.append(reading)
                size += len(reading.text) if isinstance(reading, RawDocument) else 0
                if len(readings) >= BATCH_DOCUMENTS or size >= BATCH_BYTES:
                    yield self._begin(readings, reader, files_done)
                    readings, size = [], 0
        if readings:
            yield self._begin(readings, reader, files_done)

    def _begin(self, readings: list[Reading], reader: Reader, files_done: int) -> _Batch:
        return _Batch(self.workers.prepare(readings, self.clock()), reader.bytes_done, files_done)

    async def _store(self, documents: Sequence[Prepared], summary: Summary, watcher: Watcher) -> None:
        for document in documents:
            if isinstance(document, Rejected):
                _refuse(document.problems, summary, watcher)
                continue
            summary.silent += isinstance(document, Silent)
            if document.account is not None:
                watcher.met("left out", summary.account(document.origin, document.account))
        ready = await self._not_deleted([each for each in documents if isinstance(each, Ready)], summary)
        for group in _without_twins(ready):
            for document, found in await self._add(group):
                outcome = found
                if self.on_conflict == "skip" and isinstance(found, Outcome) and found.action == "skipped":
                    outcome = await self._extend(document, document.vcon.uuid) or found
                if isinstance(outcome, Problem):
                    _refuse((outcome,), summary, watcher)
                else:
                    _count(document, outcome, summary, watcher)

    async def _add(self, documents: Sequence[Ready]) -> list[tuple[Ready, Outcome | Problem]]:
        """Store documents. Those for which another export is stored are merged with it."""
        joined = [(document, outcome) for document in documents if (outcome := await self._join(document))]
        known = {document.vcon.uuid for document, _ in joined}
        others = [document for document in documents if document.vcon.uuid not in known]
        return [*joined, *(await self._insert(others) if others else ())]

    async def _join(self, document: Ready) -> Outcome | None:
        """Merge a document with another export of its conversation; None if none is stored."""
        if self.store is None or self.brings_back or self.on_conflict != "skip" or not _may_overlap(document):
            return None
        newer = document.vcon.document
        turns = [said for turn in array(newer.get("dialog")) if (said := time_and_words(turn))]
        source = source_of(newer) or ""
        for uuid in await self.store.overlapping(self.tenant, source, turns, names_in(newer)):
            if uuid == document.vcon.uuid:
                return None
            if (outcome := await self._extend(document, uuid)) is not None:
                return outcome
        return None

    async def _extend(self, document: Ready, uuid: UUID) -> Outcome | None:
        """Add a newer export's turns to a stored conversation; None if it is a different one.

        Additions made here, such as tags and analyses, stay.
        """
        assert self.store is not None
        before = await self.store.get(self.tenant, uuid)
        if before is None or before.signed:
            return None
        stored, newer = before.document(), document.vcon.document
        # equal numbers may be written differently, so only additional content counts
        if stored != newer and contains_conversation(stored, newer):
            return Outcome(uuid, "identical")
        grown = with_further_turns(stored, newer) if uuid == document.vcon.uuid else None
        if grown is None and _may_overlap(document):
            grown = joined_conversations(stored, newer)
        if grown is None:
            return None
        if grown is stored:
            return Outcome(uuid, "identical")
        raw = RawDocument(document.origin, dump_json(grown))
        (ready,) = await self.workers.prepare([raw], self.clock())
        if not isinstance(ready, Ready) or not await self.store.extend(self.tenant, ready.vcon, before):
            return None
        return Outcome(uuid, "replaced")

    async def _not_deleted(self, documents: list[Ready], summary: Summary) -> list[Ready]:
        """Drop and count documents that were deleted here."""
        if self.store is None or self.brings_back:
            return documents
        gone = await self.store.deleted_among(self.tenant, {document.vcon.uuid for document in documents})
        for document in documents:
            if document.vcon.uuid in gone:
                summary.leave_deleted(document.origin, document.vcon.uuid)
        return [document for document in documents if document.vcon.uuid not in gone]

    async def _insert(self, documents: Sequence[Ready]) -> list[tuple[Ready, Outcome | Problem]]:
        """Store documents. Bisect to find one that the database rejects."""
        if self.store is None:
            return [(document, Outcome(document.vcon.uuid, "created")) for document in documents]
        vcons = [document.vcon for document in documents]
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                outcomes = await self.store.insert_batch(self.tenant, vcons, self.on_conflict)
                return list(zip(documents, outcomes, strict=True))
            except (asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError) as error:
                fault = classify(error)
                if fault is None or fault.is_outage or is_invalid_statement(error):
                    raise  # not caused by a document: the next would fail too
                if fault.retryable and attempt < _ATTEMPTS:
                    continue
                if len(documents) == 1:
                    message = f"the database refused it: {error}"
                    return [(documents[0], Problem(documents[0].origin, "not_stored", message))]
                break
        middle = len(documents) // 2
        return list(chain(await self._insert(documents[:middle]), await self._insert(documents[middle:])))


@contextmanager
def _interruptible() -> Generator[None]:
    """Let Ctrl-C interrupt at once.

    The event loop would wait for the next `await`, and reading a terminal or pipe may never end.
    """
    usual = signal.getsignal(signal.SIGINT)
    if not callable(usual) or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


_OVERLAPPING: Final = frozenset(each.name for each in FORMATS if each.overlaps)


def _may_overlap(document: Ready) -> bool:
    """Whether another export may have different turns of the conversation."""
    return source_of(document.vcon.document) in _OVERLAPPING


def _without_twins(documents: Sequence[Ready]) -> Iterator[list[Ready]]:
    """Group documents so that no group has the same conversation twice: later exports must find earlier ones
    stored.

    Conversations in one file are different, unless they have the same uuid.
    """
    group: list[Ready] = []
    uuids: set[object] = set()
    file: str | None = None
    for document in documents:
        overlaps = _may_overlap(document)
        if document.vcon.uuid in uuids or (overlaps and file not in (None, document.origin.name)):
            yield group
            group, uuids, file = [], set(), None
        group.append(document)
        uuids.add(document.vcon.uuid)
        file = document.origin.name if overlaps else file
    if group:
        yield group


def _refuse(problems: tuple[Problem, ...], summary: Summary, watcher: Watcher) -> None:
    summary.refuse(problems)
    watcher.met("refused", problems)


def _count(document: Ready, outcome: Outcome, summary: Summary, watcher: Watcher) -> None:
    # the uuid derives from the content, so the stored vCon differs only in dates
    is_touched = any(notice.code == DATE_GUESSED for notice in document.vcon.notices)
    if outcome.action not in ("skipped", "failed") or is_touched:
        fate = "identical" if is_touched and outcome.action != "created" else outcome.action
        summary.note(document.origin, fate, document.vcon.document)
    match outcome.action:
        case "created":
            summary.created += 1
        case "replaced":
            summary.replaced += 1
        case "skipped" | "failed" if is_touched:
            summary.identical += 1
        case "skipped":
            message = f"{outcome.reason or 'another vCon is there'} ({outcome.uuid})"
            problem = Problem(document.origin, "conflict", message, "$.uuid")
            summary.keep_out("skipped", problem)
            watcher.met("skipped", (problem,))
        case "identical":
            summary.identical += 1
        case "failed":
            message = f"{outcome.reason or 'was not stored'} ({outcome.uuid})"
            _refuse((Problem(document.origin, "conflict", message, "$.uuid"),), summary, watcher)
            return
    summary.count(document.vcon)
