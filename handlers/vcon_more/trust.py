"""The tools sign_vcon, verify_vcon and amend_vcon."""

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.errors import Conflict, ValidationError
from vcontract.generated.models import vcon_more as models
from vcontract.generated.results import vcon_more as results
from vcontract.handlers.services import Tools
from vcontract.handlers.vcon.responses import (
    check_unchanged,
    create_fresh,
    moment_of_change,
    not_found,
    note_change,
    prepare_change,
    read_uuid,
    revise,
    signed,
)
from vcontract.handlers.vcon.signed_content import checked_content
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.store.vcons.preparation import PreparedVcon
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.vcon.conformance import amended_member
from vcontract.runtime.vcon.identity import new_uuid
from vcontract.runtime.vcon.times import format_time

if TYPE_CHECKING:
    from vcontract.runtime.vcon.trust.signatures import Signature, Verification

_MAX_FETCHED: Final = 50
_MAX_UNCHECKED: Final = 50


class TrustTools(Tools):
    """Tools that sign, verify and amend; `keyring` is slow to load, so it is called when needed."""

    async def sign_vcon(self, params: models.SignVconParams, ctx: ToolContext, /) -> results.SignVconResult:
        from vcontract.runtime.vcon.trust.hashes import hashed_elements, with_hashes
        from vcontract.runtime.vcon.trust.keys import algorithm_of
        from vcontract.runtime.vcon.trust.signatures import sign

        uuid = read_uuid(params.vcon_uuid, "vcon_uuid")
        signer = self._keyring().signer
        if signer is None:
            raise _NO_KEY
        async with self._database.writing(ctx.tenant, ctx.transaction) as connection:
            before = await self._vcons.lock(connection, ctx.tenant, uuid)
            if before is None:
                raise not_found(uuid)
            if params.expected_updated_at is not MISSING:
                check_unchanged(params.expected_updated_at, before)
            if before.signed:
                raise signed(uuid)
            moment = moment_of_change(before)
            document = before.document()
            whole = with_hashes(document) if params.content_hashes else document
            added = sum(1 for _ in hashed_elements(whole)) - sum(1 for _ in hashed_elements(document))
            whole = {**whole, "updated_at": format_time(moment)}
            form = dump_json(sign(dump_json(whole), str(uuid), signer)).decode()
            plain = await prepare_change(self._preparer, whole, before, moment)
            prepared = replace(plain, signed_form=form, size=plain.size + len(form.encode()))
            await revise(self._vcons, connection, ctx, prepared)
            await note_change(connection, ctx, "sign_vcon", uuid, moment)
        algorithm = algorithm_of(signer.key)
        result: results.SignVconResult = {
            "success": True,
            "message": f"Signed with {algorithm}; this vCon cannot change from now on.",
            "vcon_uuid": str(uuid),
            "algorithm": algorithm,
            "content_hashes": added,
            "updated_at": format_time(moment),
        }
        if signer.chain:
            result["signer"] = signer.chain[0].subject.rfc4514_string()
        return result

    async def verify_vcon(
        self, params: models.VerifyVconParams, ctx: ToolContext, /
    ) -> results.VerifyVconResult:
        uuid = read_uuid(params.vcon_uuid, "vcon_uuid")
        async with self._database.reading(ctx.tenant) as connection:
            found = await self._vcons.load(connection, ctx.tenant, [uuid])
            if not found:
                raise not_found(uuid)
            form = await self._vcons.signed_form(connection, ctx.tenant, uuid)
        stored = found[0]
        signature: results.VerifyVconResultSignature = {
            "status": "unsigned",
            "message": "It is stored without a signed form.",
        }
        if form is not None:
            verification = await self._keyring().verify(form, external=params.external)
            names = self._context.legacy_names
            signature = _signature(await checked_content(verification, stored, form, names))
        return {
            "success": True,
            "vcon_uuid": str(uuid),
            "signature": signature,
            "content_hashes": await self._checked_hashes(stored, external=params.external),
        }

    async def amend_vcon(
        self, params: models.AmendVconParams, ctx: ToolContext, /
    ) -> results.AmendVconResult:
        uuid = read_uuid(params.vcon_uuid, "vcon_uuid")
        now = datetime.now(UTC)
        async with self._database.writing(ctx.tenant, ctx.transaction) as connection:
            before = await self._vcons.lock(connection, ctx.tenant, uuid)
            if before is None:
                raise not_found(uuid)
            if before.head.get("redacted") or before.head.get("redacted_from"):
                raise _redacted_conflict(uuid)
            prepared = await create_fresh(self._vcons, connection, ctx, partial(self._amended, before, now))
            await note_change(connection, ctx, "amend_vcon", prepared.uuid, now, {"amends": str(uuid)})
        return {
            "success": True,
            "message": "Made a version that can be changed; it names the one before in amended.",
            "vcon_uuid": str(prepared.uuid),
            "amends": str(uuid),
            "updated_at": format_time(now),
        }

    async def _amended(self, before: StoredVcon, now: datetime) -> PreparedVcon:
        version = amended_version(before, new_uuid(now), now)
        return await self._preparer.prepare(version, now=now, metadata=before.metadata)

    async def _checked_hashes(
        self, stored: StoredVcon, *, external: bool
    ) -> results.VerifyVconResultContentHashes:
        from vcontract.runtime.vcon.trust.hashes import Checked, algorithms_of, check, hashed_elements

        fetcher = self._keyring().fetcher if external else None
        checked: list[Checked] = []
        fetched = 0
        for path, element in hashed_elements(stored.document()):
            one = check(path, element)
            if one.outcome == "not_fetched" and fetcher is not None and fetched < _MAX_FETCHED:
                fetched += 1
                digests = await fetcher.digests(element["url"], algorithms_of(element))
                one = one if digests is None else check(path, element, digests)
            checked.append(one)
        right = sum(one.outcome == "right" for one in checked)
        wrong = [one.path for one in checked if one.outcome == "wrong"]
        unchecked: list[results.VerifyVconResultContentHashesUncheckedEntry] = []
        for one in checked:
            if one.outcome != "right" and one.outcome != "wrong":
                unchecked.append({"path": one.path, "reason": one.outcome})
        return {
            "status": "wrong" if wrong else "unchecked" if unchecked else "right" if right else "none",
            "right": right,
            "wrong": wrong,
            "unchecked": unchecked[:_MAX_UNCHECKED],
        }


