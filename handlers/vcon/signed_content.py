"""Compare what is stored of a signed vCon with what was signed."""

import asyncio
from typing import TYPE_CHECKING

from vcontract.runtime.frame.documents.json import JsonObject, canonical_json, parse_json
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.vcon.coercion import coerced
from vcontract.runtime.vcon.identity import parse_uuid
from vcontract.runtime.vcon.legacy import LegacyNames
from vcontract.runtime.vcon.wrapped_forms import UnreadableVcon, unwrap

if TYPE_CHECKING:
    from vcontract.runtime.vcon.trust.signatures import Verification


async def checked_content(
    verification: "Verification", stored: StoredVcon, form: str, names: LegacyNames
) -> "Verification":
    """Return the result for a whole stored vCon: broken if its rows are not what `form` signs.

    Later tags do not count. Content that was signed encrypted is not compared.
    """
    from vcontract.runtime.vcon.trust.signatures import Verification

    if verification.status == "broken" or not await asyncio.to_thread(_differs, stored, form, names):
        return verification
    return Verification("broken", verification.signatures, is_changed=True)


def _differs(stored: StoredVcon, form: str, names: LegacyNames) -> bool:
    try:
        signed = unwrap(parse_json(form)).vcon
    except UnreadableVcon:
        return False
    given = signed.get("uuid")
    uuid = parse_uuid(given) if isinstance(given, str) else None
    if uuid is not None and uuid != stored.uuid:
        return True
    return _comparable(signed, names) != _comparable(stored.raw(), names)


def _comparable(vcon: JsonObject, names: LegacyNames) -> bytes:
    """Print the vCon with current names and types, as both are stored."""
    translated, _ = names.translate(coerced(vcon)[0])
    return canonical_json({name: value for name, value in translated.items() if name != "uuid"})
