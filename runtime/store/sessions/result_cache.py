"""Result cache: large results that a caller reads in pieces, by unguessable keys."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from asyncpg import Record

from vcontract.runtime.frame.documents.json import JsonObject, dump_json, parse_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.postgres.idempotency import uuids_in
from vcontract.runtime.store.queries import named_query

MAX_ENTRIES: Final = 200
"""Maximum entries per caller; the oldest are deleted first."""
_ENTRIES: Final = "select key, tool, query_digest, content, made_at, expires_at from vcontract.result_cache"


@dataclass(frozen=True, slots=True)
class Entry:
    """A cached result: chunks of text, or references of a list."""

    key: str
    tool: str
    query_digest: bytes | None
    content: JsonObject
    made_at: datetime
    expires_at: datetime


async def put(connection: Connection, tenant: str, caller: str, entry: Entry) -> None:
    """Store an entry. Deletes expired entries and the caller's oldest beyond 200."""
    content = dump_json(entry.content).decode()
    await connection.execute(
        *named_query(
            "with surplus as (delete from vcontract.result_cache r where r.tenant = :tenant and ("
            "  r.expires_at <= :made_at or r.key in (select c.key from vcontract.result_cache c"
            "   where c.tenant = :tenant and c.caller = :caller and c.expires_at > :made_at"
            "   order by c.made_at desc, c.key offset :kept)))"
            " insert into vcontract.result_cache"
            " (tenant, key, caller, tool, query_digest, content, made_at, expires_at, vcons)"
            " values (:tenant, :key, :caller, :tool, :query_digest, :content, :made_at, :expires_at,"
            "  array(select unnest(:ids::uuid[]) except select vcontract.withheld()))",
            tenant=tenant,
            kept=MAX_ENTRIES - 1,
            key=entry.key,
            caller=caller,
            tool=entry.tool,
            query_digest=entry.query_digest,
            content=content,
            made_at=entry.made_at,
            expires_at=entry.expires_at,
            ids=uuids_in(content),
        )
    )


async def get(connection: Connection, tenant: str, caller: str, key: str, now: datetime) -> Entry | None:
    """Return the caller's entry with a key; None if it is unknown, expired, another caller's, or withheld."""
    row = await connection.fetchrow(
        *named_query(
            f"{_ENTRIES} where tenant = :tenant and caller = :caller and key = :key and expires_at > :now",
            tenant=tenant,
            caller=caller,
            key=key,
            now=now,
        )
    )
    return None if row is None else _entry(row)


async def is_answered(connection: Connection, entry: Entry) -> bool:
    """Whether consent withholds nothing that an entry names."""
    answered: bool = await connection.fetchval(
        "select not $1::uuid[] && array(select vcontract.withheld())",
        uuids_in(dump_json(entry.content).decode()),
    )
    return answered


async def newest(
    connection: Connection, tenant: str, caller: str, tool: str, query_digest: bytes, now: datetime
) -> list[Entry]:
    """Return the caller's unexpired entries for a tool and query, newest first."""
    rows = await connection.fetch(
        *named_query(
            f"{_ENTRIES} where tenant = :tenant and caller = :caller and tool = :tool"
            " and query_digest = :query_digest and expires_at > :now order by made_at desc, key",
            tenant=tenant,
            caller=caller,
            tool=tool,
            query_digest=query_digest,
            now=now,
        )
    )
    return [_entry(row) for row in rows]


async def remove_expired(connection: Connection, tenant: str, now: datetime) -> int:
    """Delete expired entries. Returns their number."""
    done = await connection.execute(
        *named_query(
            "delete from vcontract.result_cache where tenant = :tenant and expires_at <= :now",
            tenant=tenant,
            now=now,
        )
    )
    return int(done.rpartition(" ")[2])


def _entry(row: Record) -> Entry:
    return Entry(
        row["key"],
        row["tool"],
        row["query_digest"],
        parse_json(row["content"]),
        row["made_at"],
        row["expires_at"],
    )
