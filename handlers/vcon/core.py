"""The tools create_vcon, get_vcon, update_vcon and delete_vcon."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, cast
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.errors import Conflict, ValidationError
from vcontract.generated.models import vcon as models
from vcontract.generated.results import vcon as results
from vcontract.handlers.services import Tools
from vcontract.handlers.vcon.listing import fits, named_arrays, room_for_vcons, too_large
from vcontract.handlers.vcon.responses import (
    check_unchanged,
    conformance_of,
    load,
    moment_of_change,
    not_found,
    note_change,
    prepare_change,
    read_uuid,
    rejecting_held_vcons,
    revise,
    signed,
    violations_error,
    warnings_of,
)
from vcontract.handlers.vcon.senders import is_signed_form, with_signed_form
from vcontract.handlers.vcon.signed_content import checked_content
from vcontract.handlers.vcon.updates import Update, apply_updates
from vcontract.handlers.vcon.versions import versions_of
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.findings import Notice, Violation
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.transcripts.rows import discard
from vcontract.runtime.store.vcons.deletion import delete_vcon
from vcontract.runtime.store.vcons.preparation import ARRAYS, MetadataRefused, PreparedVcon, VconRefused
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.store.vcons.tables import ConformanceDocument, conformance_document
from vcontract.runtime.vcon.legacy import Rename
from vcontract.runtime.vcon.references import reference_violations
from vcontract.runtime.vcon.times import format_time
from vcontract.runtime.vcon.version_migration import KEPT, Migrated, migrate_version

_MAX_RECHECKED_VIOLATIONS: Final = 1_000


_LESS: Final = (
    "Give include_components only the arrays that you need. The resource "
    "vcon://v1/vcons/{uuid}/dialog/INDEX/body reads one long body in parts; so for analysis and attachments."
)


class CoreTools(Tools):
    """create_vcon, get_vcon, update_vcon and delete_vcon."""

    async def create_vcon(
        self, params: models.CreateVconParams, ctx: ToolContext, /
    ) -> results.CreateVconResult:
        now = datetime.now(UTC)
        prepared = await self._prepared_new(params, now)
        async with self._database.writing(ctx.tenant, ctx.transaction) as connection:
            taken = await self._vcons.create(connection, ctx.tenant, prepared)
            while taken is not None and not params.vcon_data.get("uuid"):
                # a version 8 uuid has 12 random bits, so retry on a collision
                prepared = await self._prepared_new(params, now)
                taken = await self._vcons.create(connection, ctx.tenant, prepared)
            if taken is not None:
                raise _uuid_taken(prepared.uuid, taken)
            await note_change(connection, ctx, "create_vcon", prepared.uuid, now)
            stored = await load(self._vcons, connection, ctx, prepared.uuid) if params.return_vcon else None
        result: results.CreateVconResult = {
            "success": True,
            "uuid": str(prepared.uuid),
            "created_at": format_time(prepared.created_at),
            "updated_at": format_time(prepared.stored_at),
            "conformance": conformance_of(conformance_document(prepared)),
            "translated": _translated(prepared.renames),
        }
        if warnings := warnings_of(prepared.notices):
            result["warnings"] = warnings
        if stored is not None:
            document = stored.document()
            if fits(document, ctx):
                result["vcon"] = document
            else:
                result["vcon_omitted"] = True
        return result

    async def get_vcon(self, params: models.GetVconParams, ctx: ToolContext, /) -> results.GetVconResult:
        uuid = read_uuid(params.uuid)
        versions: results.GetVconResultVersions | None = None
        if params.version is not MISSING:
            uuid, versions = await versions_of(self._database, ctx, uuid, params.version)
        wanted = ARRAYS if params.include_components is MISSING else params.include_components
        arrays = named_arrays(wanted)
        in_version = None if params.vcon_version is MISSING else params.vcon_version
        # another version of the syntax says in one array what this one says in another
        stored = await self._vcons.get(ctx.tenant, uuid, arrays if in_version is None else ARRAYS)
        if stored is None:
            raise not_found(uuid)
        converted = Migrated(stored.document(arrays), ())
        if in_version is not None:
            converted = await asyncio.to_thread(_in_version, stored, in_version, arrays)
        document = converted.vcon
        size, room = len(dump_json(document)), room_for_vcons(ctx)
        if size > room:
            sizes = {array: len(dump_json(document[array])) for array in arrays if array in document}
            raise too_large(size, room, sizes, _LESS.format(uuid=uuid))
        result: results.GetVconResult = {"success": True, "vcon": document}
        if warnings := warnings_of(converted.notices):
            result["converted"] = warnings
        if params.include_metadata:
            result["metadata"] = in_order(results.VconMetadata, metadata_document(stored))
        if stored.signed:
            result["signature"] = await self._signature(ctx, uuid)
        if versions is not None:
            result["versions"] = versions
        return result

    async def _signature(self, ctx: ToolContext, uuid: UUID) -> results.GetVconResultSignature:
        """Verify the stored signed form of a vCon, and whether its rows are what was signed."""
        async with self._database.reading(ctx.tenant) as connection:
            form = await self._vcons.signed_form(connection, ctx.tenant, uuid)
            whole = await self._vcons.load(connection, ctx.tenant, [uuid])
        if form is None or not whole:  # deleted at this moment
            raise not_found(uuid)
        verification = await self._keyring().verify(form)
        verification = await checked_content(verification, whole[0], form, self._context.legacy_names)
        return {"status": verification.status, "message": verification.message}

    async def update_vcon(
        self, params: models.UpdateVconParams, ctx: ToolContext, /
    ) -> results.UpdateVconResult:
        uuid = read_uuid(params.uuid)
        async with self._database.writing(ctx.tenant, ctx.transaction) as connection:
            before = await self._vcons.lock(connection, ctx.tenant, uuid)
            if before is None:
                raise not_found(uuid)
            if params.expected_updated_at is not MISSING:
                check_unchanged(params.expected_updated_at, before)
            old = before.raw()
            update = apply_updates(old, params.updates, params.merge_strategy, self._context.legacy_names)
            if not update.changed:
                return _updated(before, before.conformance, [], update.renames, (), ctx)
            if before.signed:
                raise signed(uuid)
            moment = moment_of_change(before)
            document = {**update.document, "updated_at": format_time(moment)}
            prepared = await self._prepared(document, before, moment, update)
            references = _new_violations(reference_violations, old, prepared)
            if params.validate_after_update:
                self._check_violations(old, prepared, update, references)
            await revise(self._vcons, connection, ctx, prepared, before)
            await note_change(connection, ctx, "update_vcon", uuid, moment, {"changed": update.changed})
            after = await load(self._vcons, connection, ctx, uuid)
        conformance = conformance_document(prepared)
        notices = [notice for notice in prepared.notices if notice.code != "conversation_date_missing"]
        notices += update.notices
        notices += [Notice("would_violate", each.message, each.path) for each in references]
        return _updated(after, conformance, update.changed, update.renames, notices, ctx)

    async def delete_vcon(
        self, params: models.DeleteVconParams, ctx: ToolContext, /
    ) -> results.DeleteVconResult:
        uuid = read_uuid(params.uuid)
        if not params.confirm:
            raise ValidationError(
                "confirm is false, so nothing was deleted. Send confirm: true to delete this vCon for good.",
                details={"parameter": "confirm", "reason": "not_confirmed", "value": False},
                suggestions=["Send confirm: true."],
            )
        async with self._database.writing(ctx.tenant) as connection:
            stored = await self._vcons.lock(connection, ctx.tenant, uuid, ())
            if stored is None:
                raise not_found(uuid)
            counts = stored.row_counts
            deleted: results.Counts = {**stored.counts}
            if not params.cascade_delete and any(counts[array] for array in ARRAYS if array != "parties"):
                raise Conflict(
                    "This vCon has dialogs, analyses or attachments, so it was not deleted.",
                    details={"reason": "has_components", "counts": counts},
                    suggestions=["Send cascade_delete: true to delete them with it."],
                )
            with rejecting_held_vcons():
                archived = await delete_vcon(connection, ctx.tenant, uuid)
            await note_change(connection, ctx, "delete_vcon", uuid, datetime.now(UTC))
        discard(archived)
        return {
            "success": True,
            "message": "Deleted the vCon and everything derived from it.",
            "deleted_uuid": str(uuid),
            "deleted": deleted,
        }

    async def _prepared_new(self, params: models.CreateVconParams, now: datetime) -> PreparedVcon:
        """Prepare a new vCon. Raises: ValidationError."""
        metadata = None if params.metadata is MISSING else params.metadata
        document = params.vcon_data
        if params.validate_before_insert and not is_signed_form():
            document = _with_plain_bodies(document)
        try:
            prepared = with_signed_form(
                await self._preparer.prepare(
                    document,
                    now=now,
                    metadata=metadata,
                    fill_created_at=not is_signed_form(),
                )
            )
        except VconRefused as refused:
            root = "$" if isinstance(refused, MetadataRefused) else "$.vcon_data"
            raise violations_error(refused.violations, root) from None
        if params.validate_before_insert and not prepared.conformance.valid:
            found = prepared.conformance
            violations: Sequence[Violation] = found.violations
            # checked again only if it reports more and is fast
            if len(violations) < found.violation_count <= _MAX_RECHECKED_VIOLATIONS:
                violations = self._context.schemas.all_violations(prepared.document)
            raise violations_error(violations, "$.vcon_data", _STORE_ANYWAY, found.violation_count)
        return prepared

    async def _prepared(
        self, document: JsonObject, before: StoredVcon, moment: datetime, update: Update
    ) -> PreparedVcon:
        try:
            return await prepare_change(self._preparer, document, before, moment)
        except VconRefused as refused:
            raise violations_error(list(map(update.in_arguments, refused.violations)), "$") from None

    def _check_violations(
        self, old: JsonObject, prepared: PreparedVcon, update: Update, references: Sequence[Violation]
    ) -> None:
        """Reject new violations; `references` are those of indexes out of range."""
        found = _new_violations(self._context.schemas.all_violations, old, prepared)
        known = {(each.path, each.rule) for each in found}
        found += [each for each in references if (each.path, each.rule) not in known]
        if found:
            raise violations_error(list(map(update.in_arguments, found)), "$", _KEEP_ANYWAY)


def _in_version(stored: StoredVcon, version: str, arrays: Sequence[str]) -> Migrated:
    """The vCon in a version of the syntax, with these of its arrays."""
    migrated = migrate_version(stored.document(), version)
    left_out = {*ARRAYS, KEPT} - {*arrays} if len(arrays) < len(ARRAYS) else set[str]()
    document = {name: value for name, value in migrated.vcon.items() if name not in left_out}
    return Migrated(document, migrated.notices)


def _with_plain_bodies(document: JsonObject) -> JsonObject:
    """The vCon with its text dialogs as plain text where neither mediatype nor encoding is given."""
    dialog = document.get("dialog")
    if not is_array(dialog):
        return document
    return {**document, "dialog": [_with_plain_body(each) for each in dialog]}


def _with_plain_body(dialog: JsonValue) -> JsonValue:
    if not is_object(dialog) or dialog.get("type") != "text" or not isinstance(dialog.get("body"), str):
        return dialog
    if "encoding" in dialog or "mimetype" in dialog:
        return dialog
    return {"mediatype": "text/plain", **dialog, "encoding": "none"}


def _new_violations(
    check: Callable[[JsonObject], Iterable[Violation]], old: JsonObject, prepared: PreparedVcon
) -> list[Violation]:
    """Violations that `check` finds in the new vCon, but not in the old one."""
    known = {(violation.path, violation.rule) for violation in check(old)}
    return [each for each in check(prepared.document) if (each.path, each.rule) not in known]


_STORE_ANYWAY = ("Correct these, or send validate_before_insert: false to store it as it is.",)
_KEEP_ANYWAY = ("Correct these, or send validate_after_update: false to store it as it is.",)


def _uuid_taken(uuid: UUID, there: JsonObject) -> Conflict:
    if "existing_updated_at" not in there:
        return Conflict(
            "A vCon with this uuid is stored already, and consent does not extend to this server's purpose.",
            details={"reason": "exists", "uuid": str(uuid), "identical": False},
            suggestions=["Leave out uuid to store another one."],
        )
    identical = there["identical"]
    content = "the same content" if identical else "other content"
    return Conflict(
        f"A vCon with this uuid is stored already, with {content}.",
        details={
            "reason": "exists",
            "uuid": str(uuid),
            "existing_updated_at": format_time(there["existing_updated_at"]),
            "identical": identical,
        },
        suggestions=["Nothing needs to be done."]
        if identical
        else ["Change it with update_vcon, or leave out uuid to store another one."],
    )


def _translated(renames: Iterable[Rename]) -> list[results.TranslatedEntry]:
    return [{"path": rename.path, "from": rename.old, "to": rename.new} for rename in renames]


def metadata_document(stored: StoredVcon) -> results.VconMetadata:
    """Metadata of the store about a vCon."""
    conformance = stored.conformance
    known: results.VconMetadata = {
        "tags": {**stored.tags},
        "counts": {**stored.counts},
        "conformance": {
            "version": conformance["version"],
            "valid": conformance["valid"],
            "violation_count": conformance["violation_count"],
        },
        "stored_at": format_time(stored.stored_at),
        "updated_at": format_time(stored.updated_at),
    }
    if stored.signed:
        known["signed"] = True
    # the owner's metadata is returned unchanged
    return cast("results.VconMetadata", {**stored.metadata, **known})


def _updated(
    vcon: StoredVcon,
    conformance: ConformanceDocument,
    changed: list[str],
    renames: Sequence[Rename],
    notices: Sequence[Notice],
    ctx: ToolContext,
) -> results.UpdateVconResult:
    result: results.UpdateVconResult = {
        "success": True,
        "message": f"Changed: {', '.join(changed)}." if changed else "No change: already up to date.",
        "uuid": str(vcon.uuid),
        "changed": changed,
        "updated_at": format_time(vcon.updated_at),
        "conformance": conformance_of(conformance),
    }
    document = vcon.document()
    if fits(document, ctx):
        result["updated_vcon"] = document
    else:
        result["vcon_omitted"] = True
    if warnings := warnings_of(notices):
        result["warnings"] = warnings
    if renames:
        result["translated"] = _translated(renames)
    return in_order(results.UpdateVconResult, result)
