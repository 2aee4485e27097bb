"""The tool vcon_relations: versions and groups that a vCon belongs to."""

from vcontract.generated.models import vcon_more as models
from vcontract.generated.results import vcon_more as results
from vcontract.handlers.services import Tools
from vcontract.handlers.vcon.responses import not_found, read_uuid
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.store.vcons.versions import related_to
from vcontract.runtime.vcon.times import format_time


class RelationsTools(Tools):
    """vcon_relations."""

    async def vcon_relations(
        self, params: models.VconRelationsParams, ctx: ToolContext, /
    ) -> results.VconRelationsResult:
        uuid = read_uuid(params.vcon_uuid, "vcon_uuid")
        async with self._database.reading(ctx.tenant) as connection:
            related = await related_to(connection, ctx.tenant, uuid, params.max_nodes)
        if related is None:
            raise not_found(uuid)
        nodes: list[results.VconRelationsResultNodesEntry] = []
        for each, created_at in related.vcons.items():
            node: results.VconRelationsResultNodesEntry = {
                "uuid": str(each),
                "stored": created_at is not None,
            }
            if created_at is not None:
                node["created_at"] = format_time(created_at)
            nodes.append(node)
        return {
            "success": True,
            "nodes": nodes,
            "edges": [
                {"source": str(link.source), "relation": link.relation, "target": str(link.target)}
                for link in related.links
            ],
            "truncated": related.is_cut,
        }
