"""Resources of the `contract` toolset: results of its tools, by URI."""

from vcontract.generated.models import contract as models
from vcontract.generated.registry import ContractHandlers
from vcontract.generated.results import contract as results
from vcontract.handlers.contract.meaning_map import MeaningMap
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.audit import import_reports
from vcontract.runtime.store.vcons.counts import stored_by
from vcontract.runtime.vcon.times import format_time


class ContractReader:
    """Implements `generated.protocols.ContractResources`."""

    def __init__(self, tools: ContractHandlers, database: Database) -> None:
        self._tools = tools
        self._database = database
        self._map = MeaningMap(database)

    async def graph_shape(self, ctx: ToolContext, /) -> results.GraphShapeContent:
        result = await self._tools.counts.vcon_graph_shape(models.VconGraphShapeParams(), ctx)
        return result["item"]

    async def served_contract(self, ctx: ToolContext, /) -> results.ServedContractContent:
        params = models.VconCapabilitiesParams(migration_hints=True)
        result = await self._tools.capabilities.vcon_capabilities(params, ctx)
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
