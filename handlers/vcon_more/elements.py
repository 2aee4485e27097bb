"""Tools that edit one party, dialog, analysis or attachment of a vCon by index."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, Protocol
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.models import vcon_more as models
from vcontract.generated.results import vcon_more as results
from vcontract.handlers.services import Tools
from vcontract.handlers.vcon.components import refused
from vcontract.handlers.vcon.listing import fits
from vcontract.handlers.vcon.responses import (
    check_unchanged,
    counts_of,
    moment_of_change,
    not_found,
    note_change,
    prepare_change,
    read_uuid,
    revise,
    signed,
    warnings_of,
)
from vcontract.handlers.vcon_more.element import (
    Array,
    Edit,
    ElementPosition,
    changed_element,
    changed_members,
)
from vcontract.handlers.vcon_more.removal import WhenReferenced, removal
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.findings import Notice, Violation
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.vcons.preparation import PreparedVcon, VconRefused
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.vcon.times import format_time

_NOTHING_CHANGED: Final = "No change: already up to date."
_NOT_ABOUT_AN_ELEMENT: Final = "conversation_date_missing"


class _Addressed(Protocol):
    """Parameters that identify an element."""

    vcon_uuid: str
    index: int
    expected_updated_at: str | MISSING


class _Update(_Addressed, Protocol):
    """Parameters that identify an element and a change."""

    merge_strategy: Literal["merge", "replace"]


@dataclass(frozen=True, slots=True)
class _Written:
    """The changed vCon."""

    moment: datetime
    prepared: PreparedVcon


class ElementsTools(Tools):
    """Adds, changes and removes single elements."""

    async def add_party(self, params: models.AddPartyParams, ctx: ToolContext, /) -> results.AddPartyResult:
        uuid = read_uuid(params.vcon_uuid, "vcon_uuid")
        async with self._database.writing(ctx.tenant, ctx.transaction) as connection:
            stored = await self._locked(connection, ctx, uuid, None)
            before, place = stored.raw(), ElementPosition("parties", stored.row_counts["parties"])
            edit = Edit(place, before, place.replaced(before, params.party))
            notices = edit.check()
            written = await self._write(connection, ctx, "add_party", stored, edit)
        result: results.AddPartyResult = {
            "success": True,
            "message": f"Added {place}.",
            "party_index": place.index,
            "vcon_uuid": str(uuid),
            "updated_at": format_time(written.moment),
        }
        if warnings := warnings_of(notices + self._found(stored, edit, written.prepared)):
            result["warnings"] = warnings
        return result

    async def update_party(
        self, params: models.UpdatePartyParams, ctx: ToolContext, /
    ) -> results.UpdatePartyResult:
        return await self._update(ctx, "update_party", params, "parties", params.party)

    async def update_dialog(
        self, params: models.UpdateDialogParams, ctx: ToolContext, /
    ) -> results.UpdateDialogResult:
        return await self._update(ctx, "update_dialog", params, "dialog", params.dialog)

    async def update_analysis(
        self, params: models.UpdateAnalysisParams, ctx: ToolContext, /
    ) -> results.UpdateAnalysisResult:
        return await self._update(ctx, "update_analysis", params, "analysis", params.analysis)

    async def update_attachment(
        self, params: models.UpdateAttachmentParams, ctx: ToolContext, /
    ) -> results.UpdateAttachmentResult:
        return await self._update(ctx, "update_attachment", params, "attachments", params.attachment)

    async def remove_party(
        self, params: models.RemovePartyParams, ctx: ToolContext, /
    ) -> results.RemovePartyResult:
        return await self._remove(ctx, "remove_party", params, "parties", params.when_referenced)

    async def remove_dialog(
        self, params: models.RemoveDialogParams, ctx: ToolContext, /
    ) -> results.RemoveDialogResult:
        return await self._remove(ctx, "remove_dialog", params, "dialog", params.when_referenced)

    async def remove_analysis(
        self, params: models.RemoveAnalysisParams, ctx: ToolContext, /
    ) -> results.RemoveAnalysisResult:
        return await self._remove(ctx, "remove_analysis", params, "analysis", "refuse")

    async def remove_attachment(
        self, params: models.RemoveAttachmentParams, ctx: ToolContext, /
    ) -> results.RemoveAttachmentResult:
        return await self._remove(ctx, "remove_attachment", params, "attachments", params.when_referenced)

    async def _update(
        self, ctx: ToolContext, action: str, params: _Update, array: Array, given: JsonObject
    ) -> results.UpdatePartyResult:
        place, uuid = ElementPosition(array, params.index), read_uuid(params.vcon_uuid, "vcon_uuid")
        given, notices = self._translated(place, given)
        async with self._database.writing(ctx.tenant, ctx.transaction) as connection:
            stored = await self._locked(connection, ctx, uuid, params.expected_updated_at)
            before, old = stored.raw(), place.element(stored.document())
            new = changed_element(old, given, whole=params.merge_strategy == "replace")
            changed = changed_members(old, new)
            if not changed:
                return {
                    "success": True,
                    "message": _NOTHING_CHANGED,
                    "vcon_uuid": str(uuid),
                    "index": place.index,
                    "changed": [],
                    "counts": stored.counts,
                    "updated_at": format_time(stored.updated_at),
                }
            edit = Edit(place, before, place.replaced(before, new))
            notices += edit.check()
            written = await self._write(connection, ctx, action, stored, edit)
        result: results.UpdatePartyResult = {
            "success": True,
            "message": f"Changed {place}: {', '.join(changed)}.",
            "vcon_uuid": str(uuid),
            "index": place.index,
            "changed": changed,
            "counts": counts_of(written.prepared),
            "updated_at": format_time(written.moment),
        }
        previous = {name: old[name] for name in changed if name in old}
        if fits(previous, ctx):
            result["previous"] = previous
        if warnings := warnings_of(notices + self._found(stored, edit, written.prepared)):
            result["warnings"] = warnings
        return in_order(results.UpdatePartyResult, result)

    async def _remove(
        self,
        ctx: ToolContext,
        action: str,
        params: _Addressed,
        array: Array,
        when_referenced: WhenReferenced,
    ) -> results.RemovePartyResult:
        place, uuid = ElementPosition(array, params.index), read_uuid(params.vcon_uuid, "vcon_uuid")
        async with self._database.writing(ctx.tenant, ctx.transaction) as connection:
            stored = await self._locked(connection, ctx, uuid, params.expected_updated_at)
            old = place.element(stored.document())
            made = removal(place, stored.raw(), when_referenced)
            if made.leaves_placeholder and not changed_members(old, place.element(made.edit.after)):
                return {
                    "success": True,
                    "message": _NOTHING_CHANGED,
                    "vcon_uuid": str(uuid),
                    "index": place.index,
                    "left_placeholder": True,
                    "moved": 0,
                    "counts": stored.counts,
                    "updated_at": format_time(stored.updated_at),
                }
            written = await self._write(connection, ctx, action, stored, made.edit)
        result: results.RemovePartyResult = {
            "success": True,
            "message": f"Left a placeholder in place of {place}."
            if made.leaves_placeholder
            else f"Removed {place}.",
            "vcon_uuid": str(uuid),
            "index": place.index,
            "left_placeholder": made.leaves_placeholder,
            "moved": made.moved,
            "counts": counts_of(written.prepared),
            "updated_at": format_time(written.moment),
        }
        if made.leaves_placeholder:
            found = self._would_violate(stored, made.edit, written.prepared)
            if warnings := warnings_of(found):
                result["warnings"] = warnings
        return result

    def _translated(self, place: ElementPosition, given: JsonObject) -> tuple[JsonObject, list[Notice]]:
        """Translate legacy names, with a notice for each."""
        if place.array == "parties":
            return given, []
        element, renames = self._context.legacy_names.translate_element(place.array, given, place.path)
        return element, [Notice("legacy_name", f"{r.old} is stored as {r.new}.", r.path) for r in renames]

    async def _locked(
        self, connection: Connection, ctx: ToolContext, uuid: UUID, expected: str | MISSING | None
    ) -> StoredVcon:
        """Lock the vCon; with `expected`, only if unchanged."""
        stored = await self._vcons.lock(connection, ctx.tenant, uuid)
        if stored is None:
            raise not_found(uuid)
        if isinstance(expected, str):
            check_unchanged(expected, stored)
        return stored

    async def _write(
        self, connection: Connection, ctx: ToolContext, action: str, stored: StoredVcon, edit: Edit
    ) -> _Written:
        if stored.signed:
            raise signed(stored.uuid)
        place, moment = edit.place, moment_of_change(stored)
        document = {**edit.after, "updated_at": format_time(moment)}
        try:
            prepared = await prepare_change(self._preparer, document, stored, moment)
        except VconRefused as found:
            raise refused(place.in_arguments(found.violations)) from None
        await revise(self._vcons, connection, ctx, prepared)
        await note_change(connection, ctx, action, stored.uuid, moment, {"index": place.index})
        return _Written(moment, prepared)

    def _found(self, stored: StoredVcon, edit: Edit, prepared: PreparedVcon) -> list[Notice]:
        """Warnings about the written element."""
        about = [
            notice
            for notice in prepared.notices
            if notice.code != _NOT_ABOUT_AN_ELEMENT
            and (notice.path is None or notice.path.startswith(edit.place.path))
        ]
        return about + self._would_violate(stored, edit, prepared)

    def _would_violate(self, stored: StoredVcon, edit: Edit, prepared: PreparedVcon) -> list[Notice]:
        """New violations of the element by the schema of the vCon's version."""
        now: Iterable[Violation] = prepared.conformance.violations
        if prepared.conformance.violation_count > len(prepared.conformance.violations):
            now = self._context.schemas.all_violations(prepared.document)
        found = edit.place.inside(now)
        if not found:
            return []
        before = stored.conformance
        known = {(violation["path"], violation["rule"]) for violation in before["violations"]}
        if before["violation_count"] > len(before["violations"]):
            known = {(v.path, v.rule) for v in self._context.schemas.all_violations(edit.before)}
        return [Notice("would_violate", v.message, v.path) for v in found if (v.path, v.rule) not in known]
