"""What autoframe and autoweave need of the store: batches to work on, and errors that are kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias
from uuid import uuid4

from vcontract.runtime.store.postgres.database import Connection

Processing: TypeAlias = Literal["framing", "weaving"]


@dataclass(frozen=True, slots=True)
class ProcessingError:
    """What could not be done; never a text of a record or of an answer."""

    kind: Processing
    error_code: str
    reason: str
    record_ids: tuple[str, ...]
    attempts: int
    model: str


async def reflections_of(connection: Connection, tenant: str, source_id: str) -> list[str]:
    """The source and every source that reflects on it, directly or through others, the nearest first."""
    found = [source_id]
    frontier = [source_id]
    while frontier:
        rows = await connection.fetch(
            "select distinct source_id from vcontract.bridge_reflection"
            " where tenant = $1 and reflects_on = any($2) and source_id <> all($3) order by source_id",
            tenant,
            frontier,
            found,
        )
        frontier = [row["source_id"] for row in rows]
        found += frontier
    return found


async def unwoven_moments(connection: Connection, tenant: str) -> list[str]:
    """The active moments in no active scene, those of the oldest events first."""
    rows = await connection.fetch(
        "select m.id from vcontract.bridge_moment m where m.tenant = $1 and m.reframed_by is null"
        " and not exists ("
        "  select from vcontract.bridge_scene_member x"
        "  join vcontract.bridge_scene s on s.tenant = $1 and s.id = x.scene_id and s.reframed_by is null"
        "  where x.tenant = $1 and x.moment_id = m.id"
        " ) order by coalesce(m.when_start, m.created), m.id",
        tenant,
    )
    return [row["id"] for row in rows]


async def height_of(connection: Connection, tenant: str, scene_ids: Sequence[str]) -> int:
    """How many levels of scenes the highest of these has, itself counted; 0 for none."""
    height = await connection.fetchval(
        "with recursive below as ("
        ' select unnest($2::text[]) collate "C" as id, 1 as level'
        " union select m.child_scene_id, b.level + 1 from below b"
        " join vcontract.bridge_scene_member m on m.tenant = $1 and m.scene_id = b.id"
        " where m.child_scene_id is not null and b.level < 100"
        ") select coalesce(max(level), 0) from below",
        tenant,
        list(scene_ids),
    )
    return int(height)


async def note_error(connection: Connection, tenant: str, error: ProcessingError, now: datetime) -> None:
    """Keep an error until its time is over; see `maintenance`."""
    await connection.execute(
        "insert into vcontract.bridge_processing_error"
        " (tenant, id, kind, error_code, reason, record_ids, attempts, model, occurred_at)"
        " values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        tenant,
        uuid4(),
        error.kind,
        error.error_code,
        error.reason,
        list(error.record_ids),
        error.attempts,
        error.model,
        now,
    )


async def resolve_errors(
    connection: Connection, tenant: str, kind: Processing, record_ids: Sequence[str], now: datetime
) -> None:
    """Note that what had failed on these records was done now."""
    await connection.execute(
        "update vcontract.bridge_processing_error set resolved_at = $4"
        " where tenant = $1 and kind = $2 and resolved_at is null and record_ids <@ $3::text[]",
        tenant,
        kind,
        list(record_ids),
        now,
    )
