"""Tools that append a dialog, an analysis or an attachment to a vCon."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from vcontract.generated.errors import ValidationError
from vcontract.generated.models import vcon as models
from vcontract.generated.results import vcon as results
from vcontract.generated.results.vcon import WarningsEntry
from vcontract.handlers.services import Tools
from vcontract.handlers.vcon.components import USE_UPDATE_TAGS, element_violations, refused
from vcontract.handlers.vcon.responses import (
    moment_of_change,
    not_found,
    note_change,
    prepare_change,
    read_uuid,
    revise,
    signed,
    warnings_of,
)
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.findings import Notice, Violation
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.vcons import stored_text
from vcontract.runtime.store.vcons.preparation import PreparedVcon, VconRefused
from vcontract.runtime.store.vcons.row_reuse import ReadBefore
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.vcon.references import reference_violations
from vcontract.runtime.vcon.tags import is_tags_carrier
from vcontract.runtime.vcon.times import format_time
from vcontract.runtime.vcon.version_migration import with_new_dialog

_NOTICE_OF_WHOLE_VCON: Final = "conversation_date_missing"


@dataclass(frozen=True, slots=True)
class _Addition:
    """An element to append, with its array and parameter. Legacy names are already translated."""

    array: Literal["dialog", "analysis", "attachments"]
    parameter: str
    element: JsonObject
    violations: list[JsonObject]
    """Violations that do not depend on the vCon. Paths start at the root of the arguments."""
    notices: list[Notice]

    @property
    def argument(self) -> str:
        return f"$.{self.parameter}"

    def place(self, index: int) -> str:
        """JSON path of the element in the vCon."""
        return f"$.{self.array}[{index}]"

    def violations_in_arguments(self, violations: Iterable[Violation], index: int) -> list[JsonObject]:
        """Violations of the element, with paths relative to the arguments."""
        return [
            {
                "path": self.argument + violation.path.removeprefix(self.place(index)),
                "rule": violation.rule,
                "message": violation.message,
            }
            for violation in _below(violations, self.place(index))
        ]

    def notices_in_vcon(self, index: int) -> list[Notice]:
        return [
            replace(notice, path=self.place(index) + (notice.path or "").removeprefix(self.argument))
            for notice in self.notices
        ]


@dataclass(frozen=True, slots=True)
class _Added:
    """Members common to the three tools' results."""

    index: int
    message: str
    vcon_uuid: str
    updated_at: str
    warnings: list[WarningsEntry]


