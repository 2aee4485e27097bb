"""Size statistics of a tenant's memory."""

from dataclasses import dataclass
from datetime import datetime

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import query


@dataclass(frozen=True, slots=True)
class MemoryStatistics:
    """Counts of one tenant. `bytes`: its archive, and its share of tables and indexes by searchable items."""

    conversations: int
    reflections: int
    projects: int
    bytes: int
    is_estimate: bool
    """Whether `bytes` is estimated, because other tenants have rows in the same tables."""
    oldest: datetime | None
    newest: datetime | None


async def memory_statistics(connection: Connection, tenant: str) -> MemoryStatistics:
    """Count what the tenant has stored."""
    row = await connection.fetchrow(*query("memory_statistics", tenant=tenant))
    assert row is not None
    own, everybody = row["own_things"], row["all_things"]
    share = own / everybody if everybody else 1.0
    return MemoryStatistics(
        row["conversations"],
        row["reflections"],
        row["projects"],
        round(row["table_bytes"] * share) + row["archive_bytes"],
        everybody > own,
        row["oldest"],
        row["newest"],
    )
