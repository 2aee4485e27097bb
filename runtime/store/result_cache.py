"""The result cache in the database: answers that are read on, by keys that nobody can guess."""

from datetime import datetime

from vcontract.runtime.store.database import Connection


async def remove_expired(connection: Connection, tenant: str, now: datetime) -> int:
    """Remove what has expired; how many entries."""
    done = await connection.execute(
        "delete from vcontract.result_cache where tenant = $1 and expires_at <= $2", tenant, now
    )
    return int(done.rpartition(" ")[2])
