"""Resources of the `contract` toolset: results of its tools, by URI."""

from vcontract.generated.models import contract as models
from vcontract.generated.results import contract as results
from vcontract.handlers.contract.counts import CountsTools
from vcontract.handlers.contract.describing import DescribingTools
from vcontract.handlers.contract.meaning_map import MeaningMap
from vcontract.handlers.services import Services, Tools
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.store.vcons.audit import import_reports
from vcontract.runtime.store.vcons.counts import stored_by
from vcontract.runtime.vcon.times import format_time


class ResourceReader(Tools):
    """Implements `generated.protocols.ContractResources`."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._counts = services.shared(CountsTools)
        self._describing = services.shared(DescribingTools)
        self._map = MeaningMap(services.database)

    async def graph_shape(self, ctx: ToolContext, /) -> results.GraphShapeContent:
        result = await self._counts.vcon_graph_shape(models.VconGraphShapeParams(), ctx)
        return result["item"]

    async def served_contract(self, ctx: ToolContext, /) -> results.ServedContractContent:
        params = models.VconCapabilitiesParams(migration_hints=True)
        result = await self._describing.vcon_capabilities(params, ctx)
        return result["item"]

    async def meaning_map(self, ctx: ToolContext, /, *, key: str | None) -> results.MeaningMapContent:
        return await self._map.read(ctx.tenant, key)

    async def imports(self, ctx: ToolContext, /) -> results.ImportsContent:
        async with self._database.reading(ctx.tenant) as connection:
            lines = await import_reports(connection, ctx.tenant)
            vcons, size = await stored_by(connection)
        reports: list[results.ImportsContentImportsEntry] = [
            {"at": format_time(line.at), "report": line.detail} for line in lines
        ]
        return {
            "stored": {"vcons": vcons, "bytes": size},
            "count": len(reports),
            "imports": reports,
        }
