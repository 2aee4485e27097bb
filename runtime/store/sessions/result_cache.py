"""The result cache in the database: answers that are read on, by keys that nobody can guess."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from vcontract.runtime.documents.json import JsonObject, dump_json, parse_json
from vcontract.runtime.store.postgres.database import Connection

MOST_ENTRIES: Final = 200
"""Of one caller; the oldest go first."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An answer that is read on: chunks of it, or the references of a list."""

    key: str
    tool: str
    query_digest: bytes | None
    content: JsonObject
    made_at: datetime
    expires_at: datetime


async def put(connection: Connection, tenant: str, caller: str, entry: Entry) -> None:
    """Store an entry; what has expired, and the caller's oldest beyond 200, is removed."""
    await remove_expired(connection, tenant, entry.made_at)
    await connection.execute(
        "delete from vcontract.result_cache where tenant = $1 and key in (select c.key"
        " from vcontract.result_cache c where c.tenant = $1 and c.caller = $2"
        " order by c.made_at desc, c.key offset $3)",
        tenant,
        caller,
        MOST_ENTRIES - 1,
    )
    await connection.execute(
        "insert into vcontract.result_cache"
        " (tenant, key, caller, tool, query_digest, content, made_at, expires_at)"
        " values ($1, $2, $3, $4, $5, $6, $7, $8)",
        tenant,
        entry.key,
        caller,
        entry.tool,
        entry.query_digest,
        dump_json(entry.content).decode(),
        entry.made_at,
        entry.expires_at,
    )


async def get(connection: Connection, tenant: str, caller: str, key: str, now: datetime) -> Entry | None:
    """The caller's entry of a key; None when it is unknown, expired or somebody else's."""
    rows = await connection.fetch(
        "select key, tool, query_digest, content, made_at, expires_at from vcontract.result_cache"
        " where tenant = $1 and caller = $2 and key = $3 and expires_at > $4",
        tenant,
        caller,
        key,
        now,
    )
    entries = _entries(rows)
    return entries[0] if entries else None


async def newest(
    connection: Connection, tenant: str, caller: str, tool: str, query_digest: bytes, now: datetime
) -> list[Entry]:
    """The caller's live entries of a tool and a query, newest first."""
    rows = await connection.fetch(
        "select key, tool, query_digest, content, made_at, expires_at from vcontract.result_cache"
        " where tenant = $1 and caller = $2 and tool = $3 and query_digest = $4 and expires_at > $5"
        " order by made_at desc, key",
        tenant,
        caller,
        tool,
        query_digest,
        now,
    )
    return _entries(rows)


async def remove_expired(connection: Connection, tenant: str, now: datetime) -> int:
    """Remove what has expired; how many entries."""
    done = await connection.execute(
        "delete from vcontract.result_cache where tenant = $1 and expires_at <= $2", tenant, now
    )
    return int(done.rpartition(" ")[2])


def _entries(rows: Sequence[object]) -> list[Entry]:
    found: list[JsonObject] = [dict(row) for row in rows]  # type: ignore[call-overload]  # pyright: ignore
    return [Entry(**{**row, "content": parse_json(row["content"])}) for row in found]
