"""Resources of the `contract` toolset: what its tools answer, by URI."""

from vcontract.generated.models import contract as models
from vcontract.handlers.contract.toolset import Contract
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.envelope import result_document


class ContractReader:
    """Implements `generated.protocols.ContractResources`."""

    def __init__(self, tools: Contract) -> None:
        self._tools = tools

    async def graph_shape(self, ctx: ToolContext, /) -> JsonObject:
        result = await self._tools.vcon_graph_shape(models.VconGraphShapeParams(), ctx)
        return result_document(result["item"])

    async def served_contract(self, ctx: ToolContext, /) -> JsonObject:
        result = await self._tools.vcon_capabilities(models.VconCapabilitiesParams(), ctx)
        return result_document(result["item"])
