"""The preparer of a server: small vCons are prepared where the call runs, large ones in a process."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from vcontract.runtime.documents.findings import Violation
from vcontract.runtime.documents.json import JsonObject, JsonValue
from vcontract.runtime.documents.values import array, is_array, is_object
from vcontract.runtime.store.vcons.kept import Added, ReadAgain, ReadBefore
from vcontract.runtime.store.vcons.preparation import Knowledge, PreparedVcon, VconRefused, prepare
from vcontract.runtime.store.vcons.texts import KnownTexts
from vcontract.runtime.vcon.tags import TagValue
from vcontract.runtime.vcon.text import Watch

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

LARGE: Final = 100_000
"""Characters, and values, of a vCon from which on preparing it would be felt by the other calls."""

MOST_OVERRUNS: Final = 3
"""After so many none of its texts is read."""
_IDLE_SECONDS: Final = 60.0
"""So long an idle process is kept, for its start takes most of a second."""
_MAX_KNOWN_CHARACTERS: Final = 5_000_000
_NOTHING_READ_YET: Final = 0
_ALL_READ: Final = -1


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the process may take for one thing before it is ended."""

    part: float = 10.0
    """Seconds for reading the text of one part of a vCon."""
    rest: float = 120.0
    """Seconds for everything before or after that."""


