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
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.prefixes import digits_of, ids_beginning_with
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.vcon.identity import parse_uuid
from vcontract.runtime.vcon.transcript import read_ranges

_RANGES: Final = "3, 10-16, 40-"
_MAX_SOME: Final = 1_000
"""Turns that are read by themselves, where that is possible."""
_OF_ALL_TURNS: Final = frozenset({"counts", "dialog", "analysis"})
"""Groups that read the whole conversation anyway."""
_MIN_DIGITS: Final = 8
_MAX_CANDIDATES: Final = 5
"""Ids named when several begin alike."""


class FetchTools:
    """vcon_fetch."""

    def __init__(self, database: Database, vcons: VconStore) -> None:
        self._database = database
        self._vcons = vcons

    async def vcon_fetch(
        self, params: models.VconFetchParams, ctx: ToolContext, /
    ) -> results.VconFetchResult:
        uuid = await self._handle(params, ctx.tenant)
        turns = _turns(params)
        groups = asked_groups(params.include, "vcon_fetch", ctx)
        if turns is not None and "transcript" not in groups:
            groups = asked_groups([*groups, "transcript"], "vcon_fetch", ctx)
        async with self._database.reading(ctx.tenant, by_key=True) as connection:
            some = None
            if turns is not None and sum(map(len, turns)) <= _MAX_SOME and not {*groups} & _OF_ALL_TURNS:
                numbers = [number for each in turns for number in each]
                some = await self._vcons.some_turns(connection, ctx.tenant, uuid, numbers)
            parts = parts_of([group for group in groups if some is None or group != "transcript"])
            found = await self._vcons.load(connection, ctx.tenant, [uuid], parts)
        if not found:
            raise NotFound(f"There is no vCon {uuid} here.", details={"id": str(uuid)})
        return {"ok": True, "item": build_item(found[0], groups, turns, some), "meta": {"include": groups}}

    async def _handle(self, params: models.VconFetchParams, tenant: str) -> UUID:
        """The uuid that `id` or `uuid` names, whole or by its beginning."""
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
            uuids.add(await self._begun(tenant, name, value) if uuid is None else uuid)
        if len(uuids) > 1:
            raise InvalidArgument(
                "id and uuid name two different vCons; give one of them.",
                details={"parameter": "uuid", "reason": "differs_from_id"},
            )
        return uuids.pop()

    async def _begun(self, tenant: str, name: str, value: str) -> UUID:
        """The only uuid that begins so."""
        digits = digits_of(value)
        if digits is None or len(digits) < _MIN_DIGITS:
            raise InvalidArgument(
                f'{name} "{value[:60]}" is not a uuid (five groups of hex digits, 8-4-4-4-12), nor the first'
                f" {_MIN_DIGITS} digits or more of one.",
                details={"parameter": name, "reason": "malformed_uuid", "value": value[:60]},
            )
        async with self._database.reading(tenant, by_key=True) as connection:
            found = await ids_beginning_with(connection, tenant, digits, _MAX_CANDIDATES)
        if not found:
            raise NotFound(f"No vCon here has an id that begins with {value}.", details={"id": value})
        if len(found) > 1:
            raise InvalidArgument(
                f"{name} {value} is the beginning of several ids; give more of it.",
                details={
                    "parameter": name,
                    "reason": "ambiguous_id",
                    "value": value,
                    "accepted": [each.id for each in found],
                },
            )
        return UUID(found[0].id)


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
