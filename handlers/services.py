"""Services: what a process makes once and every handler uses."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

from vcontract.handlers.paging import Pages
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.frame.calls.cursor import CursorCodec
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vocabulary.closed_tags import DeclaredVocabulary

if TYPE_CHECKING:
    from vcontract.handlers.vcon.keyring import KeyringFactory
    from vcontract.runtime.store.search.search import Search
    from vcontract.runtime.store.vcons.preparation import PrepareContext
    from vcontract.runtime.store.vcons.preparer import Preparer
    from vcontract.runtime.store.vcons.store import VconStore

Made = TypeVar("Made")


@dataclass(frozen=True)
class Services:
    """The services of one store. Those that take long to import are made when they are first used."""

    settings: Settings
    database: Database
    cursors: CursorCodec
    embeddings: Embeddings
    vocabulary: DeclaredVocabulary
    _made: dict[Callable[["Services"], object], object] = field(
        default_factory=dict[Callable[["Services"], object], object], repr=False
    )

    def shared(self, make: Callable[["Services"], Made]) -> Made:
        """Return what `make` makes of these services: made on the first call, the same on each later one."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast("Made", self._made[make])

    def provide(self, make: Callable[["Services"], Made], made: Made) -> None:
        """Use `made` in place of what `make` would make. Tests do so with their own clock or model."""
        self._made[make] = made

    @cached_property
    def vcons(self) -> "VconStore":
        from vcontract.runtime.store.vcons.store import VconStore

        return VconStore(self.database)

    @cached_property
    def search(self) -> "Search":
        from vcontract.runtime.store.search.search import Search

        return Search()

    @cached_property
    def preparer(self) -> "Preparer":
        """Prepares vCons for storage, large ones in a thread."""
        from vcontract.runtime.store.vcons.preparation import PrepareContext
        from vcontract.runtime.store.vcons.preparer import Preparer

        return Preparer(PrepareContext.load())

    @cached_property
    def keyring(self) -> "KeyringFactory":
        from vcontract.handlers.vcon.keyring import keyring_of

        return keyring_of(self.settings.keys, self.settings.fetch_hosts)


class Tools:
    """Base class of the handlers of a group of tools: the services, each under its name."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @property
    def _database(self) -> Database:
        return self._services.database

    @property
    def _vcons(self) -> "VconStore":
        return self._services.vcons

    @property
    def _search(self) -> "Search":
        return self._services.search

    @property
    def _embeddings(self) -> Embeddings:
        return self._services.embeddings

    @property
    def _cursors(self) -> CursorCodec:
        return self._services.cursors

    def _pages(self, tool: str, ctx: ToolContext, arguments: JsonObject, model: str | None = None) -> Pages:
        """The pages of a tool's results, by cursors that are bound to its arguments."""
        return Pages(self._cursors, tool, ctx.tenant, arguments, model)

    @property
    def _vocabulary(self) -> DeclaredVocabulary:
        """Tag values that the operator declared."""
        return self._services.vocabulary

    @property
    def _preparer(self) -> "Preparer":
        return self._services.preparer

    @property
    def _context(self) -> "PrepareContext":
        return self._services.preparer.prepare_context

    @property
    def _keyring(self) -> "KeyringFactory":
        return self._services.keyring
