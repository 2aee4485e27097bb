"""Import vCons: read and prepare files while the database stores earlier ones."""

import asyncio
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from itertools import chain
from typing import Any, Final, Literal, TypeAlias
from uuid import UUID, uuid5

import asyncpg

from vcontract.runtime.frame.documents.json import JsonObject, canonical_json, dump_json
from vcontract.runtime.frame.documents.json_values import array
from vcontract.runtime.imports.conservation import missing_texts
from vcontract.runtime.imports.merging import extended, merged, names_in, time_and_words
from vcontract.runtime.imports.preparing import Prepared, Ready, Rejected, Workers
from vcontract.runtime.imports.programs.conversation import FileFormat, is_key_of_version, keys_of, source_of
from vcontract.runtime.imports.programs.format_registry import FORMATS
from vcontract.runtime.imports.reader import Reader, Reading
from vcontract.runtime.imports.sources import Problem, RawDocument, Silent, SourceFile
from vcontract.runtime.imports.summary import Summary, Watcher
from vcontract.runtime.store.postgres.error_mapping import classify, is_invalid_statement
from vcontract.runtime.store.vcons.settling import Settling
from vcontract.runtime.store.vcons.store import OnConflict, Outcome, VconStore
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.vcon.conformance import WRITTEN_VERSION
from vcontract.runtime.vcon.version_migration import written

BATCH_DOCUMENTS = 200
BATCH_BYTES = 4 * 1024 * 1024
_ATTEMPTS = 3

