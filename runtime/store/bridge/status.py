"""How a tenant's lived experience stands: counts, waiting work, errors of processing, coverage."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import query

RECENT_HOURS: Final = 24
_ERRORS_SHOWN_DAYS: Final = 30


@dataclass(frozen=True, slots=True)
class ErrorCount:
    """The unresolved processing errors of one kind."""

    kind: str
    count: int
    last_code: str
    last_reason: str
    last_occurrence: datetime


@dataclass(frozen=True, slots=True)
class BridgeStatus:
    """Superseded records count only as superseded; passages are those of the bridge."""

    sources: int
    reflections: int
    moments: int
    scenes: int
    unframed: int
    unwoven: int
    unreviewed_moments: int
    unreviewed_scenes: int
    superseded_moments: int
    superseded_scenes: int
    captured: int
    framed: int
    woven: int
    enriched: int
    released: int
    last: datetime | None
    passages: int
    embedded: int
    model: str | None
    oldest_pending_seconds: int | None
    errors: tuple[ErrorCount, ...]


async def read(connection: Connection, tenant: str, now: datetime) -> BridgeStatus:
    """The tenant's status at `now`."""
    row = await connection.fetchrow(
        *query("bridge_status", tenant=tenant, recent=now - timedelta(hours=RECENT_HOURS), now=now)
    )
    errors = await connection.fetch(
        "select kind, count(*)::integer as count,"
        " (array_agg(error_code order by occurred_at desc, id desc))[1] as last_code,"
        " (array_agg(reason order by occurred_at desc, id desc))[1] as last_reason,"
        " max(occurred_at) as last_occurrence"
        " from vcontract.bridge_processing_error"
        " where tenant = $1 and resolved_at is null and occurred_at > $2 group by kind order by kind",
        tenant,
        now - timedelta(days=_ERRORS_SHOWN_DAYS),
    )
    if row is None:
        raise LookupError("bridge_status gave no row")
    return BridgeStatus(**row, errors=tuple(ErrorCount(*error) for error in errors))
