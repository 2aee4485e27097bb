"""Tools that count: vcon_taxonomy and vcon_graph_shape."""

from vcontract.generated.models import contract as models
from vcontract.generated.results import contract as results
from vcontract.handlers.contract.graph import WITHOUT_WORDS, GraphShape, filters_of
from vcontract.handlers.contract.search_words import map_query_errors
from vcontract.handlers.contract.taxonomy import Taxonomy
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vocabulary.closed_tags import DeclaredVocabulary
from vcontract.runtime.vcon.dealers import Dealers


class CountsTools:
    """vcon_taxonomy and vcon_graph_shape."""

    def __init__(self, database: Database, dealers: Dealers, vocabulary: DeclaredVocabulary) -> None:
        self._graph = GraphShape(database, vocabulary)
        self._taxonomy = Taxonomy(database, dealers, vocabulary)

    async def vcon_taxonomy(
        self, _params: models.VconTaxonomyParams, ctx: ToolContext, /
    ) -> results.VconTaxonomyResult:
        return {"ok": True, "item": await self._taxonomy.item(ctx.tenant)}

    async def vcon_graph_shape(
        self, params: models.VconGraphShapeParams, ctx: ToolContext, /
    ) -> results.VconGraphShapeResult:
        with map_query_errors(filters_of(params), WITHOUT_WORDS):
            return await self._graph.result(ctx.tenant, params)
