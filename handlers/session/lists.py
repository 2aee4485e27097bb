"""Cached search results that can be read page by page without shifting."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vcontract.generated.results.session import NextCall
from vcontract.handlers.session.cached_results import ResultCache
from vcontract.handlers.session.memory_search import MemoryMatch
from vcontract.handlers.session.workplace import next_call
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.unicode_cleanup import fold_name
from vcontract.runtime.store.postgres.database import Connection

MAX_LIST_LENGTH: Final = 2_000
_MAX_QUERY_LENGTH: Final = 1_000


@dataclass(frozen=True, slots=True)
class FoundList:
    """A cached list, and whether files of exchanges are shown."""

    key: str
    references: Sequence[MemoryMatch]
    with_files: bool = False


class FoundLists:
    """Cached lists of every caller."""

    def __init__(self, cache: ResultCache) -> None:
        self._cache = cache

    async def keep(
        self,
        ctx: ToolContext,
        query: str,
        project: str | None,
        references: Sequence[MemoryMatch],
        *,
        with_files: bool = False,
        only_by_key: bool = False,
    ) -> FoundList:
        """Cache the results of a query in a project. Unless `only_by_key`, the same query finds them
        again.
        """
        kept = references[:MAX_LIST_LENGTH]
        content: JsonObject = {
            "project": None if project is None else fold_name(project),
            "references": [reference.to_json() for reference in kept],
            "with_files": with_files,
            "only_by_key": only_by_key,
        }
        return FoundList(await self._cache.keep_list(ctx, query, content), kept, with_files)

    async def following(
        self,
        ctx: ToolContext,
        query: str,
        references: Sequence[MemoryMatch],
        limit: int,
        *,
        with_files: bool = False,
    ) -> NextCall | None:
        """The call for the results after the first `limit`; None if there are none."""
        if len(references) <= limit:
            return None
        query = query[:_MAX_QUERY_LENGTH]
        kept = await self.keep(ctx, query, None, references, with_files=with_files, only_by_key=True)
        return next_page(ctx, query, kept.key, limit, limit)

    async def of_key(self, connection: Connection, ctx: ToolContext, query: str, key: str) -> FoundList:
        """Return the list with a key.

        Raises: ValidationError for an invalid key of this query.
        """
        return _read(key, await self._cache.list_of(connection, ctx, query, key))

    async def newest(
        self, connection: Connection, ctx: ToolContext, query: str, project: str | None
    ) -> FoundList | None:
        """The caller's newest cached list of a query in a project."""
        wanted = None if project is None else fold_name(project)
        for key, content in await self._cache.newest_lists(connection, ctx, query):
            if content["project"] == wanted and not content["only_by_key"]:
                return _read(key, content)
        return None


def next_page(ctx: ToolContext, query: str, key: str, offset: int, limit: int | None = None) -> NextCall:
    """The call that returns a page of a list."""
    arguments: JsonObject = {"query": query, "cache_key": key, "offset": offset}
    return next_call(ctx, "get_more_results", **arguments, **({} if limit is None else {"limit": limit}))


def _read(key: str, content: JsonObject) -> FoundList:
    references = [MemoryMatch.from_json(document) for document in content["references"]]
    return FoundList(key, references, content["with_files"])
