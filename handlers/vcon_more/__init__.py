"""The `vcon_more` toolset: edit elements, redact, sign, hold and count vCons."""

from vcontract.generated.registry import VconMoreHandlers
from vcontract.handlers.vcon.keyring import KeyringFactory
from vcontract.handlers.vcon_more.counting import CountingTools
from vcontract.handlers.vcon_more.elements import ElementTools
from vcontract.handlers.vcon_more.legal_holds import LifeTools
from vcontract.handlers.vcon_more.redaction import RedactionTools
from vcontract.handlers.vcon_more.relations import RelationTools
from vcontract.handlers.vcon_more.trust import TrustTools
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.preparer import Preparer
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.store.vocabulary.closed_tags import DeclaredVocabulary


def vcon_more_handlers(
    database: Database,
    vcons: VconStore,
    preparer: Preparer,
    keyring: KeyringFactory,
    declared: DeclaredVocabulary,
) -> VconMoreHandlers:
    """Create the handlers of the toolset."""
    return VconMoreHandlers(
        counting=CountingTools(database, vcons, declared),
        elements=ElementTools(database, vcons, preparer),
        life=LifeTools(database, vcons),
        relations=RelationTools(database),
        redaction=RedactionTools(database, vcons, preparer),
        trust=TrustTools(database, vcons, preparer, keyring),
    )
