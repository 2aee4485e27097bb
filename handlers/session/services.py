"""Services shared by the handlers of the `session` toolset."""

from dataclasses import dataclass
from typing import Self

from vcontract.handlers.services import Services, Tools
from vcontract.handlers.session.cached_results import ResultCache
from vcontract.handlers.session.current_session import CurrentSessions
from vcontract.handlers.session.lists import FoundLists
from vcontract.handlers.session.memory_search import MemorySearch
from vcontract.handlers.session.result_rendering import ResultRenderer
from vcontract.handlers.session.workplace import Workplace
from vcontract.runtime.workspace.session_rules import Rules


@dataclass(frozen=True, slots=True)
class SessionServices:
    """The services of the toolset, made once a process."""

    workplace: Workplace
    sessions: CurrentSessions
    memory: MemorySearch
    renderer: ResultRenderer
    cache: ResultCache
    lists: FoundLists

    @classmethod
    def of(cls, services: Services) -> Self:
        workplace = Workplace(Rules.of(services.settings))
        sessions = CurrentSessions(services.database, services.embeddings, workplace)
        cache = ResultCache(services.database)
        return cls(
            workplace,
            sessions,
            MemorySearch(services.search, services.embeddings, sessions),
            ResultRenderer(),
            cache,
            FoundLists(cache),
        )


class SessionTools(Tools):
    """Base class of the handlers of the toolset."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        own = services.shared(SessionServices.of)
        self._workplace = own.workplace
        self._sessions = own.sessions
        self._memory = own.memory
        self._renderer = own.renderer
        self._cache = own.cache
        self._lists = own.lists
