"""The `memory` toolset: past conversations with agents, found and read."""

from vcontract.generated.models import memory as models
from vcontract.generated.results.memory import MemoryReadResult, MemorySearchResult
from vcontract.handlers.memory.reading import Reader
from vcontract.handlers.memory.searching import Searcher
from vcontract.runtime.context import ToolContext
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.envelope import Document
from vcontract.runtime.store.postgres.database import Database


class Memory:
    """Implements `generated.protocols.MemoryTools`."""

    def __init__(self, database: Database, embeddings: Embeddings, *, sidechains: bool) -> None:
        self._searcher = Searcher(database, embeddings, sidechains=sidechains)
        self._reader = Reader(database)

    async def search(
        self, params: models.MemorySearchParams, ctx: ToolContext, /
    ) -> Document[MemorySearchResult]:
        return await self._searcher.answer(params, ctx)

    async def read(self, params: models.MemoryReadParams, ctx: ToolContext, /) -> Document[MemoryReadResult]:
        return await self._reader.answer(params, ctx)
