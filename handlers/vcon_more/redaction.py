"""The tool redact_vcon: store a redacted version, and keep or delete the original."""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pydantic import MISSING

from vcontract.generated.errors import ValidationError
from vcontract.generated.models import vcon_more as models
from vcontract.generated.results import vcon_more as results
from vcontract.handlers.services import Tools
from vcontract.handlers.vcon.responses import (
    create_fresh,
    not_found,
    note_change,
    read_uuid,
    rejecting_held_vcons,
    violations_error,
)
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import array
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.transcripts.rows import discard
from vcontract.runtime.store.vcons.counts import fold_all
from vcontract.runtime.store.vcons.deletion import delete_vcon
from vcontract.runtime.store.vcons.preparation import PreparedVcon, VconRefused
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.store.vocabulary.people import People
from vcontract.runtime.text.patterns import BadPattern
from vcontract.runtime.text.redaction import Redacted, redact
from vcontract.runtime.text.sensitive_text import RedactionRequest
from vcontract.runtime.vcon.conformance import redacted_member
from vcontract.runtime.vcon.text_spans import BadSpan, Span, words_of
from vcontract.runtime.vcon.times import format_time


class RedactionTools(Tools):
    """redact_vcon."""

    async def redact_vcon(
        self, params: models.RedactVconParams, ctx: ToolContext, /
    ) -> results.RedactVconResult:
        uuid = read_uuid(params.vcon_uuid, "vcon_uuid")
        archived = None
        async with self._database.writing(ctx.tenant, ctx.transaction) as connection:
            original = await self._vcons.lock(connection, ctx.tenant, uuid)
            if original is None:
                raise not_found(uuid)
            document = original.document()
            people = await People.of(connection, ctx.tenant)
            aliases = people.other_parties(array(document.get("parties")))
            redacted = await asyncio.to_thread(_redacted, document, params, aliases)
            result: results.RedactVconResult = {
                "success": True,
                "message": "Nothing of that is in it; no version was made.",
                "redacted_from": str(uuid),
                "counts": {**redacted.counts},
                "changed": list(redacted.changed),
                "removed": list(redacted.removed),
                "original_deleted": False,
            }
            if not redacted.counts and not redacted.removed:
                return result
            if params.dry_run:
                return {**result, "message": "This would be redacted; nothing was changed."}
            prepared = await self._create(connection, ctx, original, redacted, params)
            detail: JsonObject = {"redacted_from": str(uuid), "counts": {**redacted.counts}}
            await note_change(connection, ctx, "redact_vcon", prepared.uuid, prepared.stored_at, detail)
            if not params.keep_original:
                with rejecting_held_vcons():
                    archived = await delete_vcon(connection, ctx.tenant, uuid)
                await note_change(connection, ctx, "delete_vcon", uuid, prepared.stored_at)
        if not params.keep_original:
            await ctx.once_committed(partial(self._forget, archived))
        result["uuid"] = str(prepared.uuid)
        result["message"] = "Made a redacted version."
        if not params.keep_original:
            result["message"] = "Made a redacted version, and deleted the original."
            result["original_deleted"] = True
        return in_order(results.RedactVconResult, result)

    async def _forget(self, archived: Path | None) -> None:
        """Delete files of a deleted original, and refresh counts."""
        discard(archived)
        # until then, tag counts and their differences still show the original's tags
        await fold_all(self._database)

    async def _create(
        self,
        connection: Connection,
        ctx: ToolContext,
        original: StoredVcon,
        redacted: Redacted,
        params: models.RedactVconParams,
    ) -> PreparedVcon:
        now = datetime.now(UTC)
        document = _as_version(redacted, original, now, params)
        try:
            return await create_fresh(
                self._vcons,
                connection,
                ctx,
                partial(self._preparer.prepare, document, now=now, fill_created_at=True),
            )
        except VconRefused as refused:
            raise violations_error(refused.violations, "$") from None


def _redacted(
    document: JsonObject, params: models.RedactVconParams, aliases: Iterable[JsonObject]
) -> Redacted:
    """Redact a document. Raises: ValidationError."""
    spans = [] if params.spans is MISSING else params.spans
    words = [] if params.words is MISSING else params.words
    rules = [] if params.rules is MISSING else params.rules
    patterns = [] if params.patterns is MISSING else params.patterns
    if not (spans or words or rules or patterns):
        raise _refused("rules", "missing", "Nothing says what to redact.", "Send rules, or words.")
    try:
        named = words_of(document, (Span(each.path, each.start, each.end) for each in spans))
        wanted = RedactionRequest(frozenset(rules), (*words, *named), tuple(patterns), tuple(aliases))
        return redact(document, wanted, keep_media=params.keep_media)
    except BadSpan as bad:
        raise _refused("spans", "malformed", f"A span is not in the vCon: {bad}.", "Read it again.") from None
    except BadPattern as bad:
        raise _refused(
            "patterns", "malformed", f"A pattern cannot be used: {bad}.", "Send another."
        ) from None


def _as_version(
    redacted: Redacted, original: StoredVcon, now: datetime, params: models.RedactVconParams
) -> JsonObject:
    """Make the document a version of its own that refers to the original, if that is kept."""
    kinds = ",".join(_kinds(redacted))
    made_from: JsonObject = {"uuid": str(original.uuid)} if params.keep_original else {}
    taken = ("uuid", "amended", "redacted", "amended_from", "redacted_from", "updated_at")
    kept = {name: value for name, value in redacted.document.items() if name not in taken}
    return {
        **kept,
        "updated_at": format_time(now),
        redacted_member(redacted.document): {**made_from, "type": kinds},
    }


def _kinds(redacted: Redacted) -> Iterable[str]:
    plural = {"address": "addresses", "media": "media"}
    found = {*redacted.counts, *(("media",) if redacted.removed else ())}
    return [plural.get(kind, f"{kind}s") for kind in sorted(found)]


def _refused(parameter: str, reason: str, message: str, cure: str) -> ValidationError:
    return ValidationError(message, details={"parameter": parameter, "reason": reason}, suggestions=[cure])