ConflictPolicy: TypeAlias = Literal["skip", "replace", "fail", "keep-both"]
"""What to do when another vCon with the same uuid is stored, and they are no versions of one."""


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
    on_conflict: ConflictPolicy = "skip"
    brings_back: bool = False
    """Whether to import vCons that were deleted here."""
    mapping: FileFormat | None = None
    """Format that takes precedence over known formats for files that it fits."""
    reports: bool = False
    """Whether the summary lists the result for each file."""
    of_file: list[Any] = field(default_factory=lambda: [None, set[UUID]()])

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
            for document, outcome in await self._add(group):
                if document.account is not None and isinstance(outcome, Outcome):
                    self._stored_of(document.origin.name).add(outcome.uuid)
                if isinstance(outcome, Problem):
                    _refuse((outcome,), summary, watcher)
                else:
                    _count(document, outcome, summary, watcher)

    def _stored_of(self, file: str) -> set[UUID]:
        """The conversations that this import has stored of a file, if it is the last one."""
        if self.of_file[0] != file:
            self.of_file[:] = [file, set[UUID]()]
        uuids: set[UUID] = self.of_file[1]
        return uuids

    async def _add(self, documents: Sequence[Ready]) -> list[tuple[Ready, Outcome | Problem]]:
        """Store documents. Those of which other files are stored are merged with them."""
        results: list[tuple[Ready, Outcome | Problem]] = []
        related = await self._related(documents)
        for document in documents:
            uuids = related.get(document.vcon.uuid)
            if uuids and (outcome := await self._unite(document, uuids)) is not None:
                results.append((document, outcome))
        known = {document.vcon.uuid for document, _ in results}
        for of_exports in (True, False):
            some = [
                each
                for each in documents
                if (each.account is not None) is of_exports and each.vcon.uuid not in known
            ]
            policy: OnConflict = "replace" if self.on_conflict == "replace" and not of_exports else "skip"
            for document, found in await self._insert(some, policy) if some else ():
                is_conflict = isinstance(found, Outcome) and found.action == "skipped"
                results.append((document, await self._settle(document) if is_conflict else found))
        return results

    async def _related(self, documents: Sequence[Ready]) -> dict[UUID, list[UUID]]:
        """Find stored vCons that may be parts or versions of these exports, by uuid."""
        if self.store is None:
            return {}
        keys: dict[str, set[str]] = {}
        exports = [(each, source_of(each.vcon.document) or "") for each in documents if each.account]
        for document, source in exports:
            keys.setdefault(source, set()).update(keys_of(document.vcon.document))
        sharing = {
            name: await self.store.sharing_keys(self.tenant, name, some) for name, some in keys.items()
        }
        of_batch = {document.vcon.uuid for document in documents}
        related: dict[UUID, list[UUID]] = {}
        for document, source in exports:
            newer, uuid = document.vcon.document, document.vcon.uuid
            found = dict.fromkeys(each for key in keys_of(newer) for each in sharing[source].get(key, ()))
            if source in _OVERLAPPING:
                turns = [said for turn in array(newer.get("dialog")) if (said := time_and_words(turn))]
                found |= dict.fromkeys(
                    await self.store.overlapping(self.tenant, source, turns, names_in(newer))
                )
            # other conversations of the same file are others
            ours = of_batch | self._stored_of(document.origin.name)
            if others := [each for each in found if each not in ours]:
                related[uuid] = [uuid, *others]
        return related

    async def _unite(self, document: Ready, uuids: Sequence[UUID]) -> Outcome | None:
        """Merge a document with those of the stored vCons that are parts of its conversation."""
        assert self.store is not None
        parts: list[StoredVcon] = []
        for uuid in uuids:
            stored = await self.store.get(self.tenant, uuid)
            if stored is None or stored.signed:
                continue
            before = stored.document()
            whole = self._merged(before, document)
            if whole is before:
                return Outcome(uuid, "identical")
            if whole is not None:
                parts.append(stored)
        if not parts:
            return None
        if any(map(is_key_of_version, keys_of(document.vcon.document))):
            parts = parts[:1]  # a version has one predecessor
        return await self._extend(document, parts) or await self._extend(document, parts[:1])

    def _merged(self, stored: JsonObject, document: Ready) -> JsonObject | None:
        """Merge a document into a stored vCon: itself if nothing is new, None if it is another."""
        newer = document.vcon.document
        if document.account is None:
            return extended(stored, newer)
        newest = self.on_conflict == "replace"
        return merged(stored, newer, overlaps=source_of(newer) in _OVERLAPPING, newer_wins=newest)

    async def _extend(self, document: Ready, parts: Sequence[StoredVcon]) -> Outcome | None:
        """Add a document's turns to the first stored vCon, with those of the other parts.

        Additions made here, such as tags and analyses, stay. None if that is impossible now.
        """
        assert self.store is not None
        first, *others = parts
        before = first.document()
        whole = self._merged(before, document)
        for other in others:
            whole = None if whole is None else merged(whole, other.document(), overlaps=True)
        if whole is None:
            return None
        if whole is before:
            return Outcome(first.uuid, "identical")
        if self.on_conflict == "fail":
            return Outcome(first.uuid, "failed", "the stored vCon has other content")
        raw = RawDocument(document.origin, dump_json(whole))
        (ready,) = await self.workers.prepare([raw], self.clock())
        if isinstance(ready, Ready) and await self.store.extend(self.tenant, ready.vcon, first, others):
            return Outcome(first.uuid, "replaced")
        return None

    async def _settle(self, document: Ready) -> Outcome | Problem:
        """Settle a conflict: a vCon with the document's uuid and other content is stored."""
        assert self.store is not None
        uuid, newer = document.vcon.uuid, document.vcon.document
        stored = await self.store.get(self.tenant, uuid)
        if stored is None:
            return Outcome(uuid, "skipped", "the stored vCon was deleted at this moment")
        before = stored.document()
        if not stored.signed and self._merged(before, document) is not None:
            if (outcome := await self._extend(document, [stored])) is not None:
                return outcome
        elif document.account is not None and (
            source_of(newer) in _OVERLAPPING or any(map(is_key_of_version, keys_of(newer)))
        ):
            return await self._keep_both(document)  # its ID is not one of the program
        if self.on_conflict == "keep-both" and document.vcon.signed_form is None:
            return await self._keep_both(document)
        if self.on_conflict == "replace":
            ((_, replaced),) = await self._insert([document], "replace")
            return replaced
        action: Literal["failed", "skipped"] = "failed" if self.on_conflict == "fail" else "skipped"
        said: JsonObject = {
            name: newer[name] for name in ("dialog", "analysis", "attachments") if name in newer
        }
        return Outcome(uuid, action, _ANOTHER, loses=bool(missing_texts(said, before)))

    async def _keep_both(self, document: Ready) -> Outcome | Problem:
        """Store a document beside another one with its uuid: its own derives from uuid and content."""
        vcon = document.vcon.document
        # the same in whatever version the export is written
        built = vcon if document.account is None else written(vcon, WRITTEN_VERSION)
        content = {name: value for name, value in built.items() if name not in ("created_at", "updated_at")}
        uuid = uuid5(document.vcon.uuid, sha256(canonical_json(content)).hexdigest())
        raw = RawDocument(document.origin, dump_json({**vcon, "uuid": str(uuid)}))
        (ready,) = await self.workers.prepare([raw], self.clock())
        if not isinstance(ready, Ready):
            return Problem(document.origin, "not_prepared", "cannot be kept beside the stored vCon")
        ((_, outcome),) = await self._insert([ready], "skip")
        if isinstance(outcome, Outcome) and outcome.action == "skipped":
            return Outcome(uuid, "identical")  # stored before, and tagged or analysed since
        return outcome

    async def _not_deleted(self, documents: list[Ready], summary: Summary) -> list[Ready]:
        """Drop and count documents that were deleted here."""
        if self.store is None or self.brings_back:
            return documents
        gone = await self.store.deleted_among(self.tenant, {document.vcon.uuid for document in documents})
        for document in documents:
            if document.vcon.uuid in gone:
                summary.leave_deleted(document.origin, document.vcon.uuid)
        return [document for document in documents if document.vcon.uuid not in gone]

    async def _insert(
        self, documents: Sequence[Ready], on_conflict: OnConflict
    ) -> list[tuple[Ready, Outcome | Problem]]:
        """Store documents. Bisect to find one that the database rejects."""
        if self.store is None:
            return [(document, Outcome(document.vcon.uuid, "created")) for document in documents]
        vcons = [document.vcon for document in documents]
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                outcomes = await self.store.insert_batch(self.tenant, vcons, on_conflict)
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
        halves = (documents[:middle], documents[middle:])
        return list(chain(*[await self._insert(half, on_conflict) for half in halves]))


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
"""Formats of which other exports may have further turns of a conversation."""
_ANOTHER: Final = "another vCon with this uuid is stored"