def amended_version(before: StoredVcon, uuid: UUID, now: datetime) -> JsonObject:
    """Make the vCon a new version that refers to its original.

    Source: draft-ietf-vcon-vcon-core-04, amended; -05, amended_from.
    """
    moment, document = format_time(now), before.document()
    return {
        **document,
        "uuid": str(uuid),
        "created_at": document.get("created_at") or moment,
        "updated_at": moment,
        amended_member(document): {"uuid": str(before.uuid)},
    }


def _signature(verification: "Verification") -> results.VerifyVconResultSignature:
    return {
        "status": verification.status,
        "message": verification.message,
        "signatures": list(map(_shown_signature, verification.signatures)),
    }


def _shown_signature(signature: "Signature") -> results.Signature:
    shown: results.Signature = {"status": signature.status, "reason": signature.reason}
    if signature.algorithm is not None:
        shown["algorithm"] = signature.algorithm
    if signature.signer is not None:
        shown["signer"] = signature.signer
    if signature.detail is not None:
        shown["detail"] = signature.detail
    return shown


_NO_KEY: Final = ValidationError(
    "This server has no key to sign with.",
    details={"reason": "no_signing_key"},
    suggestions=["Set VCONTRACT_SIGNING_KEY_FILE for the server to a private key in PEM."],
)


def _redacted_conflict(uuid: UUID) -> Conflict:
    return Conflict(
        "This is a redacted version, and a vCon cannot be redacted and amended at once.",
        details={"reason": "redacted", "uuid": str(uuid)},
        suggestions=["Amend the version that it was made of, and redact that again."],
    )
