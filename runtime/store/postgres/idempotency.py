"""Idempotency keys: each write under a key is done once, and its response is stored."""

import contextlib
import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from vcontract.runtime.frame.errors import AnswerWithheld
from vcontract.runtime.store.postgres.database import Connection, Database

LIFETIME: Final = timedelta(hours=24)
"""How long a response is stored. Afterwards the key can be reused."""

# A second call with the key waits here for the end of the first. Expired entries are replaced.
_CLAIM = (
    "insert into vcontract.request as r (tenant, tool, key, arguments, expires_at)"
    " values ($1, $2, $3, $4, now() + $5) on conflict (tenant, tool, key, purposes) do update"
    " set arguments = excluded.arguments, answer = null, reading = null, expires_at = excluded.expires_at"
    " where r.expires_at <= now() returning true"
)
_EARLIER = (
    "select arguments, answer, reading from vcontract.request where tenant = $1 and tool = $2 and key = $3"
)
_KEEP = (
    "update vcontract.request set answer = $4, reading = $5,"
    # a vCon that is withheld already is only mentioned: nothing of it was read
    " vcons = array(select unnest($6::uuid[]) except select vcontract.withheld())"
    " where tenant = $1 and tool = $2 and key = $3"
)
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier call with the key."""

    arguments: bytes
    """Digest of its arguments."""
    answer: str
    """Its response as JSON."""
    reading: str | None
    """Text for the model, if it differs from the response."""


@dataclass(frozen=True, slots=True)
class Request:
    """A call with a key, and the transaction in which it must write."""

    connection: Connection
    earlier: Earlier | None
    """The earlier call with the key; None if this is the first."""
    name: tuple[str, str, str]
    """Tenant, tool and key."""

    async def keep(self, asked: str, answer: str, reading: str | None) -> None:
        """Store the response. It is committed together with what the call has written.

        It is not returned once consent withholds a vCon that the call (`asked`, JSON) or the response names.
        """
        await self.connection.execute(_KEEP, *self.name, answer, reading, uuids_in(asked, answer))


class Requests:
    """Calls with a key, of all callers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextlib.asynccontextmanager
    async def open(self, tenant: str, tool: str, key: str, arguments: bytes) -> AsyncGenerator[Request]:
        """Open the only transaction under this key. It commits if the block ends without an error.

        An error in the block rolls back and leaves the key free. Raises: AnswerWithheld; what
        `Database.writing` raises.
        """
        name = (tenant, tool, key)
        async with self._database.writing(tenant) as connection:
            is_first = await connection.fetchval(_CLAIM, *name, arguments, LIFETIME)
            row = None if is_first else await connection.fetchrow(_EARLIER, *name)
            if not is_first and row is None and self._database.purposes:
                raise AnswerWithheld
            yield Request(connection, None if row is None else Earlier(*row), name)


def uuids_in(*texts: str) -> list[str]:
    """Return the UUIDs in some texts, each once, in lower case."""
    return [*dict.fromkeys(found.lower() for text in texts for found in _UUID.findall(text))]


async def forget_answers(connection: Connection, tenant: str, ids: Sequence[str]) -> None:
    """Delete stored responses that name deleted records, with their keys."""
    await connection.execute(
        "delete from vcontract.request r where r.tenant = $1"
        " and exists (select from unnest($2::text[]) as gone (id) where strpos(r.answer, gone.id) > 0)",
        tenant,
        ids,
    )
