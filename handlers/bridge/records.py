"""Look up and change bridge records; shared by all tools of the bridge."""

import contextlib
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from vcontract.generated.errors import NotFound
from vcontract.handlers.bridge.answers import Notices, join_ids
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
    """The records of the caller's tenant, with one clock."""

    def __init__(
        self, database: Database, embeddings: Embeddings, clock: Callable[[], datetime] | None = None
    ) -> None:
        self.store = BridgeStore()
        self._embeddings = embeddings
        self._database = database
        self._clock = clock or (lambda: datetime.now(UTC))
        self._ids = RecordIds()

    def now(self) -> datetime:
        """Current time in UTC, in milliseconds like IDs."""
        now = self._clock().astimezone(UTC)
        return now.replace(microsecond=now.microsecond // 1000 * 1000)

    def make_id(self, type_: RecordType, now: datetime) -> str:
        """Create the ID of a new record."""
        return self._ids.make(type_, now)

    def reading(self, ctx: ToolContext) -> contextlib.AbstractAsyncContextManager[Connection]:
        """Open a read-only transaction."""
        return self._database.reading(ctx.tenant)

    def noting(self, ctx: ToolContext) -> contextlib.AbstractAsyncContextManager[Connection]:
        """Open a separate transaction that does not change the tenant's records."""
        return self._database.writing(ctx.tenant)

    @contextlib.asynccontextmanager
    async def changing(self, ctx: ToolContext) -> AsyncGenerator[Connection]:
        """Open the call's transaction, exclusive for changes of the tenant's records."""
        async with self._database.writing(ctx.tenant, ctx.transaction) as connection:
            await self.store.queue_up(connection, ctx.tenant)
            yield connection

    async def vectors(self, ctx: ToolContext, passages: Iterable[Passage]) -> Vectors | None:
        """Return the vectors of passages to be stored, if they are ready in time."""
        return await vectors_of(self._embeddings, ctx.tenant, [passage.content for passage in passages])

    async def unembedded(
        self, connection: Connection, ctx: ToolContext, ids: Collection[str] | None = None
    ) -> int:
        """Count the records that meaning will find later; 0 if nothing is embedded. Default: all records."""
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
        """Record a tool's action on records in the audit."""
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
        """Load records that must all have one type, in order.

        Raises: ValidationError for an ID of another type; NotFound with all missing IDs.
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
        """Load a source.

        Raises: ValidationError for an ID of another type; NotFound.
        """
        _check_type(ctx, id_, "source", parameter, f"$.{parameter}")
        return (await self.of_type(connection, ctx, [id_], "source", parameter))[0]

    async def locked(self, connection: Connection, ctx: ToolContext, id_: str) -> Record | None:
        """Lock a record of any type until the transaction ends, and return it."""
        return await self.store.lock(connection, ctx.tenant, id_)

    async def not_found(
        self, connection: Connection, ctx: ToolContext, missing: Collection[str], *suggestions: str
    ) -> NotFound:
        """Build the error for missing IDs; mentions released records."""
        ids = list(dict.fromkeys(missing))
        details: JsonObject = {"ids": ids}
        released = await self.store.tombstones(connection, ctx.tenant, ids)
        said = f"There is no record {join_ids([id_[:64] for id_ in ids])} here."
        if released:
            earliest = min(tombstone.released_at for tombstone in released.values())
            details["releasedAt"] = format_time(earliest)
            said += f" Released: {join_ids(list(released))}."
        suggestions = suggestions or (f"{tool_name(ctx, 'search')} finds records and their ids.",)
        return NotFound(said, details=details, suggestions=suggestions)


def tool_name(ctx: ToolContext, tool: str) -> str:
    """Served name of a tool in this toolset."""
    return ctx.contract.canonical_name(f"bridge_{tool}") or tool


def is_served(ctx: ToolContext, tool: str) -> bool:
    return ctx.contract.canonical_name(f"bridge_{tool}") is not None


def unique(ids: Sequence[str], parameter: str, notices: Notices) -> list[str]:
    """Drop repeated IDs, with a notice."""
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
