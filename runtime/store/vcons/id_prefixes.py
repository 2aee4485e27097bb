"""Find conversations, sessions and reflections by a prefix of their ID."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias
from uuid import UUID

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query
from vcontract.runtime.vcon.identity import first_uuid

IdKind: TypeAlias = Literal["vcon", "session", "reflection"]

_MIN_PREFIX_LENGTH: Final = 8


_BEGINNING_WITH: Final[dict[IdKind, str]] = {
    "vcon": "select uuid as id, began_at as at, head->>'subject' as subject from vcontract.vcon"
    " where tenant = :tenant and uuid between :first and :last order by uuid limit :limit",
    "session": "select id, started_at as at, null as subject from vcontract.work_session"
    " where tenant = :tenant and id between :first and :last and caller = :owner order by id limit :limit",
    "reflection": "select id, stored_at as at, null as subject from vcontract.reflection"
    " where tenant = :tenant and id between :first and :last order by id limit :limit",
}


class Candidate(NamedTuple):
    """A conversation, session or reflection whose ID has the prefix."""

    id: str
    began: str
    subject: str


async def ids_beginning_with(
    connection: Connection, tenant: str, digits: str, limit: int, kind: IdKind = "vcon", owner: str = ""
) -> list[Candidate]:
    """The first `limit` of a kind in the tenant, ordered by ID. Sessions: only those of `owner`."""
    asked: dict[str, object] = {"owner": owner} if kind == "session" else {}
    rows = await connection.fetch(
        *named_query(
            _BEGINNING_WITH[kind],
            tenant=tenant,
            first=first_uuid(digits),
            last=UUID(digits.ljust(32, "f")),
            limit=limit,
            **asked,
        )
    )
    return [Candidate(str(row["id"]), f"{row['at']:%Y-%m-%d %H:%M}", row["subject"] or "") for row in rows]


async def vcons_beginning_with(
    connection: Connection, tenant: str, prefixes: Sequence[str], limit: int
) -> dict[str, list[UUID]]:
    """The first `limit` vCons of the tenant for each of these hex digits."""
    if not prefixes:
        return {}
    rows = await connection.fetch(
        *named_query(
            "select w.digits, array(select v.uuid from vcontract.vcon v where v.tenant = :tenant"
            " and v.uuid between w.first and w.last order by v.uuid limit :limit) as found"
            " from unnest(:digits::text[], :firsts::uuid[], :lasts::uuid[]) w (digits, first, last)",
            tenant=tenant,
            limit=limit,
            digits=list(prefixes),
            firsts=[first_uuid(digits) for digits in prefixes],
            lasts=[UUID(digits.ljust(32, "f")) for digits in prefixes],
        )
    )
    return {row["digits"]: row["found"] for row in rows}


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
