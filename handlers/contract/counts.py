"""Tools that count: vcon_taxonomy and vcon_graph_shape."""

from vcontract.generated.models import contract as models
from vcontract.generated.results import contract as results
from vcontract.handlers.contract.graph import WITHOUT_WORDS, GraphShape, filters_of
from vcontract.handlers.contract.search_words import map_query_errors
from vcontract.handlers.contract.taxonomy import Taxonomy
from vcontract.handlers.services import Services, Tools
from vcontract.runtime.frame.context import ToolContext


class CountsTools(Tools):
    """vcon_taxonomy and vcon_graph_shape."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._graph = GraphShape(services)
        self._taxonomy = Taxonomy(services)

    async def vcon_taxonomy(
        self, _params: models.VconTaxonomyParams, ctx: ToolContext, /
    ) -> results.VconTaxonomyResult:
        return {"ok": True, "item": await self._taxonomy.item(ctx.tenant)}

    async def vcon_graph_shape(
        self, params: models.VconGraphShapeParams, ctx: ToolContext, /
    ) -> results.VconGraphShapeResult:
        with map_query_errors(filters_of(params), WITHOUT_WORDS):
            return await self._graph.result(ctx.tenant, params)
