"""Split long results into chunks, and cache them and result lists for later calls."""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, TypeVar, cast

from vcontract.generated.errors import ValidationError
from vcontract.handlers.session.workplace import now, subject_of
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.frame.documents.json_values import is_array
from vcontract.runtime.store.postgres.database import Connection, Database
from vcontract.runtime.store.postgres.error_mapping import StoreDown, reaching_store
from vcontract.runtime.store.sessions import result_cache
from vcontract.runtime.store.sessions.result_cache import MAX_ENTRIES, Entry
from vcontract.runtime.vcon.times import format_time

MAX_CHUNK_TOKENS: Final = 4_000
BYTES_PER_TOKEN: Final = 4

_MAX_CHUNK_BYTES: Final = MAX_CHUNK_TOKENS * BYTES_PER_TOKEN
_CHUNKS: Final = "chunks"
_LIST: Final = "list"
_KEPT: Final = timedelta(hours=1)
"""How long a result stays in the cache."""
_MAX_CHUNKS: Final = 999
"""Placeholder for unknown numbers; no result has this many chunks."""

Answer = TypeVar("Answer", bound=Mapping[str, object])


class ResultCache:
    """Cached results by caller, in the store, or in this process if the store is read-only."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._local: dict[tuple[str, str, tuple[str, ...], str], Entry] = {}
        """Entries by tenant, caller, purposes and key."""

    async def in_chunks(self, ctx: ToolContext, answer: Answer) -> Answer:
        """Return a short result unchanged, else its first chunk after caching the others."""
        document: JsonObject = dict(answer)
        if len(dump_json(document)) <= _MAX_CHUNK_BYTES:
            return answer
        key, at = new_key(), now()
        expires = at + _KEPT
        chunks = chunked(document, key, expires)
        await self._put(ctx, Entry(key, _CHUNKS, None, {"chunks": chunks}, at, expires))
        return cast("Answer", chunks[0])

    async def chunks(self, ctx: ToolContext, key: str) -> list[JsonObject]:
        """Return the chunks of a result.

        Raises: ValidationError for an invalid key.
        """
        entry = self._local_entry(ctx, key)
        if entry is None or self._database.purposes:
            async with self._database.reading(ctx.tenant) as connection:
                entry = await self._get(connection, ctx, key)
        if entry.tool != _CHUNKS:
            raise _unknown_key()
        chunks: list[JsonObject] = entry.content["chunks"]
        return chunks

    async def keep_list(self, ctx: ToolContext, query: str, content: JsonObject) -> str:
        """Cache the results of a query. Returns the key."""
        key, at = new_key(), now()
        expires = at + _KEPT
        await self._put(ctx, Entry(key, _LIST, _digest_of(query), content, at, expires))
        return key

    async def list_of(self, connection: Connection, ctx: ToolContext, query: str, key: str) -> JsonObject:
        """Return a cached list.

        Raises: ValidationError, also if the key is for something else.
        """
        entry = await self._get(connection, ctx, key)
        if entry.tool != _LIST:
            raise ValidationError(
                "This cache_key belongs to the chunks of an answer, not to a list of results.",
                details={"parameter": "cache_key", "reason": "chunks"},
                suggestions=["Read chunks with get_cached_chunk; next of a chunk has the list's key."],
            )
        if entry.query_digest != _digest_of(query):
            raise ValidationError(
                "This cache_key belongs to another query.",
                details={"parameter": "cache_key", "reason": "other_query"},
                suggestions=["Send the query of the search that gave the cache_key."],
            )
        return entry.content

    async def newest_lists(
        self, connection: Connection, ctx: ToolContext, query: str
    ) -> list[tuple[str, JsonObject]]:
        """The caller's cached lists of a query by key, newest first."""
        entries = await result_cache.newest(
            connection, ctx.tenant, subject_of(ctx), _LIST, _digest_of(query), now()
        )
        return [(entry.key, entry.content) for entry in entries]

    async def _put(self, ctx: ToolContext, entry: Entry) -> None:
        """Store an entry, in this process if the store is read-only."""
        caller = subject_of(ctx)
        try:
            with reaching_store():
                async with self._database.writing(ctx.tenant) as connection:
                    await result_cache.put(connection, ctx.tenant, caller, entry)
        except StoreDown:
            own = [kept for kept in self._local if kept[:2] == (ctx.tenant, caller)]
            for kept in own[: len(own) - MAX_ENTRIES + 1]:
                del self._local[kept]
            self._local[ctx.tenant, caller, self._database.purposes, entry.key] = entry

    def _local_entry(self, ctx: ToolContext, key: str) -> Entry | None:
        """The caller's entry in this process."""
        entry = self._local.get((ctx.tenant, subject_of(ctx), self._database.purposes, key))
        return entry if entry is not None and entry.expires_at > now() else None

    async def _get(self, connection: Connection, ctx: ToolContext, key: str) -> Entry:
        """Return the caller's entry.

        Raises: ValidationError, the same for unknown, expired and other callers' keys.
        """
        entry = self._local_entry(ctx, key)
        if entry is None and "\0" not in key:
            entry = await result_cache.get(connection, ctx.tenant, subject_of(ctx), key, now())
        elif entry is not None and not await result_cache.is_answered(connection, entry):
            entry = None
        if entry is None:
            raise _unknown_key()
        return entry


def chunked(answer: JsonObject, key: str, expires: datetime) -> list[JsonObject]:
    """Split a result into chunks of up to 4,000 tokens: whole entries in order; other members in each
    chunk.
    """
    results: Sequence[JsonObject] = answer["results"]
    scalars = {name: value for name, value in answer.items() if not is_array(value)}
    lists = {name: value for name, value in answer.items() if is_array(value) and name != "results"}
    parts: list[list[JsonObject]] = [[]]
    room = _MAX_CHUNK_BYTES - _size(_chunk(scalars | lists, [], _MAX_CHUNKS, _MAX_CHUNKS, key, expires))
    for result in results:
        size = _size(result) + 1
        if parts[-1] and size > room:
            parts.append([])
            room = _MAX_CHUNK_BYTES - _size(_chunk(scalars, [], _MAX_CHUNKS, _MAX_CHUNKS, key, expires))
        parts[-1].append(result)
        room -= size
    return [
        _chunk(scalars | (lists if number == 1 else {}), part, number, len(parts), key, expires)
        for number, part in enumerate(parts, start=1)
    ]


def _chunk(
    members: Mapping[str, object],
    results: list[JsonObject],
    number: int,
    total: int,
    key: str,
    expires: datetime,
) -> JsonObject:
    return {
        **members,
        "results": results,
        "chunked": True,
        "current_chunk": number,
        "total_chunks": total,
        "cache_key": key,
        "has_more": number < total,
        "expires_at": format_time(expires.replace(microsecond=0)),
    }


def _size(value: JsonObject) -> int:
    return len(dump_json(value))


def new_key() -> str:
    """Generate a key of 128 random bits."""
    return secrets.token_urlsafe(16)


def _digest_of(query: str) -> bytes:
    """Digest of a query, for the cache."""
    return hashlib.sha256(query.strip().encode("utf-8", "surrogatepass")).digest()


def _unknown_key() -> ValidationError:
    return ValidationError(
        "This cache_key leads nowhere: it is unknown, or its time is over.",
        details={"parameter": "cache_key", "reason": "unknown_cache_key"},
        suggestions=["Repeat the search."],
    )
