"""Browsing: the newest vCons of a tenant, and which types, purposes, keys and uuids it has."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal
from uuid import UUID

from vcontract.runtime.store.database import Connection
from vcontract.runtime.store.search import Place

MOST_VALUES: Final = 1_000
"""So many values are listed."""

_NEWEST: Final = 2_000
"""Values that are offered while somebody types come from so many of the newest vCons."""

FIRST: Final = UUID(int=0)
"""Comes before all vCons of its time: what is older than it is older than that time."""

_LAST: Final = UUID(int=(1 << 128) - 1)
_END_OF_TIME: Final = datetime.max.replace(tzinfo=UTC)
_HEX: Final = re.compile(r"[0-9a-f]{0,32}")

Kind = Literal["analysis", "attachment"]

_COLUMNS: Final[dict[Kind, str]] = {"analysis": "type", "attachment": "purpose"}


@dataclass(frozen=True, slots=True)
class ListedVcon:
    """A vCon without its content."""

    uuid: UUID
    created_at: datetime
    subject: str | None


async def newest_vcons(
    connection: Connection, tenant: str, limit: int, below: Place | None = None
) -> list[ListedVcon]:
    """Up to `limit` vCons, newest first, all of them older than `below`."""
    rows = await connection.fetch(
        """
        select uuid, created_at,
            case when json_typeof(head -> 'subject') = 'string' then head ->> 'subject' end as subject
        from vcontract.vcon
        where tenant = $1 and (created_at, uuid) < ($2, $3)
        order by created_at desc, uuid desc
        limit $4
        """,
        tenant,
        below.at if below else _END_OF_TIME,
        below.id if below else _LAST,
        limit,
    )
    return [ListedVcon(row["uuid"], row["created_at"], row["subject"]) for row in rows]


async def values_in_use(connection: Connection, tenant: str, kind: Kind) -> list[tuple[str, int]]:
    """The types of analysis, or the effective purposes of attachments, and how many vCons have each.

    Most used first; at most one more than are listed.
    """
    column = _COLUMNS[kind]
    rows = await connection.fetch(
        f"""
        select {column} as value, count(distinct vcon) as vcons
        from vcontract.{kind} where tenant = $1 and {column} is not null
        group by {column} order by vcons desc, {column} collate "C"
        limit $2
        """,  # noqa: S608 - both names are constants of this module
        tenant,
        MOST_VALUES + 1,
    )
    return [(row["value"], row["vcons"]) for row in rows]


async def values_beginning_with(
    connection: Connection, tenant: str, kind: Kind, beginning: str, most: int, of: UUID | None = None
) -> list[str]:
    """Values of one vCon, or of the newest vCons, that begin with a text in any case; most used first."""
    column = _COLUMNS[kind]
    rows = await connection.fetch(
        f"""
        select {column} as value from vcontract.{kind}
        where tenant = $1 and starts_with(lower({column}), lower($2)) and vcon = any(
            case when $3::uuid is not null then array[$3::uuid] else array(
                select uuid from vcontract.vcon where tenant = $1 order by created_at desc, uuid desc limit $4
            ) end
        )
        group by {column} order by count(*) desc, {column} collate "C"
        limit $5
        """,  # noqa: S608 - both names are constants of this module
        tenant,
        beginning,
        of,
        _NEWEST,
        most,
    )
    return [row["value"] for row in rows]


async def uuids_beginning_with(
    connection: Connection, tenant: str, beginning: str, most: int
) -> Sequence[str]:
    """The uuids of vCons that begin with hex digits, those of later vCons first where uuids tell the time."""
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
