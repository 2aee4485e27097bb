"""release: a record let go, with what cannot stand without it."""

from vcontract.generated.models import bridge as models
from vcontract.handlers.bridge.answers import Notices, told
from vcontract.handlers.bridge.base import BridgeToolset, tool_name
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.envelope import Document
from vcontract.runtime.store.bridge.store import Released, Tombstone
from vcontract.runtime.store.postgres.ids import type_of
from vcontract.runtime.vcon.times import format_time


class ReleaseTools(BridgeToolset):
    """The tool that deletes."""

    async def release(
        self, params: models.BridgeReleaseParams, ctx: ToolContext, /
    ) -> Document[models.BridgeReleaseResult]:
        now = self.now()
        async with self.changing(ctx) as connection:
            record = await self._store.lock(connection, ctx.tenant, params.id)
            if record is None:
                there = await self._store.tombstones(connection, ctx.tenant, [params.id])
                if params.id in there:
                    return _gone_before(there[params.id])
                suggestion = f"{tool_name(ctx, 'search')} finds records and their ids."
                raise await self.not_found(connection, ctx, [params.id], suggestion)
            return _gone(await self._store.release(connection, ctx.tenant, record.id, now))


def _gone(done: Released) -> Document[models.BridgeReleaseResult]:
    facts: JsonObject = {
        "released": [_named(id_) for id_ in done.gone],
        "unlinked": [_named(id_) for id_ in done.unlinked],
        "restored": [_named(id_) for id_ in done.restored],
        **Notices().document(),
    }
    lines = [
        *(f"Released with it: {type_of(id_)} {id_}" for id_ in done.gone[1:]),
        *(f"Stays, without its link: {type_of(id_)} {id_}" for id_ in done.unlinked),
        *(f"Active again: {type_of(id_)} {id_}" for id_ in done.restored),
    ]
    first = done.gone[0]
    return Document(
        models.BridgeReleaseResult.model_validate(facts),
        told(f"Released {type_of(first)} {first}.", lines, Notices()),
    )


def _gone_before(tombstone: Tombstone) -> Document[models.BridgeReleaseResult]:
    at = format_time(tombstone.released_at)
    facts: JsonObject = {
        "released": [],
        "unlinked": [],
        "restored": [],
        "alreadyReleased": True,
        "releasedAt": at,
        "causeId": tombstone.cause_id,
        **Notices().document(),
    }
    lines = [f"Released at: {at}"]
    if tombstone.cause_id != tombstone.id:
        lines.append(f"Released with: {tombstone.cause_id}")
    return Document(
        models.BridgeReleaseResult.model_validate(facts),
        told(f"{tombstone.type.capitalize()} {tombstone.id} was released before.", lines, Notices()),
    )


def _named(id_: str) -> JsonObject:
    return {"id": id_, "type": type_of(id_)}
