"""Stored text of a vCon, so that a change need not read all of it again."""

from typing import Final
from uuid import UUID

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.vcons.row_reuse import ReadBefore
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.text.languages import STEMMED_BESIDES_ENGLISH
from vcontract.runtime.text.words import language_mark

_MANY_TURNS: Final = 500
"""Number of turns from which reading them again takes noticeable time."""
_LANGUAGE_MARKS: Final = " | ".join(f"'{language_mark(language)}'" for language in STEMMED_BESIDES_ENGLISH)


async def read_before(connection: Connection, tenant: str, vcon: StoredVcon) -> ReadBefore | None:
    """Load the stored text of a locked vCon with many turns; None if everything must be read again."""
    turns = vcon.row_counts["dialog"]
    if turns < _MANY_TURNS or "unsupported_critical" in vcon.conformance:
        return None
    row = await connection.fetchrow(
        "select words, first_at, last_at, is_numbered from vcontract.search_document"
        " where tenant = $1 and kind = 'vcon' and id = $2 and not words @@ $3::text::tsquery",
        tenant,
        vcon.uuid,
        _LANGUAGE_MARKS,
    )
    if row is None:
        return None
    times = tuple(at for at in (row["first_at"], row["last_at"]) if at is not None)
    return ReadBefore(turns, row["words"], times, row["is_numbered"])


async def is_english(connection: Connection, tenant: str, uuid: UUID) -> bool:
    """Whether all stored text of a vCon counts as English."""
    found: bool | None = await connection.fetchval(
        "select not words @@ $3::text::tsquery from vcontract.search_document"
        " where tenant = $1 and kind = 'vcon' and id = $2",
        tenant,
        uuid,
        _LANGUAGE_MARKS,
    )
    return bool(found)
