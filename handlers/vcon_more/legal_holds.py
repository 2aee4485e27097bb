"""The tools hold_vcon, release_hold and list_holds."""

from datetime import UTC, datetime

from vcontract.generated.models import vcon_more as models
from vcontract.generated.results import vcon_more as results
from vcontract.handlers.services import Tools
from vcontract.handlers.vcon.responses import not_found, note_change, read_uuid
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.store.vcons.holds import Hold, holds_of, put_hold, release
from vcontract.runtime.vcon.times import format_time


class LegalHoldsTools(Tools):
    """hold_vcon, release_hold and list_holds."""

    async def hold_vcon(self, params: models.HoldVconParams, ctx: ToolContext, /) -> results.HoldVconResult:
        uuid, now = read_uuid(params.vcon_uuid, "vcon_uuid"), datetime.now(UTC)
        async with self._database.writing(ctx.tenant, ctx.transaction) as connection:
            if await self._vcons.lock(connection, ctx.tenant, uuid, ()) is None:
                raise not_found(uuid)
            await put_hold(connection, ctx.tenant, Hold(uuid, params.reason, ctx.caller.name, now))
            await note_change(connection, ctx, "hold_vcon", uuid, now)
        return {
            "success": True,
            "message": "Held: it is neither changed nor deleted until release_hold.",
            "vcon_uuid": str(uuid),
            "held_at": format_time(now),
        }

    async def release_hold(
        self, params: models.ReleaseHoldParams, ctx: ToolContext, /
    ) -> results.ReleaseHoldResult:
        uuid = read_uuid(params.vcon_uuid, "vcon_uuid")
        async with self._database.writing(ctx.tenant, ctx.transaction) as connection:
            if await self._vcons.lock(connection, ctx.tenant, uuid, ()) is None:
                raise not_found(uuid)
            released = await release(connection, ctx.tenant, uuid)
            if released:
                await note_change(connection, ctx, "release_hold", uuid, datetime.now(UTC))
        return {
            "success": True,
            "message": "Released: it may be changed and deleted." if released else "It was not held.",
            "vcon_uuid": str(uuid),
            "released": released,
        }

    async def list_holds(
        self, params: models.ListHoldsParams, ctx: ToolContext, /
    ) -> results.ListHoldsResult:
        async with self._database.reading(ctx.tenant) as connection:
            total, listed = await holds_of(connection, ctx.tenant, params.limit, params.offset)
        return {
            "success": True,
            "total": total,
            "holds": [
                {
                    "vcon_uuid": str(hold.vcon),
                    "reason": hold.reason,
                    "held_by": hold.held_by,
                    "held_at": format_time(hold.held_at),
                }
                for hold in listed
            ],
        }
