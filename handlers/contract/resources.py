"""Resources of the `contract` toolset: what its tools answer, by URI."""

from vcontract.generated.models import contract as models
from vcontract.generated.registry import ContractHandlers
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents.json import JsonObject


class ContractReader:
    """Implements `generated.protocols.ContractResources`."""

    def __init__(self, tools: ContractHandlers) -> None:
        self._tools = tools

    async def graph_shape(self, ctx: ToolContext, /) -> JsonObject:
        result = await self._tools.counts.vcon_graph_shape(models.VconGraphShapeParams(), ctx)
        return dict(result["item"])

    async def served_contract(self, ctx: ToolContext, /) -> JsonObject:
        params = models.VconCapabilitiesParams(migration_hints=True)
        result = await self._tools.capabilities.vcon_capabilities(params, ctx)
        return dict(result["item"])
