"""Browse the newest vCons of a tenant, their uuids, and values of a single vCon."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal
from uuid import UUID

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.pages import PagePosition

FIRST: Final = UUID(int=0)
"""Sorts before all vCons of the same time, so that only earlier ones follow it."""

_LAST: Final = UUID(int=(1 << 128) - 1)
_END_OF_TIME: Final = datetime.max.replace(tzinfo=UTC)
_HEX: Final = re.compile(r"[0-9a-f]{0,32}")

Kind = Literal["analysis", "attachment"]

_COLUMNS: Final[dict[Kind, str]] = {"analysis": "type", "attachment": "purpose"}


@dataclass(frozen=True, slots=True)
class ListedVcon:
    """A vCon without its content."""

    uuid: UUID
    began_at: datetime
    created_at: datetime
    subject: str | None


async def newest_vcons(
    connection: Connection, tenant: str, limit: int, below: PagePosition | None = None
) -> list[ListedVcon]:
    """Return up to `limit` vCons older than `below`, newest first."""
    rows = await connection.fetch(
        """
        select uuid, began_at, created_at,
            case when json_typeof(head -> 'subject') = 'string' then head ->> 'subject' end as subject
        from vcontract.vcon
        where tenant = $1 and (began_at, uuid) < ($2, $3)
        order by began_at desc, uuid desc
        limit $4
        """,
        tenant,
        below.at if below else _END_OF_TIME,
        below.id if below else _LAST,
        limit,
    )
    return [ListedVcon(row["uuid"], row["began_at"], row["created_at"], row["subject"]) for row in rows]


async def ends(connection: Connection, tenant: str) -> tuple[ListedVcon, ListedVcon] | None:
    """Return the oldest and the newest vCon; None if there are none."""
    rows = await connection.fetch(
        """
        (
            select uuid, began_at, created_at from vcontract.vcon
            where tenant = $1 order by began_at, uuid limit 1
        )
        union all
        (
            select uuid, began_at, created_at from vcontract.vcon
            where tenant = $1 order by began_at desc, uuid desc limit 1
        )
        """,
        tenant,
    )
    if not rows:
        return None
    first, last = sorted((row["began_at"], row["uuid"], row["created_at"]) for row in rows)
    return ListedVcon(first[1], first[0], first[2], None), ListedVcon(last[1], last[0], last[2], None)


async def values_of(connection: Connection, tenant: str, kind: Kind, uuid: UUID) -> list[str]:
    """Return the analysis types or attachment purposes of one vCon, most used first."""
    column = _COLUMNS[kind]
    rows = await connection.fetch(
        f"""
        select {column} as value from vcontract.{kind}
        where tenant = $1 and vcon = $2 and {column} is not null
        group by {column} order by count(*) desc, {column} collate "C"
        """,  # noqa: S608 - both names are constants of this module
        tenant,
        uuid,
    )
    return [row["value"] for row in rows]


async def uuids_beginning_with(
    connection: Connection, tenant: str, beginning: str, most: int
) -> Sequence[str]:
    """Return the uuids of vCons with this hex prefix, newest first if uuids contain the time."""
    digits = beginning.lower().replace("-", "")
    if not _HEX.fullmatch(digits):
        return []
    rows = await connection.fetch(
        """
        select uuid from vcontract.vcon
        where tenant = $1 and uuid between $2 and $3 order by uuid desc limit $4
        """,
        tenant,
        UUID(hex=digits.ljust(32, "0")),
        UUID(hex=digits.ljust(32, "f")),
        most,
    )
    return [found for row in rows if (found := str(row["uuid"])).startswith(beginning.lower())]
