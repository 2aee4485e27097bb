"""Long answers in chunks, and lists that are read on: made once, kept for a while, given out unchanged."""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from vcontract.generated.errors import ValidationError
from vcontract.generated.models import session as models
from vcontract.handlers.session.base import now, subject_of
from vcontract.handlers.session.current import CurrentSessions
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents.json import JsonObject, dump_json
from vcontract.runtime.documents.values import is_array
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.imports.transcripts.syncing import ProjectTranscripts
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.faults import StoreDown, reaching_store
from vcontract.runtime.store.sessions import result_cache
from vcontract.runtime.store.sessions.result_cache import MOST_ENTRIES, Entry
from vcontract.runtime.vcon.times import format_time
from vcontract.runtime.workspace.rules import Rules

MOST_TOKENS: Final = 4_000
BYTES_PER_TOKEN: Final = 4

_MOST_BYTES: Final = MOST_TOKENS * BYTES_PER_TOKEN
_CHUNKS: Final = "chunks"
_LISTS_AT_MOST: Final = 999
"""Stands for numbers that are not known yet; no answer has so many chunks."""


class ChunkTools(CurrentSessions):
    """The tool that reads chunks, and the cache behind it."""

    def __init__(
        self, database: Database, embeddings: Embeddings, rules: Rules, transcripts: ProjectTranscripts
    ) -> None:
        super().__init__(database, embeddings, rules, transcripts)
        self._local: dict[tuple[str, str, str], Entry] = {}
        """What could not be kept in the store, because it may not be written: by tenant, caller and key."""

    async def get_cached_chunk(
        self, params: models.SessionGetCachedChunkParams, ctx: ToolContext, /
    ) -> models.SessionGetCachedChunkResult:
        entry = await self.kept(ctx, params.cache_key)
        if entry.tool != _CHUNKS:
            raise unknown_key()
        chunks: list[JsonObject] = entry.content["chunks"]
        if params.chunk_index > len(chunks):
            raise ValidationError(
                f"chunk_index {params.chunk_index} is beyond the last of {len(chunks)} chunks.",
                details={
                    "parameter": "chunk_index",
                    "reason": "beyond_the_last",
                    "total_chunks": len(chunks),
                },
            )
        return models.SessionGetCachedChunkResult.model_validate(chunks[params.chunk_index - 1])

    async def in_chunks(self, ctx: ToolContext, answer: JsonObject) -> JsonObject:
        """The answer itself when it is short; else its first chunk, and the others are kept."""
        if len(dump_json({"success": True, **answer})) <= _MOST_BYTES:
            return answer
        key, at = new_key(), now()
        expires = at + timedelta(seconds=self._rules.cache_seconds)
        chunks = chunked(answer, key, expires)
        await self.keep_entry(ctx, Entry(key, _CHUNKS, None, {"chunks": chunks}, at, expires))
        return chunks[0]

    async def keep_entry(self, ctx: ToolContext, entry: Entry) -> None:
        """Keep an entry for its caller, in this process when the store may not be written."""
        caller = subject_of(ctx)
        try:
            with reaching_store():
                async with self._database.writing(ctx.tenant) as connection:
                    await result_cache.put(connection, ctx.tenant, caller, entry)
        except StoreDown:
            own = [kept for kept in self._local if kept[:2] == (ctx.tenant, caller)]
            for kept in own[: len(own) - MOST_ENTRIES + 1]:
                del self._local[kept]
            self._local[ctx.tenant, caller, entry.key] = entry

    async def kept(self, ctx: ToolContext, key: str) -> Entry:
        """The caller's entry.

        Raises: ValidationError, in one and the same way for unknown, expired and foreign keys.
        """
        if "\0" in key:
            raise unknown_key()  # the store cannot even be asked for it
        caller, at = subject_of(ctx), now()
        local = self._local.get((ctx.tenant, caller, key))
        if local is not None and local.expires_at > at:
            return local
        async with self._database.reading(ctx.tenant) as connection:
            entry = await result_cache.get(connection, ctx.tenant, caller, key, at)
        if entry is None:
            raise unknown_key()
        return entry


def chunked(answer: JsonObject, key: str, expires: datetime) -> list[JsonObject]:
    """The answer in chunks of at most 4,000 tokens, whole results in order, everything but lists in each."""
    results: Sequence[JsonObject] = answer["results"]
    scalars = {name: value for name, value in answer.items() if not is_array(value)}
    lists = {name: value for name, value in answer.items() if is_array(value) and name != "results"}
    parts: list[list[JsonObject]] = [[]]
    room = _MOST_BYTES - _size(_chunk(scalars | lists, [], _LISTS_AT_MOST, _LISTS_AT_MOST, key, expires))
    for result in results:
        size = _size(result) + 1
        if parts[-1] and size > room:
            parts.append([])
            room = _MOST_BYTES - _size(_chunk(scalars, [], _LISTS_AT_MOST, _LISTS_AT_MOST, key, expires))
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
    return len(dump_json({"success": True, **value}))


def new_key() -> str:
    """128 random bits."""
    return secrets.token_urlsafe(16)


def digest_of(query: str) -> bytes:
    """Names a query in the cache."""
    return hashlib.sha256(query.strip().encode("utf-8", "surrogatepass")).digest()


def unknown_key() -> ValidationError:
    return ValidationError(
        "This cache_key leads nowhere: it is unknown, or its time is over.",
        details={"parameter": "cache_key", "reason": "unknown_cache_key"},
        suggestions=["Repeat the search."],
    )
