"""Requests: writes under a key of the caller, each done once, with what it answered."""

import contextlib
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from vcontract.runtime.store.postgres.database import Connection, Database

LIFETIME: Final = timedelta(hours=24)
"""How long an answer is kept; after that its key is free again."""

# A second call under the key waits here for the end of the first; what has expired is taken over.
_CLAIM = (
    "insert into vcontract.request as r (tenant, tool, key, arguments, expires_at)"
    " values ($1, $2, $3, $4, now() + $5) on conflict (tenant, tool, key) do update"
    " set arguments = excluded.arguments, answer = null, reading = null, expires_at = excluded.expires_at"
    " where r.expires_at <= now() returning true"
)
_EARLIER = (
    "select arguments, answer, reading from vcontract.request where tenant = $1 and tool = $2 and key = $3"
)
_KEEP = "update vcontract.request set answer = $4, reading = $5 where tenant = $1 and tool = $2 and key = $3"


@dataclass(frozen=True, slots=True)
class Earlier:
    """A call that was done under a key."""

    arguments: bytes
    """The digest of its arguments."""
    answer: str
    """The object that it was answered with, as JSON."""
    reading: str | None
    """What a model was given to read, where that was not the answer itself."""


@dataclass(frozen=True, slots=True)
class Request:
    """A call under a key, in the transaction that it has to write in."""

    connection: Connection
    earlier: Earlier | None
    """The call that was done under the key; None when this is the first."""
    name: tuple[str, str, str]
    """Tenant, tool and key."""

    async def keep(self, answer: str, reading: str | None) -> None:
        """Keep what the call is answered with; it is committed with what the call has written."""
        await self.connection.execute(_KEEP, *self.name, answer, reading)


class Requests:
    """The calls of all callers that have a key."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextlib.asynccontextmanager
    async def open(self, tenant: str, tool: str, key: str, arguments: bytes) -> AsyncGenerator[Request]:
        """A transaction that is the only one under this key; it commits when the block ends without an error.

        What is raised in the block undoes what was written, and leaves the key free.
        Raises: what `Database.writing` raises.
        """
        name = (tenant, tool, key)
        async with self._database.writing(tenant) as connection:
            is_first = await connection.fetchval(_CLAIM, *name, arguments, LIFETIME)
            row = None if is_first else await connection.fetchrow(_EARLIER, *name)
            yield Request(connection, None if row is None else Earlier(*row), name)


async def forget_answers(connection: Connection, tenant: str, ids: Sequence[str]) -> None:
    """Remove the answers that name records which are removed, with their keys."""
    await connection.execute(
        "delete from vcontract.request r where r.tenant = $1"
        " and exists (select from unnest($2::text[]) as gone (id) where strpos(r.answer, gone.id) > 0)",
        tenant,
        ids,
    )
