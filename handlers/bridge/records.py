"""Records as the tools look them up and change them, and what all tools say about them."""

import contextlib
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from vcontract.generated.errors import NotFound
from vcontract.handlers.bridge.answers import Notices, listed
from vcontract.handlers.bridge.texts import invalid, summary_words
from vcontract.runtime.embedding.immediate import vectors_of
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.findings import counted
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.bridge import index
from vcontract.runtime.store.bridge.ids import RecordIds, RecordType, type_of
from vcontract.runtime.store.bridge.index import Passage
from vcontract.runtime.store.bridge.records import Record
from vcontract.runtime.store.bridge.store import BridgeStore
from vcontract.runtime.store.embeddings import Vectors
from vcontract.runtime.store.postgres.database import Connection, Database
from vcontract.runtime.store.vcons import audit
from vcontract.runtime.vcon.times import format_time

_MAKERS: Final[dict[RecordType, str]] = {"source": "capture", "moment": "frame", "scene": "weave"}


class Records:
    """The records of the caller's tenant, under one clock."""

    def __init__(
        self, database: Database, embeddings: Embeddings, clock: Callable[[], datetime] | None = None
    ) -> None:
        self.store = BridgeStore()
        self._embeddings = embeddings
        self._database = database
        self._clock = clock or (lambda: datetime.now(UTC))
        self._ids = RecordIds()

    def now(self) -> datetime:
        """The time in UTC, to the millisecond that an id holds."""
        now = self._clock().astimezone(UTC)
        return now.replace(microsecond=now.microsecond // 1000 * 1000)

    def make_id(self, type_: RecordType, now: datetime) -> str:
        """The id of a record made now."""
        return self._ids.make(type_, now)

    def reading(self, ctx: ToolContext) -> contextlib.AbstractAsyncContextManager[Connection]:
        """A transaction that changes nothing."""
        return self._database.reading(ctx.tenant)

    def noting(self, ctx: ToolContext) -> contextlib.AbstractAsyncContextManager[Connection]:
        """A transaction beside the call's, which leaves the tenant's records as they are."""
        return self._database.writing(ctx.tenant)

    @contextlib.asynccontextmanager
    async def changing(self, ctx: ToolContext) -> AsyncGenerator[Connection]:
        """The call's transaction, in which no other call changes the tenant's records."""
        async with self._database.writing(ctx.tenant, ctx.transaction) as connection:
            await self.store.queue_up(connection, ctx.tenant)
            yield connection

    async def vectors(self, ctx: ToolContext, passages: Iterable[Passage]) -> Vectors | None:
        """The vectors of passages that are about to be stored, if they can be had at once."""
        return await vectors_of(self._embeddings, ctx.tenant, [passage.content for passage in passages])

    async def unembedded(
        self, connection: Connection, ctx: ToolContext, ids: Collection[str] | None = None
    ) -> int:
        """How many of these records, by default of all, meaning will find later; 0 where none is embedded."""
        if self._embeddings.recipe.provider == "none":
            return 0
        return await index.count_unembedded(connection, ctx.tenant, ids)

    async def hint_at_unembedded(
        self, connection: Connection, ctx: ToolContext, ids: Collection[str], notices: Notices
    ) -> None:
        if await self.unembedded(connection, ctx, ids):
            notices.hint(
                "embedding_pending", "Not embedded yet: search finds it by words only until that is done."
            )

    async def note(self, connection: Connection, ctx: ToolContext, tool: str, ids: Sequence[str]) -> None:
        """Leave a line in the audit of what a tool did to records."""
        await audit.record(
            connection,
            ctx.tenant,
            caller=ctx.caller.name,
            action=f"bridge_{tool}",
            now=self.now(),
            detail={"ids": list(ids)},
        )

    async def of_type(
        self, connection: Connection, ctx: ToolContext, ids: Sequence[str], type_: RecordType, parameter: str
    ) -> list[Record]:
        """The records of these ids, all of one type, in their order.

        Raises: ValidationError for an id of another type; NotFound with all ids that are not there.
        """
        for position, id_ in enumerate(ids):
            _check_type(ctx, id_, type_, parameter, f"$.{parameter}[{position}]")
        found = await self.store.load(connection, ctx.tenant, ids)
        missing = [id_ for id_ in ids if id_ not in found]
        if missing:
            first = f"Call {tool_name(ctx, _MAKERS[type_])} first, or {tool_name(ctx, 'search')} for the id."
            raise await self.not_found(connection, ctx, missing, first)
        return list(found.values())

    async def source(self, connection: Connection, ctx: ToolContext, id_: str, parameter: str) -> Record:
        """The source of this id.

        Raises: ValidationError for the id of another type; NotFound.
        """
        _check_type(ctx, id_, "source", parameter, f"$.{parameter}")
        return (await self.of_type(connection, ctx, [id_], "source", parameter))[0]

    async def locked(self, connection: Connection, ctx: ToolContext, id_: str) -> Record | None:
        """The record of this id, whatever it is, locked until the transaction ends."""
        return await self.store.lock(connection, ctx.tenant, id_)

    async def not_found(
        self, connection: Connection, ctx: ToolContext, missing: Collection[str], *suggestions: str
    ) -> NotFound:
        """The error for ids that no record of the tenant has; says when one was released."""
        ids = list(dict.fromkeys(missing))
        details: JsonObject = {"ids": ids}
        released = await self.store.tombstones(connection, ctx.tenant, ids)
        said = f"There is no record {listed([id_[:64] for id_ in ids])} here."
        if released:
            earliest = min(tombstone.released_at for tombstone in released.values())
            details["releasedAt"] = format_time(earliest)
            said += f" Released: {listed(list(released))}."
        suggestions = suggestions or (f"{tool_name(ctx, 'search')} finds records and their ids.",)
        return NotFound(said, details=details, suggestions=suggestions)


def tool_name(ctx: ToolContext, tool: str) -> str:
    """A tool of this toolset as the server lists it."""
    return ctx.contract.canonical_name(f"bridge_{tool}") or tool


def is_served(ctx: ToolContext, tool: str) -> bool:
    return ctx.contract.canonical_name(f"bridge_{tool}") is not None


def unique(ids: Sequence[str], parameter: str, notices: Notices) -> list[str]:
    """The ids without repetitions, which are reported."""
    distinct = list(dict.fromkeys(ids))
    if len(distinct) < len(ids):
        notices.hint("repeated_id", f"{parameter} named an id more than once; it counts once.")
    return distinct


def hint_at_length(summary: str, notices: Notices) -> None:
    words = summary_words(summary)
    if words is not None:
        notices.hint(
            "summary_length", f"The summary has {counted(words, 'word')}; 5 to 7 read best.", words=words
        )


def _check_type(ctx: ToolContext, id_: str, type_: RecordType, parameter: str, path: str) -> None:
    other = type_of(id_)
    if other is not None and other != type_:
        message = f"{id_} is the id of a {other}; {parameter} takes ids of {type_}s."
        if (other, parameter) == ("scene", "momentIds"):
            enrich, autoweave = tool_name(ctx, "enrich"), tool_name(ctx, "autoweave")
            remedy = f"Call {enrich} with updates.sceneIds, or {autoweave} with sceneIds."
            raise invalid(path, "other_type", message, remedy)
        raise invalid(path, "other_type", message)
