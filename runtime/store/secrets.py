"""Secrets that all processes of a deployment share: made once, kept in the database."""

import secrets

from vcontract.runtime.store.database import Database

_SECRET_BYTES = 32


async def shared_secret(database: Database, name: str, tenant: str) -> bytes:
    """The deployment's secret of this name; the first process that asks makes it.

    `tenant` only opens the transaction: a secret belongs to the deployment and not to a tenant.
    """
    async with database.writing(tenant) as connection:
        await connection.execute(
            "insert into vcontract.shared_secret (name, value) values ($1, $2) on conflict (name) do nothing",
            name,
            secrets.token_bytes(_SECRET_BYTES),
        )
        value: bytes = await connection.fetchval(
            "select value from vcontract.shared_secret where name = $1", name
        )
    return value
