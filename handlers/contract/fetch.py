"""vcon_fetch: one stored vCon, by the groups that are asked for."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.errors import InvalidArgument, NotFound
from vcontract.generated.models import contract as models
from vcontract.generated.results import contract as results
from vcontract.handlers.contract.items import asked_groups, build_item, parts_of
from vcontract.runtime.context import ToolContext
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.vcon.identity import parse_uuid
from vcontract.runtime.vcon.transcript import read_ranges

_RANGES: Final = "3, 10-16, 40-"


class FetchTools:
    """vcon_fetch."""

    def __init__(self, vcons: VconStore) -> None:
        self._vcons = vcons

    async def vcon_fetch(
        self, params: models.VconFetchParams, ctx: ToolContext, /
    ) -> results.VconFetchResult:
        uuid = _handle(params)
        turns = _turns(params)
        groups = asked_groups(params.include, "vcon_fetch", ctx)
        if turns is not None and "transcript" not in groups:
            groups = asked_groups([*groups, "transcript"], "vcon_fetch", ctx)
        stored = await self._vcons.get(ctx.tenant, uuid, parts_of(groups))
        if stored is None:
            raise NotFound(f"There is no vCon {uuid} here.", details={"id": str(uuid)})
        return {"ok": True, "item": build_item(stored, groups, turns), "meta": {"include": groups}}


def _turns(params: models.VconFetchParams) -> Sequence[range] | None:
    """The turns that `turns` names; None when it is not given."""
    if params.turns is MISSING:
        return None
    ranges = read_ranges(params.turns)
    if ranges is None:
        raise InvalidArgument(
            f'turns "{params.turns[:60]}" is not a list of turns. Give numbers and ranges from low to high,'
            f' such as "{_RANGES}"; the first turn is 0.',
            details={
                "parameter": "turns",
                "reason": "malformed",
                "value": params.turns[:60],
                "accepted": [_RANGES],
            },
        )
    return ranges


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
