"""Create the handlers of each toolset on the first call that needs them, so that start-up is fast."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.frame.calls.cursor import CursorCodec
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vocabulary.closed_tags import DeclaredVocabulary

if TYPE_CHECKING:
    from vcontract.generated.protocols import ContractResources, VconResources
    from vcontract.generated.registry import (
        BridgeHandlers,
        ContractHandlers,
        MemoryHandlers,
        SessionHandlers,
        VconHandlers,
        VconMoreHandlers,
    )
    from vcontract.handlers.vcon.keyring import KeyringFactory
    from vcontract.runtime.store.vcons.preparer import Preparer
    from vcontract.runtime.store.vcons.store import VconStore


@dataclass(frozen=True)
class LazyHandlers:
    """Lazily created `generated.registry.Handlers`. Type checkers report a missing method or wrong type
    here.
    """

    settings: Settings
    database: Database
    cursors: CursorCodec
    embeddings: Embeddings
    vocabulary: DeclaredVocabulary

    @cached_property
    def bridge(self) -> "BridgeHandlers":
        from vcontract.handlers.bridge import bridge_handlers
        from vcontract.runtime.app.answering import llm_settings
        from vcontract.runtime.llm.endpoint import Endpoint
        from vcontract.runtime.workspace.confined_files import FileRoots

        settings = self.settings
        llm = llm_settings(settings)
        return bridge_handlers(
            self.database,
            self.embeddings,
            settings.time_zone,
            settings.date_languages,
            FileRoots([Path(root) for root in settings.file_roots]),
            llm,
            Endpoint(llm),
        )

    @cached_property
    def contract(self) -> "ContractHandlers":
        from vcontract.handlers.contract import contract_handlers

        prepare_context = self.preparer.prepare_context
        return contract_handlers(
            self.database, self.vcons, self.cursors, prepare_context, self.vocabulary, self.embeddings
        )

    @cached_property
    def memory(self) -> "MemoryHandlers":
        from vcontract.handlers.memory import memory_handlers

        return memory_handlers(self.database, self.embeddings)

    @cached_property
    def session(self) -> "SessionHandlers":
        from vcontract.handlers.session import session_handlers
        from vcontract.runtime.workspace.session_rules import Rules

        return session_handlers(self.database, self.embeddings, Rules.of(self.settings))

    @cached_property
    def vcon(self) -> "VconHandlers":
        from vcontract.handlers.vcon import vcon_handlers

        return vcon_handlers(
            self.database, self.vcons, self.preparer, self.embeddings, self.vocabulary, self.keyring
        )

    @cached_property
    def vcon_more(self) -> "VconMoreHandlers":
        from vcontract.handlers.vcon_more import vcon_more_handlers

        return vcon_more_handlers(self.database, self.vcons, self.preparer, self.keyring, self.vocabulary)

    @cached_property
    def keyring(self) -> "KeyringFactory":
        from vcontract.handlers.vcon.keyring import keyring_of

        return keyring_of(self.settings.keys, self.settings.fetch_hosts)

    @cached_property
    def vcons(self) -> "VconStore":
        from vcontract.runtime.store.vcons.store import VconStore

        return VconStore(self.database)

    @cached_property
    def preparer(self) -> "Preparer":
        """Prepares vCons for storage, large ones in a thread."""
        from vcontract.runtime.store.vcons.preparation import PrepareContext
        from vcontract.runtime.store.vcons.preparer import Preparer

        return Preparer(PrepareContext.load())


@dataclass(frozen=True)
class LazyReaders:
    """Lazily created `generated.registry.Readers`."""

    handlers: LazyHandlers

    @cached_property
    def contract(self) -> "ContractResources":
        from vcontract.handlers.contract.resources import ContractReader

        return ContractReader(self.handlers.contract, self.handlers.database)

    @cached_property
    def vcon(self) -> "VconResources":
        from vcontract.handlers.vcon.resources import VconReader

        late = self.handlers
        return VconReader(late.database, late.vcons, late.preparer.prepare_context.schemas, late.cursors)
