"""The `vcon` toolset: vCons and their parts, created, read, changed and deleted."""

from vcontract.generated.registry import VconHandlers
from vcontract.handlers.vcon.adding import AddingTools
from vcontract.handlers.vcon.core import CoreTools
from vcontract.handlers.vcon.database import DatabaseTools
from vcontract.handlers.vcon.examples import ExampleTools
from vcontract.handlers.vcon.meaning import MeaningTools
from vcontract.handlers.vcon.schemas import SchemaTools
from vcontract.handlers.vcon.searching import SearchTools
from vcontract.handlers.vcon.tags import TagTools
from vcontract.handlers.vcon.templates import TemplateTools
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.preparer import Preparer
from vcontract.runtime.store.vcons.store import VconStore


class Vcon(
    AddingTools,
    CoreTools,
    DatabaseTools,
    ExampleTools,
    MeaningTools,
    SchemaTools,
    SearchTools,
    TagTools,
    TemplateTools,
):
    """Every group of the toolset's tools."""


def vcon_handlers(
    database: Database, vcons: VconStore, preparer: Preparer, embeddings: Embeddings
) -> VconHandlers:
    """Every group of the toolset, over one store."""
    vcon = Vcon(database, vcons, preparer, embeddings)
    return VconHandlers(
        adding=vcon,
        core=vcon,
        database=vcon,
        meaning=vcon,
        reference=vcon,
        searching=vcon,
        tags=vcon,
        templates=vcon,
    )