def _without_twins(documents: Sequence[Ready]) -> Iterator[list[Ready]]:
    """Group documents so that no group has parts of one conversation: later ones must find earlier ones.

    Conversations in one file are different, unless they have the same uuid.
    """
    group: list[Ready] = []
    uuids: set[object] = set()
    keys: dict[str, str] = {}
    overlapping: str | None = None
    for document in documents:
        vcon, file = document.vcon.document, document.origin.name
        own = keys_of(vcon) if document.account else []
        overlaps = document.account is not None and source_of(vcon) in _OVERLAPPING
        if (
            document.vcon.uuid in uuids
            or (overlaps and overlapping not in (None, file))
            or any(keys.get(key, file) != file for key in own)
        ):
            yield group
            group, uuids, keys, overlapping = [], set(), {}, None
        group.append(document)
        uuids.add(document.vcon.uuid)
        keys.update(dict.fromkeys(own, file))
        overlapping = file if overlaps else overlapping
    if group:
        yield group


def _refuse(problems: tuple[Problem, ...], summary: Summary, watcher: Watcher) -> None:
    summary.refuse(problems)
    watcher.met("refused", problems)


def _count(document: Ready, outcome: Outcome, summary: Summary, watcher: Watcher) -> None:
    message = f"{outcome.reason or _ANOTHER} ({outcome.uuid})"
    problem = Problem(document.origin, "conflict", message, "$.uuid")
    match outcome.action:
        case "failed":
            _refuse((problem,), summary, watcher)
            return
        case "skipped":
            summary.lost += outcome.loses
            summary.keep_out("skipped", problem)
            watcher.met("skipped", (problem,))
        case "created":
            summary.created += 1
        case "replaced":
            summary.replaced += 1
        case "identical":
            summary.identical += 1
    if outcome.action != "skipped":
        summary.note(document.origin, outcome.action, document.vcon.document)
    summary.count(document.vcon)
