"""The `contract` toolset, designed for language models: search, recall, fetch, and descriptions."""

from vcontract.generated.registry import ContractHandlers
from vcontract.handlers.contract.counts import CountsTools
from vcontract.handlers.contract.describing import CapabilitiesTools
from vcontract.handlers.contract.fetch import FetchTools
from vcontract.handlers.contract.recall import RecallTools
from vcontract.handlers.contract.search import SearchTools
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.frame.calls.cursor import CursorCodec
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.preparation import PrepareContext
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.store.vocabulary.closed_tags import DeclaredVocabulary


def contract_handlers(
    database: Database,
    vcons: VconStore,
    cursors: CursorCodec,
    prepare_context: PrepareContext,
    vocabulary: DeclaredVocabulary,
    embeddings: Embeddings,
) -> ContractHandlers:
    """Create the handlers of the toolset."""
    return ContractHandlers(
        capabilities=CapabilitiesTools(database, embeddings, prepare_context.legacy_names),
        counts=CountsTools(database, prepare_context.dealers, vocabulary),
        fetch=FetchTools(database, vcons),
        recall=RecallTools(database, vcons, vocabulary, embeddings),
        search=SearchTools(database, vcons, cursors, vocabulary, embeddings),
    )
