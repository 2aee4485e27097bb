"""Secrets shared by all processes of a deployment and stored in the database."""

import secrets

from vcontract.runtime.frame.logs import Log
from vcontract.runtime.store.postgres.database import DEPLOYMENT, Database
from vcontract.runtime.store.postgres.error_mapping import TakesNoWrites, writing_if_possible

_LOG = Log("secrets")
_SECRET_BYTES = 32
_READ = "select value from vcontract.shared_secret where name = $1"
_KEEP = "insert into vcontract.shared_secret (name, value) values ($1, $2) on conflict (name) do nothing"


async def shared_secret(database: Database, name: str) -> bytes:
    """Return the deployment's secret with this name, created on first use.

    On a database that takes no writes and is without this secret, return one that only this process knows.
    """
    async with database.reading(DEPLOYMENT) as connection:
        value: bytes | None = await connection.fetchval(_READ, name)
    if value is not None:
        return value
    made = secrets.token_bytes(_SECRET_BYTES)
    try:
        with writing_if_possible():
            async with database.writing(DEPLOYMENT) as connection:
                await connection.execute(_KEEP, name, made)
                kept: bytes = await connection.fetchval(_READ, name)
    except TakesNoWrites:
        _LOG.warning("the database takes no writes; the secret is valid only for this process", secret=name)
        return made
    return kept
