"""The `contract` toolset: the surface made for language models."""

from collections.abc import Sequence
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.errors import InvalidArgument, NotFound, UnknownTool
from vcontract.generated.models import contract as models
from vcontract.generated.results import contract as results
from vcontract.handlers.contract.capabilities import capabilities
from vcontract.handlers.contract.graph import GraphShape
from vcontract.handlers.contract.items import build_item, parts_of, resolve_include
from vcontract.handlers.contract.search import Searcher
from vcontract.handlers.contract.taxonomy import Taxonomy
from vcontract.runtime.calls.cursor import CursorCodec
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.envelope import in_order
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.preparation import Knowledge
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.store.vocabulary.declared import DeclaredVocabulary
from vcontract.runtime.vcon.identity import parse_uuid


class Contract:
    """Implements `generated.protocols.ContractTools`."""

    def __init__(
        self,
        database: Database,
        vcons: VconStore,
        cursors: CursorCodec,
        knowledge: Knowledge,
        vocabulary: DeclaredVocabulary,
        embeddings: Embeddings,
    ) -> None:
        self._database = database
        self._vcons = vcons
        self._search = Searcher(database, vcons, cursors, vocabulary, embeddings)
        self._embeddings = embeddings
        self._legacy_names = knowledge.legacy_names
        self._graph = GraphShape(database)
        self._taxonomy = Taxonomy(database, knowledge.dealers, vocabulary)

    async def vcon_capabilities(
        self, params: models.VconCapabilitiesParams, ctx: ToolContext, /
    ) -> results.VconCapabilitiesResult:
        async with self._database.reading(ctx.tenant) as connection:
            status = await self._embeddings.status(connection, ctx.tenant)
        item = capabilities(ctx, self._legacy_names, status)
        return {"ok": True, "item": item}

    async def vcon_taxonomy(
        self, _params: models.VconTaxonomyParams, ctx: ToolContext, /
    ) -> results.VconTaxonomyResult:
        return {"ok": True, "item": await self._taxonomy.item(ctx.tenant)}

    async def vcon_graph_shape(
        self, params: models.VconGraphShapeParams, ctx: ToolContext, /
    ) -> results.VconGraphShapeResult:
        return {"ok": True, "item": await self._graph.item(ctx.tenant, params)}

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

    async def vcon_fetch(
        self, params: models.VconFetchParams, ctx: ToolContext, /
    ) -> results.VconFetchResult:
        uuid = _handle(params)
        groups = _groups(params.include, "vcon_fetch", ctx)
        stored = await self._vcons.get(ctx.tenant, uuid, parts_of(groups))
        if stored is None:
            raise NotFound(f"There is no vCon {uuid} here.", details={"id": str(uuid)})
        return {"ok": True, "item": build_item(stored, groups), "meta": {"include": groups}}

    async def vcon_search(
        self, params: models.VconSearchParams, ctx: ToolContext, /
    ) -> results.VconSearchResult:
        groups = _groups(params.include, "vcon_search", ctx)
        return await self._search.answer(params, ctx, groups)


def _groups(include: Sequence[str] | MISSING, tool: str, ctx: ToolContext) -> list[str]:
    policy = ctx.contract.policy
    wanted = () if include is MISSING else include
    return resolve_include(wanted, policy["default_includes"][tool], policy["include_groups"])


def _handle(params: models.VconFetchParams) -> UUID:
    """The uuid that `id` or `uuid` names."""
    given: dict[str, str] = {}
    if params.id is not MISSING:
        given["id"] = params.id
    if params.uuid is not MISSING:
        given["uuid"] = params.uuid
    if not given:
        raise InvalidArgument(
            "Give id (or uuid, which is the same): the handle of the vCon to fetch.",
            details={"parameter": "id", "reason": "missing"},
        )
    uuids: set[UUID] = set()
    for name, value in given.items():
        uuid = parse_uuid(value)
        if uuid is None:
            raise InvalidArgument(
                f'{name} "{value[:60]}" is not a uuid (five groups of hex digits, 8-4-4-4-12).',
                details={"parameter": name, "reason": "malformed_uuid", "value": value[:60]},
            )
        uuids.add(uuid)
    if len(uuids) > 1:
        raise InvalidArgument(
            "id and uuid name two different vCons; give one of them.",
            details={"parameter": "uuid", "reason": "differs_from_id"},
        )
    return uuids.pop()


def _listed(shape: JsonObject) -> results.DescribeResponseShapeResultEntry:
    return {
        "tool_name": shape["tool_name"],
        "toolset": shape["toolset"],
        "title": shape["title"],
        "envelope": shape["envelope"],
        "stability": shape["stability"],
        "typical_bytes": shape["typical_bytes"],
    }
