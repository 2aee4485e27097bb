"""Conversations by the first digits of their ID."""

import re
from typing import Final, NamedTuple
from uuid import UUID

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named

MIN_DIGITS: Final = 4
_BEGINNING: Final = re.compile(rf"[0-9a-f]{{{MIN_DIGITS},31}}")


class Candidate(NamedTuple):
    """A conversation whose ID begins as asked."""

    id: str
    created: str
    subject: str


def digits_of(text: str) -> str | None:
    """The digits of the beginning of an ID, with or without its dashes; None when the text is not one."""
    text = text.lower()
    digits = text.replace("-", "")
    if not _BEGINNING.fullmatch(digits):
        return None
    has_its_form = text == digits or str(_first(digits)).startswith(text)
    return digits if has_its_form else None


async def ids_beginning_with(connection: Connection, tenant: str, digits: str, limit: int) -> list[Candidate]:
    """The first `limit` conversations of the tenant, ordered by ID."""
    rows = await connection.fetch(
        *named(
            "select uuid, created_at, head->>'subject' as subject from vcontract.vcon"
            " where tenant = :tenant and uuid between :first and :last order by uuid limit :limit",
            tenant=tenant,
            first=_first(digits),
            last=UUID(digits.ljust(32, "f")),
            limit=limit,
        )
    )
    return [
        Candidate(str(row["uuid"]), f"{row['created_at']:%Y-%m-%d %H:%M}", row["subject"] or "")
        for row in rows
    ]


def _first(digits: str) -> UUID:
    return UUID(digits.ljust(32, "0"))
