"""The pool of connections, and how values go through them."""

from datetime import UTC, datetime, timedelta

import asyncpg
from pgvector import HalfVector

from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres import server
from vcontract.runtime.store.postgres.server import (
    CONNECT_SECONDS,
    begun_with,
)

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""Origin of PostgreSQL's timestamps, which are in microseconds."""
_MICROSECOND = timedelta(microseconds=1)
GRACE_SECONDS = 5.0
"""How much longer than the server's limit to wait for a statement before the connection counts as dead."""
_IDLE_CONNECTION_SECONDS = 300.0


async def open_pool(settings: Settings, url: str) -> "asyncpg.Pool[asyncpg.Record]":
    return await asyncpg.create_pool(
        url,
        min_size=0,
        max_size=settings.pool_size,
        init=_set_codecs,
        reset=_keep_session,
        max_inactive_connection_lifetime=_IDLE_CONNECTION_SECONDS,
        timeout=CONNECT_SECONDS,
        command_timeout=server.STATEMENT_SECONDS + GRACE_SECONDS,
        **begun_with(settings),
    )


async def _keep_session(_connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Skip asyncpg's reset query. Transactions only set what ends with them, and a reset costs a round
    trip.
    """


async def _set_codecs(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Set codecs: `tsvector` as bytes, `halfvec` as a `HalfVector`, json and jsonb as text.

    Times pass unchanged, including the first and last possible ones. asyncpg converts these two to infinities
    without a zone.
    """
    # type look-ups take several queries, which a pooler may send to different connections
    async with connection.transaction():
        await connection.set_type_codec(
            "tsvector", schema="pg_catalog", encoder=bytes, decoder=bytes, format="binary"
        )
        # pgvector's own registration looks up three types, and we use one
        await connection.set_type_codec(
            "halfvec",
            schema="public",
            encoder=HalfVector.to_binary,
            decoder=HalfVector.from_binary,
            format="binary",
        )
        await connection.set_type_codec(
            "timestamptz", schema="pg_catalog", encoder=_microseconds, decoder=_moment, format="tuple"
        )


def _microseconds(moment: datetime) -> tuple[int]:
    return ((moment - _EPOCH) // _MICROSECOND,)


def _moment(microseconds: tuple[int]) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds[0])