class Preparer:
    """Prepares vCons beside the event loop once they are large; `close` ends the process that does."""

    def __init__(self, knowledge: Knowledge, patience: Patience = Patience()) -> None:
        self.knowledge = knowledge
        self._texts = KnownTexts()
        self._patience = patience
        self._turn = asyncio.Lock()
        self._worker: _Worker | None = None
        self._ending: asyncio.TimerHandle | None = None

    async def prepare(
        self,
        document: JsonObject,
        *,
        now: datetime,
        metadata: JsonObject | None = None,
        fill_created_at: bool = False,
        tags: Mapping[str, TagValue] | None = None,
        added: Added | None = None,
        read_before: ReadBefore | None = None,
    ) -> PreparedVcon:
        """What `preparation.prepare` gives; of a large vCon a text that takes too long is not read.

        Raises: VconRefused, MetadataRefused.
        """
        if read_before and not is_large(_unread(document, read_before)):
            with suppress(ReadAgain):
                return await asyncio.to_thread(
                    prepare,
                    document,
                    self.knowledge,
                    now=now,
                    metadata=metadata,
                    tags=tags,
                    added=added,
                    read_before=read_before,
                )
        if not (is_large(document) or is_large(metadata)):
            return prepare(
                document,
                self.knowledge,
                now=now,
                metadata=metadata,
                fill_created_at=fill_created_at,
                tags=tags,
                texts=self._texts,
                added=added,
            )
        work = _Work(document, self.knowledge.uuid_domain, now, metadata, fill_created_at, tags, added)
        async with self._turn:
            return await self._prepared_aside(work)

    def close(self) -> None:
        """End the process, if there is one."""
        self._end()

    async def _prepared_aside(self, work: "_Work") -> PreparedVcon:
        for overruns in range(MOST_OVERRUNS + 2):
            answer = await self._answer(work)
            match answer:
                case _Prepared():
                    return answer.with_document(work.document)
                case VconRefused():
                    raise answer
                case Exception():
                    raise RuntimeError("a vCon could not be prepared") from answer
                case _ if answer > _NOTHING_READ_YET and overruns < MOST_OVERRUNS:
                    work = replace(work, unread=work.unread | {answer})
                case _:
                    work = replace(work, reads_nothing=True)
        message = f"It takes longer than {self._patience.rest:.0f} s to prepare, even without its text."
        raise VconRefused([Violation("$", "too_involved", message)])

    async def _answer(self, work: "_Work") -> "_Answer | int":
        """What the process answers; where it was when it took too long and was ended, or ended itself."""
        if self._ending is not None:
            self._ending.cancel()
        if self._worker is None:
            self._worker = await asyncio.to_thread(_Worker)
        worker, answer = self._worker, None
        try:
            answer = await worker.answer(work, self._patience)
            return worker.place if answer is None else answer
        finally:
            if answer is None:
                self._end()
            else:
                self._ending = asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._end)

    def _end(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
        if self._worker is not None:
            self._worker.end()
        self._worker = self._ending = None


def _unread(document: JsonObject, before: ReadBefore) -> JsonObject:
    return document | {"dialog": array(document.get("dialog"))[before.turns :]}


def is_large(value: JsonValue, most: int = LARGE) -> bool:
    """Whether a JSON value has more than `most` characters and values; looks at no more than that."""
    room = most
    waiting: list[JsonValue] = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            room -= len(value)
        elif is_object(value):
            room -= 2 * len(value)
            if room >= 0:
                room -= sum(map(len, value))
                waiting += value.values()
        elif is_array(value):
            room -= len(value)
            if room >= 0:
                waiting += value
        if room < 0:
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Work:
    """What the process is asked to prepare."""

    document: JsonObject
    uuid_domain: str | None
    now: datetime
    metadata: JsonObject | None
    fill_created_at: bool
    tags: Mapping[str, TagValue] | None
    added: Added | None
    unread: frozenset[int] = frozenset()
    """The parts, counted from 1, whose text is not to be read."""
    reads_nothing: bool = False


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A prepared vCon without what its receiver has: sending a document back and forth takes time."""

    vcon: PreparedVcon
    names: tuple[str, ...]
    changed: JsonObject
    """The members that are not those of the document that was given."""

    @classmethod
    def of(cls, vcon: PreparedVcon, given: JsonObject) -> "_Prepared":
        changed = {
            name: value
            for name, value in vcon.document.items()
            if name not in given or given[name] is not value
        }
        return cls(replace(vcon, document={}), tuple(vcon.document), changed)

    def with_document(self, given: JsonObject) -> PreparedVcon:
        document = {name: self.changed[name] if name in self.changed else given[name] for name in self.names}
        return replace(self.vcon, document=document)


_Answer: TypeAlias = _Prepared | Exception


class _Place(Protocol):
    """Shared memory in which the process says where it is."""

    value: int


class _Worker:
    """The process, and our end of the pipe to it."""

    def __init__(self) -> None:
        # most servers never need one, so that none should load this at its start
        from vcontract.runtime.store.vcons.processes import SPAWN

        self._connection, theirs = SPAWN.Pipe()
        self._place: _Place = SPAWN.RawValue("q", _NOTHING_READ_YET)
        self._process = SPAWN.Process(target=_work, args=(theirs, self._place), daemon=True)
        self._process.start()
        theirs.close()

    @property
    def place(self) -> int:
        """The part that is read now, from 1; 0 and less where none is."""
        return self._place.value

    async def answer(self, work: _Work, patience: Patience) -> _Answer | None:
        """The answer; None when it takes too long for one thing, or the process is gone."""
        self._place.value = _NOTHING_READ_YET
        receiving = asyncio.ensure_future(asyncio.to_thread(self._exchange, work))
        place, waited = self.place, 0.0
        while not receiving.done():
            await asyncio.wait({receiving}, timeout=patience.part)
            waited = waited + patience.part if self.place == place else 0.0
            place = self.place
            if waited >= (patience.part if place > _NOTHING_READ_YET else patience.rest):
                return None
        return receiving.result()

    def end(self) -> None:
        # whoever waits for an answer then meets the end of the pipe
        self._process.kill()

    def _exchange(self, work: _Work) -> _Answer | None:
        try:
            self._connection.send(work)
            answer: _Answer = self._connection.recv()
        except (EOFError, OSError):
            return None
        return answer


@dataclass(slots=True)
class _TellingWatch(Watch):
    """Says in shared memory what is read now."""

    work: _Work
    place: _Place
    count: int = field(default=0)

    def may_read(self, path: str) -> bool:
        self.count += 1
        if self.work.reads_nothing or self.count in self.work.unread:
            return False
        self.place.value = self.count
        return True

    def has_read(self) -> None:
        self.place.value = _ALL_READ


def _work(connection: "Connection[_Answer, _Work]", place: _Place) -> None:
    """Answer until the other end is closed; runs in the process."""
    from vcontract.runtime.store.vcons.processes import set_up_process

    set_up_process()
    while True:
        try:
            connection.send(_answer(connection.recv(), place))
        except (EOFError, OSError):
            return


def _answer(work: _Work, place: _Place) -> _Answer:
    try:
        prepared = prepare(
            work.document,
            _knowledge(work.uuid_domain),
            now=work.now,
            metadata=work.metadata,
            fill_created_at=work.fill_created_at,
            tags=work.tags,
            watch=_TellingWatch(work, place),
            texts=_texts(),
            added=work.added,
        )
    except Exception as error:  # told to whoever asked
        return error
    return _Prepared.of(prepared, work.document)


@cache
def _texts() -> KnownTexts:
    """Those of the process: it ends when it is idle, so it may remember a whole long conversation."""
    return KnownTexts(max_characters=_MAX_KNOWN_CHARACTERS)


@lru_cache(maxsize=1)
def _knowledge(uuid_domain: str | None) -> Knowledge:
    """Compiled once a process: compiled schemas cannot be sent from one to another."""
    return Knowledge.load(uuid_domain)
