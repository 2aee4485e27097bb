"""release: delete a record, with the records that would be left without members."""

from vcontract.generated.models import bridge as models
from vcontract.generated.results.bridge import BridgeRecordRef, BridgeReleaseResult
from vcontract.handlers.bridge.services import BridgeTools
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.envelope import Document
from vcontract.runtime.store.bridge.ids import known_type
from vcontract.runtime.store.bridge.store import Released, Tombstone
from vcontract.runtime.vcon.times import format_time


class ReleaseTools(BridgeTools):
    """The tool `release`."""

    async def release(
        self, params: models.BridgeReleaseParams, ctx: ToolContext, /
    ) -> Document[BridgeReleaseResult]:
        now, store = self._records.now(), self._records.store
        async with self._records.changing(ctx) as connection:
            record = await self._records.locked(connection, ctx, params.id)
            if record is None:
                there = await store.tombstones(connection, ctx.tenant, [params.id])
                if params.id in there:
                    return _gone_before(there[params.id])
                raise await self._records.not_found(connection, ctx, [params.id])
            done = await store.release(connection, ctx.tenant, record.id, now)
            await self._records.note(connection, ctx, "release", done.gone)
            return _gone(done)


def _gone(done: Released) -> Document[BridgeReleaseResult]:
    gone, unlinked, restored = (list(map(_named, ids)) for ids in (done.gone, done.unlinked, done.restored))
    facts: BridgeReleaseResult = {
        "success": True,
        "released": gone,
        "unlinked": unlinked,
        "restored": restored,
        "warnings": [],
        "hints": [],
    }
    lines = [
        f"Released {_said(gone[0])}.",
        *(f"Released with it: {_said(each)}" for each in gone[1:]),
        *(f"Stays, without its link: {_said(each)}" for each in unlinked),
        *(f"Active again: {_said(each)}" for each in restored),
    ]
    return Document(facts, "\n".join(lines))


def _gone_before(tombstone: Tombstone) -> Document[BridgeReleaseResult]:
    at = format_time(tombstone.released_at)
    facts: BridgeReleaseResult = {
        "success": True,
        "released": [],
        "unlinked": [],
        "restored": [],
        "alreadyReleased": True,
        "releasedAt": at,
        "causeId": tombstone.cause_id,
        "warnings": [],
        "hints": [],
    }
    lines = [f"{tombstone.type.capitalize()} {tombstone.id} was released before.", f"Released at: {at}"]
    if tombstone.cause_id != tombstone.id:
        lines.append(f"Released with: {tombstone.cause_id}")
    return Document(facts, "\n".join(lines))


def _named(id_: str) -> BridgeRecordRef:
    return {"id": id_, "type": known_type(id_)}


def _said(record: BridgeRecordRef) -> str:
    return f"{record['type']} {record['id']}"
