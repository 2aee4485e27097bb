"""The `contract` toolset: the surface made for language models."""

from pydantic import MISSING

from vcontract.generated.errors import UnknownTool
from vcontract.generated.models import contract as models
from vcontract.generated.results import contract as results
from vcontract.handlers.contract.capabilities import capabilities
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.envelope import in_order
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.vcon.legacy import LegacyNames


class Contract:
    """Implements `generated.protocols.ContractTools`."""

    def __init__(self, database: Database, legacy_names: LegacyNames, embeddings: Embeddings) -> None:
        self._database = database
        self._embeddings = embeddings
        self._legacy_names = legacy_names

    async def vcon_capabilities(
        self, params: models.VconCapabilitiesParams, ctx: ToolContext, /
    ) -> results.VconCapabilitiesResult:
        async with self._database.reading(ctx.tenant) as connection:
            status = await self._embeddings.status(connection, ctx.tenant)
        item = capabilities(ctx, self._legacy_names, status)
        return {"ok": True, "item": item}

    async def describe_response_shape(
        self, params: models.DescribeResponseShapeParams, ctx: ToolContext, /
    ) -> results.DescribeResponseShapeResult:
        if params.tool_name is MISSING:
            entries = [_listed(shape) for shape in ctx.contract.shapes.values()]
            return {
                "ok": True,
                "items": entries,
                "page": {"next_cursor": None, "count": len(entries)},
            }
        name = ctx.contract.canonical_name(params.tool_name)
        if name is None:
            raise UnknownTool(
                f'There is no tool "{params.tool_name}" here.',
                details={
                    "tool_name": params.tool_name,
                    "nearest": ctx.contract.nearest_names(params.tool_name),
                },
            )
        shape = ctx.contract.shapes[name]
        item: results.DescribeResponseShapeResultItem = {
            "tool_name": shape["tool_name"],
            "toolset": shape["toolset"],
            "title": shape["title"],
            "envelope": shape["envelope"],
            "stability": shape["stability"],
            "typical_bytes": shape["typical_bytes"],
            "schema": shape["schema"],
            "arguments_schema": ctx.contract.tools[name]["inputSchema"],
            "errors": shape["errors"],
        }
        if params.include_example and "example" in shape:
            item["example"] = shape["example"]
        return {"ok": True, "item": in_order(results.DescribeResponseShapeResultItem, item)}


def _listed(shape: JsonObject) -> results.DescribeResponseShapeResultEntry:
    return {
        "tool_name": shape["tool_name"],
        "toolset": shape["toolset"],
        "title": shape["title"],
        "envelope": shape["envelope"],
        "stability": shape["stability"],
        "typical_bytes": shape["typical_bytes"],
    }
