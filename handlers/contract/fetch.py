"""vcon_fetch: one stored vCon, by the groups that are asked for."""

from uuid import UUID

from pydantic import MISSING

from vcontract.generated.errors import InvalidArgument, NotFound
from vcontract.generated.models import contract as models
from vcontract.generated.results import contract as results
from vcontract.handlers.contract.items import asked_groups, build_item, parts_of
from vcontract.runtime.context import ToolContext
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.vcon.identity import parse_uuid


class FetchTools:
    """vcon_fetch."""

    def __init__(self, vcons: VconStore) -> None:
        self._vcons = vcons

    async def vcon_fetch(
        self, params: models.VconFetchParams, ctx: ToolContext, /
    ) -> results.VconFetchResult:
        uuid = _handle(params)
        groups = asked_groups(params.include, "vcon_fetch", ctx)
        stored = await self._vcons.get(ctx.tenant, uuid, parts_of(groups))
        if stored is None:
            raise NotFound(f"There is no vCon {uuid} here.", details={"id": str(uuid)})
        return {"ok": True, "item": build_item(stored, groups), "meta": {"include": groups}}


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
