"""The `vcon` toolset: create, read, search, change and delete vCons, and describe the database."""

from vcontract.generated.registry import VconHandlers
from vcontract.handlers.vcon.adding import AddingTools
from vcontract.handlers.vcon.core import CoreTools
from vcontract.handlers.vcon.database import DatabaseTools
from vcontract.handlers.vcon.keyring import KeyringFactory
from vcontract.handlers.vcon.meaning import MeaningTools
from vcontract.handlers.vcon.reference import ReferenceTools
from vcontract.handlers.vcon.searching import SearchTools
from vcontract.handlers.vcon.tags import TagTools
from vcontract.handlers.vcon.templates import TemplateTools
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.preparer import Preparer
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.store.vocabulary.closed_tags import DeclaredVocabulary


def vcon_handlers(
    database: Database,
    vcons: VconStore,
    preparer: Preparer,
    embeddings: Embeddings,
    vocabulary: DeclaredVocabulary,
    keyring: KeyringFactory,
) -> VconHandlers:
    """Create the handlers of the toolset."""
    return VconHandlers(
        adding=AddingTools(database, vcons, preparer),
        core=CoreTools(database, vcons, preparer, keyring),
        database=DatabaseTools(database),
        meaning=MeaningTools(database, vcons, embeddings, vocabulary),
        reference=ReferenceTools(preparer.prepare_context.schemas),
        searching=SearchTools(database, vcons, vocabulary),
        tags=TagTools(database, vcons, vocabulary),
        templates=TemplateTools(database, vcons, preparer),
    )
