"""The `memory` toolset: past conversations with agents, found and read."""

from vcontract.generated.registry import MemoryHandlers
from vcontract.handlers.memory.reading import ConversationReader
from vcontract.handlers.memory.searching import Searcher
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.store.postgres.database import Database


def memory_handlers(database: Database, embeddings: Embeddings) -> MemoryHandlers:
    """Every group of the toolset, over one store."""
    return MemoryHandlers(reading=ConversationReader(database), searching=Searcher(database, embeddings))
