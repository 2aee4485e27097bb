"""The `memory` toolset: search and read past conversations with agents."""

from vcontract.generated.registry import MemoryHandlers
from vcontract.handlers.memory.reading import ConversationReader
from vcontract.handlers.memory.searching import Searcher
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.store.postgres.database import Database


def memory_handlers(database: Database, embeddings: Embeddings) -> MemoryHandlers:
    """Create the handlers of the toolset."""
    return MemoryHandlers(reading=ConversationReader(database), searching=Searcher(database, embeddings))
