"""Find conversations by a prefix of their ID."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query

MIN_DIGITS: Final = 4
_MIN_PREFIX_LENGTH: Final = 8
_BEGINNING: Final = re.compile(rf"[0-9a-f]{{{MIN_DIGITS},31}}")


class Candidate(NamedTuple):
    """A conversation whose ID has the prefix."""

    id: str
    began: str
    subject: str


def digits_of(text: str) -> str | None:
    """Return the hex digits of an ID prefix, with or without dashes; None for other text."""
    text = text.lower()
    digits = text.replace("-", "")
    if not _BEGINNING.fullmatch(digits):
        return None
    has_its_form = text == digits or str(_first(digits)).startswith(text)
    return digits if has_its_form else None


async def ids_beginning_with(connection: Connection, tenant: str, digits: str, limit: int) -> list[Candidate]:
    """The first `limit` conversations of the tenant, ordered by ID."""
    rows = await connection.fetch(
        *named_query(
            "select uuid, began_at, head->>'subject' as subject from vcontract.vcon"
            " where tenant = :tenant and uuid between :first and :last order by uuid limit :limit",
            tenant=tenant,
            first=_first(digits),
            last=UUID(digits.ljust(32, "f")),
            limit=limit,
        )
    )
    return [
        Candidate(str(row["uuid"]), f"{row['began_at']:%Y-%m-%d %H:%M}", row["subject"] or "") for row in rows
    ]


async def unique_beginnings(connection: Connection, tenant: str, ids: Sequence[UUID]) -> dict[UUID, str]:
    """Return the shortest unique prefix of each ID in the tenant, at least eight digits."""
    rows = await connection.fetch(
        *named_query(
            "select w.id, (select v.uuid from vcontract.vcon v where v.tenant = :tenant and v.uuid < w.id"
            " order by v.uuid desc limit 1) as before, (select v.uuid from vcontract.vcon v"
            " where v.tenant = :tenant and v.uuid > w.id order by v.uuid limit 1) as after"
            " from unnest(:ids::uuid[]) w (id)",
            tenant=tenant,
            ids=list(ids),
        )
    )
    return {row["id"]: _apart(row["id"], [row["before"], row["after"]]) for row in rows}


def _apart(id_: UUID, others: Sequence[UUID | None]) -> str:
    text = str(id_)
    shortest = _MIN_PREFIX_LENGTH
    while any(str(other).startswith(text[:shortest]) for other in others if other is not None):
        shortest += 1
    return text[:shortest]


def _first(digits: str) -> UUID:
    return UUID(digits.ljust(32, "0"))
