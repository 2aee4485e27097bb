"""The `session` toolset: begin, checkpoint and end coding sessions, and search what they learned."""

from vcontract.generated.registry import SessionHandlers
from vcontract.handlers.session.checkpoints import CheckpointTools
from vcontract.handlers.session.chunks import ChunkTools, ResultCache
from vcontract.handlers.session.current_session import CurrentSessions
from vcontract.handlers.session.ending import EndingTools
from vcontract.handlers.session.files import FileTools
from vcontract.handlers.session.lists import FoundLists
from vcontract.handlers.session.memory_search import MemorySearch
from vcontract.handlers.session.reflecting import ReflectionTools
from vcontract.handlers.session.result_rendering import ResultRenderer
from vcontract.handlers.session.searching import SearchTools
from vcontract.handlers.session.starting import StartingTools
from vcontract.handlers.session.status import StatusTools
from vcontract.handlers.session.workplace import Workplace
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.search.search import Search
from vcontract.runtime.workspace.session_rules import Rules


def session_handlers(database: Database, embeddings: Embeddings, rules: Rules) -> SessionHandlers:
    """Create the handlers of the toolset."""
    workplace = Workplace(rules)
    sessions = CurrentSessions(database, embeddings, workplace)
    search = Search()
    memory = MemorySearch(search, embeddings, sessions)
    presenter = ResultRenderer()
    cache = ResultCache(database)
    lists = FoundLists(cache)
    return SessionHandlers(
        checkpoints=CheckpointTools(database, workplace, sessions),
        chunks=ChunkTools(cache),
        ending=EndingTools(database, workplace, sessions),
        files=FileTools(database, sessions, search, memory, presenter, lists, cache),
        reflecting=ReflectionTools(database, embeddings, workplace, sessions),
        searching=SearchTools(database, embeddings, memory, presenter, lists, cache),
        starting=StartingTools(database, workplace, sessions),
        status=StatusTools(workplace, sessions),
    )
