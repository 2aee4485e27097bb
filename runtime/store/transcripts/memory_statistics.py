"""Size statistics of a tenant's memory."""

from dataclasses import dataclass
from datetime import datetime

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import query


@dataclass(frozen=True, slots=True)
class MemoryStatistics:
    """Counts of what a caller may read. `bytes`: vCons, reflections, records and archive, without indexes."""

    conversations: int
    reflections: int
    projects: int
    oldest: datetime | None
    newest: datetime | None
    bytes: int


async def memory_statistics(connection: Connection, tenant: str) -> MemoryStatistics:
    """Count what the tenant has stored, without what consent withholds."""
    row = await connection.fetchrow(*query("memory_statistics", tenant=tenant))
    assert row is not None
    return MemoryStatistics(**row)
