"""Status of a tenant's bridge: counts, pending work, processing errors, coverage."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias
from uuid import uuid4

from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query, query

RECENT_HOURS: Final = 24
_ERRORS_SHOWN_DAYS: Final = 30


Processing: TypeAlias = Literal["framing", "weaving"]


@dataclass(frozen=True, slots=True)
class ProcessingError:
    """A failure of autoframe or autoweave, without text of a record or response."""

    kind: Processing
    error_code: str
    reason: str
    record_ids: tuple[str, ...]
    attempts: int
    model: str


@dataclass(frozen=True, slots=True)
class ErrorCount:
    """Number of unresolved processing errors of one kind."""

    kind: str
    count: int
    last_code: str
    last_reason: str
    last_occurrence: datetime


@dataclass(frozen=True, slots=True)
class BridgeStatus:
    """Counts of one tenant. Superseded records count only as superseded; passages are those of the bridge."""

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
    """Return the tenant's status at `now`."""
    row = await connection.fetchrow(
        *query("bridge_status", tenant=tenant, recent=now - timedelta(hours=RECENT_HOURS), now=now)
    )
    errors = await connection.fetch(
        *named_query(
            "select kind, count(*)::integer as count,"
            " (array_agg(error_code order by occurred_at desc, id desc))[1] as last_code,"
            " (array_agg(reason order by occurred_at desc, id desc))[1] as last_reason,"
            " max(occurred_at) as last_occurrence"
            " from vcontract.bridge_processing_error"
            " where tenant = :tenant and resolved_at is null and occurred_at > :since"
            " group by kind order by kind",
            tenant=tenant,
            since=now - timedelta(days=_ERRORS_SHOWN_DAYS),
        )
    )
    if row is None:
        raise LookupError("bridge_status gave no row")
    return BridgeStatus(**row, errors=tuple(ErrorCount(*error) for error in errors))


async def note_error(connection: Connection, tenant: str, error: ProcessingError, now: datetime) -> None:
    """Store an error until it expires; see `maintenance`."""
    await connection.execute(
        *named_query(
            "insert into vcontract.bridge_processing_error"
            " (tenant, id, kind, error_code, reason, record_ids, attempts, model, occurred_at)"
            " values (:tenant, :id, :kind, :error_code, :reason, :record_ids, :attempts, :model, :now)",
            tenant=tenant,
            id=uuid4(),
            now=now,
            **asdict(error),
        )
    )


async def resolve_errors(
    connection: Connection, tenant: str, kind: Processing, record_ids: Sequence[str], now: datetime
) -> None:
    """Resolve the errors of these records after processing succeeded."""
    await connection.execute(
        *named_query(
            "update vcontract.bridge_processing_error set resolved_at = :now"
            " where tenant = :tenant and kind = :kind and resolved_at is null"
            " and record_ids <@ :record_ids::text[]",
            tenant=tenant,
            kind=kind,
            record_ids=list(record_ids),
            now=now,
        )
    )
