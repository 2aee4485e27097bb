"""Expiry: the end of rows whose time is over, of all tenants."""

from vcontract.runtime.store.postgres.database import Database


async def remove_expired(database: Database, tenant: str) -> None:
    """Remove cached results past their time, and processing errors of 90 days ago.

    The transaction is opened as `tenant`, which has no other meaning.
    """
    async with database.writing(tenant) as connection:
        await connection.execute("select vcontract.remove_expired()")