class AddingTools(Tools):
    """Handlers of add_dialog, add_analysis and add_attachment."""

    async def add_dialog(
        self, params: models.AddDialogParams, ctx: ToolContext, /
    ) -> results.AddDialogResult:
        addition = self._addition("dialog", "dialog", params.dialog)
        added = await self._add(ctx, "add_dialog", read_uuid(params.vcon_uuid, "vcon_uuid"), addition)
        result: results.AddDialogResult = {
            "success": True,
            "message": added.message,
            "dialog_index": added.index,
            "vcon_uuid": added.vcon_uuid,
            "updated_at": added.updated_at,
        }
        if added.warnings:
            result["warnings"] = added.warnings
        return result

    async def add_analysis(
        self, params: models.AddAnalysisParams, ctx: ToolContext, /
    ) -> results.AddAnalysisResult:
        addition = self._addition("analysis", "analysis", params.analysis)
        added = await self._add(ctx, "add_analysis", read_uuid(params.vcon_uuid, "vcon_uuid"), addition)
        result: results.AddAnalysisResult = {
            "success": True,
            "message": added.message,
            "analysis_index": added.index,
            "vcon_uuid": added.vcon_uuid,
            "updated_at": added.updated_at,
        }
        if added.warnings:
            result["warnings"] = added.warnings
        return result

    async def add_attachment(
        self, params: models.AddAttachmentParams, ctx: ToolContext, /
    ) -> results.AddAttachmentResult:
        addition = self._addition("attachments", "attachment", params.attachment)
        if is_tags_carrier(addition.element):
            raise ValidationError(
                "An attachment whose purpose is tags would hold tags; they are not set this way.",
                details={"parameter": "attachment", "reason": "tags_not_here"},
                suggestions=[USE_UPDATE_TAGS],
            )
        added = await self._add(ctx, "add_attachment", read_uuid(params.vcon_uuid, "vcon_uuid"), addition)
        result: results.AddAttachmentResult = {
            "success": True,
            "message": added.message,
            "attachment_index": added.index,
            "vcon_uuid": added.vcon_uuid,
            "updated_at": added.updated_at,
        }
        if added.warnings:
            result["warnings"] = added.warnings
        return result

    def _addition(
        self, array: Literal["dialog", "analysis", "attachments"], parameter: str, given: JsonObject
    ) -> _Addition:
        argument = f"$.{parameter}"
        element, renames = self._context.legacy_names.translate_element(array, given, argument)
        notices = [Notice("legacy_name", f"{r.old} is stored as {r.new}.", r.path) for r in renames]
        violations = element_violations(array, element, argument, notices)
        return _Addition(array, parameter, element, violations, notices)

    async def _add(self, ctx: ToolContext, action: str, uuid: UUID, addition: _Addition) -> _Added:
        async with self._database.writing(ctx.tenant, ctx.transaction) as connection:
            before = await self._vcons.lock(connection, ctx.tenant, uuid)
            if before is None:
                raise refused(addition.violations) if addition.violations else not_found(uuid)
            index = before.row_counts[addition.array]
            document = _with_element(before.raw(), addition)
            violations = addition.violations + addition.violations_in_arguments(
                reference_violations(document, before.row_counts), index
            )
            if violations:
                raise refused(violations)
            if before.signed:
                raise signed(uuid)
            moment = moment_of_change(before)
            document["updated_at"] = format_time(moment)
            read_before = (
                await stored_text.read_before(connection, ctx.tenant, before)
                if addition.array == "dialog"
                else None
            )
            prepared = await self._prepared_with(document, before, moment, addition, read_before)
            await revise(self._vcons, connection, ctx, prepared, before)
            await note_change(connection, ctx, action, uuid, moment, {"index": index})
        notices = addition.notices_in_vcon(index)
        notices += [notice for notice in prepared.notices if notice.code != _NOTICE_OF_WHOLE_VCON]
        notices += self._would_violate(prepared, addition.place(index))
        return _Added(
            index,
            message=f"Added {addition.parameter} {index}.",
            vcon_uuid=str(uuid),
            updated_at=format_time(moment),
            warnings=warnings_of(notices),
        )

    async def _prepared_with(
        self,
        document: JsonObject,
        before: StoredVcon,
        moment: datetime,
        addition: _Addition,
        read_before: ReadBefore | None,
    ) -> PreparedVcon:
        try:
            return await prepare_change(self._preparer, document, before, moment, read_before)
        except VconRefused as found:
            index = before.row_counts[addition.array]
            raise refused(
                addition.violations_in_arguments(found.violations, index)
                # the violation concerns the whole vCon, for example its size
                or [
                    {"path": addition.argument, "rule": v.rule, "message": v.message}
                    for v in found.violations
                ]
            ) from None

    def _would_violate(self, prepared: PreparedVcon, place: str) -> list[Notice]:
        """Notices for schema violations in the added element."""
        found: Iterable[Violation] = prepared.conformance.violations
        if prepared.conformance.violation_count > len(prepared.conformance.violations):
            found = self._context.schemas.all_violations(prepared.document)
        return [Notice("would_violate", v.message, v.path) for v in _below(found, place)]


def _with_element(vcon: JsonObject, addition: _Addition) -> JsonObject:
    """The vCon with the element. A new dialog of 0.5.0 belongs to the first session."""
    elements: list[JsonObject] = [*(vcon.get(addition.array) or []), addition.element]
    changed: JsonObject = {**vcon, addition.array: elements}
    return with_new_dialog(changed) if addition.array == "dialog" else changed


def _below(violations: Iterable[Violation], place: str) -> list[Violation]:
    """Violations at or below `place`. A prefix test is safe, because `place` ends in `]`."""
    return [violation for violation in violations if violation.path.startswith(place)]
