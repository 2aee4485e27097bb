"""Elements: one party, dialog, analysis or attachment of a vCon, by its index."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.models import vcon_more as models
from vcontract.generated.results import vcon_more as results
from vcontract.handlers.vcon.answers import (
    check_unchanged,
    counts_of,
    moment_of_change,
    not_found,
    note_change,
    prepare_change,
    read_uuid,
    remember_spellings,
    signed,
    warnings_of,
)
from vcontract.handlers.vcon.components import refused
from vcontract.handlers.vcon_more.element import Edit, Place, changed_element, changed_members
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents.findings import Notice, Violation
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection, Database
from vcontract.runtime.store.vcons.preparation import PreparedVcon, VconRefused
from vcontract.runtime.store.vcons.preparer import Preparer
from vcontract.runtime.store.vcons.store import StoredVcon, VconStore
from vcontract.runtime.vcon.times import format_time

_NOT_ABOUT_AN_ELEMENT: Final = "conversation_date_missing"


@dataclass(frozen=True, slots=True)
class _Target:
    """The vCon and the element of it that a call is about."""

    action: str
    uuid: UUID
    place: Place
    expected: str | None
    """The `updated_at` that the vCon must still have."""


@dataclass(frozen=True, slots=True)
class _Written:
    """What a change made of the vCon."""

    moment: datetime
    prepared: PreparedVcon
    notices: list[Notice]


class ElementTools:
    """Adds, changes and takes out elements, each call one of them."""

    def __init__(self, database: Database, vcons: VconStore, preparer: Preparer) -> None:
        self._database = database
        self._vcons = vcons
        self._preparer = preparer
        self._knowledge = preparer.knowledge

    async def update_party(
        self, params: models.UpdatePartyParams, ctx: ToolContext, /
    ) -> results.UpdatePartyResult:
        target = _target("update_party", params, Place("parties", params.index))
        return await self._update(ctx, target, params.party, whole=params.merge_strategy == "replace")

    async def _update(
        self, ctx: ToolContext, target: _Target, given: JsonObject, *, whole: bool
    ) -> results.UpdatePartyResult:
        place = target.place
        given, notices = self._translated(place, given)
        async with self._database.writing(ctx.tenant, ctx.transaction) as connection:
            stored = await self._locked(connection, ctx, target)
            before = stored.raw()
            old = place.element(before)
            new = changed_element(old, given, whole=whole)
            changed = changed_members(old, new)
            if not changed:
                return {
                    "success": True,
                    "message": "Nothing changed: it was so already.",
                    "vcon_uuid": str(stored.uuid),
                    "index": place.index,
                    "changed": [],
                    "counts": stored.counts,
                    "updated_at": format_time(stored.updated_at),
                }
            edit = Edit(place, before, place.replaced(before, new))
            notices += edit.check()
            written = await self._write(connection, ctx, target, stored, edit)
        remember_spellings(self._vcons, ctx, written.prepared)
        result: results.UpdatePartyResult = {
            "success": True,
            "message": f"Changed {place}: {', '.join(changed)}.",
            "vcon_uuid": str(stored.uuid),
            "index": place.index,
            "changed": changed,
            "counts": counts_of(written.prepared),
            "updated_at": format_time(written.moment),
        }
        if warnings := warnings_of(notices + written.notices):
            result["warnings"] = warnings
        return result

    def _translated(self, place: Place, given: JsonObject) -> tuple[JsonObject, list[Notice]]:
        """What was given under current names, and a notice of each that is translated."""
        if place.array == "parties":
            return given, []
        element, renames = self._knowledge.legacy_names.translate_element(place.array, given, place.path)
        return element, [Notice("legacy_name", f"{r.old} is stored as {r.new}.", r.path) for r in renames]

    async def _locked(self, connection: Connection, ctx: ToolContext, target: _Target) -> StoredVcon:
        stored = await self._vcons.lock(connection, ctx.tenant, target.uuid)
        if stored is None:
            raise not_found(target.uuid)
        if target.expected is not None:
            check_unchanged(target.expected, stored)
        return stored

    async def _write(
        self, connection: Connection, ctx: ToolContext, target: _Target, stored: StoredVcon, edit: Edit
    ) -> _Written:
        if stored.signed:
            raise signed(stored.uuid)
        place, moment = edit.place, moment_of_change(stored)
        document = {**edit.after, "updated_at": format_time(moment)}
        try:
            prepared = await prepare_change(self._preparer, document, stored, moment)
        except VconRefused as found:
            raise refused(place.in_arguments(found.violations)) from None
        await self._vcons.revise(connection, ctx.tenant, prepared)
        await note_change(connection, ctx, target.action, stored.uuid, moment, {"index": place.index})
        notices = [notice for notice in prepared.notices if _is_about(place, notice)]
        return _Written(moment, prepared, notices + self._would_violate(stored, edit, prepared))

    def _would_violate(self, stored: StoredVcon, edit: Edit, prepared: PreparedVcon) -> list[Notice]:
        """What the schema of the vCon's version does not allow in the element now, and did before."""
        now: Iterable[Violation] = prepared.conformance.violations
        if prepared.conformance.violation_count > len(prepared.conformance.violations):
            now = self._knowledge.schemas.all_violations(prepared.document)
        found = edit.place.inside(now)
        if not found:
            return []
        before = stored.conformance
        known = {(violation["path"], violation["rule"]) for violation in before["violations"]}
        if before["violation_count"] > len(before["violations"]):
            known = {(v.path, v.rule) for v in self._knowledge.schemas.all_violations(edit.before)}
        return [Notice("would_violate", v.message, v.path) for v in found if (v.path, v.rule) not in known]


def _target(action: str, params: models.UpdatePartyParams, place: Place) -> _Target:
    expected = None if params.expected_updated_at is MISSING else params.expected_updated_at
    return _Target(action, read_uuid(params.vcon_uuid, "vcon_uuid"), place, expected)


def _is_about(place: Place, notice: Notice) -> bool:
    if notice.code == _NOT_ABOUT_AN_ELEMENT:
        return False
    return notice.path is None or notice.path.startswith(place.path)
